import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'

/**
 * Parts of a statement (`derived-details.ts`) that tell what moved in transactions, by token. They read the transactions of `place`
 * between the heights `$3` and `$4`. A transaction may have thousands of movements: they are added up where they are, so that a line a
 * token is all that comes.
 */

function movesIn(table: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
    select * from ${table} where block_height = place.height and tx_index = place.index and block_height between $3 and $4 offset 0
  )`
}

/**
 * What changed hands in the end: the sum of what is left with those who got more than they gave. Most often there is one movement of a
 * token, and nothing to be added up.
 */
export const fungibleSums = sql.fragment`
  select json_agg(
    json_build_array(
      once.block_height, once.tx_index, once.token, 'transfer',
      case when once.count = 1 then once.amount else net.amount end::text,
      case when once.count > 1 then net.counterparty when once.giver is distinct from once.taker and once.amount > 0 then once.taker end
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

/** Items by collection; each counts once, however often it moved. */
export const nonFungibleCounts = sql.fragment`
  select json_agg(
    json_build_array(block_height, tx_index, token, 'transfer', count, counterparty) order by block_height, tx_index, token
  )
  from (
    select block_height, tx_index, token, count(*) as count,
      case when min(to_address) = max(to_address) and count(to_address) = count(*) then min(to_address) end as counterparty
    from (
      select distinct on (t.block_height, t.tx_index, t.token, t.nft_id) t.block_height, t.tx_index, t.token, t.to_address
      from place cross join lateral ${movesIn(sql.fragment`app.nft_transfers`)} as t
      where t.transfer_type <> 'escrow'
      order by t.block_height, t.tx_index, t.token, t.nft_id, t.event_index desc, t.leg desc
    ) as items
    group by block_height, tx_index, token
  ) as counts
`

/** What came to the account `$5` and what left it. What it gives itself is no part. */
export const fungibleParts = sql.fragment`
  select json_agg(
    json_build_array(block_height, tx_index, token, direction, amount::text, counterparty)
    order by block_height, tx_index, token, direction
  )
  from (
    select block_height, tx_index, token, direction, sum(amount) as amount,
      case when min(other) = max(other) and count(other) = count(*) then min(other) end as counterparty
    from (
      select t.block_height, t.tx_index, t.token, t.amount, case when t.to_address = $5 then 'in' else 'out' end as direction,
        case when t.to_address = $5 then t.from_address else t.to_address end as other
      from place cross join lateral ${movesIn(sql.fragment`app.ft_transfers`)} as t
      where t.transfer_type not in ('fee', 'escrow') and $5 in (t.from_address, t.to_address)
        and t.from_address is distinct from t.to_address
    ) as parts
    group by block_height, tx_index, token, direction
  ) as sums
`

/** The same of items, by collection. */
export const nonFungibleParts = sql.fragment`
  select json_agg(
    json_build_array(block_height, tx_index, token, direction, count, counterparty)
    order by block_height, tx_index, token, direction
  )
  from (
    select block_height, tx_index, token, direction, count(distinct nft_id) as count,
      case when min(other) = max(other) and count(other) = count(*) then min(other) end as counterparty
    from (
      select t.block_height, t.tx_index, t.token, t.nft_id, case when t.to_address = $5 then 'in' else 'out' end as direction,
        case when t.to_address = $5 then t.from_address else t.to_address end as other
      from place cross join lateral ${movesIn(sql.fragment`app.nft_transfers`)} as t
      where t.transfer_type <> 'escrow' and $5 in (t.from_address, t.to_address)
        and t.from_address is distinct from t.to_address
    ) as parts
    group by block_height, tx_index, token, direction
  ) as counts
`
