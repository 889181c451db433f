import { startApi } from './services/api.ts'
import type { ServiceContext } from './services/context.ts'
import { startFarm } from './services/farm.ts'
import { startIngest } from './services/ingest.ts'
import { startWebhooks } from './services/webhooks.ts'

interface Service {
  readonly description: string
  /** Resolves when the service works; what goes on in the background fails through `lifecycle.fail`. */
  readonly start: (context: ServiceContext) => Promise<void>
}

/** Everything that `node src/main.ts <name> …` can run; without names all of them run in one process. */
export const services = {
  ingest: { description: 'Follow the chain and fill in its history: blocks from access nodes into the raw tables.', start: startIngest },
  farm: { description: 'Derive transfers, accounts, holdings and all else from the stored blocks, in leased ranges.', start: startFarm },
  api: { description: 'Serve the REST API, the live feeds, the metrics and the page of the operator on PORT.', start: startApi },
  webhooks: { description: 'Make webhooks of what is stored and derived, and send them.', start: startWebhooks },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof services

export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(services, name)
}
