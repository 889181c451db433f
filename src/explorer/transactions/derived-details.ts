import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { transactionTags } from '../../flow/transactions/transaction-tags.ts'
import type { TransactionTag } from '../../flow/transactions/transaction-tags.ts'
import { fixedStatement } from '../../platform/db/named-query.ts'
import { markKey, readByPlaces } from './events.ts'
import type { MarkedPlace } from './events.ts'
import type { FungibleSummaryRow, NonFungibleSummaryRow } from './schema.ts'

/** Heights `$3` to `$4`. Summed in SQL, as a transaction may have thousands of movements. */

function movesIn(table: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
    select * from ${table} where block_height = place.height and tx_index = place.index
    and block_height between $3 and $4 offset 0
  )`
}

/** Sum of positive account balances. Most tokens move only once, which needs no sums. */
const fungibleSums = sql.fragment`
  select json_agg(
    json_build_array(
      once.block_height, once.tx_index, once.token, 'transfer',
      case when once.count = 1 then once.amount else net.amount end::text,
      case when once.count > 1 then net.counterparty when once.giver is distinct from once.taker
      and once.amount > 0 then once.taker end
    ) order by once.block_height, once.tx_index, once.token
  )
  from (
    select t.block_height, t.tx_index, t.token, count(*) as count, sum(t.amount) as amount,
      min(t.from_address) as giver, min(t.to_address) as taker,
      array_agg(t.from_address) as givers, array_agg(t.to_address) as takers, array_agg(t.amount) as amounts
    from place cross join lateral ${movesIn(sql.fragment`app.ft_transfers`)} as t
    where t.transfer_type not in ('fee', 'escrow') and (t.from_address is not null or t.to_address is not null)
    group by t.block_height, t.tx_index, t.token
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

const nonFungibleCounts = sql.fragment`
  select json_agg(
    json_build_array(block_height, tx_index, token, 'transfer', count, counterparty)
    order by block_height, tx_index, token
  )
  from (
    select block_height, tx_index, token, count(*) as count,
      case when min(to_address) = max(to_address) and count(to_address) = count(*) then min(to_address) end as
      counterparty
    from (
      select distinct on (t.block_height, t.tx_index, t.token, t.nft_id) t.block_height, t.tx_index, t.token,
      t.to_address
      from place cross join lateral ${movesIn(sql.fragment`app.nft_transfers`)} as t
      where t.transfer_type <> 'escrow'
      order by t.block_height, t.tx_index, t.token, t.nft_id, t.event_index desc, t.leg desc
    ) as items
    group by block_height, tx_index, token
  ) as counts
`

/** Relative to account `$5`, without self-transfers. */
const fungibleParts = sql.fragment`
  select json_agg(
    json_build_array(block_height, tx_index, token, direction, amount::text, counterparty)
    order by block_height, tx_index, token, direction
  )
  from (
    select block_height, tx_index, token, direction, sum(amount) as amount,
      case when min(other) = max(other) and count(other) = count(*) then min(other) end as counterparty
    from (
      select t.block_height, t.tx_index, t.token, t.amount, case when t.to_address = $5 then 'in' else 'out' end as
      direction,
        case when t.to_address = $5 then t.from_address else t.to_address end as other
      from place cross join lateral ${movesIn(sql.fragment`app.ft_transfers`)} as t
      where t.transfer_type not in ('fee', 'escrow') and $5 in (t.from_address, t.to_address)
        and t.from_address is distinct from t.to_address
    ) as parts
    group by block_height, tx_index, token, direction
  ) as sums
`

const nonFungibleParts = sql.fragment`
  select json_agg(
    json_build_array(block_height, tx_index, token, direction, count, counterparty)
    order by block_height, tx_index, token, direction
  )
  from (
    select block_height, tx_index, token, direction, count(distinct nft_id) as count,
      case when min(other) = max(other) and count(other) = count(*) then min(other) end as counterparty
    from (
      select t.block_height, t.tx_index, t.token, t.nft_id, case when t.to_address = $5 then 'in' else 'out' end as
      direction,
        case when t.to_address = $5 then t.from_address else t.to_address end as other
      from place cross join lateral ${movesIn(sql.fragment`app.nft_transfers`)} as t
      where t.transfer_type <> 'escrow' and $5 in (t.from_address, t.to_address)
        and t.from_address is distinct from t.to_address
    ) as parts
    group by block_height, tx_index, token, direction
  ) as counts
`

export const transactionWorkers = ['tx_contracts_worker', 'tx_metrics_worker', 'token_worker'] as const

export interface DerivedDetails {
  readonly isDerived: boolean
  readonly isMoved: boolean
  /** Undefined for system transactions without a fee. */
  readonly metrics: { readonly fee: string | null; readonly gasUsed: number | null } | undefined
  readonly tags: readonly TransactionTag[]
  readonly fungible: readonly FungibleSummaryRow[]
  readonly nonFungible: readonly NonFungibleSummaryRow[]
}

/** `all`: net movements; `none`: transfers are not read. */
export type TransferView = { readonly account: string } | 'all' | 'none'

const direction = z.enum(['in', 'out', 'transfer'])
const place = [z.number(), z.number()] as const
const metricsPart = z.array(z.tuple([...place, z.string().nullable(), z.number().nullable()]))
const tagsPart = z.array(z.tuple([z.number(), z.enum(transactionTags), z.array(z.number())]))
const fungiblePart = z.array(z.tuple([...place, z.string(), direction, z.string(), z.string().nullable()]))
const nonFungiblePart = z.array(
  z.tuple([...place, z.string().nullable(), direction, z.number(), z.string().nullable()]),
)

/** Arrays, so that each table is read once without joins. */
const detailsRow = z.object({
  /** Height, whether details and transfers are derived; null if all are. */
  coverage: z.array(z.tuple([z.number(), z.boolean(), z.boolean()])).nullable(),
  metrics: metricsPart.nullable(),
  tags: tagsPart.nullable(),
  fungible: fungiblePart.nullable(),
  non_fungible: nonFungiblePart.nullable(),
})
type DetailsRow = z.output<typeof detailsRow>

const nothing = sql.fragment`select null::json`

/**
 * `limit` and `offset` force key lookups; otherwise the planner scans all heights between the
 * transactions.
 *
 * Parameters: heights and indexes of the transactions, lowest and highest height. Unfolded leases
 * matter only for recent heights.
 */
function detailsOf(fungible: FragmentSqlToken, nonFungible: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    with place as materialized (
      select * from unnest($1::int8[], $2::int4[]) as place (height, index)
    ), folded as materialized (
      select count(*) = 3 as is_whole from app.indexing_checkpoints
      where service_name in ('tx_contracts_worker', 'tx_metrics_worker', 'token_worker')
      and covered @> int8range($3, $4, '[]')
    ), covered as (
      select
        coalesce(range_intersect_agg(covered) filter (where service_name <> 'token_worker'), '{}') as described,
        coalesce(range_agg(covered) filter (where service_name = 'token_worker'), '{}') as moved,
        count(*) filter (where service_name <> 'token_worker') = 2 as are_known
      from app.coverage where service_name in ('tx_contracts_worker', 'tx_metrics_worker', 'token_worker')
    )
    select
      case when not (select is_whole from folded) then (
        select json_agg(json_build_array(h.height, are_known and described @> h.height, moved @> h.height))
        from (select distinct height from place) as h cross join covered
      ) end as coverage,
      (
        select json_agg(json_build_array(m.block_height, m.tx_index, m.fee::text, m.gas_used))
        from place cross join lateral (
          select * from app.tx_metrics
          where block_height = place.height and tx_index = place.index and block_height between $3 and $4
          limit 1
        ) as m
      ) as metrics,
      (
        select json_agg(json_build_array(t.block_height, t.tag, t.tx_indexes))
        from (select distinct height from place) as h cross join lateral (
          select * from app.tx_tags where block_height = h.height and block_height between $3 and $4 offset 0
        ) as t
      ) as tags,
      (${fungible}) as fungible,
      (${nonFungible}) as non_fungible
  `
}

const marksOnly = fixedStatement(sql.prepared('transaction marks', detailsRow)`${detailsOf(nothing, nothing)}`)
const withTransfers = fixedStatement(
  sql.prepared('transaction details', detailsRow)`${detailsOf(fungibleSums, nonFungibleCounts)}`,
)
const withTransfersOfAccount = fixedStatement(
  sql.prepared('transaction details of an account', detailsRow)`${detailsOf(fungibleParts, nonFungibleParts)}`,
)

export async function readDerivedDetails(
  database: DatabasePool,
  places: readonly MarkedPlace[],
  transfers: TransferView,
): Promise<ReadonlyMap<string, DerivedDetails>> {
  const found = await readByPlaces(
    places,
    async (ofWindow, low, high) => {
      const range = [ofWindow.map((row) => row.block_height), ofWindow.map((row) => row.tx_index), low, high] as const
      const row = await database.one(
        transfers === 'none'
          ? marksOnly(...range)
          : transfers === 'all'
            ? withTransfers(...range)
            : withTransfersOfAccount(...range, transfers.account),
      )
      return detailsByPlace(ofWindow, row)
    },
    1,
  )
  return new Map(found)
}

function detailsByPlace(
  places: readonly MarkedPlace[],
  { coverage, metrics, tags, fungible, non_fungible: nonFungible }: DetailsRow,
): (readonly [string, DerivedDetails])[] {
  const covered = coverage === null ? undefined : new Map(coverage.map(([height, ...states]) => [height, states]))
  const metricsOf = new Map(metrics?.map(([height, index, fee, gasUsed]) => [keyOf(height, index), { fee, gasUsed }]))
  const tagsOf = Map.groupBy(tags ?? [], ([height]) => height)
  const fungibleOf = Map.groupBy(fungible ?? [], ([height, index]) => keyOf(height, index))
  const nonFungibleOf = Map.groupBy(nonFungible ?? [], ([height, index]) => keyOf(height, index))
  return places.map((row) => {
    const { block_height, tx_index } = row
    const key = markKey(row)
    const [isDerived, isMoved] = covered === undefined ? [true, true] : (covered.get(block_height) ?? [false, false])
    return [
      key,
      {
        isDerived,
        isMoved,
        metrics: metricsOf.get(key),
        tags: (tagsOf.get(block_height) ?? []).flatMap(([, tag, indexes]) => (indexes.includes(tx_index) ? [tag] : [])),
        fungible: (fungibleOf.get(key) ?? []).map(([, , token, way, amount, counterparty]) => ({
          token,
          direction: way,
          amount,
          counterparty,
        })),
        nonFungible: (nonFungibleOf.get(key) ?? []).map(([, , token, way, count, counterparty]) => ({
          token,
          direction: way,
          count,
          counterparty,
        })),
      },
    ]
  })
}

function keyOf(height: number, index: number): string {
  return markKey({ block_height: height, tx_index: index })
}
