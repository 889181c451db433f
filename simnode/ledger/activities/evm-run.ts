import type { Moment } from '../state/ledger-state.ts'
import { argument } from '../events/draft.ts'
import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import { lazy, erc1155BatchTransfer, erc20Transfer, erc721Transfer } from '../evm/evm-encoding.ts'
import {
  nativeAccounts,
  evmChainId,
  evmAddressLength,
  coas,
  codeOf,
  creationInputOf,
  contractMaker,
  erc20Contracts,
  evmContracts,
  evmUsers,
  firstOwner,
  genesisHoldings,
  itemKinds,
  pictureCount,
} from '../evm/evm-world.ts'
import { transactionExecuted, blockExecuted } from '../evm/evm-events.ts'
import type { ExecutedTransaction } from '../evm/evm-events.ts'
import { directCallPayload, directCallType, signedPayload } from '../evm/evm-payload.ts'
import type { DirectCall } from '../evm/evm-payload.ts'
import type { LogParts, EvmBlock } from '../evm/evm-block.ts'
import { relayerOf, signedTurnsOf, signerOf, hashBefore } from '../evm/evm-turns.ts'
import type { Direction, SignedKind } from '../evm/evm-turns.ts'
import { activity } from './activity.ts'
import type { Activity, Turn, SystemWork } from './activity.ts'
import type { EvmUser } from '../evm/evm-world.ts'
import { placeInCycle, cycleLength, cycleOf } from '../world/cycle.ts'
import { closeEvmBlock } from '../evm/evm-block.ts'

const runScript = Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

transaction(signed: String, feesTo: String) {
    execute {
        let result = EVM.run(tx: signed.decodeHex(), coinbase: EVM.addressFromString(feesTo))
        assert(
            result.status == EVM.Status.successful || result.status == EVM.Status.failed,
            message: result.errorMessage
        )
    }
}
`)

export interface Outcome {
  readonly logs?: readonly LogParts[]
  readonly returnedData?: Buffer
  readonly contractAddress?: Buffer
  readonly error?: { readonly code: number; readonly message: string }
}

interface SignedCall extends Outcome {
  readonly to: Buffer
  readonly value?: bigint
  readonly input?: Buffer
}

const noBytes = Buffer.alloc(0)
const transferGas = 21_055
const transferGasLimit = 23_300

/** Pays the gas to the relayer, like `EVM.run`. The caller applies the effects of the call. */
function runSigned(
  moment: Moment,
  kind: SignedKind,
  direction: Direction,
  ordinal: number,
  call: SignedCall,
  events: DraftEvent[],
): () => Buffer {
  const { evm } = moment.state
  const { gasUsed, gasLimit, gasPrice } = signedTurnsOf[kind]
  const signer = signerOf(kind, direction, ordinal)
  const relayer = relayerOf(kind, ordinal)
  const type = ([0, 2, 2, 1] as const)[ordinal % 4] as 0 | 1 | 2
  const nonce = evm.takeNonce(signer.address.toString('hex'))
  const { to, value = 0n, input = noBytes } = call
  const transaction = { type, chainId: evmChainId, nonce, gasPrice, gasLimit, to, value, input }
  const payload = lazy(() => signedPayload(transaction, signer.privateKey))
  const fee = BigInt(gasUsed) * gasPrice
  evm.addBalance(signer.address.toString('hex'), -fee)
  evm.addBalance(relayer.address.toString('hex'), fee)
  events.push(executed(moment, { ...outcomeOf(call), type, payload, gasUsed }))
  const { coinbase: from } = nativeAccounts
  const payout = { from, to: relayer.address, input: noBytes, value: fee, gasLimit: transferGasLimit }
  events.push(runDirect(moment, { kind: 'transfer', ...payout }, transferGas))
  return () => payload().bytes
}

/** The caller applies the effects. */
export function runDirect(
  moment: Moment,
  call: Omit<DirectCall, 'nonce'>,
  gasUsed: number,
  outcome: Outcome = {},
): DraftEvent {
  const nonce = moment.state.evm.takeNonce(call.from.toString('hex'))
  const payload = lazy(() => directCallPayload({ ...call, nonce }))
  return executed(moment, { ...outcomeOf(outcome), type: directCallType, payload, gasUsed })
}

function outcomeOf({ logs = [], returnedData = noBytes, contractAddress, error }: Outcome) {
  return {
    logs,
    returnedData,
    ...(contractAddress === undefined ? {} : { contractAddress }),
    ...(error === undefined ? {} : { error }),
  }
}

function executed({ state, height }: Moment, transaction: ExecutedTransaction): DraftEvent {
  const { type, payload, gasUsed, logs, error } = transaction
  const index = state.evm.transactions.length
  state.evm.transactions.push({ type, hash: () => payload().hash, succeeded: error === undefined, gasUsed, logs })
  return transactionExecuted(transaction, index, height)
}

interface Signers {
  readonly first: EvmUser
  readonly second: EvmUser
}

interface SignedActivity<Memo> {
  readonly name: string
  readonly kind: SignedKind
  readonly perCycle: number
  readonly draw: (turn: Turn, signers: Signers) => Memo
  readonly call: (turn: Turn, memo: Memo, direction: Direction, signers: Signers) => SignedCall
}

export function signedActivity<Memo>({ name, kind, perCycle, draw, call }: SignedActivity<Memo>): Activity {
  const signersOf = ({ ordinal }: Turn): Signers => ({
    first: signerOf(kind, 'there', ordinal),
    second: signerOf(kind, 'back', ordinal),
  })
  const run = (turn: Turn, memo: Memo, direction: Direction): DraftTransaction =>
    relayed(turn, kind, direction, call(turn, memo, direction, signersOf(turn)))
  return activity<Memo>({
    name,
    perCycle,
    act(turn) {
      const memo = draw(turn, signersOf(turn))
      return { transaction: run(turn, memo, 'there'), memo }
    },
    undo: (turn, memo) => run(turn, memo, 'back'),
  })
}

export function relayed(turn: Turn, kind: SignedKind, direction: Direction, call: SignedCall): DraftTransaction {
  const events: DraftEvent[] = []
  const signed = runSigned(turn, kind, direction, turn.ordinal, call, events)
  return {
    script: runScript,
    arguments: [
      {
        type: 'String',
        get value() {
          return signed().toString('hex')
        },
      },
      argument.string(relayerOf(kind, turn.ordinal).address.toString('hex')),
    ],
    authorizers: [turn.payer],
    gasLimit: 9999,
    computation: 60 + turn.random.below(20),
    events,
  }
}

const zeroAddress = Buffer.alloc(evmAddressLength)
const gasPerContract = 700_000
const gasPerLog = 48_000

/** Their logs give the first holdings. */
function makeContracts(moment: Moment): DraftEvent[] {
  return Object.values(evmContracts).map((contract) => {
    const logs = firstLogs(contract)
    const gasUsed = gasPerContract + gasPerLog * logs.length
    const call = {
      kind: 'deploy',
      from: contractMaker,
      to: undefined,
      input: creationInputOf(contract),
      value: 0n,
      gasLimit: gasUsed,
    } as const
    return runDirect(moment, call, gasUsed, {
      logs,
      contractAddress: contract,
      returnedData: codeOf(contract.toString('hex')),
    })
  })
}

function firstLogs(contract: Buffer): LogParts[] {
  if (erc20Contracts.includes(contract)) {
    return [...evmUsers, ...coas].map(({ address }) => {
      return erc20Transfer(contract, zeroAddress, address, genesisHoldings.erc20)
    })
  }
  if (contract === evmContracts.pictures) {
    return Array.from({ length: pictureCount }, (_, index) => {
      return erc721Transfer(contract, zeroAddress, firstOwner(index + 1), index + 1)
    })
  }
  const amounts = Array.from({ length: itemKinds }, (_, index) => [index + 1, genesisHoldings.items] as const)
  return evmUsers.map(({ address }) => erc1155BatchTransfer(contract, contractMaker, zeroAddress, address, amounts))
}

export const evmBlocks: SystemWork = {
  name: 'evm-blocks',
  chunk(moment) {
    const { state, height, timeMs, random } = moment
    const { evm } = state
    const first = height === 1 ? makeContracts(moment) : []
    const { lastHash, totalSupply, transactions } = evm
    const prevrandao = random.bytes(32)
    const isLastOfCycle = placeInCycle(height) === cycleLength - 1
    const block = lazy((): EvmBlock => {
      const closed = closeEvmBlock({
        parentHash: lastHash(),
        height,
        timestamp: Math.floor(timeMs / 1000),
        totalSupply,
        prevrandao,
        transactions,
      })
      return isLastOfCycle ? { ...closed, hash: hashBefore(cycleOf(height) + 1) } : closed
    })
    evm.lastHash = () => block().hash
    evm.transactions = []
    return [...first, blockExecuted(block)]
  },
}
