import type { HeightTable, SumFold, StateFold } from './worker.ts'

const heightColumn = 'block_height'
const position = [heightColumn, 'tx_index', 'event_index']

export const stakingEvents: HeightTable = {
  name: 'app.staking_events',
  columns: [
    ...position,
    'event_type',
    'node_id',
    'delegator_id',
    'amount',
    'from_bucket',
    'to_bucket',
    'moved',
    'epoch',
    'role',
    'networking_address',
    'weight',
    'account',
  ],
  heightColumn,
  partitionHeights: undefined,
}

export const epochEvents: HeightTable = {
  name: 'app.epoch_events',
  columns: [
    ...position,
    'event_type',
    'epoch',
    'block_time',
    'first_view',
    'staking_end_view',
    'final_view',
    'target_duration',
    'target_end_time',
    'total_staked',
    'total_supply',
    'total_rewards',
    'from_fees',
    'minted',
    'fees_burned',
    'node_count',
  ],
  heightColumn,
  partitionHeights: undefined,
}

export const epochNodes: HeightTable = {
  name: 'app.epoch_nodes',
  columns: [
    ...position,
    'node_id',
    'epoch',
    'role',
    'networking_address',
    'weight',
    'tokens_committed',
    'tokens_staked',
    'tokens_unstaking',
    'tokens_unstaked',
    'tokens_rewarded',
    'tokens_requested_to_unstake',
    'delegator_count',
  ],
  heightColumn,
  partitionHeights: undefined,
}

const buckets = ['committed', 'staked', 'unstaking', 'unstaked', 'rewarded'] as const

/** SQL for a row of app.staking_events. */
function added(alias: string, bucket: string): string {
  const moved = `coalesce(${alias}.moved, ${alias}.amount)`
  return `case when ${alias}.to_bucket = '${bucket}' then ${moved}
    when ${alias}.from_bucket = '${bucket}' then -${moved} else 0.00000000 end`
}

function addedUp(alias: string): string {
  return buckets.map((bucket) => `coalesce(sum(${added(alias, bucket)}), 0.00000000) as ${bucket}`).join(', ')
}

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
 * SQL for `with`: lowest height whose rows can depend on the range $1 to $2. The end of an epoch
 * affects everything since the previous one.
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

const touchedDelegators = `
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

const touchedNodes = `
  with ${span}
  select node_id from app.staking_events where block_height >= $1 and block_height < $2 and node_id is not null
  union
  select node_id from app.epoch_nodes where block_height >= $1 and block_height < $2
  union
  select p.node_id from span cross join app.staking_events p
  where p.block_height >= span.since and p.block_height < $2 and p.delegator_id = 0 and ${isPending('p')}`

/** SQL for `with`. */
const epochEnd = `
  epoch_end as (
    select coalesce(e.block_height, -1) as block_height, coalesce(e.tx_index, 0) as tx_index,
      coalesce(e.event_index, 0) as event_index
    from (select) as one left join lateral (
      select block_height, tx_index, event_index from app.epoch_events where event_type = 'NewEpoch'
      order by block_height desc, tx_index desc, event_index desc limit 1
    ) e on true
  )`

function positionOf(alias: string): string {
  return `(${alias}.block_height, ${alias}.tx_index, ${alias}.event_index)`
}

/** SQL to join to keys `k` (node_id, delegator_id) and `e` (epoch_end). */
const sinceEpochEnd = `
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
 * SQL. The contract emits the total request, reduces it by tokens committed again, and clears it
 * when the epoch ends. A removed node and its delegators request everything. No event has the
 * amount of a partial cancellation.
 */
function requested(staked: string): string {
  const total = `case when request.event_type = 'NodeRemovedAndRefunded' then ${staked} else request.amount end`
  return `case
    when request.event_type is null then 0.00000000
    when cancelled.count = 0 then ${total}
    when cancelled.ended then 0.00000000
    when k.delegator_id > 0 then ${total} - cancelled.amount
  end`
}

const ascending = 'block_height, tx_index, event_index'
const descending = 'block_height desc, tx_index desc, event_index desc'

/**
 * All epochs are folded when any event changes: there are some hundreds. Before November 2023
 * events have no counter and are matched by order: a NewEpoch starts the last set up epoch, and
 * rewards are paid for the previous one.
 */
export const epochStats: StateFold = {
  kind: 'state',
  name: 'app.epoch_stats',
  key: [{ column: 'epoch', type: 'bigint' }],
  reads: [epochEvents.name],
  touched: `
    select distinct epoch from app.epoch_events
    where epoch is not null and exists (
      select from app.epoch_events e where e.block_height >= $1 and e.block_height < $2
    )`,
  fold: `
    with keys as (select epoch from unnest($1::bigint[]) as k (epoch)),
    starts as (
      select k.epoch, start.*
      from (select epoch from keys union select epoch + 1 from keys) k
      cross join lateral (
        select s.* from (
          (select 1 as rank, e.* from app.epoch_events e
           where e.event_type = 'EpochStart' and e.epoch = k.epoch order by ${ascending} limit 1)
          union all
          (select 2, e.* from app.epoch_events e
           where e.event_type = 'NewEpoch' and e.epoch = k.epoch order by ${ascending} limit 1)
          union all
          (select 3, n.* from (
             select block_height, tx_index, event_index from app.epoch_events
             where event_type = 'EpochSetup' and epoch = k.epoch order by ${descending} limit 1
           ) u cross join lateral (
             select * from app.epoch_events e
             where e.event_type = 'NewEpoch' and ${positionOf('e')} > ${positionOf('u')} order by ${ascending} limit 1
           ) n
           where n.epoch is null and not exists (
             select from app.epoch_events o
             where o.event_type = 'EpochSetup' and ${positionOf('o')} > ${positionOf('u')}
               and ${positionOf('o')} < ${positionOf('n')}
           ))
        ) s order by s.rank limit 1
      ) start (rank, block_height, tx_index, event_index, event_type, told_epoch, block_time, first_view,
        staking_end_view, final_view, target_duration, target_end_time, total_staked, total_supply, total_rewards,
        from_fees, minted, fees_burned, node_count)
    ), computed as (
      select k.epoch, start.block_height as start_height, start.block_time as start_time,
        next.block_height - 1 as end_height, next.block_time as end_time, views.first_view, start.staking_end_view,
        views.final_view, setup.target_end_time, setup.block_height as setup_height, setup.tx_index as setup_tx_index,
        setup.event_index as setup_event_index, done.block_height as commit_height, setup.node_count,
        start.total_staked, start.total_supply, start.total_rewards, payout.block_height as payout_height,
        payout.tx_index as payout_tx_index, payout.block_time as payout_time, payout.total_rewards as payout_total,
        payout.from_fees, payout.minted, payout.fees_burned
      from keys k
      left join starts start on start.epoch = k.epoch
      left join starts next on next.epoch = k.epoch + 1
      left join lateral (
        select e.* from app.epoch_events e
        where e.epoch = k.epoch and e.event_type in ('EpochSetup', 'EpochRecover') order by ${descending} limit 1
      ) setup on true
      left join lateral (
        select e.first_view, e.final_view from app.epoch_events e
        where e.epoch = k.epoch and e.event_type in ('EpochSetup', 'EpochRecover', 'EpochStart')
        order by ${descending} limit 1
      ) views on true
      left join lateral (
        select e.block_height from app.epoch_events e
        where e.epoch = k.epoch and e.event_type = 'EpochCommit' order by ${descending} limit 1
      ) done on true
      left join lateral (
        select p.* from (
          (select 1 as rank, e.* from app.epoch_events e
           where e.event_type = 'EpochTotalRewardsPaid' and e.epoch = k.epoch order by ${descending} limit 1)
          union all
          (select 2, e.* from app.epoch_events e
           where e.event_type = 'EpochTotalRewardsPaid' and e.epoch is null
             and ${positionOf('e')} > ${positionOf('next')} and not exists (
               select from app.epoch_events o
               where o.event_type = 'NewEpoch' and ${positionOf('o')} > ${positionOf('next')}
                 and ${positionOf('o')} < ${positionOf('e')}
             )
           order by ${ascending} limit 1)
        ) p order by p.rank limit 1
      ) payout on true
      where exists (select from app.epoch_events e where e.epoch = k.epoch)
    ), gone as (
      delete from app.epoch_stats t using keys k
      where t.epoch = k.epoch and not exists (select from computed s where s.epoch = k.epoch)
    )
    insert into app.epoch_stats as t
    select * from computed
    on conflict (epoch) do update
    set start_height = excluded.start_height, start_time = excluded.start_time, end_height = excluded.end_height,
      end_time = excluded.end_time, first_view = excluded.first_view, staking_end_view = excluded.staking_end_view,
      final_view = excluded.final_view, target_end_time = excluded.target_end_time,
      setup_height = excluded.setup_height, setup_tx_index = excluded.setup_tx_index,
      setup_event_index = excluded.setup_event_index, commit_height = excluded.commit_height,
      total_nodes = excluded.total_nodes, total_staked = excluded.total_staked, total_supply = excluded.total_supply,
      total_rewards = excluded.total_rewards, payout_height = excluded.payout_height,
      payout_tx_index = excluded.payout_tx_index, payout_time = excluded.payout_time,
      payout_total = excluded.payout_total, payout_from_fees = excluded.payout_from_fees,
      payout_minted = excluded.payout_minted, payout_fees_burned = excluded.payout_fees_burned
    where t is distinct from excluded`,
}

/** Without an EpochSetup, all events are summed. */
const linear = buckets.map(
  (bucket) =>
    `case when setup.node_id is null then s.${bucket} else setup.tokens_${bucket} + since.${bucket} end as ${bucket}`,
)

/**
 * Exact from the first indexed EpochSetup on; without one, from all events since the registration.
 * Any rest in `committed` at the end of an epoch is `unstaked`.
 */
export const stakingNodes: StateFold = {
  kind: 'state',
  name: 'app.staking_nodes',
  key: [{ column: 'node_id', type: 'text' }],
  reads: [stakingEvents.name, epochEvents.name, epochNodes.name],
  touched: touchedNodes,
  fold: `
    with keys as (select node_id, 0 as delegator_id from unnest($1::text[]) as k (node_id)),
    ${epochEnd},
    linear as (
      select k.node_id, k.delegator_id, setup.epoch, setup.role, setup.networking_address, setup.weight,
        setup.block_height, setup.tx_index, setup.event_index, setup.delegator_count,
        setup.tokens_requested_to_unstake as reported_requested, ${linear.join(', ')},
        case when setup.node_id is null then s.unknown_count else since.unknown_count end as unknown_count
      from keys k
      left join lateral (
        select * from app.epoch_nodes n where n.node_id = k.node_id
        order by n.block_height desc, n.tx_index desc, n.event_index desc limit 1
      ) setup on true
      left join app.staking_sums s on s.node_id = k.node_id and s.delegator_id = 0
      cross join lateral (
        select ${addedUp('m')}, count(*) filter (where m.from_bucket = 'unknown') as unknown_count
        from app.staking_events m
        where m.node_id = k.node_id and m.delegator_id = 0 and ${positionOf('m')} > ${positionOf('setup')}
      ) since
      where setup.node_id is not null or s.node_id is not null
    ), at_epoch_end as (
      select k.*, ${positionOf('k')} > ${positionOf('e')} is true as is_reported,
        case when ${positionOf('k')} > ${positionOf('e')} then k.committed else pending.committed end as now_committed,
        ${requested('k.staked')} as events_requested,
        ${positionOf('request')} > ${positionOf('k')} is true as is_requested_since,
        created.block_height as created_height, created.tx_index as created_tx_index, created.account as address,
        registered.role as created_role,
        greatest(last.block_height, k.block_height) as last_height
      from linear k cross join epoch_end e ${sinceEpochEnd}
      left join lateral (
        select r.role from app.staking_events r
        where r.node_id = k.node_id and r.delegator_id = 0 and r.event_type in ('NewNodeCreated', 'NewDelegatorCreated')
        order by r.block_height, r.tx_index limit 1
      ) registered on true
    ), held as (
      select k.node_id, k.epoch, coalesce(k.created_role, k.role) as role,
        coalesce(address.networking_address, k.networking_address) as networking_address,
        coalesce(weight.weight, k.weight) as weight, k.now_committed as committed, k.staked, k.unstaking,
        k.unstaked + greatest(k.committed - k.now_committed, 0.00000000) as unstaked, k.rewarded,
        case when k.is_reported and not k.is_requested_since then k.reported_requested else k.events_requested end as
          requested,
        greatest(k.delegator_count, delegators.count, 0) as delegator_count,
        k.created_height, k.created_tx_index, k.address, k.last_height,
        (k.created_height is not null or k.block_height is not null) and k.unknown_count = 0
          and k.committed >= k.now_committed
          and least(k.now_committed, k.staked, k.unstaking, k.unstaked + k.committed - k.now_committed, k.rewarded) >= 0
          as is_complete
      from at_epoch_end k
      left join lateral (
        select a.networking_address from app.staking_events a
        where a.node_id = k.node_id and a.event_type = 'NetworkingAddressUpdated'
          and (k.block_height is null or ${positionOf('a')} > ${positionOf('k')})
        order by a.block_height desc, a.tx_index desc, a.event_index desc limit 1
      ) address on true
      left join lateral (
        select coalesce(w.weight, 0) as weight from app.staking_events w
        where w.node_id = k.node_id and w.event_type in ('NodeWeightChanged', 'NodeRemovedAndRefunded')
          and (k.block_height is null or ${positionOf('w')} > ${positionOf('k')})
        order by w.block_height desc, w.tx_index desc, w.event_index desc limit 1
      ) weight on true
      left join lateral (
        select d.delegator_id as count from app.staking_sums d where d.node_id = k.node_id
        order by d.delegator_id desc limit 1
      ) delegators on true
    ), gone as (
      delete from app.staking_nodes t using keys k
      where t.node_id = k.node_id and not exists (select from held h where h.node_id = k.node_id)
    )
    insert into app.staking_nodes as t
    select * from held
    on conflict (node_id) do update
    set epoch = excluded.epoch, role = excluded.role, networking_address = excluded.networking_address,
      weight = excluded.weight, tokens_committed = excluded.tokens_committed, tokens_staked = excluded.tokens_staked,
      tokens_unstaking = excluded.tokens_unstaking, tokens_unstaked = excluded.tokens_unstaked,
      tokens_rewarded = excluded.tokens_rewarded, tokens_requested_to_unstake = excluded.tokens_requested_to_unstake,
      delegator_count = excluded.delegator_count, created_height = excluded.created_height,
      created_tx_index = excluded.created_tx_index, address = excluded.address,
      last_height = excluded.last_height,
      is_complete = excluded.is_complete
    where t is distinct from excluded`,
}

/**
 * At the end of an epoch the contract stakes all committed tokens or, below the minimum, releases
 * them without an event: what remains in `committed` is `unstaked`.
 */
export const stakingDelegators: StateFold = {
  kind: 'state',
  name: 'app.staking_delegators',
  key: [
    { column: 'node_id', type: 'text' },
    { column: 'delegator_id', type: 'integer' },
  ],
  reads: [stakingEvents.name, epochEvents.name],
  touched: touchedDelegators,
  fold: `
    with keys as (select * from unnest($1::text[], $2::integer[]) as k (node_id, delegator_id)),
    ${epochEnd},
    held as (
      select k.node_id, k.delegator_id, pending.committed, s.staked, s.unstaking,
        s.unstaked + greatest(s.committed - pending.committed, 0.00000000) as unstaked, s.rewarded,
        ${requested('s.staked')} as requested,
        created.block_height as created_height, created.tx_index as created_tx_index, created.account as address,
        last.block_height as last_height,
        created.block_height is not null and s.unknown_count = 0 and s.committed >= pending.committed
          and least(
            pending.committed, s.staked, s.unstaking, s.unstaked + s.committed - pending.committed, s.rewarded
          ) >= 0 as is_complete
      from keys k join app.staking_sums s on s.node_id = k.node_id and s.delegator_id = k.delegator_id
      cross join epoch_end e ${sinceEpochEnd}
    ), gone as (
      delete from app.staking_delegators t using keys k
      where t.node_id = k.node_id and t.delegator_id = k.delegator_id and not exists (
        select from held h where h.node_id = k.node_id and h.delegator_id = k.delegator_id
      )
    )
    insert into app.staking_delegators as t
    select * from held
    on conflict (node_id, delegator_id) do update
    set tokens_committed = excluded.tokens_committed, tokens_staked = excluded.tokens_staked,
      tokens_unstaking = excluded.tokens_unstaking, tokens_unstaked = excluded.tokens_unstaked,
      tokens_rewarded = excluded.tokens_rewarded, tokens_requested_to_unstake = excluded.tokens_requested_to_unstake,
      created_height = excluded.created_height, created_tx_index = excluded.created_tx_index,
      address = excluded.address, last_height = excluded.last_height, is_complete = excluded.is_complete
    where t is distinct from excluded`,
}
