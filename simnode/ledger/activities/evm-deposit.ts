import { activity } from '../activity.ts'
import type { Turn } from '../activity.ts'
import type { DraftEvent, DraftTransaction } from '../draft.ts'
import { nativeAccounts } from '../evm/evm-address.ts'
import { evmEvents } from '../evm/evm-events.ts'
import { evmScripts } from '../evm/evm-scripts.ts'
import { coaOf } from '../evm/evm-turns.ts'
import { runDirect } from '../evm/run-evm.ts'
import { deposit, withdraw } from '../movements/move-tokens.ts'
import type { Account } from '../world/account.ts'
import { somebodysAmount } from '../world/amounts.ts'
import { flow } from '../world/tokens.ts'

interface Deposited {
  readonly from: Account
  /** In units of 10^-8. */
  readonly amount: bigint
}

/** In whole FLOW. */
const most = 200
const attoPerUnit = 10n ** 10n
const gasUsed = { deposit: 21_055, withdraw: 21_000 } as const
const gasLimit = 23_300
const noBytes = Buffer.alloc(0)

function into(turn: Turn, { from, amount }: Deposited): DraftTransaction {
  const { evm } = turn.state
  const coa = coaOf('deposit', turn.ordinal).address
  const coaHex = coa.toString('hex')
  const value = amount * attoPerUnit
  const events: DraftEvent[] = []
  const movedUuid = withdraw(turn, flow, from, amount, events)
  const call = { kind: 'deposit', from: nativeAccounts.bridge, to: coa, input: noBytes, value, gasLimit } as const
  events.push(runDirect(turn, call, gasUsed.deposit))
  evm.totalSupply += value
  events.push({
    shape: evmEvents.flowTokensDeposited,
    values: [coaHex, amount, movedUuid, evm.addBalance(coaHex, value)],
  })
  return {
    script: evmScripts.deposit,
    arguments: [
      { type: 'UFix64', value: amount },
      { type: 'String', value: coaHex },
    ],
    authorizers: [from],
    gasLimit: 9999,
    computation: 40 + turn.random.below(10),
    events,
  }
}

function outOf(turn: Turn, { from, amount }: Deposited): DraftTransaction {
  const { evm } = turn.state
  const { address, owner } = coaOf('deposit', turn.ordinal)
  const coaHex = address.toString('hex')
  const value = amount * attoPerUnit
  const call = { kind: 'withdraw', from: address, to: nativeAccounts.bridge, input: noBytes, value, gasLimit } as const
  const events = [runDirect(turn, call, gasUsed.withdraw)]
  evm.totalSupply -= value
  const movedUuid = turn.newUuid()
  events.push({
    shape: evmEvents.flowTokensWithdrawn,
    values: [coaHex, amount, movedUuid, evm.addBalance(coaHex, -value)],
  })
  deposit(turn, flow, from, amount, movedUuid, events)
  return {
    script: evmScripts.withdraw,
    arguments: [
      { type: 'UFix64', value: amount },
      { type: 'Address', value: from.address },
    ],
    authorizers: [owner],
    gasLimit: 9999,
    computation: 40 + turn.random.below(10),
    events,
  }
}

/** Somebody puts FLOW into an account in the EVM; its owner takes as much out again, for who put it there. */
export const evmDeposit = activity<Deposited>({
  name: 'evm-deposit',
  perTide: 10,
  act(turn) {
    const memo = { from: turn.payer, amount: somebodysAmount(turn.random, most) }
    return { transaction: into(turn, memo), memo }
  },
  giveBack: outOf,
})
