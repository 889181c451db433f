import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'

/** What every tool call has besides its arguments. */
export interface CallContext {
  /** Who calls, for the log: `local`, `admin`, or the digest of a developer key. */
  readonly caller: string
  /** Network address of the client, where the server shares slots by it. */
  readonly client?: string | undefined
  readonly log: Logger
  readonly metrics: Metrics
}
