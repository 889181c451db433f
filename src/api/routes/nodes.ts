import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { listOf, page, singleOf } from '../paging/envelope.ts'
import type { List } from '../paging/envelope.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import { limitParameter, noParameters } from '../parameters/parameters.ts'
import { nodeSchema, presentNode } from '../presenters/staking-node.ts'
import type { Node, NodeRow } from '../presenters/staking-node.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { listEpochNodes, listNodes, readEpochSetup, readNode } from '../queries/staking-nodes.ts'
import type { EpochSetupPlace, NodeKey } from '../queries/staking-nodes.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { exampleNode } from '../examples/staking.ts'
import { epochParameter, nodeIdParameter, roleParameter } from '../parameters/staking-parameters.ts'

const tag = 'Staking'
const nodeCursor = keyCursor({ tokens_staked: keyParts.amount, node_id: keyParts.hash })
const paging = { limit: limitParameter({ default: 20, max: 200 }), cursor: nodeCursor.parameter }

const amounts = 'What a node has does not include what its delegators have.'

const nodeList = defineRoute({
  path: '/flow/node',
  operationId: 'listNodes',
  tag,
  summary: 'Nodes, those with the most stake first',
  description:
    `All nodes as they stand now, also those that have left; with \`epoch\` the nodes of that epoch, with what ` +
    `they had when it was set up. ${amounts}`,
  params: noParameters,
  query: z.object({ ...paging, epoch: epochParameter().optional(), role: roleParameter() }),
  response: listOf(nodeSchema, 'Node'),
  example: {
    data: [exampleNode],
    has_more: true,
    cursor: `500000.00000000:${exampleNode.node_id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { epoch, ...query } }, services) => {
    const setup = epoch === undefined ? undefined : await readEpochSetup(services.database, epoch)
    if (epoch === undefined) return { body: await nodePage(query, services) }
    return { body: await nodePage(query, services, { epoch, place: setup }) }
  },
})

const node = defineRoute({
  path: '/flow/node/{node_id}',
  operationId: 'getNode',
  tag,
  summary: 'One node',
  description: amounts,
  params: z.object({ node_id: nodeIdParameter() }),
  query: noParameters,
  response: singleOf(nodeSchema, 'Node'),
  problems: { 404: 'Neither an indexed event nor the chain names the node.' },
  example: { data: [exampleNode] },
  handler: async ({ params: { node_id: id } }, { database }) => {
    const row = await readNode(database, id)
    if (row === undefined) throw new ApiError(404, 'unknown-node', `No node ${id} is known.`, { field: 'node_id' })
    return { body: { data: [presentNode(row, await readBlockTimes(database, [row.last_height]))] } }
  },
})

const epochNodes = defineRoute({
  path: '/staking/epoch/{epoch}/nodes',
  operationId: 'listNodesOfEpoch',
  tag,
  summary: 'Nodes of an epoch, with what they had when it was set up, those with the most stake first',
  description: `Empty while the event that set the epoch up is not indexed. ${amounts}`,
  params: z.object({ epoch: epochParameter() }),
  query: z.object({ ...paging, role: roleParameter() }),
  response: listOf(nodeSchema, 'Node'),
  problems: { 404: 'No indexed event names the epoch.' },
  example: { data: [exampleNode], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { epoch }, query }, services) => {
    const place = await readEpochSetup(services.database, epoch)
    if (place === undefined) {
      throw new ApiError(404, 'unknown-epoch', `No indexed event names epoch ${epoch}.`, { field: 'epoch' })
    }
    return { body: await nodePage(query, services, { epoch, place }) }
  },
})

interface NodeQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly role?: number | undefined
}

/** A page of the nodes of an epoch, or without one of all as they stand now. */
async function nodePage(
  { limit, cursor, role }: NodeQuery,
  { database }: Services,
  of?: { readonly epoch: number; readonly place: EpochSetupPlace | undefined },
): Promise<List<Node>> {
  const key = nodeCursor.parse(cursor)
  const after: NodeKey | undefined = key === undefined ? undefined : { staked: key.tokens_staked, nodeId: key.node_id }
  let rows: readonly NodeRow[] = []
  if (of === undefined) rows = await listNodes(database, role, after, limit + 1)
  else if (of.place !== undefined) rows = await listEpochNodes(database, of.epoch, of.place, role, after, limit + 1)
  const times = await readBlockTimes(
    database,
    rows.map((row) => row.last_height),
  )
  return page(rows, limit, (row) => presentNode(row, times), nodeCursor.format)
}

/** Nodes of the network. */
export const nodeRoutes = [nodeList, node, epochNodes]
