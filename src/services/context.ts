import type pg from 'pg'
import type { Config } from '../base/config.ts'
import type { Lifecycle } from '../base/lifecycle.ts'
import type { Logger } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Terminal } from '../base/terminal.ts'
import type { Shared } from './shared.ts'

/** What every service is given. */
export interface ServiceContext {
  readonly config: Config
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly terminal: Terminal
  /** What services of one process lend each other, so that nothing is followed or decoded twice. */
  readonly shared: Shared
}
