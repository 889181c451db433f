import type { StateFold } from '../worker.ts'
import { positionOf } from './balances.ts'
import { epochEvents } from './tables.ts'

const ascending = 'block_height, tx_index, event_index'
const descending = 'block_height desc, tx_index desc, event_index desc'

/**
 * One row for each epoch that an event tells the counter of. There are some hundreds, and events four times a week:
 * where one comes or goes, all are folded, since those of before November 2023 tell no counter and are found by what is
 * around them: a NewEpoch starts the epoch that was set up last, and rewards are paid for the epoch before the one that
 * runs.
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
    ), told as (
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
      where t.epoch = k.epoch and not exists (select from told s where s.epoch = k.epoch)
    )
    insert into app.epoch_stats as t
    select * from told
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
