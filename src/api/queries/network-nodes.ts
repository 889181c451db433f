import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import type { z } from 'zod'
import { networkNodeSchema, roleRow } from '../presenters/network-node.ts'
import type { NetworkNode } from '../presenters/network-node.ts'

/**
 * The nodes of the network: those in the staking table where the chain was asked for it, else those of the newest epoch
 * that is indexed, and before the first those with a stake. What events tell of a node is exact up to the newest block,
 * so that it goes before what the chain told within the last hour, but where not all of its events are indexed.
 *
 * All of them are read for each page: in its whole life the network had some thousand.
 */
const nodes = sql.fragment`
  newest as (select max(epoch) as epoch from app.staking_nodes),
  nodes as (
    select node_id, n.epoch, coalesce(n.role, i.role) as role,
      coalesce(n.networking_address, i.networking_address, '') as networking_address,
      case when is_told then n.tokens_staked else i.tokens_staked end as tokens_staked,
      case when is_told then n.tokens_committed else i.tokens_committed end as tokens_committed,
      case when is_told then n.tokens_unstaking else i.tokens_unstaking end as tokens_unstaking,
      case when is_told then n.tokens_unstaked else i.tokens_unstaked end as tokens_unstaked,
      case when is_told then n.tokens_rewarded else i.tokens_rewarded end as tokens_rewarded,
      coalesce(greatest(n.delegator_count, i.delegator_count), 0) as delegator_count,
      coalesce(i.is_participant, n.epoch = newest.epoch, false) as is_participant, n.created_height, n.created_tx_index
    from app.staking_nodes n full join app.staking_node_info i using (node_id) cross join newest
    cross join lateral (select coalesce(n.is_complete or i.asked_at is null, false) as is_told) as source
    where case
      when exists (select from app.staking_node_info) then i.node_id is not null
      when newest.epoch is not null then n.epoch = newest.epoch
      else n.tokens_staked + n.tokens_committed > 0
    end
  )
`

/** A place in the order of nodes: by stake, the most first, and by id. */
export interface NodePlace {
  readonly staked: string
  readonly nodeId: string
}

/** Up to `count` nodes after a place. The account of each is looked up by the key of the transaction that registered it. */
export async function listNetworkNodes(
  database: DatabasePool,
  after: NodePlace | undefined,
  count: number,
): Promise<readonly NetworkNode[]> {
  const { staked = null, nodeId = null } = after ?? {}
  return database.any(sql.type(networkNodeSchema)`
    with ${nodes}, page as (
      select *, coalesce(tokens_staked, 0.00000000) as staked from nodes
      where ${nodeId}::text is null or coalesce(tokens_staked, 0) < ${staked}::numeric
        or (coalesce(tokens_staked, 0) = ${staked}::numeric and node_id > ${nodeId})
      order by staked desc, node_id
      limit ${count}
    )
    select p.node_id, p.epoch, (
        select t.authorizers[1] from raw.transactions t
        where t.block_height = p.created_height and t.tx_index = p.created_tx_index
      ) as address, p.role, p.networking_address, p.staked::text as tokens_staked,
      coalesce(p.tokens_committed, 0.00000000)::text as tokens_committed,
      coalesce(p.tokens_unstaking, 0.00000000)::text as tokens_unstaking,
      coalesce(p.tokens_unstaked, 0.00000000)::text as tokens_unstaked,
      coalesce(p.tokens_rewarded, 0.00000000)::text as tokens_rewarded, p.delegator_count, p.is_participant
    from page p
    order by p.staked desc, p.node_id
  `)
}

/** What the nodes of each role come to. */
export async function countNetworkNodes(database: DatabasePool): Promise<readonly z.output<typeof roleRow>[]> {
  return database.any(sql.type(roleRow)`
    with ${nodes}
    select role, count(*) as node_count, count(*) filter (where is_participant) as participant_count,
      coalesce(sum(tokens_staked), 0.00000000)::text as tokens_staked
    from nodes
    group by role
    order by role nulls last
  `)
}
