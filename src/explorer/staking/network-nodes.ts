import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { addressFormat, amountFormat, countFormat, idFormat } from '../formats.ts'
import { page } from '../paging/pages.ts'
import { cursorParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { roleNames } from './schema.ts'

/**
 * Nodes of the staking table if the chain was queried, else of the newest indexed epoch, else with
 * stake. Event data is exact, so it takes precedence over query results (up to an hour old) unless
 * events are missing. Each page reads about a thousand nodes.
 */
const nodes = sql.fragment`
  newest as (select max(epoch) as epoch from app.staking_nodes),
  nodes as (
    select node_id, n.epoch, coalesce(n.role, i.role) as role,
      coalesce(n.networking_address, i.networking_address, '') as networking_address,
      case when is_reported then n.tokens_staked else i.tokens_staked end as tokens_staked,
      case when is_reported then n.tokens_committed else i.tokens_committed end as tokens_committed,
      case when is_reported then n.tokens_unstaking else i.tokens_unstaking end as tokens_unstaking,
      case when is_reported then n.tokens_unstaked else i.tokens_unstaked end as tokens_unstaked,
      case when is_reported then n.tokens_rewarded else i.tokens_rewarded end as tokens_rewarded,
      coalesce(greatest(n.delegator_count, i.delegator_count), 0) as delegator_count,
      coalesce(i.is_participant, n.epoch = newest.epoch, false) as is_participant, n.created_height, n.created_tx_index
    from app.staking_nodes n full join app.staking_node_info i using (node_id) cross join newest
    cross join lateral (select coalesce(n.is_complete or i.asked_at is null, false) as is_reported) as source
    where case
      when exists (select from app.staking_node_info) then i.node_id is not null
      when newest.epoch is not null then n.epoch = newest.epoch
      else n.tokens_staked + n.tokens_committed > 0
    end
  )
`

interface NodePlace {
  readonly staked: string
  readonly nodeId: string
}

/** The account comes from the registration. */
async function listNetworkNodes(
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

async function countNetworkNodes(database: DatabasePool): Promise<readonly z.output<typeof roleRow>[]> {
  return database.any(sql.type(roleRow)`
    with ${nodes}
    select role, count(*) as node_count, count(*) filter (where is_participant) as participant_count,
      coalesce(sum(tokens_staked), 0.00000000)::text as tokens_staked
    from nodes
    group by role
    order by role nulls last
  `)
}

const roleFormat = z
  .int()
  .min(1)
  .max(5)
  .nullable()
  .describe('1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null if unknown.')

/** Amounts exclude delegators. */
const networkNodeSchema = z
  .strictObject({
    node_id: idFormat,
    epoch: countFormat.nullable().describe('Newest epoch of the node; null if not indexed.'),
    address: addressFormat.nullable().describe('Account that registered it; null if not indexed.'),
    role: roleFormat,
    networking_address: z.string().describe('Host and port; empty if unknown.'),
    tokens_staked: amountFormat.describe('FLOW staked in this epoch.'),
    tokens_committed: amountFormat.describe('FLOW to be staked from the next epoch.'),
    tokens_unstaking: amountFormat.describe('FLOW being unstaked, released with the next epoch.'),
    tokens_unstaked: amountFormat.describe('Unstaked FLOW that can be withdrawn.'),
    tokens_rewarded: amountFormat.describe('Rewards that can be withdrawn.'),
    delegator_count: countFormat.describe('Registered delegators.'),
    is_participant: z.boolean().describe('Whether it participates in the newest known epoch.'),
  })
  .meta({ id: 'NetworkNode' })
export type NetworkNode = z.output<typeof networkNodeSchema>

const nodesOfRoleSchema = z
  .strictObject({
    role: roleFormat,
    role_name: z.enum(roleNames).nullable(),
    node_count: countFormat,
    participant_count: countFormat.describe('Nodes that participate in the newest known epoch.'),
    tokens_staked: amountFormat.describe('FLOW staked by the nodes themselves.'),
  })
  .meta({ id: 'NodesOfRole' })
type NodesOfRole = z.output<typeof nodesOfRoleSchema>

/** Totals are of all nodes. */
export const networkNodesSchema = z
  .strictObject({
    data: z.array(networkNodeSchema),
    has_more: z.boolean().describe('Whether there is a next page.'),
    cursor: z.string().describe('Cursor of the next page; empty on the last page.'),
    _meta: z.strictObject({ limit: z.int(), count: z.int().describe('Number of items in this page.') }),
    node_count: countFormat.describe('All nodes.'),
    participant_count: countFormat.describe('Nodes that participate in the newest known epoch.'),
    nodes_by_role: z.array(nodesOfRoleSchema),
  })
  .meta({ id: 'NetworkNodeList' })

const roleRow = z.object({
  role: z.number().nullable(),
  node_count: z.number(),
  participant_count: z.number(),
  tokens_staked: z.string(),
})

function presentRole(row: z.output<typeof roleRow>): NodesOfRole {
  return { ...row, role_name: row.role === null ? null : (roleNames[row.role - 1] ?? null) }
}

const cursorPattern = /^(-?\d{1,20}(\.\d{1,8})?:[0-9a-f]{64})?$/

function parseNodeCursor(cursor: string | undefined): NodePlace | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [staked = '', nodeId = ''] = cursor.split(':')
  return { staked, nodeId }
}

const exampleNode: NetworkNode = {
  node_id: '1c8dc2f9bbad251d3f1b439ef76f5a534eab998351e3fa186ad886e7aa6e76ce',
  epoch: 254,
  address: '0x18eb4ee6b3c026d2',
  role: 2,
  networking_address: 'consensus-001.example.org:3569',
  tokens_staked: '500003.00000000',
  tokens_committed: '0.00000000',
  tokens_unstaking: '0.00000000',
  tokens_unstaked: '0.00000000',
  tokens_rewarded: '120.55000000',
  delegator_count: 41,
  is_participant: true,
}

const nodeList = defineRoute({
  path: '/status/nodes',
  operationId: 'listNetworkNodes',
  tag: 'Statistics',
  summary: 'Network nodes with counts by role, largest stake first',
  query: z.object({
    limit: limitParameter({ default: 20, max: 2000 }),
    cursor: cursorParameter(cursorPattern, '<tokens_staked>:<node_id>'),
  }),
  response: networkNodesSchema,
  example: {
    data: [exampleNode],
    has_more: true,
    cursor: `${exampleNode.tokens_staked}:${exampleNode.node_id}`,
    _meta: { limit: 1, count: 1 },
    node_count: 440,
    participant_count: 431,
    nodes_by_role: [
      { role: 1, role_name: 'collection', node_count: 80, participant_count: 80, tokens_staked: '20000000.00000000' },
      { role: 2, role_name: 'consensus', node_count: 113, participant_count: 110, tokens_staked: '56500339.00000000' },
    ],
  },
  handler: async ({ query: { limit, cursor } }, { database }) => {
    const [rows, roles] = await Promise.all([
      listNetworkNodes(database, parseNodeCursor(cursor), limit + 1),
      countNetworkNodes(database),
    ])
    const { _meta: meta, ...list } = page(
      rows,
      limit,
      (row) => row,
      ({ tokens_staked, node_id }) => `${tokens_staked}:${node_id}`,
    )
    return {
      body: {
        ...list,
        _meta: { limit, count: meta.count },
        node_count: roles.reduce((sum, role) => sum + role.node_count, 0),
        participant_count: roles.reduce((sum, role) => sum + role.participant_count, 0),
        nodes_by_role: roles.map(presentRole),
      },
      caching: 'minute',
    }
  },
})

export const networkNodeRoutes = [nodeList]
