import type { Fold, SqlColumn, DeriveContext, DeriveOutput, HeightTable, Worker } from './worker.ts'
import { int8OrNull, textOrNull } from '../src/platform/row-writer.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import { tokenMovesOf } from '../src/flow/tokens/read-token-moves.ts'
import type { FungibleTransfer, NonFungibleTransfer, TransferType } from '../src/flow/tokens/token-moves.ts'

const token: SqlColumn = { column: 'token', type: 'text' }

interface CatalogueOptions {
  /** `schema.name` */
  readonly firstSeen: string
  /** `schema.name` */
  readonly totals: string
  /** Indexed by token and height. */
  readonly of: string
  /** SQL condition on rows `h` of `of`. */
  readonly where: string
  /** SQL over rows `h`, never null. */
  readonly sums: ReadonlyArray<SqlColumn & { readonly sum: string }>
}

/**
 * First sightings of known tokens are not updated, to avoid lock contention on keys that every
 * range touches.
 */
function catalogueFolds({ firstSeen, totals, of, where, sums }: CatalogueOptions): readonly Fold[] {
  // A rollback range has no end and exceeds the column type.
  const inRange = `h.block_height >= $1::bigint and h.block_height < $2::bigint and ${where}`
  const first: Fold = {
    kind: 'state',
    name: firstSeen,
    key: [token],
    reads: [of],
    touched: `select distinct h.token from ${of} h where ${inRange}`,
    fold: `
      with keys as (select * from unnest($1::text[]) as k (token)),
      first as (
        select k.token, f.block_height as first_height
        from keys k cross join lateral (
          select h.block_height from ${of} h where h.token = k.token and ${where} order by h.block_height limit 1
        ) f
      ), gone as (
        delete from ${firstSeen} t using keys k
        where t.token = k.token and not exists (select from first f where f.token = k.token)
      )
      insert into ${firstSeen} as t (token, first_height) select token, first_height from first
      on conflict (token) do update set first_height = excluded.first_height
      where t.first_height <> excluded.first_height`,
    merge: `
      insert into ${firstSeen} as t (token, first_height)
      select f.token, f.first_height
      from (select h.token, min(h.block_height) as first_height from ${of} h where ${inRange} group by h.token) f
      where not exists (select from ${firstSeen} k where k.token = f.token and k.first_height <= f.first_height)
      on conflict (token) do update set first_height = excluded.first_height
      where t.first_height > excluded.first_height`,
  }
  return [
    first,
    {
      kind: 'sum',
      name: totals,
      key: [token],
      sums: [{ column: 'transfer_count', type: 'bigint' }, ...sums.map(({ column, type }) => ({ column, type }))],
      presence: 'transfer_count',
      of,
      touched: first.touched,
      counted: `
      select h.token, count(*) as transfer_count${sums.map(({ column, sum }) => `, ${sum} as ${column}`).join('')}
      from ${of} h where ${inRange} group by h.token`,
    },
  ]
}

const heightColumn = 'block_height'

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

/** Always 8 decimals, so that equal sums have the same text. */
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

export const tokenWorker: Worker = {
  name: 'token_worker',
  description: 'Transfers of fungible tokens and NFTs, and their tokens and collections',
  phase: 1,
  follows: [],
  tables: [ftTransfers, nftTransfers],
  folds: [...tokens, ...collections],
  derive({ blocks }, output, context) {
    for (const block of blocks) deriveBlock(block, output, context)
  },
}

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

/** A number if exact, because it is cheaper. */
function int8(digits: string): number | bigint {
  return digits.length < 16 ? Number(digits) : BigInt(digits)
}
