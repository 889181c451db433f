import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import type { EventKey } from '../paging/event-pages.ts'
import { stakingEventRow } from '../presenters/staking-event.ts'
import type { StakingEventRow } from '../presenters/staking-event.ts'
import { withMarks } from './transaction-marks.ts'
import type { Marked } from './transaction-marks.ts'

/** Kinds of events that have an index of their own; the conditions are those of the indexes. */
export type StakingEventKind = 'rewards' | 'stakes'

const kinds: Readonly<Record<StakingEventKind, FragmentSqlToken>> = {
  rewards: sql.fragment`e.event_type in ('RewardsPaid', 'DelegatorRewardsPaid')`,
  stakes: sql.fragment`e.event_type in ('TokensStaked', 'DelegatorTokensStaked')`,
}

const columns = sql.fragment`
  e.block_height, e.tx_index, e.event_index, e.event_type, e.node_id, e.delegator_id, e.amount::text as amount,
  e.from_bucket, e.to_bucket, e.epoch
`
const newestFirst = sql.fragment`e.block_height desc, e.tx_index desc, e.event_index desc`

/** Which events; what is undefined does not matter. */
export interface StakingEventSelection {
  readonly kind?: StakingEventKind
  /** 64 hex digits. */
  readonly nodeId?: string | undefined
}

/** Up to `count` events before a place, the latest first. */
export async function listStakingEvents(
  database: DatabasePool,
  { kind, nodeId }: StakingEventSelection,
  before: EventKey | undefined,
  count: number,
): Promise<ReadonlyArray<Marked<StakingEventRow>>> {
  const rows = await database.any(sql.type(stakingEventRow)`
    select ${columns} from app.staking_events e
    where ${kind === undefined ? sql.fragment`true` : kinds[kind]}
      and ${nodeId === undefined ? sql.fragment`true` : sql.fragment`e.node_id = ${nodeId}`} and ${isBefore(before)}
    order by ${nodeId === undefined ? sql.fragment`` : sql.fragment`e.node_id desc,`} ${newestFirst}
    limit ${count}
  `)
  return withMarks(database, rows)
}

/**
 * Up to `count` events before a place about the nodes and delegators that an account registered, rewards included, the
 * latest first: of each as many as the page holds, by its index.
 */
export async function listStakingEventsOfAccount(
  database: DatabasePool,
  address: string,
  before: EventKey | undefined,
  count: number,
): Promise<ReadonlyArray<Marked<StakingEventRow>>> {
  const rows = await database.any(sql.type(stakingEventRow)`
    select ${columns}
    from (
      select distinct node_id, delegator_id from app.staking_events where account = ${address}
    ) own
    cross join lateral (
      select * from app.staking_events e
      where e.node_id = own.node_id and e.delegator_id = own.delegator_id and ${isBefore(before)}
      order by ${newestFirst}
      limit ${count}
    ) e
    order by ${newestFirst}
    limit ${count}
  `)
  return withMarks(database, rows)
}

function isBefore(place: EventKey | undefined): FragmentSqlToken {
  if (place === undefined) return sql.fragment`true`
  return sql.fragment`
    (e.block_height, e.tx_index, e.event_index) < (${place.height}, ${place.txIndex}, ${place.eventIndex})
  `
}
