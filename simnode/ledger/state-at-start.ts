import type { Activity } from './activities/activity.ts'
import { transactionFee } from './state/token-moves.ts'
import { turnsOf } from './world/users.ts'
import { flow, systemAccounts, usdc } from './world/tokens.ts'
import { genesisBalance, genesisSupply, Supplies, Vaults } from './state/vaults.ts'
import type { StartBalance } from './state/vaults.ts'
import { evmAtStart } from './evm/evm-turns.ts'
import { EvmState } from './evm/evm-state.ts'
import { coaCall, coaCreation, evmDeposit } from './activities/evm-owned-accounts.ts'
import {
  evmFailure,
  evmItemTransfer,
  evmPictureTransfer,
  evmTokenTransfer,
  evmTransfer,
} from './activities/evm-transfers.ts'
import { accountCreation, contractDeploy, keyChange } from './activities/accounts.ts'
import { itemMint } from './activities/items.ts'
import { dollarsMinted, tokenMint } from './activities/transfers.ts'
import { Market } from './state/market.ts'
import { Schedule } from './state/schedule.ts'
import { stakingAtStart } from './staking/staking-program.ts'
import { StakingTable } from './staking/staking-table.ts'
import type { Token } from './world/tokens.ts'
import { Accounts, Contracts } from './state/accounts.ts'
import { Items } from './state/items.ts'
import type { LedgerState } from './state/ledger-state.ts'
import type { ExternalAccounts } from './state/external-accounts.ts'

interface TurnsBefore {
  readonly cycle: number
  readonly transactions: number
  of(activity: Activity): number
}

/** Genesis, fees, and permanent effects of activities. */
export function startBalances(activities: readonly Activity[], turns: TurnsBefore): StartBalance {
  const lasting = activities.filter((activity) => activity.lasting !== undefined)
  return (token, account) => {
    let balance = genesisBalance(token, account)
    if (token === flow) {
      balance -= BigInt(turnsOf(account, turns.transactions)) * transactionFee
      if (account.index === systemAccounts.flowFees.index) balance += BigInt(turns.transactions) * transactionFee
    }
    for (const activity of lasting) balance += activity.lasting?.(token, account, turns.of(activity), turns.cycle) ?? 0n
    return balance
  }
}

export const evmActivities: readonly Activity[] = [
  evmTransfer,
  evmTokenTransfer,
  evmPictureTransfer,
  evmItemTransfer,
  evmFailure,
  evmDeposit,
  coaCall,
  coaCreation,
]

function evmStateAtStart(turnsOf: (activity: Activity) => number, cycle: number): EvmState {
  const turns = {
    transfer: turnsOf(evmTransfer),
    erc20: turnsOf(evmTokenTransfer),
    erc721: turnsOf(evmPictureTransfer),
    erc1155: turnsOf(evmItemTransfer),
    failure: turnsOf(evmFailure),
    coaCall: turnsOf(coaCall),
    deposit: turnsOf(evmDeposit),
    coaCreation: turnsOf(coaCreation),
  }
  return new EvmState(evmAtStart(turns, cycle))
}

export function stateAtStart(
  activities: readonly Activity[],
  turns: TurnsBefore,
  before: ExternalAccounts,
): LedgerState {
  const externalAccounts = before.copy()
  const ofFormula = startBalances(activities, turns)
  const turnsOf = (activity: Activity): number => (activities.includes(activity) ? turns.of(activity) : 0)
  const staking = stakingAtStart(turns.cycle)
  const made = new Map<Token, bigint>([
    [usdc, dollarsMinted(turnsOf(tokenMint))],
    [flow, staking.minted + before.supply],
  ])
  return {
    vaults: new Vaults((token, account) => ofFormula(token, account) + (token === flow ? before.moved(account) : 0n)),
    supplies: new Supplies((token) => genesisSupply(token) + (made.get(token) ?? 0n)),
    items: new Items(turnsOf(itemMint)),
    accounts: new Accounts(turnsOf(accountCreation), turnsOf(keyChange), turns.transactions, externalAccounts),
    contracts: new Contracts(turnsOf(contractDeploy), externalAccounts),
    staking: new StakingTable(staking),
    schedule: new Schedule(),
    market: new Market(),
    evm: evmStateAtStart(turnsOf, turns.cycle),
    externalAccounts,
  }
}
