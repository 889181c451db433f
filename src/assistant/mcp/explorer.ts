import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { jsonOrNothing, responseText } from '../../platform/outbound/response-text.ts'

/** Reads the explorer API, so that tools and pages return the same data. */
export interface Explorer {
  /** @throws ApiError of the route; 503 `explorer-unavailable`, `explorer-busy`; 502 `explorer-failed` */
  read<Schema extends z.ZodType>(path: string, schema: Schema, signal: AbortSignal): Promise<z.output<Schema>>
}

export interface ExplorerBounds {
  readonly timeoutMs?: number
  readonly maxConcurrent?: number
  readonly maxBytes?: number
}

const problemSchema = z.object({ code: z.string(), detail: z.string() })

export function createExplorer(
  baseUrl: () => string,
  { timeoutMs = 15_000, maxConcurrent = 32, maxBytes = 8 * 1024 * 1024 }: ExplorerBounds = {},
): Explorer {
  let running = 0
  const request = async (path: string, signal: AbortSignal): Promise<{ status: number; body: unknown }> => {
    try {
      const response = await fetch(new URL(path, baseUrl()), {
        headers: { Accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      return { status: response.status, body: jsonOrNothing(await responseText(response, maxBytes, tooLarge)) }
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof ApiError ? error : unavailable('it does not respond', error)
    }
  }
  return {
    async read(path, schema, signal) {
      if (running >= maxConcurrent) {
        throw new ApiError(503, 'explorer-busy', 'Too many explorer calls are running. Try again shortly.')
      }
      running++
      try {
        const { status, body } = await request(path, signal)
        if (status !== 200) throw refusalOf(status, body)
        const parsed = schema.safeParse(body)
        if (parsed.success) return parsed.data
        throw new ApiError(
          502,
          'explorer-failed',
          'The explorer API returned an unexpected response: BACKEND_URL may point to another version. ' +
            'Use run_indexer_sql instead.',
          { cause: parsed.error },
        )
      } finally {
        running--
      }
    },
  }
}

function tooLarge(): ApiError {
  return new ApiError(
    502,
    'explorer-failed',
    'The response of the explorer API is too large. Read the rows you need with run_indexer_sql.',
  )
}

function refusalOf(status: number, body: unknown): ApiError {
  const problem = problemSchema.safeParse(body)
  if (!problem.success || status >= 500 || status === 429) return unavailable(`it returned HTTP ${status}`)
  return new ApiError(status, problem.data.code, problem.data.detail)
}

function unavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError(
    503,
    'explorer-unavailable',
    `The explorer API (BACKEND_URL) is unavailable: ${reason}. Try again later, or use run_indexer_sql.`,
    { cause },
  )
}
