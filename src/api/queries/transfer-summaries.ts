import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { fungibleSummaryRow, nonFungibleSummaryRow } from '../presenters/transfer-summary.ts'
import type { FungibleSummaryRow, NonFungibleSummaryRow } from '../presenters/transfer-summary.ts'
import { readByPlaces } from './transaction-marks.ts'
import type { MarkedPlace } from './transaction-marks.ts'

/**
 * What moved in transactions, by token: with an account what came to it and what left it; without, what changed hands in the end: the
 * sum of what is left with those who got more than they gave. A transaction may have thousands of movements: they are added up
 * where they are, so that a line a token is all that comes.
 */
export async function readFungibleSummaries(
  database: DatabasePool, places: readonly MarkedPlace[], account?: string,
): Promise<readonly FungibleSummaryRow[]> {
  return readByPlaces(places, (ofWindow, low, high) => database.any(sql.prepared(`fungible summaries ${account === undefined ? 'of all' : 'of an account'}`, fungibleSummaryRow)`
    with moves as (
      select t.block_height, t.tx_index, t.token, t.from_address, t.to_address, t.amount
      from ${placesOf(ofWindow)}
      join app.ft_transfers t on t.block_height = place.height and t.tx_index = place.index
        and t.block_height between ${low} and ${high}
      where t.transfer_type not in ('fee', 'escrow')
        and ${account === undefined ? sql.fragment`true` : sql.fragment`${account} in (t.from_address, t.to_address)`}
    )
    ${account === undefined ? netOfMoves : partOfMoves(account, sql.fragment`sum(amount)::text as amount`)}
  `))
}

/** The same of items, by collection; without an account each item counts once, however often it moved. */
export async function readNonFungibleSummaries(
  database: DatabasePool, places: readonly MarkedPlace[], account?: string,
): Promise<readonly NonFungibleSummaryRow[]> {
  return readByPlaces(places, (ofWindow, low, high) => database.any(sql.prepared(`non-fungible summaries ${account === undefined ? 'of all' : 'of an account'}`, nonFungibleSummaryRow)`
    with moves as (
      select t.block_height, t.tx_index, t.token, t.nft_id, t.event_index, t.leg, t.from_address, t.to_address
      from ${placesOf(ofWindow)}
      join app.nft_transfers t on t.block_height = place.height and t.tx_index = place.index
        and t.block_height between ${low} and ${high}
      where t.transfer_type <> 'escrow'
        and ${account === undefined ? sql.fragment`true` : sql.fragment`${account} in (t.from_address, t.to_address)`}
    )
    ${account === undefined ? itemsOfMoves : partOfMoves(account, sql.fragment`count(distinct nft_id) as count`)}
  `))
}

function placesOf(places: readonly MarkedPlace[]): FragmentSqlToken {
  return sql.fragment`unnest(
    ${sql.array(places.map((place) => place.block_height), 'int8')},
    ${sql.array(places.map((place) => place.tx_index), 'int4')}
  ) as place (height, index)`
}

const netOfMoves = sql.fragment`
  , sides as (
    select block_height, tx_index, token, side.address, sum(side.amount) as net, max(abs(side.amount)) as largest
    from moves cross join lateral (values (to_address, amount), (from_address, -amount)) as side (address, amount)
    where side.address is not null
    group by block_height, tx_index, token, side.address
  )
  select block_height, tx_index, token, 'transfer' as direction,
    coalesce(
      nullif(greatest(sum(net) filter (where net > 0), -sum(net) filter (where net < 0)), 0), max(largest)
    )::text as amount,
    case when count(*) filter (where net > 0) = 1 then max(address) filter (where net > 0) end as counterparty
  from sides
  group by block_height, tx_index, token
  order by block_height, tx_index, token
`

const itemsOfMoves = sql.fragment`
  , items as (
    select distinct on (block_height, tx_index, token, nft_id) block_height, tx_index, token, to_address
    from moves
    order by block_height, tx_index, token, nft_id, event_index desc, leg desc
  )
  select block_height, tx_index, token, 'transfer' as direction, count(*) as count,
    case when min(to_address) = max(to_address) and count(to_address) = count(*) then min(to_address) end as counterparty
  from items
  group by block_height, tx_index, token
  order by block_height, tx_index, token
`

/** What an account gives itself is no part. */
function partOfMoves(account: string, sum: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    , parts as (
      select *, case when to_address = ${account} then 'in' else 'out' end as direction,
        case when to_address = ${account} then from_address else to_address end as other
      from moves
      where from_address is distinct from to_address
    )
    select block_height, tx_index, token, direction, ${sum},
      case when min(other) = max(other) and count(other) = count(*) then min(other) end as counterparty
    from parts
    group by block_height, tx_index, token, direction
    order by block_height, tx_index, token, direction
  `
}
