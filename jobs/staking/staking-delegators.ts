import type { StateFold } from '../worker.ts'
import { epochEnd, requested, sinceEpochEnd, touchedDelegators } from './balances.ts'
import { epochEvents, stakingEvents } from './tables.ts'

/**
 * One row for each delegator: the sums of its events. When an epoch ends the contract stakes all that is committed or,
 * of who has less than the minimum, sets it free without an event: what sums then leave in `committed` is in
 * `unstaked`.
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
