import type pg from 'pg'
import { startApi } from './api-service.ts'
import type { Config } from './base/config.ts'
import type { Lifecycle } from './base/lifecycle.ts'
import type { Logger } from './base/log.ts'
import type { Metrics } from './base/metrics.ts'
import type { Terminal } from './base/terminal.ts'
import { startIngest } from './ingest-service.ts'
import { Shared } from './shared.ts'

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

interface Service {
  readonly description: string
  /** Resolves when the service works; what goes on in the background fails through `lifecycle.fail`. */
  readonly start: (context: ServiceContext) => Promise<void>
}

/** Everything that `node src/main.ts <name> …` can run; without names all of them run in one process. */
export const services = {
  ingest: { description: 'Follow the chain and fill in its history: blocks from access nodes into the raw tables.', start: startIngest },
  api: { description: 'Serve the REST API, the live feeds and the metrics on PORT.', start: startApi },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof services

export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(services, name)
}
