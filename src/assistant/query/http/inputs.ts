import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { parseQuery } from '../../../platform/http/parse-input.ts'
import type { QueryTarget } from '../query-service.ts'

/** What a body must be that is none of the objects which a call takes. */
export const notAnObject = 'must be a JSON object'

/** A whole number in a query. */
export function numberParameter(min: number, max: number): z.ZodPreprocess<z.ZodInt> {
  const message = `must be a whole number from ${min} to ${max}`
  const fromText = (text: unknown): unknown =>
    typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text
  return z.preprocess(fromText, z.int(message).min(min, message).max(max, message))
}

/** The parameters of a path. @throws ApiError 400 `invalid-parameter` */
export function parsePath<Schema extends z.ZodObject>(
  schema: Schema,
  params: Readonly<Record<string, string>>,
): z.output<Schema> {
  return parseQuery(schema, new URLSearchParams({ ...params }))
}

/** The database that a call is about: by its path, or else by its body. @throws ApiError 400 where they disagree */
export function targetOf(path: QueryTarget | undefined, body: QueryTarget | undefined): QueryTarget {
  if (path !== undefined && body !== undefined && path !== body) {
    throw new ApiError(400, 'invalid-field', `Field "target" must be ${path}, as in the path, or left out.`, {
      field: 'target',
    })
  }
  return path ?? body ?? 'indexer'
}
