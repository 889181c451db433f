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

/** What handlers of the explorer use. */
export interface Services {
  readonly database: DatabasePool
  readonly metrics: Metrics
  /** Decides which accounts hold the core contracts. */
  readonly network: () => Network
  /** The chain as it is now. */
  readonly chain: PresentChain
  /** Whether the database answered when it was checked last. */
  readonly health: () => Health
  readonly status: StatusReader
  /** Blocks above `highest stored height − maxReorgDepth` may still be replaced. */
  readonly maxReorgDepth: number
  readonly csvLimits: CsvLimits
  /** Undefined: developer keys are not known here. */
  readonly keys: DeveloperKeys | undefined
  /** Undefined: accounts of users and their keys are not known here. */
  readonly accounts: Accounts | undefined
  /** Undefined: nothing can be administrated from here. */
  readonly admin: AdminOperations | undefined
  /** Undefined: webhooks are not managed here. */
  readonly webhooks: WebhookStores | undefined
}

/**
 * Who may call: `admin`, with ADMIN_TOKEN or the JWT of an administrator; `owner`, with a developer key or the JWT of
 * an account, which the handler checks.
 */
interface Callers {
  readonly admin: Admission
  readonly owner: undefined
}

interface DerivedRows {
  /**
   * Workers whose tables an answer about a height uses: it is settled only when all of them have derived the height.
   * Default: none.
   */
  readonly derivedBy?: readonly DerivingWorkerName[]
}

interface HeightCaching {
  /**
   * How long an answer about a height may be cached. To be read before the rows of the answer: rows that are derived
   * later do not make an answer settled that lacks them.
   */
  readonly cachingAt: (height: number) => Promise<'settled' | 'revalidate'>
}

export type Route = AnyRoute<Services>

/** Declares a route of the explorer. */
export const defineRoute = routesOf<Services, Callers, DerivedRows, HeightCaching>({
  input: ({ derivedBy = [] }, services) => ({ cachingAt: (height) => cachingAt(services, height, derivedBy) }),
})
