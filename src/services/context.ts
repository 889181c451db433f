import type pg from 'pg'
import type { Config } from '../base/config.ts'
import type { Lifecycle } from '../base/lifecycle.ts'
import type { Logger } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Terminal } from '../base/terminal.ts'
import type { Shared } from './shared.ts'

/** What every service is given, and all that one gets which needs no database. */
export interface BareContext {
  readonly config: Config
  readonly log: Logger
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly terminal: Terminal
  /** What services of one process lend each other, so that nothing is followed or decoded twice. */
  readonly shared: Shared
}

/** What the services are given. */
export interface ServiceContext extends BareContext {
  readonly databaseUrl: string
  readonly pool: pg.Pool
}
