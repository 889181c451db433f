import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { Slots } from '../../platform/limits/slots.ts'
import { jsonOrNothing, responseText } from '../../platform/outbound/response-text.ts'

/** Reads the explorer API, so that tools and pages return the same data. */
export interface Explorer {
  /**
   * @throws ApiError of the route; 503 `explorer-unavailable`, `busy`; 429 `too-many-calls`; 502
   * `explorer-failed`
   */
  read<Schema extends z.ZodType>(path: string, schema: Schema, call: ExplorerCall): Promise<z.output<Schema>>
}

export interface ExplorerCall {
  readonly signal: AbortSignal
  /** As in `CallContext`. */
  readonly client: string | undefined
}

/** An account takes four reads. Further ones wait for a slot. */
const slotLimits = { max: 32, maxPerClient: 16, maxWaiting: 256, maxWaitingPerClient: 64 }
const maxBytes = 8 * 1024 * 1024

const problemSchema = z.object({ code: z.string(), detail: z.string() })

/** @param timeoutMs of a read, and of its wait for a slot */
export function createExplorer(baseUrl: () => string, timeoutMs = 15_000): Explorer {
  const slots = new Slots({ what: 'explorer calls', ...slotLimits, maxWaitMs: timeoutMs })
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
    async read(path, schema, { signal, client }) {
      const slot = await slots.enter(client, { signal })
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
        slot.leave()
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
