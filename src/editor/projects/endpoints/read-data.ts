import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { editorNetworks } from '../../editor-network.ts'
import { parseBody } from '../../../platform/parse-input.ts'
import { projectError } from '../project-error.ts'

/** Names a project towards its owner. */
export const projectId = z.uuid('has to be the id of a project, a UUID')

/** What a client calls one save, of its own choosing, to be able to send it again. */
export const saveId = z.uuid('has to be a UUID').transform((id) => id.toLowerCase())

/** As links have it. */
export const slug = z
  .string()
  .min(1)
  .max(80)
  .regex(/^[a-z0-9-]*$/, 'has to be a slug: a-z, 0-9 and dashes')

export const version = z.number().int('has to be a whole number').min(1).max(2_147_483_647)

export const network = z.enum(editorNetworks, `has to be one of ${editorNetworks.join(', ')}`)

/** What people call a project. Joiners of emoji are fine; what turns the direction of all that follows on a page is not. */
export const projectName = z
  .string()
  .trim()
  .min(1, 'is empty; give a name')
  .max(100)
  .regex(
    /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u,
    'has characters that cannot be shown',
  )
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, 'has nothing that can be seen; give a name')

/** @throws ApiError 400 `INVALID_INPUT` that names the field */
export function readData<Schema extends z.ZodObject>(schema: Schema, data: unknown): z.output<Schema> {
  try {
    return parseBody(schema, data ?? {})
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { field } = error
    throw projectError('INVALID_INPUT', error.message, {
      cause: error,
      ...(field === undefined ? {} : { field, facts: { field } }),
    })
  }
}
