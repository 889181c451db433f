import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { epochSchema, epochStatusRow, tokenomicsSchema } from '../presenters/epoch.ts'
import type { Epoch, EpochStatusRow, Tokenomics } from '../presenters/epoch.ts'

/**
 * What is known of the running epoch: from the chain, when it was asked, and from the newest epoch that an event started,
 * as far above it as the heights are derived without a gap. Some rows by their keys.
 */
export async function readEpochStatus(database: DatabasePool): Promise<EpochStatusRow> {
  return database.one(sql.type(epochStatusRow)`
    select s.height as asked_height, s.block_time as asked_time, s.epoch as asked_epoch, s.epoch_phase as asked_phase,
      s.chain_view as asked_view, s.epoch_start_view as asked_start_view,
      s.staking_end_view as asked_staking_end_view, s.epoch_end_view as asked_end_view,
      s.target_end_time as asked_target_end_time, told.height as told_height, b.timestamp as told_time, e.epoch,
      e.start_height, e.start_time, e.first_view, e.staking_end_view, e.final_view, e.target_end_time,
      n.setup_height is not null as is_next_set_up, n.commit_height is not null as is_next_committed
    from (values (true)) as one
    left join app.network_state s on s.subject = 'network'
    left join lateral (
      select * from app.epoch_stats where start_height is not null order by epoch desc limit 1
    ) e on true
    left join app.epoch_stats n on n.epoch = e.epoch + 1
    left join lateral (
      select upper(r) - 1 as height from app.coverage c cross join lateral unnest(c.covered) as r
      where c.service_name = 'staking_worker' and r @> e.start_height
    ) told on true
    left join raw.blocks b on b.height = told.height
  `)
}

/** Up to `count` epochs below one, the newest first: rows of the key in its order, of which there are some hundreds. */
export async function listEpochs(
  database: DatabasePool,
  before: number | undefined,
  count: number,
): Promise<readonly Epoch[]> {
  return database.any(sql.type(epochSchema)`
    select e.epoch,
      case when e.start_height is null then 'planned'
        when e.end_height is not null or exists (
          select from app.epoch_stats l where l.epoch > e.epoch and l.start_height is not null
        ) then 'ended' else 'running' end as status,
      e.start_height, e.end_height, e.end_height - e.start_height + 1 as block_count, e.start_time, e.end_time,
      e.target_end_time, e.first_view as start_view, e.staking_end_view, e.final_view as end_view, e.setup_height,
      e.commit_height, e.total_nodes, e.total_staked::text as total_staked, e.total_supply::text as total_supply,
      e.total_rewards::text as total_rewards, e.payout_height, e.payout_time, e.payout_total::text as payout_total,
      e.payout_from_fees::text as payout_from_fees, e.payout_minted::text as payout_minted,
      e.payout_fees_burned::text as payout_fees_burned
    from app.epoch_stats e
    where e.epoch < ${before ?? Number.MAX_SAFE_INTEGER}
    order by e.epoch desc
    limit ${count}
  `)
}

/**
 * Supply and stake: as the chain told when it was asked, else as the newest epoch that tells of them began. What the stake
 * earned is that of the newest epoch whose payout, stake and length are known. app.epoch_stats has some hundreds of rows.
 */
export async function readTokenomics(database: DatabasePool): Promise<Tokenomics> {
  return database.one(sql.type(tokenomicsSchema)`
    with known as (
      (select 1 as rank, 'chain' as source, epoch, total_supply, total_staked, staked_node_count as validator_count,
         block_time as told_at
       from app.network_state where height is not null)
      union all
      (select 2, 'events', epoch, total_supply, total_staked, total_nodes, start_time
       from app.epoch_stats where total_staked is not null order by epoch desc limit 1)
      order by rank limit 1
    ), paid as (
      select payout_total from app.epoch_stats where payout_total is not null order by epoch desc limit 1
    ), earned as (
      select payout_total / total_staked * 31557600 / extract(epoch from end_time - start_time) * 100 as percent
      from app.epoch_stats
      where payout_total is not null and total_staked > 0 and end_time > start_time
      order by epoch desc limit 1
    )
    select k.epoch, k.total_supply::text as total_supply, k.total_staked::text as total_staked,
      round(k.total_staked / nullif(k.total_supply, 0) * 100, 2)::float8 as staked_share, k.validator_count,
      p.payout_total::text as epoch_payout, round(e.percent, 2)::float8 as staking_apy, k.source,
      floor(extract(epoch from k.told_at))::bigint as updated_at
    from (values (true)) as one
    left join known k on true
    left join paid p on true
    left join earned e on true
  `)
}
