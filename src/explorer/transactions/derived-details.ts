import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { transactionTags } from '../../flow/transactions/transaction-tags.ts'

export const transactionWorkers = ['tx_contracts_worker', 'tx_metrics_worker', 'token_worker'] as const

export type HeightParameter = FragmentSqlToken | number

/** Heights as parameters prune partitions. */
export interface HeightParameters {
  readonly low: HeightParameter
  readonly high: HeightParameter
}

/** `all`: net movements; `none`: transfers are not read. */
export type TransferView = { readonly account: FragmentSqlToken | string } | 'all' | 'none'

/** Rows of the transaction `t`, a key lookup. */
export function rowsOf(table: FragmentSqlToken, { low, high }: HeightParameters): FragmentSqlToken {
  return sql.fragment`(
    select * from ${table}
    where block_height = t.block_height and tx_index = t.tx_index and block_height between ${low} and ${high} offset 0
  )`
}

/**
 * Sum of positive account balances. Most tokens move only once, which needs no sums. In SQL, as a
 * transaction may have thousands of movements.
 */
function fungibleSums(heights: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    select json_agg(
      json_build_array(
        once.token, 'transfer',
        case when once.count = 1 then once.amount else net.amount end::text,
        case when once.count > 1 then net.counterparty when once.giver is distinct from once.taker
        and once.amount > 0 then once.taker end
      ) order by once.token
    )
    from (
      select f.token, count(*) as count, sum(f.amount) as amount, min(f.from_address) as giver,
        min(f.to_address) as taker,
        array_agg(f.from_address) as givers, array_agg(f.to_address) as takers, array_agg(f.amount) as amounts
      from ${rowsOf(sql.fragment`app.ft_transfers`, heights)} as f
      where f.transfer_type not in ('fee', 'escrow') and (f.from_address is not null or f.to_address is not null)
      group by f.token
    ) as once
    left join lateral (
      select coalesce(
          nullif(greatest(sum(net) filter (where net > 0), -sum(net) filter (where net < 0)), 0), max(largest)
        ) as amount,
        case when count(*) filter (where net > 0) = 1 then max(address) filter (where net > 0) end as counterparty
      from (
        select side.address, sum(side.amount) as net, max(abs(side.amount)) as largest
        from unnest(once.givers, once.takers, once.amounts) as m (giver, taker, amount)
        cross join lateral (values (m.taker, m.amount), (m.giver, -m.amount)) as side (address, amount)
        where side.address is not null
        group by side.address
      ) as sides
    ) as net on once.count > 1
  `
}

function nonFungibleCounts(heights: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    select json_agg(json_build_array(token, 'transfer', count, counterparty) order by token)
    from (
      select token, count(*) as count,
        case when min(to_address) = max(to_address) and count(to_address) = count(*) then min(to_address) end as
        counterparty
      from (
        select distinct on (n.token, n.nft_id) n.token, n.to_address
        from ${rowsOf(sql.fragment`app.nft_transfers`, heights)} as n
        where n.transfer_type <> 'escrow'
        order by n.token, n.nft_id, n.event_index desc, n.leg desc
      ) as items
      group by token
    ) as counts
  `
}

/** Movements of the account, without self-transfers. */
function partsOf(
  table: FragmentSqlToken,
  account: FragmentSqlToken | string,
  heights: HeightParameters,
): FragmentSqlToken {
  return sql.fragment`
    select p.*, case when p.to_address = ${account} then 'in' else 'out' end as direction,
      case when p.to_address = ${account} then p.from_address else p.to_address end as other
    from ${rowsOf(table, heights)} as p
    where ${account} in (p.from_address, p.to_address) and p.from_address is distinct from p.to_address
  `
}

const singleOther = sql.fragment`
  case when min(other) = max(other) and count(other) = count(*) then min(other) end as counterparty
`

function fungibleParts(account: FragmentSqlToken | string, heights: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    select json_agg(json_build_array(token, direction, amount::text, counterparty) order by token, direction)
    from (
      select token, direction, sum(amount) as amount, ${singleOther}
      from (${partsOf(sql.fragment`app.ft_transfers`, account, heights)}) as parts
      where transfer_type not in ('fee', 'escrow')
      group by token, direction
    ) as sums
  `
}

function nonFungibleParts(account: FragmentSqlToken | string, heights: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    select json_agg(json_build_array(token, direction, count, counterparty) order by token, direction)
    from (
      select token, direction, count(distinct nft_id) as count, ${singleOther}
      from (${partsOf(sql.fragment`app.nft_transfers`, account, heights)}) as parts
      where transfer_type <> 'escrow'
      group by token, direction
    ) as counts
  `
}

/** Of the rows of `page`. Unfolded leases matter only for recent heights. */
export const coverageOfPage = sql.fragment`
  folded as materialized (
    select count(*) = 3 as is_whole from app.indexing_checkpoints
    where service_name in ('tx_contracts_worker', 'tx_metrics_worker', 'token_worker')
    and covered @> (select int8range(min(block_height), max(block_height), '[]') from page)
  ), covered as materialized (
    select
      coalesce(range_intersect_agg(covered) filter (where service_name <> 'token_worker'), '{}') as described,
      coalesce(range_agg(covered) filter (where service_name = 'token_worker'), '{}') as moved,
      count(*) filter (where service_name <> 'token_worker') = 2 as are_known
    from app.coverage where service_name in ('tx_contracts_worker', 'tx_metrics_worker', 'token_worker')
  )
`

const nothing = sql.fragment`select null::json`

/** For a row `t` of `page`, after `coverageOfPage`. */
export function derivedDetails(heights: HeightParameters, transfers: TransferView): FragmentSqlToken {
  const { low, high } = heights
  const [fungible, nonFungible] =
    transfers === 'none'
      ? [nothing, nothing]
      : transfers === 'all'
        ? [fungibleSums(heights), nonFungibleCounts(heights)]
        : [fungibleParts(transfers.account, heights), nonFungibleParts(transfers.account, heights)]
  return sql.fragment`
    json_build_array(
      (select is_whole from folded) or (select are_known and described @> t.block_height from covered),
      (select is_whole from folded) or (select moved @> t.block_height from covered),
      (
        select json_build_array(m.fee::text, m.gas_used) from app.tx_metrics m
        where m.block_height = t.block_height and m.tx_index = t.tx_index and m.block_height between ${low} and ${high}
        limit 1
      ),
      (
        select json_agg(g.tag) from app.tx_tags g
        where g.block_height = t.block_height and g.block_height between ${low} and ${high}
        and t.tx_index = any (g.tx_indexes)
      ),
      (${fungible}),
      (${nonFungible})
    ) as derived
  `
}

const direction = z.enum(['in', 'out', 'transfer'])
const party = z.string().nullable()

/**
 * Whether details and transfers are derived; fee and gas, null for system transactions without a
 * fee; tags; token, direction, amount and counterparty of tokens; the same with counts of NFTs.
 */
export const derivedTuple = z.tuple([
  z.boolean(),
  z.boolean(),
  z.tuple([z.string().nullable(), z.number().nullable()]).nullable(),
  z.array(z.enum(transactionTags)).nullable(),
  z.array(z.tuple([z.string(), direction, z.string(), party])).nullable(),
  z.array(z.tuple([z.string().nullable(), direction, z.number(), party])).nullable(),
])
export type DerivedTuple = z.output<typeof derivedTuple>
