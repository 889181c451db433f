import { int8OrNull, textOrNull } from '../src/platform/nullable-fields.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import { tokenMovesOf } from '../src/flow/tokens/read-token-moves.ts'
import type { FungibleTransfer, NonFungibleTransfer, TransferType } from '../src/flow/tokens/token-moves.ts'
import { catalogueFolds } from './token-catalogue.ts'
import type { DeriveContext, DeriveOutput, HeightTable, Worker } from './worker.ts'

const heightColumn = 'block_height'

/** One row for what one account gave another by one event. */
const ftTransfers: HeightTable = {
  name: 'app.ft_transfers',
  columns: [
    heightColumn,
    'tx_index',
    'event_index',
    'leg',
    'token',
    'from_address',
    'to_address',
    'amount',
    'transfer_type',
  ],
  heightColumn,
  partitionHeights: 1_000_000,
}

/** One row for each move of an item. */
const nftTransfers: HeightTable = {
  name: 'app.nft_transfers',
  columns: [
    heightColumn,
    'tx_index',
    'event_index',
    'leg',
    'token',
    'nft_id',
    'nft_uuid',
    'from_address',
    'to_address',
    'transfer_type',
  ],
  heightColumn,
  partitionHeights: 5_000_000,
}

/** All with 8 decimals, none included, so that a sum reads the same whatever was added and taken away. */
const amountsOf = (type: TransferType): string =>
  `coalesce(sum(h.amount) filter (where h.transfer_type = '${type}'), 0.00000000)`

const tokens = catalogueFolds({
  firstSeen: 'app.ft_tokens',
  totals: 'app.ft_token_totals',
  of: ftTransfers.name,
  where: "h.transfer_type <> 'fee'",
  sums: [
    { column: 'minted', type: 'numeric', sum: amountsOf('mint') },
    { column: 'burned', type: 'numeric', sum: amountsOf('burn') },
  ],
})

const collections = catalogueFolds({
  firstSeen: 'app.nft_collections',
  totals: 'app.nft_collection_totals',
  of: nftTransfers.name,
  where: 'h.token is not null',
  sums: [
    { column: 'mint_count', type: 'bigint', sum: "count(*) filter (where h.transfer_type = 'mint')" },
    { column: 'burn_count', type: 'bigint', sum: "count(*) filter (where h.transfer_type = 'burn')" },
  ],
})

/**
 * Transfers of fungible tokens and of items, and which of both there are. How events become transfers is in
 * `src/flow/tokens/`; here they become rows.
 */
export const tokenWorker: Worker = {
  name: 'token_worker',
  description: 'Transfers of fungible tokens and NFTs, and which of both there are',
  phase: 1,
  follows: [],
  tables: [ftTransfers, nftTransfers],
  folds: [...tokens, ...collections],
  derive({ blocks }, output, context) {
    for (const block of blocks) deriveBlock(block, output, context)
  },
}

/** Of a transaction. */
interface Place {
  readonly height: number
  readonly txIndex: number
}

function deriveBlock({ height, transactions }: DecodedBlock, output: DeriveOutput, { network }: DeriveContext): void {
  for (const transaction of transactions) {
    const moves = tokenMovesOf(transaction, network)
    const txIndex = transaction.index
    const place: Place = { height, txIndex }
    if (moves.fungible.length > 0) writeFungible(output.rows(ftTransfers.name), place, moves.fungible)
    if (moves.nonFungible.length > 0) writeNonFungible(output.rows(nftTransfers.name), place, moves.nonFungible)
    for (const problem of moves.problems) output.problem({ blockHeight: height, txIndex, ...problem })
  }
}

function writeFungible(rows: RowWriter, place: Place, transfers: readonly FungibleTransfer[]): void {
  let leg = 0
  let previous = -1
  for (const { eventIndex, token, from, to, amount, type } of transfers) {
    leg = eventIndex === previous ? leg + 1 : 0
    previous = eventIndex
    rows.row(ftTransfers.columns.length)
    rows.int4(place.height)
    rows.int4(place.txIndex)
    rows.int4(eventIndex)
    rows.int2(leg)
    rows.text(token)
    textOrNull(rows, from)
    textOrNull(rows, to)
    rows.numeric(amount)
    rows.text(type)
  }
}

function writeNonFungible(rows: RowWriter, place: Place, transfers: readonly NonFungibleTransfer[]): void {
  let leg = 0
  let previous = -1
  for (const { eventIndex, token, id, uuid, from, to, type } of transfers) {
    leg = eventIndex === previous ? leg + 1 : 0
    previous = eventIndex
    rows.row(nftTransfers.columns.length)
    rows.int8(place.height)
    rows.int4(place.txIndex)
    rows.int4(eventIndex)
    rows.int2(leg)
    textOrNull(rows, token)
    rows.numeric(id)
    int8OrNull(rows, uuid === undefined ? undefined : int8(uuid))
    textOrNull(rows, from)
    textOrNull(rows, to)
    rows.text(type)
  }
}

/** A number where that is exact, which is cheaper. */
function int8(digits: string): number | bigint {
  return digits.length < 16 ? Number(digits) : BigInt(digits)
}
