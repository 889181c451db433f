import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { transactionTags } from '../../flow/transactions/transaction-tags.ts'
import type { TransactionTag } from '../../flow/transactions/transaction-tags.ts'

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
  const moves = sql.fragment`(
    select * from ${rowsOf(sql.fragment`app.ft_transfers`, heights)} as moves
    where transfer_type not in ('fee', 'escrow') and (from_address is not null or to_address is not null)
  )`
  return sql.fragment`
    select json_agg(
      case when moved.count = 1 then json_build_array(
        moved.token, 'transfer', moved.amount::text,
        case when moved.giver is distinct from moved.taker and moved.amount > 0 then moved.taker end
      ) else (
        select json_build_array(
          moved.token, 'transfer',
          coalesce(
            nullif(greatest(sum(net) filter (where net > 0), -sum(net) filter (where net < 0)), 0), max(largest)
          )::text,
          case when count(*) filter (where net > 0) = 1 then max(address) filter (where net > 0) end
        )
        from (
          select side.address, sum(side.amount) as net, max(abs(side.amount)) as largest
          from ${moves} as m
          cross join lateral (values (m.to_address, m.amount), (m.from_address, -m.amount)) as side (address, amount)
          where m.token = moved.token and side.address is not null
          group by side.address
        ) as sides
      ) end
      order by moved.token
    )
    from (
      select token, count(*) as count, max(amount) as amount, min(from_address) as giver, min(to_address) as taker
      from ${moves} as m
      group by token
    ) as moved
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

/** Common table expression for `derivedDetails`. Unfolded leases matter only for recent heights. */
export const derivedCoverage = sql.fragment`
  covered as materialized (
    select
      coalesce(range_intersect_agg(covered) filter (where service_name <> 'token_worker'), '{}') as described,
      coalesce(range_agg(covered) filter (where service_name = 'token_worker'), '{}') as moved,
      count(*) filter (where service_name <> 'token_worker') = 2 as are_known
    from app.coverage where service_name in ('tx_contracts_worker', 'tx_metrics_worker', 'token_worker')
  )
`

/** Whether the details and transfers of row `t` are derived. Null: both are. */
function coverageOf({ low, high }: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    case when (
      select count(*) <> 3 from app.indexing_checkpoints
      where service_name in ('tx_contracts_worker', 'tx_metrics_worker', 'token_worker')
      and covered @> int8range(${low}, ${high}, '[]')
    ) then (
      select json_build_array(are_known and described @> t.block_height, moved @> t.block_height) from covered
    ) end
  `
}

function tagsOf({ low, high }: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    select json_agg(g.tag) from app.tx_tags g
    where g.block_height = t.block_height and g.block_height between ${low} and ${high}
    and t.tx_index = any (g.tx_indexes)
  `
}

function metricsOf({ low, high }: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    select json_build_array(m.fee::text, m.gas_used) from app.tx_metrics m
    where m.block_height = t.block_height and m.tx_index = t.tx_index and m.block_height between ${low} and ${high}
    limit 1
  `
}

/** For row `t`. */
export function derivedTags(heights: HeightParameters): FragmentSqlToken {
  return sql.fragment`json_build_array(${coverageOf(heights)}, (${tagsOf(heights)})) as derived`
}

const nothing = sql.fragment`select null::json`

/** For row `t`. */
export function derivedDetails(heights: HeightParameters, transfers: TransferView): FragmentSqlToken {
  const [fungible, nonFungible] =
    transfers === 'none'
      ? [nothing, nothing]
      : transfers === 'all'
        ? [fungibleSums(heights), nonFungibleCounts(heights)]
        : [fungibleParts(transfers.account, heights), nonFungibleParts(transfers.account, heights)]
  return sql.fragment`
    json_build_array(
      ${coverageOf(heights)}, (${tagsOf(heights)}), (${metricsOf(heights)}), (${fungible}), (${nonFungible})
    ) as derived
  `
}

const direction = z.enum(['in', 'out', 'transfer'])
const party = z.string().nullable()
const coverage = z.tuple([z.boolean(), z.boolean()]).nullable()
const tags = z.array(z.enum(transactionTags)).nullable()

export const derivedTagsTuple = z.tuple([coverage, tags])

/**
 * Coverage; tags; fee and gas, null for system transactions without a fee; token, direction, amount
 * and counterparty of tokens; the same with counts of NFTs.
 */
export const derivedTuple = z.tuple([
  coverage,
  tags,
  z.tuple([z.string().nullable(), z.number().nullable()]).nullable(),
  z.array(z.tuple([z.string(), direction, z.string(), party])).nullable(),
  z.array(z.tuple([z.string().nullable(), direction, z.number(), party])).nullable(),
])
export type DerivedTuple = z.output<typeof derivedTuple>

type Derived = readonly [z.output<typeof coverage>, z.output<typeof tags>, ...unknown[]]

export function isDerived([known]: Derived): boolean {
  return known?.[0] ?? true
}

export function areTransfersDerived([known]: Derived): boolean {
  return known?.[1] ?? true
}

export function tagsInOrder([, found]: Derived): readonly TransactionTag[] {
  if (found === null || found.length < 2) return found ?? []
  return transactionTags.filter((tag) => found.includes(tag))
}
