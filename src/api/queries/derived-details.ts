import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { transactionTags } from '../../chain/transaction-tags.ts'
import type { TransactionTag } from '../../chain/transaction-tags.ts'
import { fixedStatement } from '../../db/fixed-statement.ts'
import type { FungibleSummaryRow, NonFungibleSummaryRow } from '../presenters/transfer-summary.ts'
import { markKey, readByPlaces } from './transaction-marks.ts'
import type { MarkedPlace } from './transaction-marks.ts'
import { fungibleParts, fungibleSums, nonFungibleCounts, nonFungibleParts } from './transfer-summaries.ts'

/** The workers of what is derived of a transaction. */
export const transactionWorkers = ['tx_contracts_worker', 'tx_metrics_worker', 'token_worker'] as const

/** What is derived of a transaction. */
export interface DerivedDetails {
  /** Whether tags, fee and gas are derived. */
  readonly isDerived: boolean
  /** Whether transfers are derived. */
  readonly isMoved: boolean
  /** Undefined: it has no row, as transactions of the chain itself that paid nothing have none. */
  readonly metrics: { readonly fee: string | null; readonly gasUsed: number | null } | undefined
  readonly tags: readonly TransactionTag[]
  /** None where they were not asked for. */
  readonly fungible: readonly FungibleSummaryRow[]
  readonly nonFungible: readonly NonFungibleSummaryRow[]
}

/** `account`: transfers as it sees them; `all`: what changed hands; `none`: no transfers are read. */
export type TransferView = { readonly account: string } | 'all' | 'none'

const direction = z.enum(['in', 'out', 'transfer'])
const place = [z.number(), z.number()] as const
const metricsPart = z.array(z.tuple([...place, z.string().nullable(), z.number().nullable()]))
const tagsPart = z.array(z.tuple([z.number(), z.enum(transactionTags), z.array(z.number())]))
const fungiblePart = z.array(z.tuple([...place, z.string(), direction, z.string(), z.string().nullable()]))
const nonFungiblePart = z.array(
  z.tuple([...place, z.string().nullable(), direction, z.number(), z.string().nullable()]),
)

/** One row for all transactions that are asked for, each column a list: so each table is read once, and nothing is joined. */
const detailsRow = z.object({
  /** Height, whether it is derived, whether its transfers are; null: all heights are both. */
  coverage: z.array(z.tuple([z.number(), z.boolean(), z.boolean()])).nullable(),
  metrics: metricsPart.nullable(),
  tags: tagsPart.nullable(),
  fungible: fungiblePart.nullable(),
  non_fungible: nonFungiblePart.nullable(),
})
type DetailsRow = z.output<typeof detailsRow>

const nothing = sql.fragment`select null::json`

/**
 * Each table is read by its key for each transaction: `limit` and `offset` keep the planner, who sees neither how many there are nor
 * how far apart, from reading all between the heights instead.
 *
 * Parameters: heights and positions of the transactions, and the lowest and highest height among them. Coverage is of the same moment
 * as the rows. It is folded into the checkpoints but for what was done a moment ago, so that these mostly tell all.
 */
function detailsOf(fungible: FragmentSqlToken, nonFungible: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    with place as materialized (
      select * from unnest($1::int8[], $2::int4[]) as place (height, index)
    ), folded as materialized (
      select count(*) = 3 as is_whole from app.indexing_checkpoints
      where service_name in ('tx_contracts_worker', 'tx_metrics_worker', 'token_worker') and covered @> int8range($3, $4, '[]')
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

/** What the workers have written of transactions, in one statement. */
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
