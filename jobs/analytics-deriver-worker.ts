import type { SqlColumn, SumFold, DeriveProblem, DeriveContext, HeightTable, Worker } from './worker.ts'
import { coreContracts } from '../src/flow/core-contracts.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../src/flow/decoded-block.ts'
import { defiEventTypes } from '../src/flow/defi/dexes.ts'
import type { DefiEventType, DefiEventKind } from '../src/flow/defi/dexes.ts'
import { readPairEvent } from '../src/flow/defi/pair-event.ts'
import { amountField, FieldShapeError } from '../src/flow/event-fields.ts'
import { evmTransactionOf, evmTransactionExecuted } from '../src/flow/evm/evm-transaction.ts'
import { importedContracts } from '../src/flow/code/script-imports.ts'
import type { Network } from '../src/flow/network.ts'
import { tokenMovesOf } from '../src/flow/tokens/read-token-moves.ts'
import type { TransferType } from '../src/flow/tokens/token-moves.ts'
import { ufix64Units, ufix64Text } from '../src/flow/tokens/ufix64.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import { utcDay, utcHour } from '../src/flow/decoded-block.ts'

const inRange = 'block_height >= $1 and block_height < $2'
const day: SqlColumn = { column: 'day', type: 'date' }
const hour: SqlColumn = { column: 'hour', type: 'smallint' }

const dayCounters = [
  'evm_execution_count',
  'evm_failed_count',
  'evm_gas_used',
  'swap_count',
  'bridge_to_evm_tx_count',
  'bridge_from_evm_tx_count',
  'epoch_payout',
] as const

const actorsOfRange = `
    select day, 'evm' as kind, address
    from app.block_analytics cross join lateral unnest(evm_addresses) as address where ${inRange}
    union all
    select day, 'trader', address
    from app.block_analytics cross join lateral unnest(traders) as address where ${inRange}`

const activityOfRange = `
    select 'contract' as kind, day, hour, e.name, e.count::bigint as activity_count, 0.00000000 as amount
    from app.block_analytics cross join lateral unnest(contracts, contract_tx_counts) as e (name, count) where
      ${inRange}
    union all
    select 'token', day, hour, e.name, e.count, e.amount
    from app.block_analytics
    cross join lateral unnest(tokens, token_transfer_counts, token_amounts) as e (name, count, amount) where ${inRange}
    union all
    select 'collection', day, hour, e.name, e.count, 0.00000000
    from app.block_analytics
    cross join lateral unnest(collections, collection_transfer_counts) as e (name, count) where ${inRange}`

/** The order matters: the actor count reads the actors. */
function analyticsFolds(of: string): readonly SumFold[] {
  return [
    {
      kind: 'sum',
      name: 'app.daily_analytics',
      key: [day],
      presence: 'block_count',
      of,
      sums: [
        { column: 'block_count', type: 'bigint' },
        ...dayCounters.map((column) => ({ column, type: column === 'epoch_payout' ? 'numeric' : 'bigint' })),
      ],
      touched: `select distinct day from app.block_analytics where ${inRange}`,
      counted: `
        select day, 1::bigint as block_count, ${dayCounters.join(', ')} from app.block_analytics where ${inRange}`,
    },
    {
      kind: 'sum',
      name: 'app.daily_actors',
      presence: 'block_count',
      of,
      key: [day, { column: 'kind', type: 'text' }, { column: 'address', type: 'text' }],
      sums: [{ column: 'block_count', type: 'bigint' }],
      touched: `select distinct day, kind, address from (${actorsOfRange}) as seen`,
      counted: `select day, kind, address, 1::bigint as block_count from (${actorsOfRange}) as seen`,
    },
    // Actors seen only in the range's blocks.
    {
      kind: 'sum',
      name: 'app.daily_actor_counts',
      presence: 'actor_count',
      of,
      key: [day, { column: 'kind', type: 'text' }],
      sums: [{ column: 'actor_count', type: 'bigint' }],
      touched: `select distinct day, kind from (${actorsOfRange}) as seen`,
      counted: `
        select a.day, a.kind, 1::bigint as actor_count
        from (
          select day, kind, address, count(*) as block_count from (${actorsOfRange}) as seen group by day, kind, address
        ) as r
        join app.daily_actors a
          on a.day = r.day and a.kind = r.kind and a.address = r.address and a.block_count = r.block_count`,
    },
    {
      kind: 'sum',
      name: 'app.hourly_activity',
      presence: 'activity_count',
      of,
      key: [{ column: 'kind', type: 'text' }, day, hour, { column: 'name', type: 'text' }],
      sums: [
        { column: 'activity_count', type: 'bigint' },
        { column: 'amount', type: 'numeric' },
      ],
      touched: `select distinct kind, day, hour, name from (${activityOfRange}) as seen`,
      counted: activityOfRange,
    },
  ]
}

/** In whole tokens. */
const usualAmount = 1000

/**
 * Valuable tokens, mainnet, in whole tokens; low enough to stay valid when prices change. Source:
 * onflow/docs, "Stablecoins and wrapped assets"; for Celer bridge tokens FlowFans/flow-token-list.
 */
const smallerAmounts: ReadonlyMap<string, number> = new Map([
  // Bitcoin
  ['A.231cc0dbbcffc4b7.ceWBTC', 0.02],
  ['A.1e4aa0b87d10b141.EVMVMBridgedToken_717dae2baf7656be9a9b01dee31d571a9d4c9579', 0.02],
  ['A.1e4aa0b87d10b141.EVMVMBridgedToken_a0197b2044d28b08be34d98b23c9312158ea9a18', 0.02],
  // Ether
  ['A.231cc0dbbcffc4b7.ceWETH', 0.5],
  ['A.1e4aa0b87d10b141.EVMVMBridgedToken_2f6f07cdcf3588944bf4c42ac74ff24bf56e7590', 0.5],
])

function isBigAmount(token: string, amount: string): boolean {
  return Number(amount) >= (smallerAmounts.get(token) ?? usualAmount)
}

interface TokenActivity {
  transfers: number
  /** Units of 10^-8. */
  units: bigint
}

/** Bridge escrow is counted as a bridge transfer. */
function isTokenActivity(type: TransferType): boolean {
  return type !== 'fee' && type !== 'escrow'
}

class BlockActivity {
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
  /** Counts transactions. */
  readonly contracts = new Map<string, number>()
  readonly tokens = new Map<string, TokenActivity>()
  /** Counts NFT transfers. */
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

  /** defi_worker records undecodable swaps. */
  #addSwap(type: DefiEventType, { fields }: DecodedEvent, { authorizers, payer }: DecodedTransaction): void {
    if (fields === undefined || read(() => readPairEvent(type, fields)) instanceof FieldShapeError) return
    this.swaps++
    const trader = authorizers[0] ?? payer
    if (trader !== undefined) this.traders.add(trader)
  }

  /** Undecodable executions also count; evm_worker records the error. */
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

function analyticsMeaning(type: string, network: Network): AnalyticsMeaning | undefined {
  const meaning = core[network].get(type)
  if (meaning !== undefined) return meaning
  const defi = defiEventTypes(network)(type)
  return defi !== undefined && swaps.has(defi.kind) ? defi : undefined
}

const blockAnalytics: HeightTable = {
  name: 'app.block_analytics',
  columns: [
    'block_height',
    'evm_gas_used',
    'day',
    'evm_execution_count',
    'evm_failed_count',
    'swap_count',
    'bridge_to_evm_tx_count',
    'bridge_from_evm_tx_count',
    'hour',
    'epoch_payout',
    'evm_addresses',
    'traders',
    'contracts',
    'contract_tx_counts',
    'tokens',
    'token_transfer_counts',
    'token_amounts',
    'collections',
    'collection_transfer_counts',
  ],
  heightColumn: 'block_height',
  partitionHeights: 5_000_000,
}

const bigTransfers: HeightTable = {
  name: 'app.big_transfers',
  columns: ['block_height', 'tx_index', 'event_index', 'leg', 'day', 'token', 'amount'],
  heightColumn: 'block_height',
  partitionHeights: 5_000_000,
}

export const analyticsDeriverWorker: Worker = {
  name: 'analytics_deriver_worker',
  description: 'Activity of EVM, swaps, bridge, contracts and tokens by day and hour, and big transfers',
  phase: 1,
  follows: [],
  tables: [blockAnalytics, bigTransfers],
  folds: analyticsFolds(blockAnalytics.name),
  derive({ blocks }, output, context) {
    const activityRows = output.rows(blockAnalytics.name)
    const bigRows = output.rows(bigTransfers.name)
    for (const block of blocks) {
      const activity = new BlockActivity(block, context.network)
      if (!activity.isEmpty) writeActivity(activityRows, block, activity)
      for (const problem of activity.problems) output.problem(problem)
      writeBigTransfers(bigRows, block, context)
    }
  },
}

function writeActivity(rows: RowWriter, { height, timestampUs }: DecodedBlock, activity: BlockActivity): void {
  const contracts = [...activity.contracts].toSorted(byKey)
  const tokens = [...activity.tokens].toSorted(byKey)
  const collections = [...activity.collections].toSorted(byKey)
  rows.row(blockAnalytics.columns.length)
  rows.int8(height)
  rows.int8(activity.evmGasUsed)
  rows.date(utcDay(timestampUs))
  rows.int4(activity.evmExecutions)
  rows.int4(activity.evmFailed)
  rows.int4(activity.swaps)
  rows.int4(activity.bridgeToEvm)
  rows.int4(activity.bridgeFromEvm)
  rows.int2(utcHour(timestampUs))
  rows.numeric(ufix64Text(activity.epochPayout))
  rows.textArray([...activity.evmAddresses].toSorted())
  rows.textArray([...activity.traders].toSorted())
  rows.textArray(contracts.map(([contract]) => contract))
  rows.int4Array(contracts.map(([, count]) => count))
  rows.textArray(tokens.map(([token]) => token))
  rows.int4Array(tokens.map(([, { transfers }]) => transfers))
  rows.numericArray(tokens.map(([, { units }]) => ufix64Text(units)))
  rows.textArray(collections.map(([collection]) => collection))
  rows.int4Array(collections.map(([, count]) => count))
}

function writeBigTransfers(rows: RowWriter, block: DecodedBlock, { network }: DeriveContext): void {
  const { height, timestampUs, transactions } = block
  for (const transaction of transactions) {
    let leg = 0
    let previous = -1
    for (const { eventIndex, token, amount, type } of tokenMovesOf(transaction, network).fungible) {
      leg = eventIndex === previous ? leg + 1 : 0
      previous = eventIndex
      if (!isTokenActivity(type) || !isBigAmount(token, amount)) continue
      rows.row(bigTransfers.columns.length)
      rows.int8(height)
      rows.int4(transaction.index)
      rows.int4(eventIndex)
      rows.int2(leg)
      rows.date(utcDay(timestampUs))
      rows.text(token)
      rows.numeric(amount)
    }
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
