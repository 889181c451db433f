import type { Vaults } from './vaults.ts'

/** The state of the whole chain after some transaction, by domain. Each domain adds its part, a `StatePart`, here. */
export interface LedgerState {
  readonly vaults: Vaults
}
