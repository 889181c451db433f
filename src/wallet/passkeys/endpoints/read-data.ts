import { z } from 'zod'
import { ApiError } from '../../../base/errors.ts'
import { parseBody } from '../../../base/parse-input.ts'
import { functionError } from '../function-error.ts'
import type { RelyingParty } from '../relying-party.ts'

/** What clients send in every call of a ceremony: it has to be ours, where it is told at all. */
export const rpId = z.string().max(253).optional()

/** A name that people give. */
export const shortName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has characters that cannot be shown')

/** @throws ApiError 400 `INVALID_INPUT` that names the field */
export function readData<Schema extends z.ZodObject>(schema: Schema, data: unknown): z.output<Schema> {
  try {
    return parseBody(schema, data ?? {})
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw functionError('INVALID_INPUT', error.message, {
      cause: error,
      ...(error.field === undefined ? {} : { field: error.field }),
    })
  }
}

/** Settings alone say for whom passkeys are. @throws ApiError 400 `INVALID_INPUT` */
export function requireOwnRpId(given: string | undefined, relyingParty: RelyingParty): void {
  if (given === undefined || given === relyingParty.id) return
  throw functionError('INVALID_INPUT', `Field "rpId" has to be ${relyingParty.id}, for which the passkeys here are.`, {
    field: 'rpId',
  })
}
