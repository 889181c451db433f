import { accountCreation } from '../activities/account-creation.ts'
import { contractDeploy } from '../activities/contract-deploy.ts'
import { evmStateAtStart } from '../activities/evm-activities.ts'
import { itemMint } from '../activities/item-mint.ts'
import { keyChange } from '../activities/key-change.ts'
import { dollarsMinted, tokenMint } from '../activities/token-mint.ts'
import type { Activity } from '../activity.ts'
import { Market } from '../market/market.ts'
import { Schedule } from '../scheduled/schedule.ts'
import { stakingAtStart } from '../staking/staking-start.ts'
import { StakingTable } from '../staking/staking-table.ts'
import { flow, usdc } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { Accounts } from './accounts.ts'
import { Contracts } from './contracts.ts'
import { genesisSupply } from './genesis-supply.ts'
import { Items } from './items.ts'
import type { LedgerState } from './ledger-state.ts'
import type { Outsiders } from './outsiders.ts'
import { startBalances } from './start-balances.ts'
import type { TurnsBefore } from './start-balances.ts'
import { Supplies } from './supplies.ts'
import { Vaults } from './vaults.ts'

/**
 * The state at the start of a tide, by how often everything was done before it. Each domain adds its part here.
 * @param before what people outside have done until then
 */
export function stateAtStart(activities: readonly Activity[], turns: TurnsBefore, before: Outsiders): LedgerState {
  const outsiders = before.copy()
  const ofFormula = startBalances(activities, turns)
  const turnsOf = (activity: Activity): number => (activities.includes(activity) ? turns.of(activity) : 0)
  const staking = stakingAtStart(turns.tide)
  const made = new Map<Token, bigint>([
    [usdc, dollarsMinted(turnsOf(tokenMint))],
    [flow, staking.minted + before.supply],
  ])
  return {
    vaults: new Vaults((token, account) => ofFormula(token, account) + (token === flow ? before.moved(account) : 0n)),
    supplies: new Supplies((token) => genesisSupply(token) + (made.get(token) ?? 0n)),
    items: new Items(turnsOf(itemMint)),
    accounts: new Accounts(turnsOf(accountCreation), turnsOf(keyChange), turns.transactions, outsiders),
    contracts: new Contracts(turnsOf(contractDeploy)),
    staking: new StakingTable(staking),
    schedule: new Schedule(),
    market: new Market(),
    evm: evmStateAtStart(turnsOf, turns.tide),
    outsiders,
  }
}
