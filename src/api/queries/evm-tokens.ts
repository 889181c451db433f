import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { evmTokenRefRow, evmTokenRow } from '../presenters/evm-token.ts'
import type { EvmTokenRow } from '../presenters/evm-token.ts'

/**
 * What the bridge and the contract of Flow say of token `k` (token, standard), to be joined: at most one row. Fungible
 * tokens are ERC-20, items the others.
 */
export const evmTokenMetadata = sql.fragment`
  left join lateral (
    (select m.name, m.symbol, m.logo as icon_url, m.token as flow_token from app.ft_token_metadata m
     where k.standard = 20 and m.evm_address = '0x' || k.token order by m.token limit 1)
    union all
    (select m.name, null, m.square_image, m.token from app.nft_collection_metadata m
     where k.standard <> 20 and m.evm_address = '0x' || k.token order by m.token limit 1)
    limit 1
  ) meta on true
`

const columns = sql.fragment`
  k.token, k.standard, meta.name, meta.symbol, meta.icon_url, meta.flow_token, k.holder_count, k.transfer_count,
  k.first_height, k.short_count, price.price::text as exchange_rate
`

const lastPrice = sql.fragment`
  left join lateral (
    select p.price from app.prices p where p.token = meta.flow_token and p.currency = 'USD'
    order by p.price_time desc limit 1
  ) price on true
`

/** The sort key of tokens. */
export interface EvmTokenKey {
  readonly holderCount: number
  /** 40 hex digits. */
  readonly token: string
  readonly standard: number
}

/** Up to `count` tokens of some standards after a key, those with the most holders first. */
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

/** A token by its contract, 40 hex digits. One that writes its logs by several standards is several: the busiest first. */
export async function readEvmToken(database: DatabasePool, token: string): Promise<readonly EvmTokenRow[]> {
  return database.any(sql.type(evmTokenRow)`
    select ${columns} from app.evm_tokens k ${evmTokenMetadata} ${lastPrice}
    where k.token = ${token}
    order by k.transfer_count desc, k.standard
  `)
}

const holderRow = z.object({ address: z.string(), balance: z.string() })
export type EvmHolderRow = z.output<typeof holderRow>

/** The sort key of holders; the balance is decimal. */
export interface EvmHolderKey {
  readonly balance: string
  /** 40 hex digits. */
  readonly address: string
}

/** Up to `count` holders of a token after a key, who has the most first. */
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

const holdingRow = evmTokenRefRow.extend({ balance: z.string() })
export type EvmHoldingRow = z.output<typeof holdingRow>

/** What an address holds of each token, by contract. The key is that of the last one before. */
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
    select k.token, k.standard, meta.name, meta.symbol, meta.icon_url, meta.flow_token, k.balance::text as balance
    from (
      select h.token, h.standard, h.balance from app.evm_token_holdings h
      where h.address = ${address} and h.balance > 0 and h.standard = any (${sql.array([...standards], 'int2')})
        and ${beyond}
      order by h.address, h.token, h.standard
      limit ${count}
    ) k
    ${evmTokenMetadata}
    order by k.token, k.standard
  `)
}

const itemRow = evmTokenRefRow.extend({ token_id: z.string(), balance: z.string() })
export type EvmItemRow = z.output<typeof itemRow>

/** The sort key of the items of an address; the id is decimal. */
export interface EvmItemKey {
  readonly token: string
  readonly standard: number
  readonly tokenId: string
}

/** The items of ERC-721 and ERC-1155 that an address holds, by contract and id. */
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
    select k.token, k.standard, meta.name, meta.symbol, meta.icon_url, meta.flow_token, k.token_id::text as token_id,
      k.balance::text as balance
    from (
      select i.token, i.standard, i.token_id, i.balance from app.evm_token_items i
      where i.address = ${address} and i.balance > 0 and ${beyond}
      order by i.address, i.token, i.standard, i.token_id
      limit ${count}
    ) k
    ${evmTokenMetadata}
    order by k.token, k.standard, k.token_id
  `)
}
