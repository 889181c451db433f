import { coreContracts } from '../../src/flow/core-contracts.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../../src/flow/decoded-block.ts'
import { defiEventTypes } from '../../src/flow/defi/dexes.ts'
import type { DefiEventType, DefiEventKind } from '../../src/flow/defi/dexes.ts'
import { readPairEvent } from '../../src/flow/defi/pair-event.ts'
import { amountField, FieldShapeError } from '../../src/flow/event-fields.ts'
import { evmTransactionOf, evmTransactionExecuted } from '../../src/flow/evm/evm-transaction.ts'
import { importedContracts } from '../../src/flow/code/script-imports.ts'
import type { Network } from '../../src/flow/network.ts'
import { tokenMovesOf } from '../../src/flow/tokens/read-token-moves.ts'
import type { TransferType } from '../../src/flow/tokens/token-moves.ts'
import { ufix64Units } from '../../src/flow/tokens/ufix64.ts'
import type { DeriveProblem } from '../worker.ts'

/** What moved of a fungible token in a block. */
interface TokenActivity {
  transfers: number
  /** Of 10^-8. */
  units: bigint
}

/** A fee is no transfer that somebody wanted, and what the bridge locks up is counted where it crosses. */
export function isTokenActivity(type: TransferType): boolean {
  return type !== 'fee' && type !== 'escrow'
}

/** What one block adds to the numbers of parts of the chain. */
export class BlockActivity {
  evmExecutions = 0
  evmFailed = 0
  evmGasUsed = 0n
  swaps = 0
  bridgeToEvm = 0
  bridgeFromEvm = 0
  /** In units of 10^-8 FLOW. */
  epochPayout = 0n
  readonly evmAddresses = new Set<string>()
  readonly traders = new Set<string>()
  /** Transactions by contract. */
  readonly contracts = new Map<string, number>()
  readonly tokens = new Map<string, TokenActivity>()
  /** Movements of items by collection. */
  readonly collections = new Map<string, number>()
  readonly problems: DeriveProblem[] = []
  readonly #height: number
  readonly #network: Network

  constructor({ height, transactions }: DecodedBlock, network: Network) {
    this.#height = height
    this.#network = network
    for (const transaction of transactions) this.#add(transaction)
  }

  get isEmpty(): boolean {
    return (
      this.evmExecutions === 0 &&
      this.swaps === 0 &&
      this.bridgeToEvm === 0 &&
      this.bridgeFromEvm === 0 &&
      this.epochPayout === 0n &&
      this.contracts.size === 0 &&
      this.tokens.size === 0 &&
      this.collections.size === 0
    )
  }

  #add(transaction: DecodedTransaction): void {
    for (const contract of importedContracts(transaction, this.#network)) increment(this.contracts, contract)
    this.#addMoves(transaction)
    const { index: txIndex, events } = transaction
    let [isToEvm, isFromEvm] = [false, false]
    for (const event of events) {
      const meaning = analyticsMeaning(event.type, this.#network)
      switch (meaning) {
        case undefined:
          break
        case 'evm':
          this.#addExecution(event)
          break
        case 'to-evm':
          isToEvm = true
          break
        case 'from-evm':
          isFromEvm = true
          break
        case 'payout':
          this.#addPayout(event, txIndex)
          break
        default:
          this.#addSwap(meaning, event, transaction)
      }
    }
    if (isToEvm) this.bridgeToEvm++
    if (isFromEvm) this.bridgeFromEvm++
  }

  #addMoves(transaction: DecodedTransaction): void {
    const { fungible, nonFungible } = tokenMovesOf(transaction, this.#network)
    for (const { token, amount, type } of fungible) {
      if (!isTokenActivity(type)) continue
      const units = ufix64Units(amount)
      const known = this.tokens.get(token)
      if (known === undefined) this.tokens.set(token, { transfers: 1, units })
      else {
        known.transfers++
        known.units += units
      }
    }
    for (const { token, type } of nonFungible) {
      if (token !== undefined && isTokenActivity(type)) increment(this.collections, token)
    }
  }

  /** As defi_worker has them, which tells those that cannot be read. */
  #addSwap(type: DefiEventType, { fields }: DecodedEvent, { authorizers, payer }: DecodedTransaction): void {
    if (fields === undefined || read(() => readPairEvent(type, fields)) instanceof FieldShapeError) return
    this.swaps++
    const trader = authorizers[0] ?? payer
    if (trader !== undefined) this.traders.add(trader)
  }

  /** What cannot be read of it evm_worker tells; that it was executed is sure. */
  #addExecution(event: DecodedEvent): void {
    this.evmExecutions++
    const execution = read(() => evmTransactionOf(event))
    if (execution === undefined || execution instanceof FieldShapeError) return
    const { status, gasUsed, from, to } = execution
    if (status === 0) this.evmFailed++
    this.evmGasUsed += gasUsed
    if (from !== undefined) this.evmAddresses.add(from)
    if (to !== undefined) this.evmAddresses.add(to)
  }

  #addPayout({ index, type, fields }: DecodedEvent, txIndex: number): void {
    if (fields === undefined) return
    const total = read(() => amountField(fields, 'total'))
    if (typeof total === 'string') this.epochPayout += ufix64Units(total)
    else {
      this.problems.push({
        blockHeight: this.#height,
        txIndex,
        eventIndex: index,
        eventType: type,
        code: 'payout-event-shape',
        message: total.message,
      })
    }
  }
}

/** The error where the fields are not as they must be. */
function read<T>(get: () => T): T | FieldShapeError {
  try {
    return get()
  } catch (error) {
    if (error instanceof FieldShapeError) return error
    throw error
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** What an event is to the numbers of parts of the chain. A swap says how it is to be read. */
type AnalyticsMeaning = 'evm' | 'to-evm' | 'from-evm' | 'payout' | DefiEventType

const core: Readonly<Record<Network, ReadonlyMap<string, AnalyticsMeaning>>> = {
  mainnet: coreMeanings('mainnet'),
  testnet: coreMeanings('testnet'),
  emulator: coreMeanings('emulator'),
}

function coreMeanings(network: Network): ReadonlyMap<string, AnalyticsMeaning> {
  const { service, evmBridge, staking } = coreContracts(network)
  return new Map<string, AnalyticsMeaning>([
    [evmTransactionExecuted(network), 'evm'],
    [`A.${service}.EVM.FLOWTokensDeposited`, 'to-evm'],
    [`A.${evmBridge}.IFlowEVMTokenBridge.BridgedTokensToEVM`, 'to-evm'],
    [`A.${evmBridge}.IFlowEVMNFTBridge.BridgedNFTToEVM`, 'to-evm'],
    [`A.${service}.EVM.FLOWTokensWithdrawn`, 'from-evm'],
    [`A.${evmBridge}.IFlowEVMTokenBridge.BridgedTokensFromEVM`, 'from-evm'],
    [`A.${evmBridge}.IFlowEVMNFTBridge.BridgedNFTFromEVM`, 'from-evm'],
    [`A.${staking}.FlowIDTableStaking.EpochTotalRewardsPaid`, 'payout'],
  ])
}

const swaps: ReadonlySet<DefiEventKind> = new Set(['swap-by-direction', 'trade-by-side', 'pool-swap'])

/** By the type of an event alone; undefined for nearly all. */
function analyticsMeaning(type: string, network: Network): AnalyticsMeaning | undefined {
  const meaning = core[network].get(type)
  if (meaning !== undefined) return meaning
  const defi = defiEventTypes(network)(type)
  return defi !== undefined && swaps.has(defi.kind) ? defi : undefined
}
