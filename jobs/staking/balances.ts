import type { SumFold } from '../worker.ts'
import { stakingEvents } from './tables.ts'

export const buckets = ['committed', 'staked', 'unstaking', 'unstaked', 'rewarded'] as const

/** What a row `alias` of app.staking_events adds to a bucket, as SQL. */
function added(alias: string, bucket: string): string {
  const moved = `coalesce(${alias}.moved, ${alias}.amount)`
  return `case when ${alias}.to_bucket = '${bucket}' then ${moved}
    when ${alias}.from_bucket = '${bucket}' then -${moved} else 0.00000000 end`
}

/** The sums of all buckets over rows `alias`, as SQL columns; 0 where there are no rows. */
export function addedUp(alias: string): string {
  return buckets.map((bucket) => `coalesce(sum(${added(alias, bucket)}), 0.00000000) as ${bucket}`).join(', ')
}

/** The events of nodes and delegators added up: what they have, but for what `positions` mends. */
export const stakingSums: SumFold = {
  kind: 'sum',
  name: 'app.staking_sums',
  key: [
    { column: 'node_id', type: 'text' },
    { column: 'delegator_id', type: 'integer' },
  ],
  sums: [
    ...buckets.map((column) => ({ column, type: 'numeric' })),
    { column: 'event_count', type: 'bigint' },
    { column: 'unknown_count', type: 'bigint' },
  ],
  presence: 'event_count',
  of: stakingEvents.name,
  touched: `
    select distinct node_id, delegator_id from app.staking_events
    where block_height >= $1 and block_height < $2 and node_id is not null`,
  counted: `
    select m.node_id, m.delegator_id, ${buckets.map((bucket) => `${added('m', bucket)} as ${bucket}`).join(', ')},
      1::bigint as event_count, (m.from_bucket is not distinct from 'unknown')::integer::bigint as unknown_count
    from app.staking_events m where m.block_height >= $1 and m.block_height < $2 and m.node_id is not null`,
}

const isPending = (alias: string): string => `(${alias}.from_bucket = 'committed' or ${alias}.to_bucket = 'committed'
  or ${alias}.event_type in
    ('NodeTokensRequestedToUnstake', 'DelegatorTokensRequestedToUnstake', 'NodeRemovedAndRefunded'))`

/**
 * SQL for `with`: `span.since` is the height from which on rows can change what nodes and delegators have when those of
 * the range $1 to $2 come or go: an epoch that ends concerns all that happened since the one before.
 */
const span = `
  span as (
    select case when exists (
      select from app.epoch_events e where e.event_type = 'NewEpoch' and e.block_height >= $1 and e.block_height < $2
    ) then coalesce((
      select max(e.block_height) from app.epoch_events e
      where e.event_type = 'NewEpoch' and e.block_height < $1
    ), 0) else $1::bigint end as since
  )`

/** Which delegators the rows of a range touch. */
export const touchedDelegators = `
  with ${span}
  select node_id, delegator_id from app.staking_events
  where block_height >= $1 and block_height < $2 and delegator_id > 0
  union
  select p.node_id, p.delegator_id from span cross join app.staking_events p
  where p.block_height >= span.since and p.block_height < $2 and p.delegator_id > 0 and ${isPending('p')}
  union
  select s.node_id, s.delegator_id from span
  cross join app.staking_events r join app.staking_sums s on s.node_id = r.node_id and s.delegator_id > 0
  where r.event_type = 'NodeRemovedAndRefunded' and r.block_height >= span.since and r.block_height < $2`

/** Which nodes the rows of a range touch. */
export const touchedNodes = `
  with ${span}
  select node_id from app.staking_events where block_height >= $1 and block_height < $2 and node_id is not null
  union
  select node_id from app.epoch_nodes where block_height >= $1 and block_height < $2
  union
  select p.node_id from span cross join app.staking_events p
  where p.block_height >= span.since and p.block_height < $2 and p.delegator_id = 0 and ${isPending('p')}`

/** SQL for `with`: the position at which the last epoch ended; before everything where none is known. */
export const epochEnd = `
  epoch_end as (
    select coalesce(e.block_height, -1) as block_height, coalesce(e.tx_index, 0) as tx_index,
      coalesce(e.event_index, 0) as event_index
    from (select) as one left join lateral (
      select block_height, tx_index, event_index from app.epoch_events where event_type = 'NewEpoch'
      order by block_height desc, tx_index desc, event_index desc limit 1
    ) e on true
  )`

/** The position of a row, as SQL. */
export function positionOf(alias: string): string {
  return `(${alias}.block_height, ${alias}.tx_index, ${alias}.event_index)`
}

/**
 * SQL to be joined to keys `k` (node_id, delegator_id) and `e` (epoch_end): what was committed since the last epoch
 * ended, the last request to unstake since then, what became of it, the registration, and the last event.
 */
export const sinceEpochEnd = `
  cross join lateral (
    select ${addedUp('m')} from app.staking_events m
    where m.node_id = k.node_id and m.delegator_id = k.delegator_id and ${positionOf('m')} > ${positionOf('e')}
      and (m.to_bucket = 'committed' or m.from_bucket = 'committed')
  ) pending
  left join lateral (
    select r.* from (
      select event_type, amount, block_height, tx_index, event_index from app.staking_events a
      where a.node_id = k.node_id and a.delegator_id = k.delegator_id and ${positionOf('a')} > ${positionOf('e')}
        and a.event_type in ('NodeTokensRequestedToUnstake', 'DelegatorTokensRequestedToUnstake')
      union all
      select event_type, amount, block_height, tx_index, event_index from app.staking_events b
      where b.node_id = k.node_id and b.event_type = 'NodeRemovedAndRefunded'
        and ${positionOf('b')} > ${positionOf('e')}
    ) r order by r.block_height desc, r.tx_index desc, r.event_index desc limit 1
  ) request on true
  left join lateral (
    select count(*) as count, bool_or(coalesce(c.moved, c.amount) > 0) as ended,
      sum(c.amount - coalesce(c.moved, c.amount)) as amount
    from app.staking_events c
    where c.node_id = k.node_id and c.delegator_id = k.delegator_id and c.to_bucket = 'committed'
      and c.from_bucket = 'unstaked' and ${positionOf('c')} > ${positionOf('request')}
  ) cancelled on true
  left join lateral (
    select block_height, tx_index, account from app.staking_events n
    where n.node_id = k.node_id and n.delegator_id = k.delegator_id
      and n.event_type in ('NewNodeCreated', 'NewDelegatorCreated')
    order by block_height, tx_index limit 1
  ) created on true
  left join lateral (
    select block_height from app.staking_events l
    where l.node_id = k.node_id and l.delegator_id = k.delegator_id
    order by block_height desc, tx_index desc, event_index desc limit 1
  ) last on true`

/**
 * What is requested to be unstaked, as SQL: the contract tells requests as a whole, takes tokens that are committed
 * again off them first, and forgets them when the epoch ends. A removed node is as if it and its delegators had
 * requested all. How much a node took off a request that is still there, no event tells.
 */
export function requested(staked: string): string {
  const told = `case when request.event_type = 'NodeRemovedAndRefunded' then ${staked} else request.amount end`
  return `case
    when request.event_type is null then 0.00000000
    when cancelled.count = 0 then ${told}
    when cancelled.ended then 0.00000000
    when k.delegator_id > 0 then ${told} - cancelled.amount
  end`
}
