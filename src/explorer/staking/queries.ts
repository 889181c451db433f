import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { EventKey } from '../paging/event-pages.ts'
import { withMarks } from '../transactions/events.ts'
import type { Marked } from '../transactions/events.ts'
import { delegatorRow, nodeRow, stakingEventRow } from './schema.ts'
import type { DelegatorRow, NodeRow, StakingEventRow } from './schema.ts'

/** Decimal amount. */
export interface NodeKey {
  readonly staked: string
  readonly nodeId: string
}

/** Event data if exact, else the last query of the chain. */
function amount(column: string): FragmentSqlToken {
  const name = sql.identifier([column])
  return sql.fragment`
    case when n.is_complete is true or i.node_id is null then n.${name} else i.${name} end as ${name}
  `
}

function texts(alias: string): FragmentSqlToken {
  const columnTexts = [
    'tokens_staked',
    'tokens_committed',
    'tokens_unstaking',
    'tokens_unstaked',
    'tokens_rewarded',
    'tokens_requested_to_unstake',
  ].map((name) => sql.fragment`${sql.identifier([alias, name])}::text as ${sql.identifier([name])}`)
  return sql.fragment`${sql.join(columnTexts, sql.fragment`, `)}`
}

/** The chain alone knows nodes registered before the indexed history. A few thousand rows. */
const currentNodes = sql.fragment`
  select coalesce(n.node_id, i.node_id) as node_id, n.epoch, n.address, coalesce(n.role, i.role) as role,
    coalesce(n.networking_address, i.networking_address) as networking_address,
    coalesce(n.weight, i.initial_weight) as weight, ${amount('tokens_staked')}, ${amount('tokens_committed')},
    ${amount('tokens_unstaking')}, ${amount('tokens_unstaked')}, ${amount('tokens_rewarded')},
    ${amount('tokens_requested_to_unstake')}, greatest(n.delegator_count, i.delegator_count, 0) as delegator_count,
    n.created_height, n.is_complete is true or i.node_id is not null as is_complete,
    case when n.is_complete is true or i.node_id is null then 'events' else 'chain' end as source, n.last_height,
    i.asked_at
  from app.staking_nodes n
  full join (select * from app.staking_node_info where tokens_staked is not null) i on i.node_id = n.node_id
`

const columns = sql.fragment`
  c.node_id, c.epoch, c.address, c.role, c.networking_address, c.weight, ${texts('c')}, c.delegator_count,
  c.created_height, c.is_complete, c.source, c.last_height, c.asked_at
`

export async function listNodes(
  database: DatabasePool,
  role: number | undefined,
  after: NodeKey | undefined,
  count: number,
): Promise<readonly NodeRow[]> {
  return database.any(sql.type(nodeRow)`
    select ${columns} from (${currentNodes}) c
    where ${role === undefined ? sql.fragment`true` : sql.fragment`c.role = ${role}`}
      and ${afterNode(sql.fragment`c.tokens_staked, c.node_id`, after)}
    order by c.tokens_staked desc, c.node_id desc
    limit ${count}
  `)
}

export async function readNode(database: DatabasePool, nodeId: string): Promise<NodeRow | undefined> {
  const row = await database.maybeOne(sql.type(nodeRow)`
    select ${columns} from (${currentNodes}) c where c.node_id = ${nodeId}
  `)
  return row ?? undefined
}

function afterNode(key: FragmentSqlToken, after: NodeKey | undefined): FragmentSqlToken {
  return after === undefined ? sql.fragment`true` : sql.fragment`(${key}) < (${after.staked}::numeric, ${after.nodeId})`
}

const setupRow = z.object({ height: z.number().nullable(), index: z.number().nullable(), event: z.number().nullable() })
/** Nulls if not indexed. */
export type EpochSetupPlace = z.output<typeof setupRow>

export async function readEpochSetup(database: DatabasePool, epoch: number): Promise<EpochSetupPlace | undefined> {
  const row = await database.maybeOne(sql.type(setupRow)`
    select setup_height as height, setup_tx_index as index, setup_event_index as event
    from app.epoch_stats where epoch = ${epoch}
  `)
  return row ?? undefined
}

/** At the setup of the epoch, largest stake first. */
export async function listEpochNodes(
  database: DatabasePool,
  epoch: number,
  { height, index, event }: EpochSetupPlace,
  role: number | undefined,
  after: NodeKey | undefined,
  count: number,
): Promise<readonly NodeRow[]> {
  return database.any(sql.type(nodeRow)`
    select e.node_id, e.epoch, n.address, e.role, e.networking_address, e.weight, ${texts('e')}, e.delegator_count,
      n.created_height, true as is_complete, 'events' as source, e.block_height as last_height, null as asked_at
    from app.epoch_nodes e left join app.staking_nodes n on n.node_id = e.node_id
    where e.epoch = ${epoch} and e.block_height = ${height} and e.tx_index = ${index} and e.event_index = ${event}
      and ${role === undefined ? sql.fragment`true` : sql.fragment`e.role = ${role}`}
      and ${afterNode(sql.fragment`e.tokens_staked, e.node_id`, after)}
    order by e.tokens_staked desc, e.node_id desc
    limit ${count}
  `)
}

interface DelegatorKey extends NodeKey {
  readonly delegatorId: number
}

/** Largest stake first. */
export async function listDelegators(
  database: DatabasePool,
  nodeId: string | undefined,
  after: DelegatorKey | undefined,
  count: number,
): Promise<readonly DelegatorRow[]> {
  const ofNode = nodeId === undefined ? sql.fragment`true` : sql.fragment`d.node_id = ${nodeId}`
  const beyond =
    after === undefined
      ? sql.fragment`true`
      : sql.fragment`
    (d.tokens_staked, d.node_id, d.delegator_id) < (${after.staked}::numeric, ${after.nodeId}, ${after.delegatorId})
  `
  return database.any(sql.type(delegatorRow)`
    select ${delegatorColumns} from app.staking_delegators d
    where ${ofNode} and ${beyond}
    order by d.tokens_staked desc, d.node_id desc, d.delegator_id desc
    limit ${count}
  `)
}

const delegatorColumns = sql.fragment`
  d.node_id, d.delegator_id, d.address, ${texts('d')}, d.created_height, d.is_complete, d.last_height
`

export async function readNodesOfAccount(database: DatabasePool, address: string): Promise<readonly NodeRow[]> {
  return database.any(sql.type(nodeRow)`
    select ${columns} from (${currentNodes}) c
    where c.node_id in (select node_id from app.staking_events where account = ${address} and delegator_id = 0)
    order by c.tokens_staked desc, c.node_id desc
  `)
}

/** Largest stake first. */
export async function readDelegatorsOfAccount(
  database: DatabasePool,
  address: string,
  count: number,
): Promise<readonly DelegatorRow[]> {
  return database.any(sql.type(delegatorRow)`
    select ${delegatorColumns} from app.staking_delegators d
    join (
      select distinct node_id, delegator_id from app.staking_events where account = ${address} and delegator_id > 0
    ) own on own.node_id = d.node_id and own.delegator_id = d.delegator_id
    order by d.tokens_staked desc, d.node_id desc, d.delegator_id desc
    limit ${count}
  `)
}

const countRow = z.object({ count: z.number().nullable() })

export async function readDelegatorCount(database: DatabasePool): Promise<number | null> {
  const { count } = await database.one(sql.type(countRow)`
    select sum(c.delegator_count)::bigint as count from (${currentNodes}) c
  `)
  return count
}

/** The conditions are those of the partial indexes. */
export type StakingEventKind = 'rewards' | 'stakes'

const kinds: Readonly<Record<StakingEventKind, FragmentSqlToken>> = {
  rewards: sql.fragment`e.event_type in ('RewardsPaid', 'DelegatorRewardsPaid')`,
  stakes: sql.fragment`e.event_type in ('TokensStaked', 'DelegatorTokensStaked')`,
}

const eventColumns = sql.fragment`
  e.block_height, e.tx_index, e.event_index, e.event_type, e.node_id, e.delegator_id, e.amount::text as amount,
  e.from_bucket, e.to_bucket, e.epoch
`
const newestFirst = sql.fragment`e.block_height desc, e.tx_index desc, e.event_index desc`

interface StakingEventSelection {
  readonly kind?: StakingEventKind
  readonly nodeId?: string | undefined
}

/** Latest first. */
export async function listStakingEvents(
  database: DatabasePool,
  { kind, nodeId }: StakingEventSelection,
  before: EventKey | undefined,
  count: number,
): Promise<ReadonlyArray<Marked<StakingEventRow>>> {
  const rows = await database.any(sql.type(stakingEventRow)`
    select ${eventColumns} from app.staking_events e
    where ${kind === undefined ? sql.fragment`true` : kinds[kind]}
      and ${nodeId === undefined ? sql.fragment`true` : sql.fragment`e.node_id = ${nodeId}`} and ${isBefore(before)}
    order by ${nodeId === undefined ? sql.fragment`` : sql.fragment`e.node_id desc,`} ${newestFirst}
    limit ${count}
  `)
  return withMarks(database, rows)
}

/** Latest first; includes rewards. Reads a page of each node and delegator by its index. */
export async function listStakingEventsOfAccount(
  database: DatabasePool,
  address: string,
  before: EventKey | undefined,
  count: number,
): Promise<ReadonlyArray<Marked<StakingEventRow>>> {
  const rows = await database.any(sql.type(stakingEventRow)`
    select ${eventColumns}
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
