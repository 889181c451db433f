import { numericOrNull, textOrNull } from '../src/platform/nullable-fields.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import { price, readDefi } from '../src/flow/defi/read-defi.ts'
import type { DefiEvent, PairChange } from '../src/flow/defi/read-defi.ts'
import { defiEventTypes } from '../src/flow/defi/dexes.ts'
import { utcDay } from '../src/flow/decoded-block.ts'
import { defiPairs, pairDays } from './defi/pairs.ts'
import { defiEvents, pairChanges } from './defi/tables.ts'
import type { Worker } from './worker.ts'

/**
 * Swaps, liquidity and pairs of the exchanges in `src/flow/defi/dexes.ts`, by the events that their contracts emit.
 * Scheduled transactions swap as well, so those of the chain itself count.
 */
export const defiWorker: Worker = {
  name: 'defi_worker',
  description: 'Pairs of tokens, swaps and liquidity',
  phase: 1,
  follows: [],
  tables: [defiEvents, pairChanges],
  folds: [defiPairs, pairDays],
  derive({ blocks }, output, { network }) {
    const types = defiEventTypes(network)
    for (const { height, timestampUs, transactions } of blocks) {
      const day = utcDay(timestampUs)
      for (const transaction of transactions) {
        const defi = readDefi(transaction, types, network)
        if (defi === undefined) continue
        const { index: txIndex, authorizers, payer } = transaction
        const place = { height, txIndex, maker: authorizers[0] ?? payer, day }
        for (const event of defi.events) writeEvent(output.rows(defiEvents.name), place, event)
        for (const change of defi.pairs) writePair(output.rows(pairChanges.name), place, change)
        for (const problem of defi.problems) output.problem({ blockHeight: height, txIndex, ...problem })
      }
    }
  },
}

/** Of a transaction. */
interface Place {
  readonly height: number
  readonly txIndex: number
  readonly maker: string | undefined
  /** Days since 1970-01-01. */
  readonly day: number
}

function writeEvent(rows: RowWriter, { height, txIndex, maker, day }: Place, event: DefiEvent): void {
  const { index, pair, type, asset0, asset1, in0, out0, in1, out1, lpAmount } = event
  rows.row(defiEvents.columns.length)
  rows.int8(height)
  rows.int4(txIndex)
  rows.int4(index)
  rows.text(pair)
  rows.text(type)
  textOrNull(rows, maker)
  textOrNull(rows, asset0)
  textOrNull(rows, asset1)
  numericOrNull(rows, in0)
  numericOrNull(rows, out0)
  numericOrNull(rows, in1)
  numericOrNull(rows, out1)
  numericOrNull(rows, lpAmount)
  numericOrNull(rows, type === 'Swap' ? priceOf(event) : undefined)
  rows.date(day)
}

function priceOf({ in0, out0, in1, out1 }: DefiEvent): string | undefined {
  const [amount0, amount1] = [in0 ?? out0, in1 ?? out1]
  return amount0 === undefined || amount1 === undefined ? undefined : price(amount1, amount0)
}

function writePair(rows: RowWriter, { height, txIndex }: Place, change: PairChange): void {
  rows.row(pairChanges.columns.length)
  rows.int8(height)
  rows.int4(txIndex)
  rows.int4(change.index)
  rows.text(change.pair)
  textOrNull(rows, change.asset0)
  textOrNull(rows, change.asset1)
  if (change.isStable === undefined) rows.null()
  else rows.bool(change.isStable)
  numericOrNull(rows, change.fee)
}
