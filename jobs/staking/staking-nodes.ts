import type { StateFold } from '../worker.ts'
import { addedUp, buckets, epochEnd, positionOf, requested, sinceEpochEnd, touchedNodes } from './balances.ts'
import { epochEvents, epochNodes, stakingEvents } from './tables.ts'

/** What the last EpochSetup told a bucket to hold and what events moved since; the sum of all events without one. */
const linear = buckets.map(
  (bucket) =>
    `case when told.node_id is null then s.${bucket} else told.tokens_${bucket} + since.${bucket} end as ${bucket}`,
)

/**
 * One row for each node. What it has is what the last EpochSetup told of it together with the events since, so that it
 * is exact from the first EpochSetup on that is indexed; of nodes that are in none, all events since their
 * registration. As for delegators, what an epoch's end leaves in `committed` is in `unstaked`.
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
      select k.node_id, k.delegator_id, told.epoch, told.role, told.networking_address, told.weight,
        told.block_height, told.tx_index, told.event_index, told.delegator_count,
        told.tokens_requested_to_unstake as told_requested, ${linear.join(', ')},
        case when told.node_id is null then s.unknown_count else since.unknown_count end as unknown_count
      from keys k
      left join lateral (
        select * from app.epoch_nodes n where n.node_id = k.node_id
        order by n.block_height desc, n.tx_index desc, n.event_index desc limit 1
      ) told on true
      left join app.staking_sums s on s.node_id = k.node_id and s.delegator_id = 0
      cross join lateral (
        select ${addedUp('m')}, count(*) filter (where m.from_bucket = 'unknown') as unknown_count
        from app.staking_events m
        where m.node_id = k.node_id and m.delegator_id = 0 and ${positionOf('m')} > ${positionOf('told')}
      ) since
      where told.node_id is not null or s.node_id is not null
    ), at_epoch_end as (
      select k.*, ${positionOf('k')} > ${positionOf('e')} is true as is_told,
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
        case when k.is_told and not k.is_requested_since then k.told_requested else k.events_requested end as requested,
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
