import type { Moment } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { lazy } from '../lazy.ts'
import { nativeAccounts } from './evm-address.ts'
import { transactionExecuted } from './evm-events.ts'
import type { ExecutedTransaction } from './evm-events.ts'
import { directCallPayload, directCallType, signedPayload } from './evm-payload.ts'
import type { DirectCall } from './evm-payload.ts'
import type { LogParts } from './evm-receipt.ts'
import { relayerOf, signedTurnsOf, signerOf } from './evm-turns.ts'
import type { Direction, SignedKind } from './evm-turns.ts'
import { evmChainId } from './evm-world.ts'

/** What comes of a run beside its gas. */
export interface Outcome {
  readonly logs?: readonly LogParts[]
  readonly returnedData?: Buffer
  readonly contractAddress?: Buffer
  readonly error?: { readonly code: number; readonly message: string }
}

export interface SignedCall extends Outcome {
  readonly to: Buffer
  readonly value?: bigint
  readonly input?: Buffer
}

const noBytes = Buffer.alloc(0)
/** Of a transfer to an account with code, which the code's own part is added to. */
const transferGas = 21_055
const transferGasLimit = 23_300

/**
 * Runs a transaction that the user signs whose turn it is, as `EVM.run` does: pays for the gas, and hands that on to
 * who relayed it. What the call moves itself is the caller's to do.
 * @returns the transaction's bytes, which are made when they are needed
 */
export function runSigned(
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
  const payload = lazy(() =>
    signedPayload(
      {
        type,
        chainId: evmChainId,
        nonce,
        gasPrice,
        gasLimit,
        to: call.to,
        value: call.value ?? 0n,
        input: call.input ?? noBytes,
      },
      signer.privateKey,
    ),
  )
  const fee = BigInt(gasUsed) * gasPrice
  evm.addBalance(signer.address.toString('hex'), -fee)
  evm.addBalance(relayer.address.toString('hex'), fee)
  events.push(executed(moment, { ...outcomeOf(call), type, payload, gasUsed }))
  events.push(
    runDirect(
      moment,
      {
        kind: 'transfer',
        from: nativeAccounts.coinbase,
        to: relayer.address,
        input: noBytes,
        value: fee,
        gasLimit: transferGasLimit,
      },
      transferGas,
    ),
  )
  return () => payload().bytes
}

/** Runs a call that Cadence makes. What it moves is the caller's to do. */
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

function outcomeOf({
  logs,
  returnedData,
  contractAddress,
  error,
}: Outcome): Outcome & Pick<ExecutedTransaction, 'logs' | 'returnedData'> {
  return {
    logs: logs ?? [],
    returnedData: returnedData ?? noBytes,
    ...(contractAddress === undefined ? {} : { contractAddress }),
    ...(error === undefined ? {} : { error }),
  }
}

/** Adds a transaction to the EVM's block, and tells it. */
function executed({ state, height }: Moment, transaction: ExecutedTransaction): DraftEvent {
  const { type, payload, gasUsed, logs, error } = transaction
  const index = state.evm.transactions.length
  state.evm.transactions.push({ type, hash: () => payload().hash, succeeded: error === undefined, gasUsed, logs })
  return transactionExecuted(transaction, index, height)
}
