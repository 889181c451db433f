import type { DatabasePool } from 'slonik'
import type { DerivingWorkerName } from '../../jobs/worker-names.ts'
import type { Network } from '../flow/network.ts'
import type { Accounts } from '../platform/auth/accounts.ts'
import type { Admission } from '../platform/auth/credentials.ts'
import type { DeveloperKey, DeveloperKeys } from '../platform/auth/developer-keys.ts'
import { routesOf } from '../platform/http/route.ts'
import type { Route as AnyRoute } from '../platform/http/route.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { WebhookOwner } from '../webhooks/webhook-limits.ts'
import type { WebhookStores } from '../webhooks/webhook-stores.ts'
import type { CsvLimits } from './accounts/tax-report.ts'
import type { AdminOperations } from './admin/operations.ts'
import type { ContractReader } from './evm/contract-reads.ts'
import type { ContractVerifier } from './evm/verification/verifier.ts'
import { answerOffset } from './paging/offset.ts'
import { cachingAt } from './paging/bounds.ts'
import type { PresentChain } from './present-chain.ts'
import type { Health, StatusReader } from './status/queries.ts'

export interface Services {
  readonly database: DatabasePool
  /** For reads of unknown cost; `database` of routes with `cost`. */
  readonly expensiveReads: DatabasePool
  readonly metrics: Metrics
  readonly network: () => Network
  readonly chain: PresentChain
  readonly health: () => Health
  readonly status: StatusReader
  /** Blocks above `highest stored height − maxReorgDepth` may be replaced. */
  readonly maxReorgDepth: number
  readonly csvLimits: CsvLimits
  readonly keys: DeveloperKeys | undefined
  readonly accounts: Accounts | undefined
  readonly admin: AdminOperations | undefined
  readonly webhooks: WebhookStores | undefined
  readonly verifier: ContractVerifier | undefined
  readonly contractReader: ContractReader
}

export interface WebhookCaller {
  readonly owner: WebhookOwner
  readonly stores: WebhookStores
}

interface Callers {
  readonly admin: Admission
  /** Owner of the developer key or user JWT. */
  readonly owner: DeveloperKey
  readonly webhooks: WebhookCaller
}

interface DerivedRows {
  /** A response about a height is settled once all of them have derived it. */
  readonly derivedBy?: readonly DerivingWorkerName[]
}

interface HeightCaching {
  /**
   * Must be read before the rows of the response: rows derived in between must not make an
   * incomplete response settled.
   */
  readonly cachingAt: (height: number) => Promise<'settled' | 'revalidate'>
}

export type Route = AnyRoute<Services>

const define = routesOf<Services, Callers, DerivedRows, HeightCaching>({
  input: ({ derivedBy = [] }, services) => ({ cachingAt: (height) => cachingAt(services, height, derivedBy) }),
})

export const defineRoute: typeof define = (declaration) => answerOffset(define(declaration))
