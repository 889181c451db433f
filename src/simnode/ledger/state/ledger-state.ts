import type { EvmState } from '../evm/evm-state.ts'
import type { Schedule } from '../scheduled/schedule.ts'
import type { StakingTable } from '../staking/staking-table.ts'
import type { Vaults } from './vaults.ts'

/** The state of the whole chain after some transaction, by domain. Each domain adds its part, a `StatePart`, here. */
export interface LedgerState {
  readonly vaults: Vaults
  readonly staking: StakingTable
  readonly schedule: Schedule
  readonly evm: EvmState
}
