import type { EvmState } from '../evm/evm-state.ts'
import type { Market } from '../market/market.ts'
import type { Schedule } from '../scheduled/schedule.ts'
import type { StakingTable } from '../staking/staking-table.ts'
import type { Accounts } from './accounts.ts'
import type { Contracts } from './contracts.ts'
import type { Items } from './items.ts'
import type { Outsiders } from './outsiders.ts'
import type { Supplies } from './supplies.ts'
import type { Vaults } from './vaults.ts'

/** The state of the whole chain after some transaction, by domain. Each domain adds its part, a `StatePart`, here. */
export interface LedgerState {
  readonly vaults: Vaults
  readonly supplies: Supplies
  readonly items: Items
  readonly accounts: Accounts
  readonly contracts: Contracts
  readonly staking: StakingTable
  readonly schedule: Schedule
  readonly market: Market
  readonly evm: EvmState
  readonly outsiders: Outsiders
}
