import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../paging/bounds.ts'
import { readEventPage } from '../paging/event-pages.ts'
import type { EventSpan } from '../paging/event-pages.ts'
import { evmTokenRefRow } from '../presenters/evm-token.ts'
import type { EvmTokenRefRow } from '../presenters/evm-token.ts'
import { evmTokenTransferRow } from '../presenters/evm-token-transfer.ts'
import type { EvmTokenTransferRow } from '../presenters/evm-token-transfer.ts'
import { evmTokenMetadata } from './evm-tokens.ts'
import type { EvmPlace } from './evm-transactions.ts'

/** A place in the order of token transfers. */
export interface EvmTransferKey {
  readonly height: number
  readonly txIndex: number
  readonly eventIndex: number
  readonly logIndex: number
  readonly batchIndex: number
}

type Span = EventSpan<EvmTransferKey>

const movedRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  log_index: z.number(),
  batch_index: z.number(),
  standard: z.number(),
  token: z.string(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
  token_id: z.string().nullable(),
  amount: z.string(),
})
type MovedRow = z.output<typeof movedRow>

const columns = sql.fragment`
  block_height, tx_index, event_index, log_index, batch_index, standard, token, from_address, to_address,
  token_id::text as token_id, amount::text as amount
`
const newestFirst = sql.fragment`
  block_height desc, tx_index desc, event_index desc, log_index desc, batch_index desc
`

/** Of an address, both 40 hex digits, or of a token by one of its standards. */
export type EvmTransferSelection = { readonly address: string } | { readonly token: string; readonly standard: number }

/** Up to `count` transfers before a place, the latest first. */
export async function listEvmTokenTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  selection: EvmTransferSelection,
  before: EvmTransferKey | undefined,
  count: number,
): Promise<readonly EvmTokenTransferRow[]> {
  const moved = await readEventPage(bounds, before, count, (span: Span) =>
    database.any(sql.type(movedRow)`
    ${'address' in selection ? selectOfAddress(span, selection.address) : selectOfToken(span, selection)}
  `),
  )
  return complete(database, moved)
}

/** What an address gave and what it got, by an index each; `union` leaves one of what it gave itself. */
function selectOfAddress(span: Span, address: string): FragmentSqlToken {
  const sides = [sql.fragment`from_address`, sql.fragment`to_address`].map(
    (side) => sql.fragment`(
    select ${columns} from app.evm_token_transfers
    where (${side}, block_height) between (${address}, ${span.low}) and (${address}, ${span.high})
      and ${side} is not null and ${within(span)}
    order by ${side} desc, ${newestFirst}
    limit ${span.count}
  )`,
  )
  return sql.fragment`${sql.join(sides, sql.fragment` union `)} order by ${newestFirst} limit ${span.count}`
}

function selectOfToken(span: Span, { token, standard }: { token: string; standard: number }): FragmentSqlToken {
  return sql.fragment`
    select ${columns} from app.evm_token_transfers
    where (token, standard, block_height) between (${token}, ${standard}, ${span.low}) and (${token}, ${standard}, ${span.high})
      and ${within(span)}
    order by token desc, standard desc, ${newestFirst}
    limit ${span.count}
  `
}

function within({ low, high, before }: Span): FragmentSqlToken {
  const heights = sql.fragment`block_height between ${low} and ${high}`
  if (before === undefined || before.height > high) return heights
  const { height, txIndex, eventIndex, logIndex, batchIndex } = before
  return sql.fragment`
    ${heights} and (block_height, tx_index, event_index, log_index, batch_index)
      < (${height}, ${txIndex}, ${eventIndex}, ${logIndex}, ${batchIndex})
  `
}

/** All transfers of an EVM transaction, in order. */
export async function readTransfersOfEvmTransaction(
  database: DatabasePool,
  place: EvmPlace,
): Promise<readonly EvmTokenTransferRow[]> {
  return complete(
    database,
    await database.any(sql.type(movedRow)`
    select ${columns} from app.evm_token_transfers
    where block_height = ${place.block_height} and tx_index = ${place.tx_index} and event_index = ${place.event_index}
    order by log_index, batch_index
  `),
  )
}

const transactionRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  tx_id: z.string(),
  evm_hash: z.string(),
  timestamp: z.string(),
})

/** With their transactions and what is known of their tokens, each looked up once. */
async function complete(database: DatabasePool, moved: readonly MovedRow[]): Promise<readonly EvmTokenTransferRow[]> {
  const [transactions, tokens] = await Promise.all([readTransactions(database, moved), readMetadata(database, moved)])
  return moved.flatMap((row) => {
    const transaction = transactions.get(placeOf(row))
    const known = tokens.get(`${row.token}:${row.standard}`)
    return transaction === undefined
      ? []
      : evmTokenTransferRow.parse({
          name: null,
          symbol: null,
          icon_url: null,
          flow_token: null,
          ...known,
          ...row,
          ...transaction,
        })
  })
}

async function readTransactions(
  database: DatabasePool,
  moved: readonly MovedRow[],
): Promise<ReadonlyMap<string, z.output<typeof transactionRow>>> {
  const places = [...new Map(moved.map((row) => [placeOf(row), row])).values()]
  if (places.length === 0) return new Map()
  const heights = sql.array(
    places.map((place) => place.block_height),
    'int8',
  )
  const rows = await database.any(sql.type(transactionRow)`
    select h.block_height, h.tx_index, h.event_index, h.tx_id, h.evm_hash, b.timestamp
    from unnest(
      ${heights}, ${sql.array(
        places.map((place) => place.tx_index),
        'int4',
      )},
      ${sql.array(
        places.map((place) => place.event_index),
        'int4',
      )}
    ) as place (height, tx, event)
    join app.evm_tx_hashes h on h.block_height = place.height and h.tx_index = place.tx
      and h.event_index = place.event and h.block_height = any (${heights})
    join raw.blocks b on b.height = place.height and b.height = any (${heights})
  `)
  return new Map(rows.map((row) => [placeOf(row), row]))
}

async function readMetadata(
  database: DatabasePool,
  moved: readonly MovedRow[],
): Promise<ReadonlyMap<string, EvmTokenRefRow>> {
  const tokens = [...new Map(moved.map((row) => [`${row.token}:${row.standard}`, row])).values()]
  if (tokens.length === 0) return new Map()
  const rows = await database.any(sql.type(evmTokenRefRow)`
    select k.token, k.standard, meta.name, meta.symbol, meta.icon_url, meta.flow_token
    from unnest(
      ${sql.array(
        tokens.map((row) => row.token),
        'text',
      )}, ${sql.array(
        tokens.map((row) => row.standard),
        'int2',
      )}
    ) as k (token, standard)
    ${evmTokenMetadata}
  `)
  return new Map(rows.map((row) => [`${row.token}:${row.standard}`, row]))
}

function placeOf(row: { block_height: number; tx_index: number; event_index: number }): string {
  return `${row.block_height}:${row.tx_index}:${row.event_index}`
}
