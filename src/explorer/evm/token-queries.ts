import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../paging/bounds.ts'
import { readEventPage } from '../paging/event-pages.ts'
import type { EventSpan } from '../paging/event-pages.ts'
import { keyCursor, keyParts } from '../paging/pages.ts'
import type { EvmPlace } from './queries.ts'
import { evmTokenRefRow, evmTokenRow, evmTokenTransferRow } from './token-schema.ts'
import type { EvmTokenRow, EvmTokenRefRow, EvmTokenTransferRow } from './token-schema.ts'

/** Fungible tokens are ERC-20; NFTs are ERC-721 or ERC-1155. */
const evmTokenMetadata = sql.fragment`
  left join app.evm_token_metadata own on own.token = k.token
  left join lateral (
    (select m.name, m.symbol, m.logo as icon_url, m.token as flow_token from app.ft_token_metadata m
     where k.standard = 20 and m.evm_address = '0x' || k.token order by m.token limit 1)
    union all
    (select m.name, null, m.square_image, m.token from app.nft_collection_metadata m
     where k.standard <> 20 and m.evm_address = '0x' || k.token order by m.token limit 1)
    limit 1
  ) meta on true
`

const refColumns = sql.fragment`
  k.token, k.standard, coalesce(own.name, meta.name) as name, coalesce(own.symbol, meta.symbol) as symbol, own.decimals,
  meta.icon_url, meta.flow_token
`

const columns = sql.fragment`
  ${refColumns}, k.holder_count, k.transfer_count, k.first_height, k.short_count,
  own.total_supply::text as total_supply, own.standard as detected_standard, price.price::text as exchange_rate
`

const lastPrice = sql.fragment`
  left join lateral (
    select p.price from app.prices p where p.token = meta.flow_token and p.currency = 'USD'
    order by p.price_time desc limit 1
  ) price on true
`

interface EvmTokenKey {
  readonly holderCount: number
  /** 40 hex digits. */
  readonly token: string
  readonly standard: number
}

export async function listEvmTokens(
  database: DatabasePool,
  standards: readonly number[],
  after: EvmTokenKey | undefined,
  count: number,
): Promise<readonly EvmTokenRow[]> {
  const beyond =
    after === undefined
      ? sql.fragment`true`
      : sql.fragment`
    (t.holder_count, t.token) <= (${after.holderCount}, ${after.token})
    and (t.holder_count, t.token, t.standard) < (${after.holderCount}, ${after.token}, ${after.standard})
  `
  return database.any(sql.type(evmTokenRow)`
    select ${columns}
    from (
      select t.* from unnest(${sql.array([...standards], 'int2')}) as s (standard)
      cross join lateral (
        select t.* from app.evm_tokens t where t.standard = s.standard and ${beyond}
        order by t.standard desc, t.holder_count desc, t.token desc limit ${count}
      ) t
      order by t.holder_count desc, t.token desc, t.standard desc
      limit ${count}
    ) k
    ${evmTokenMetadata} ${lastPrice}
    order by k.holder_count desc, k.token desc, k.standard desc
  `)
}

const maxMatches = 1000

/** Most holders first; of frequent words only some tokens. */
export async function searchEvmTokens(
  database: DatabasePool,
  text: string,
  count: number,
): Promise<readonly EvmTokenRefRow[]> {
  return database.any(sql.type(evmTokenRefRow)`
    select ${refColumns}
    from (
      select t.token, t.standard, t.holder_count
      from (
        select m.token from app.evm_token_metadata m
        where m.search @@ app.search_query(${text}) and m.status <> 'new'
        limit ${maxMatches}
      ) found
      cross join lateral (select t.* from app.evm_tokens t where t.token = found.token limit 3) t
      order by t.holder_count desc, t.token, t.standard
      limit ${count}
    ) k
    ${evmTokenMetadata}
    order by k.holder_count desc, k.token, k.standard
  `)
}

/** One row per token and standard of its logs, most transfers first. */
export async function readEvmTokens(
  database: DatabasePool,
  tokens: readonly string[],
): Promise<readonly EvmTokenRow[]> {
  if (tokens.length === 0) return []
  return database.any(sql.type(evmTokenRow)`
    select ${columns} from app.evm_tokens k ${evmTokenMetadata} ${lastPrice}
    where k.token = any (${sql.array([...tokens], 'text')})
    order by k.transfer_count desc, k.token, k.standard
  `)
}

const holderRow = z.object({ address: z.string(), balance: z.string() })
type EvmHolderRow = z.output<typeof holderRow>

interface EvmHolderKey {
  readonly balance: string
  readonly address: string
}

export async function listEvmHolders(
  database: DatabasePool,
  token: string,
  standard: number,
  after: EvmHolderKey | undefined,
  count: number,
): Promise<readonly EvmHolderRow[]> {
  return database.any(sql.type(holderRow)`
    select h.address, h.balance::text as balance from app.evm_token_holdings h
    where h.token = ${token} and h.standard = ${standard} and h.balance > 0 and ${afterHolder(after)}
    order by h.token desc, h.standard desc, h.balance desc, h.address desc
    limit ${count}
  `)
}

function afterHolder(after: EvmHolderKey | undefined): FragmentSqlToken {
  return after === undefined
    ? sql.fragment`true`
    : sql.fragment`(h.balance, h.address) < (${after.balance}::numeric, ${after.address})`
}

const holdingRow = evmTokenRefRow.extend({ balance: z.string(), price: z.string().nullable() })
type EvmHoldingRow = z.output<typeof holdingRow>

/** Sorted by contract. */
export async function listEvmHoldings(
  database: DatabasePool,
  address: string,
  standards: readonly number[],
  after: { readonly token: string; readonly standard: number } | undefined,
  count: number,
): Promise<readonly EvmHoldingRow[]> {
  const beyond =
    after === undefined ? sql.fragment`true` : sql.fragment`(h.token, h.standard) > (${after.token}, ${after.standard})`
  return database.any(sql.type(holdingRow)`
    select ${refColumns}, k.balance::text as balance, price.price::text as price
    from (
      select h.token, h.standard, h.balance from app.evm_token_holdings h
      where h.address = ${address} and h.balance > 0 and h.standard = any (${sql.array([...standards], 'int2')})
        and ${beyond}
      order by h.address, h.token, h.standard
      limit ${count}
    ) k
    ${evmTokenMetadata} ${lastPrice}
    order by k.token, k.standard
  `)
}

const itemRow = evmTokenRefRow.extend({ token_id: z.string(), balance: z.string(), token_uri: z.string().nullable() })
type EvmItemRow = z.output<typeof itemRow>

interface EvmItemKey {
  readonly token: string
  readonly standard: number
  readonly tokenId: string
}

/** Sorted by contract and id. */
export async function listEvmItems(
  database: DatabasePool,
  address: string,
  after: EvmItemKey | undefined,
  count: number,
): Promise<readonly EvmItemRow[]> {
  const beyond =
    after === undefined
      ? sql.fragment`true`
      : sql.fragment`(i.token, i.standard, i.token_id) > (${after.token}, ${after.standard}, ${after.tokenId}::numeric)`
  return database.any(sql.type(itemRow)`
    select ${refColumns}, k.token_id::text as token_id, k.balance::text as balance, item.token_uri
    from (
      select i.token, i.standard, i.token_id, i.balance from app.evm_token_items i
      where i.address = ${address} and i.balance > 0 and ${beyond}
      order by i.address, i.token, i.standard, i.token_id
      limit ${count}
    ) k
    ${evmTokenMetadata}
    left join app.evm_item_metadata item
      on item.token = k.token and item.standard = k.standard and item.token_id = k.token_id
    order by k.token, k.standard, k.token_id
  `)
}

const instanceRow = z.object({
  token_id: z.string(),
  token_uri: z.string().nullable(),
  owner: z.string().nullable(),
  holder_count: z.number(),
})
type EvmInstanceRow = z.output<typeof instanceRow>

const maxCountedHolders = 1000

/** Sorted by id. `owner` is one of the holders; `holder_count` is bounded. */
export async function listEvmInstances(
  database: DatabasePool,
  token: string,
  standard: number,
  after: string | undefined,
  count: number,
): Promise<readonly EvmInstanceRow[]> {
  const beyond = after === undefined ? sql.fragment`true` : sql.fragment`m.token_id > ${after}::numeric`
  return database.any(sql.type(instanceRow)`
    select k.token_id::text as token_id, k.token_uri, held.owner, held.holder_count
    from (
      select m.token, m.standard, m.token_id, m.token_uri from app.evm_item_metadata m
      where m.token = ${token} and m.standard = ${standard} and ${beyond}
      order by m.token, m.standard, m.token_id
      limit ${count}
    ) k
    cross join lateral (
      select min(i.address) as owner, count(*) as holder_count
      from (
        select i.address from app.evm_token_items i
        where i.token = k.token and i.standard = k.standard and i.token_id = k.token_id and i.balance > 0
        limit ${maxCountedHolders}
      ) i
    ) held
    order by k.token_id
  `)
}

interface EvmTransferKey {
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

const transferColumns = sql.fragment`
  block_height, tx_index, event_index, log_index, batch_index, standard, token, from_address, to_address,
  token_id::text as token_id, amount::text as amount
`
const newestFirst = sql.fragment`
  block_height desc, tx_index desc, event_index desc, log_index desc, batch_index desc
`

interface EvmAddressTransfers {
  /** 40 hex digits. */
  readonly address: string
  /** Default: both. */
  readonly direction?: 'sent' | 'received' | undefined
}

type EvmTransferSelection = EvmAddressTransfers | { readonly token: string; readonly standard: number }

/** Latest first. */
export async function listEvmTokenTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  selection: EvmTransferSelection,
  before: EvmTransferKey | undefined,
  count: number,
): Promise<readonly EvmTokenTransferRow[]> {
  const moved = await readEventPage(bounds, before, count, (span: Span) =>
    database.any(sql.type(movedRow)`
    ${'address' in selection ? selectOfAddress(span, selection) : selectOfToken(span, selection)}
  `),
  )
  return complete(database, moved)
}

/** Each side uses one index; `union` removes self-transfers. */
function selectOfAddress(span: Span, { address, direction }: EvmAddressTransfers): FragmentSqlToken {
  const columns = { sent: sql.fragment`from_address`, received: sql.fragment`to_address` }
  const sides = (direction === undefined ? Object.values(columns) : [columns[direction]]).map(
    (side) => sql.fragment`(
    select ${transferColumns} from app.evm_token_transfers
    where (${side}, block_height) between (${address}, ${span.low}) and (${address}, ${span.high})
      and ${side} is not null and ${within(span)}
    order by ${side} desc, ${newestFirst}
    limit ${span.count}
  )`,
  )
  return sql.fragment`
    select * from (${sql.join(sides, sql.fragment` union `)}) as moved order by ${newestFirst} limit ${span.count}
  `
}

function selectOfToken(span: Span, { token, standard }: { token: string; standard: number }): FragmentSqlToken {
  return sql.fragment`
    select ${transferColumns} from app.evm_token_transfers
    where (token, standard, block_height) between
    (${token}, ${standard}, ${span.low}) and (${token}, ${standard}, ${span.high})
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

export async function readTransfersOfEvmTransaction(
  database: DatabasePool,
  place: EvmPlace,
): Promise<readonly EvmTokenTransferRow[]> {
  return complete(
    database,
    await database.any(sql.type(movedRow)`
    select ${transferColumns} from app.evm_token_transfers
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
          decimals: null,
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
    select ${refColumns}
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

/** A batch log moves several tokens. */
export const evmTransferCursor = keyCursor({
  block_height: keyParts.height,
  tx_index: keyParts.index,
  event_index: keyParts.index,
  log_index: keyParts.index,
  batch_index: keyParts.index,
})

export function parseEvmTransferCursor(cursor: string | undefined): EvmTransferKey | undefined {
  const key = evmTransferCursor.parse(cursor)
  return key === undefined
    ? undefined
    : {
        height: Number(key.block_height),
        txIndex: Number(key.tx_index),
        eventIndex: Number(key.event_index),
        logIndex: Number(key.log_index),
        batchIndex: Number(key.batch_index),
      }
}
