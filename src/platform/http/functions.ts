import type { Middleware } from 'koa'
import { z } from 'zod'
import type { ApiError } from '../errors.ts'
import { pathCors } from './cors.ts'
import type { ErrorForm } from './problem.ts'
import type { RequestState } from './requests.ts'

/** Body of a function, which is one POST with the name of its endpoint. */
export const functionCall = z.object({ endpoint: z.string().max(100), data: z.unknown().optional() })

export const functionAnswer = z.strictObject({ success: z.literal(true), data: z.unknown() })

/** Clients expect upper-case codes. @param codes by code or status, for other errors */
export function functionErrors(codes: Readonly<Record<string, string>>): ErrorForm {
  const codeOf = ({ code, status }: ApiError): string =>
    /^[A-Z_]+$/.test(code) ? code : (codes[code] ?? codes[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_INPUT'))
  return {
    schema: z
      .strictObject({
        success: z.literal(false),
        error: z.looseObject({ code: z.string(), message: z.string() }),
      })
      .meta({ id: 'FunctionError' }),
    contentType: 'application/json',
    bodyOf: (error) => {
      const { facts } = error.details
      return {
        success: false,
        error: { ...(typeof facts === 'object' ? facts : {}), code: codeOf(error), message: error.message },
      }
    },
    // The rest of a refused body is not read.
    headersOf: (_error, { complete }): Record<string, string> => (complete ? {} : { Connection: 'close' }),
  }
}

export function functionCors(
  path: string,
  {
    errorForm,
    allows,
    refusal,
  }: {
    readonly errorForm: ErrorForm
    readonly allows: (origin: string) => boolean
    readonly refusal: () => ApiError
  },
): Middleware<RequestState> {
  return pathCors(path, {
    errorForm,
    allows,
    refusal,
    methods: 'POST',
    // Clients of Supabase functions send the last two.
    headers: 'authorization, content-type, apikey, x-client-info',
    exposed: 'Retry-After, X-Request-Id',
  })
}
