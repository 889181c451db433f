import type { DatabasePool } from 'slonik'
import type { DerivingWorkerName } from '../../jobs/worker-names.ts'
import type { Network } from '../flow/network.ts'
import type { Accounts } from '../platform/auth/accounts.ts'
import type { Admission } from '../platform/auth/credentials.ts'
import type { DeveloperKeys } from '../platform/auth/developer-keys.ts'
import { routesOf } from '../platform/http/route.ts'
import type { Route as AnyRoute } from '../platform/http/route.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { WebhookStores } from '../webhooks/webhook-stores.ts'
import type { CsvLimits } from './accounts/tax-report.ts'
import type { AdminOperations } from './admin/operations.ts'
import { cachingAt } from './paging/bounds.ts'
import type { PresentChain } from './present-chain.ts'
import type { Health, StatusReader } from './status/queries.ts'

export interface Services {
  readonly database: DatabasePool
  readonly metrics: Metrics
  /** Selects the addresses of the core contracts. */
  readonly network: () => Network
  readonly chain: PresentChain
  /** Result of the last database check. */
  readonly health: () => Health
  readonly status: StatusReader
  /** Blocks above `highest stored height − maxReorgDepth` may still be replaced. */
  readonly maxReorgDepth: number
  readonly csvLimits: CsvLimits
  /** Undefined: developer keys are not supported. */
  readonly keys: DeveloperKeys | undefined
  /** Undefined: user accounts are not supported. */
  readonly accounts: Accounts | undefined
  /** Undefined: admin routes are not available. */
  readonly admin: AdminOperations | undefined
  /** Undefined: webhooks are not available. */
  readonly webhooks: WebhookStores | undefined
}

/**
 * `admin`: ADMIN_TOKEN or administrator JWT. `owner`: developer key or user JWT, checked by the
 * handler.
 */
interface Callers {
  readonly admin: Admission
  readonly owner: undefined
}

interface DerivedRows {
  /**
   * Workers whose tables a response about a height uses: it is settled once all of them have
   * derived the height. Default: none.
   */
  readonly derivedBy?: readonly DerivingWorkerName[]
}

interface HeightCaching {
  /**
   * Caching of a response about a height. Must be read before the rows of the response, so that
   * rows derived in between cannot make an incomplete response settled.
   */
  readonly cachingAt: (height: number) => Promise<'settled' | 'revalidate'>
}

export type Route = AnyRoute<Services>

export const defineRoute = routesOf<Services, Callers, DerivedRows, HeightCaching>({
  input: ({ derivedBy = [] }, services) => ({ cachingAt: (height) => cachingAt(services, height, derivedBy) }),
})
