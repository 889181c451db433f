import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { routesOf } from '../../../platform/http/route.ts'
import type { Call } from '../../../platform/http/route.ts'
import { clientNetwork } from '../../../platform/limits/clients.ts'
import type { TokenBuckets } from '../../../platform/limits/token-buckets.ts'
import type { AgentMemory } from '../agent-memory.ts'
import type { Dashboards } from '../saved/dashboards.ts'
import type { TileResults } from '../saved/tile-results.ts'
import type { AlertMails } from '../alerts/alert-mails.ts'
import type { AlertStore } from '../alerts/alert-store.ts'
import type { Exports } from '../exports.ts'
import type { SavedQueries } from '../saved/saved-queries.ts'
import type { QueryHistory } from '../query-history.ts'
import type { QueryOptions, QueryService, QueryTarget } from '../query-service.ts'

export interface AskServices {
  readonly service: QueryService
  readonly history: QueryHistory
  readonly memory: AgentMemory
  readonly saved: SavedQueries
  readonly alerts: AlertStore
  readonly alertMails: AlertMails
  readonly exports: Exports
  readonly dashboards: Dashboards
  readonly tileResults: TileResults
  /** Rate of reads of published dashboards, and of links in e-mails. */
  readonly viewers: TokenBuckets
  /** Owner of published dashboards. */
  readonly owner: string
  readonly needsToken: boolean
}

export const route = routesOf<AskServices, { token: string }>({ unknownParameters: 'refused' })

/** The longest statement that the gate accepts, with space for escapes. */
export const maxBodyBytes = 1024 * 1024

export const notAnObject = 'must be a JSON object'

export function numberParameter(min: number, max: number): z.ZodPreprocess<z.ZodInt> {
  const message = `must be a whole number from ${min} to ${max}`
  const fromText = (text: unknown): unknown =>
    typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text
  return z.preprocess(fromText, z.int(message).min(min, message).max(max, message))
}

/** @throws ApiError 400 if path and body differ */
export function targetOf(path: QueryTarget | undefined, body: QueryTarget | undefined): QueryTarget {
  if (path !== undefined && body !== undefined && path !== body) {
    throw new ApiError(400, 'invalid-field', `Field "target" must equal the path (${path}) or be omitted.`, {
      field: 'target',
    })
  }
  return path ?? body ?? 'indexer'
}

export function queryOptions({ signal, client }: Call): QueryOptions {
  return { signal, client: clientNetwork(client.address) }
}
