import { z } from 'zod'
import { page } from '../paging/envelope.ts'
import { cursorParameter, limitParameter, noParameters } from '../parameters/parameters.ts'
import { networkNodesSchema, presentRole } from '../presenters/network-node.ts'
import type { NetworkNode } from '../presenters/network-node.ts'
import { countNetworkNodes, listNetworkNodes } from '../queries/network-nodes.ts'
import type { NodePlace } from '../queries/network-nodes.ts'
import { defineRoute } from '../route.ts'

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

const nodes = defineRoute({
  path: '/status/nodes',
  operationId: 'listNetworkNodes',
  tag: 'Statistics',
  summary: 'Nodes of the network: how many of each role, and which, those with most stake first',
  params: noParameters,
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

/** Nodes of the network. */
export const networkNodeRoutes = [nodes]
