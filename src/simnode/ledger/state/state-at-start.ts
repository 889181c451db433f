import { evmStateAtStart } from '../activities/evm-activities.ts'
import type { Activity } from '../activity.ts'
import type { LedgerState } from './ledger-state.ts'
import { Schedule } from '../scheduled/schedule.ts'
import { stakingAtStart } from '../staking/staking-start.ts'
import { StakingTable } from '../staking/staking-table.ts'
import { startBalances } from './start-balances.ts'
import type { TurnsBefore } from './start-balances.ts'
import { Vaults } from './vaults.ts'

/** The state at the start of a tide, by how often everything was done before it. Each domain adds its part here. */
export function stateAtStart(activities: readonly Activity[], turns: TurnsBefore): LedgerState {
  return {
    vaults: new Vaults(startBalances(activities, turns)),
    staking: new StakingTable(stakingAtStart(turns.tide)),
    schedule: new Schedule(),
    evm: evmStateAtStart((activity) => (activities.includes(activity) ? turns.of(activity) : 0), turns.tide),
  }
}
