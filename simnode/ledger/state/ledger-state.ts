import type { EvmState } from '../evm/evm-state.ts'
import type { Market } from './market.ts'
import type { Schedule } from './schedule.ts'
import type { StakingTable } from '../staking/staking-table.ts'
import type { Accounts, Contracts } from './accounts.ts'
import type { Items } from './items.ts'
import type { ExternalAccounts } from './external-accounts.ts'
import type { Supplies, Vaults } from './vaults.ts'
import type { Random } from '../world/random.ts'

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
  readonly externalAccounts: ExternalAccounts
}

export interface Moment {
  readonly height: number
  /** Milliseconds since 1970. */
  readonly timeMs: number
  /** Milliseconds since 1970. */
  readonly timeAt: (height: number) => number
  readonly state: LedgerState
  /** Drawn from seed, branch, height and place in the block. */
  readonly random: Random
  readonly newUuid: () => number
}
