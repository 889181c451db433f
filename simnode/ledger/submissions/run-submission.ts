import { readKnownTransaction, nameOfScript } from '../../../clients/signing/transactions/known-transaction.ts'
import type { AddedKey, KnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import { ufix64Text } from '../../../src/flow/tokens/ufix64.ts'
import { addressBytes } from '../../../src/flow/address.ts'
import type { TransactionBody } from '../../../src/flow/transactions/transaction-id.ts'
import type { Moment, LedgerState } from '../state/ledger-state.ts'
import type { DraftEvent, SignedDraft } from '../events/draft.ts'
import { contractEvent, keyAdded, keyRemoved } from '../events/account-events.ts'
import { transactionFee, moveTokens, endowment, setUpAccount, takeFee } from '../state/token-moves.ts'
import { fullWeight, accountOfAddress, accountAt } from '../world/account.ts'
import type { NewAccountKey, Account } from '../world/account.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import { errorMessage, isPoint, preprocessingError } from './signatures.ts'
import type { Submission } from './journal.ts'

/** Everything is checked before anything changes. */
type SubmissionPlan =
  | { readonly computation: number; readonly error: string }
  | {
      readonly computation: number
      readonly apply: (moment: Moment, events: DraftEvent[]) => void
    }

interface Move {
  readonly from: Account
  readonly to: Account
  readonly amount: bigint
}

/** Wallet accounts of this chain hold FLOW only, without an EVM account. */
const simulatedNames = [
  'create-account',
  'send-flow',
  'add-key',
  'revoke-key',
  'add-contract',
  'update-contract',
] as const
type SimulatedName = (typeof simulatedNames)[number]

function isSimulated(name: KnownTransaction['name']): name is SimulatedName {
  return simulatedNames.some((one) => one === name)
}

/** `computation_usage` */
const computations: Readonly<Record<SimulatedName, number>> = {
  'create-account': 48,
  'send-flow': 24,
  'add-key': 12,
  'revoke-key': 8,
  'add-contract': 30,
  'update-contract': 30,
}
const computationOfFailed = 5
/** Bytes. */
const storageUsed = 920

/** The wallet's transactions are recognised by their text, all others fail. */
function planSubmission(state: LedgerState, body: TransactionBody): SubmissionPlan {
  const code = {
    script: body.script.toString('utf8'),
    arguments: body.arguments.map((argument) => argument.toString('utf8')),
  }
  const name = nameOfScript(code.script, 'emulator')
  if (name === undefined)
    return failed(runtime(`the simulated node runs only the wallet's own transactions: ${simulatedNames.join(', ')}`))
  if (!isSimulated(name))
    return failed(runtime(`the simulated node does not run ${name}: its wallet accounts hold FLOW only`))
  const known = readKnownTransaction(code, 'emulator')
  if (known === undefined)
    return failed(
      executionError(
        1052,
        `transaction arguments are invalid: (the simulated node takes those of ${name} only as the wallet writes them)`,
      ),
    )
  const [address, ...others] = body.authorizers
  const signer = address === undefined ? undefined : accountOfAddress(address)
  if (signer === undefined || others.length > 0)
    return failed(runtime(`authorizer count mismatch for transaction: expected 1, got ${body.authorizers.length}`))
  const payer = accountOfAddress(body.payer)
  if (payer !== undefined && state.vaults.balance(flow, payer) < endowment) {
    const reason = `payer ${payer.hex} has insufficient balance to attempt transaction execution`
    return failed(errorMessage('payer balance check', 1118, `${reason} (required balance: ${ufix64Text(endowment)})`))
  }
  const plan = planners[name](state, signer, known as never)
  if ('error' in plan) return failed(plan.error)
  const error = balanceError(state, plan.moves, payer)
  return error === undefined ? { computation: computations[name], apply: plan.apply } : failed(error)
}

function failed(error: string): SubmissionPlan {
  return { computation: computationOfFailed, error }
}

function executionError(code: number, reason: string): string {
  return errorMessage('transaction execute', code, reason)
}

function runtime(reason: string): string {
  return executionError(1101, `cadence runtime error: Execution failed:\nerror: ${reason}`)
}

type Planned =
  | { readonly error: string }
  | { readonly moves: readonly Move[]; readonly apply: (moment: Moment, events: DraftEvent[]) => void }
type Planner<Name extends SimulatedName> = (
  state: LedgerState,
  signer: Account,
  known: Extract<KnownTransaction, { readonly name: Name }>,
) => Planned

const planners: { readonly [Name in SimulatedName]: Planner<Name> } = {
  'create-account'(state, payer, { key, startBalance }) {
    const account = state.externalAccounts.next
    const error = keyError(key)
    if (error !== undefined) return { error }
    const start = { from: payer, to: account, amount: startBalance }
    return {
      moves: [{ from: payer, to: account, amount: endowment }, start],
      apply(moment, events) {
        const { externalAccounts } = moment.state
        externalAccounts.create()
        setUpAccount(moment, payer, account, events)
        externalAccounts.noteMove(payer, account, endowment)
        add(moment, account, key, events)
        if (startBalance > 0n) move(moment, start, events)
      },
    }
  },
  'send-flow'(state, from, { amount, to: address }) {
    const to = accountOfAddress(addressBytes(address))
    if (to === undefined || !state.accounts.exists(to)) {
      // The withdrawal comes first, and so does its error.
      const short = shortage(amount, state.vaults.balance(flow, from))
      return { error: short ?? runtime('panic: The recipient cannot receive FLOW') }
    }
    const all = { from, to, amount }
    return {
      moves: [all],
      apply: (moment, events) => move(moment, all, events),
    }
  },
  'add-key'(_state, account, { key }) {
    const error = keyError(key)
    return error === undefined
      ? {
          moves: [],
          apply: (moment, events) => add(moment, account, key, events),
        }
      : { error }
  },
  'revoke-key'(state, account, { keyIndex }) {
    if (keyIndex < 0 || keyIndex >= state.accounts.keys(account).length)
      return { error: runtime('panic: The account has no such key') }
    return {
      moves: [],
      apply(moment, events) {
        moment.state.externalAccounts.revokeKey(account, keyIndex)
        events.push(keyRemoved(account, keyIndex))
      },
    }
  },
  'add-contract'(state, account, { contract, code }) {
    if (hasContract(state, account, contract))
      return {
        error: runtime(`cannot overwrite existing contract with name "${contract}" in account 0x${account.hex}`),
      }
    return putContract('contractAdded', account, { name: contract, code })
  },
  'update-contract'(state, account, { contract, code }) {
    if (!hasContract(state, account, contract))
      return {
        error: runtime(`cannot update non-existing contract with name "${contract}" in account 0x${account.hex}`),
      }
    return putContract('contractUpdated', account, { name: contract, code })
  },
}

function hasContract({ contracts }: LedgerState, account: Account, name: string): boolean {
  return contracts.of(account).some((one) => one.name === name)
}

/** The code is stored and never run: it is not checked beyond the name that it declares. */
function putContract(
  change: 'contractAdded' | 'contractUpdated',
  account: Account,
  { name, code }: { readonly name: string; readonly code: string },
): Planned {
  if (!new RegExp(`\\bcontract\\s+(interface\\s+)?${name.replaceAll(/\W/g, '')}\\b`).test(code))
    return { error: runtime(`invalid contract: the code must declare exactly one contract named ${name}`) }
  const contract = { name, code: Buffer.from(code) }
  return {
    moves: [],
    apply(moment, events) {
      moment.state.externalAccounts.putContract(account, contract)
      events.push(contractEvent(change, account, contract))
    },
  }
}

function move(moment: Moment, { from, to, amount }: Move, events: DraftEvent[]): void {
  moveTokens(moment, flow, from, to, amount, events)
  moment.state.externalAccounts.noteMove(from, to, amount)
}

function add(moment: Moment, account: Account, added: AddedKey, events: DraftEvent[]): void {
  const key = newKey(added)
  events.push(keyAdded(account, moment.state.externalAccounts.addKey(account, key), key))
}

function newKey({ publicKey, signatureAlgorithm, hashAlgorithm, weight }: AddedKey): NewAccountKey {
  return { publicKey: Buffer.from(publicKey, 'hex'), signatureAlgorithm, hashAlgorithm, weight }
}

function keyError(added: AddedKey): string | undefined {
  const { publicKey, signatureAlgorithm, weight } = newKey(added)
  if (!isPoint(publicKey, signatureAlgorithm)) return runtime(`invalid public key: ${added.publicKey}`)
  if (weight <= fullWeight) return undefined
  return executionError(1051, `invalid value (${ufix64Text(weight)}): weight must be between 0 and 1000`)
}

/** Senders must keep the minimum balance, and the payer its fee. */
function balanceError({ vaults }: LedgerState, moves: readonly Move[], payer: Account | undefined): string | undefined {
  const balances = new Map<number, bigint>()
  const balanceOf = (account: Account): bigint => balances.get(account.index) ?? vaults.balance(flow, account)
  for (const { from, to, amount } of moves) {
    const error = shortage(amount, balanceOf(from))
    if (error !== undefined) return error
    balances.set(from.index, balanceOf(from) - amount)
    balances.set(to.index, balanceOf(to) + amount)
  }
  for (const account of [...moves.map(({ from }) => from), ...(payer === undefined ? [] : [payer])]) {
    const left = balanceOf(account) - (account.index === payer?.index ? transactionFee : 0n)
    if (left < endowment) {
      const excess = `uses ${storageUsed} bytes of storage which is over its capacity (0 bytes)`
      const advice = 'Capacity can be increased by adding FLOW tokens to the account.'
      return executionError(1103, `The account with address (${account.hex}) ${excess}. ${advice}`)
    }
  }
  return undefined
}

function shortage(amount: bigint, balance: bigint): string | undefined {
  if (amount <= balance) return undefined
  return runtime(
    `pre-condition failed: Cannot withdraw tokens! The amount requested (${ufix64Text(amount)}) is greater than the ` +
      `balance of the Vault (${ufix64Text(balance)}).`,
  )
}

const unknownAccount = accountAt(0)

/**
 * Wrong signatures or sequence numbers cost nothing, as on the chain; later failures cost the fee
 * and the sequence number.
 */
export function runSubmission(moment: Moment, { body }: Submission): SignedDraft {
  const { state } = moment
  const payer = accountOfAddress(body.payer) ?? unknownAccount
  const draft = {
    script: body.script,
    arguments: [],
    authorizers: body.authorizers.map((address) => accountOfAddress(address) ?? unknownAccount),
    gasLimit: Number(body.gasLimit),
    computation: 0,
    events: [],
    payer,
    sequenceNumber: Number(body.proposerSequenceNumber),
    body,
  }
  const error = preprocessingError(state, body)
  if (error !== undefined) return { ...draft, error }
  state.externalAccounts.propose(accountOfAddress(body.proposerAddress) ?? unknownAccount, body.proposerKeyId)
  const plan = planSubmission(state, body)
  const events: DraftEvent[] = []
  if (!('error' in plan)) plan.apply(moment, events)
  takeFee(moment, payer, plan.computation, events)
  state.externalAccounts.noteMove(payer, systemAccounts.flowFees, transactionFee)
  return { ...draft, computation: plan.computation, events, ...('error' in plan ? { error: plan.error } : {}) }
}
