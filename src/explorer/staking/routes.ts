import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { amountFormat, addressFormat, countFormat } from '../formats.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { listOf, page, singleOf, wholeList, keyCursor, keyParts } from '../paging/pages.ts'
import type { List } from '../paging/pages.ts'
import { accountParameter, limitParameter, integerParameter, textParameter, withoutPrefix } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Route, Services } from '../route.ts'
import { epochSchema, tokenomicsSchema, listEpochs, readTokenomics, exampleEpoch, exampleTokenomics } from './epochs.ts'
import {
  exampleDelegator,
  exampleNode,
  exampleStakingEvent,
  presentStakingEvent,
  stakingEventSchema,
  delegatorSchema,
  nodeSchema,
  presentDelegator,
  presentNode,
  roleNames,
} from './schema.ts'
import {
  listStakingEvents,
  listStakingEventsOfAccount,
  listDelegators,
  readDelegatorCount,
  readDelegatorsOfAccount,
  readNodesOfAccount,
  listEpochNodes,
  listNodes,
  readEpochSetup,
  readNode,
} from './queries.ts'
import type { StakingEventKind, EpochSetupPlace, NodeKey } from './queries.ts'
import type { Node, NodeRow } from './schema.ts'

function nodeIdParameter(): TextParameter {
  const canonical = (text: string): string => withoutPrefix(text).toLowerCase()
  return textParameter(/^(0[xX])?[0-9a-fA-F]{64}$/, 'must be a node id: 64 hex digits', canonical).describe(
    'Node id: 64 hex digits.',
  )
}

function epochParameter(): z.ZodPreprocess<z.ZodInt> {
  return integerParameter(0, 999_999_999_999_999).describe('Epoch counter.')
}

/** Returns the number. */
function roleParameter(): z.ZodOptional<z.ZodType<number>> {
  const name = z.enum(roleNames).transform((role) => roleNames.indexOf(role) + 1)
  return z
    .union([integerParameter(1, 5), name], `must be 1 to 5, or one of ${roleNames.join(', ')}`)
    .optional()
    .describe('Node role: 1 collection, 2 consensus, 3 execution, 4 verification, 5 access; or its name.')
}

const tag = 'Staking'
const limit = limitParameter({ default: 20, max: 200 })
const exampleEvents = {
  data: [exampleStakingEvent],
  has_more: true,
  cursor: '118331207:3:41',
  _meta: { limit: 1, count: 1 },
}

const delegatorCursor = keyCursor({
  tokens_staked: keyParts.amount,
  node_id: keyParts.hash,
  delegator_id: keyParts.index,
})

const delegatorList = defineRoute({
  path: '/staking/delegator',
  operationId: 'listDelegators',
  tag,
  summary: 'Delegators, largest stake first',
  query: z.object({ limit, cursor: delegatorCursor.parameter, node_id: nodeIdParameter().optional() }),
  response: listOf(delegatorSchema, 'Delegator'),
  example: {
    data: [exampleDelegator],
    has_more: true,
    cursor: `1000.01000000:${exampleDelegator.node_id}:7`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query }, { database }) => {
    const key = delegatorCursor.parse(query.cursor)
    const rows = await listDelegators(
      database,
      query.node_id,
      key === undefined
        ? undefined
        : {
            staked: key.tokens_staked,
            nodeId: key.node_id,
            delegatorId: Number(key.delegator_id),
          },
      query.limit + 1,
    )
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.last_height),
    )
    return { body: page(rows, query.limit, (row) => presentDelegator(row, times), delegatorCursor.format) }
  },
})

const epochCursor = keyCursor({ epoch: keyParts.height })
const epochStatsSchema = epochSchema
  .extend({
    total_rewarded: amountFormat.nullable().describe('FLOW paid for the epoch; null if not indexed.'),
  })
  .meta({ id: 'EpochStats' })

const epochStats = defineRoute({
  path: '/staking/epoch/stats',
  operationId: 'listEpochStats',
  cost: 'high',
  tag,
  summary: 'Epochs with nodes, stake and rewards, newest first',
  description: 'Values that are not indexed are null.',
  query: z.object({ limit, cursor: epochCursor.parameter }),
  response: listOf(epochStatsSchema, 'EpochStats'),
  example: {
    data: [{ ...exampleEpoch, total_rewarded: '1554021.00000000' }],
    has_more: true,
    cursor: '253',
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query }, { database }) => {
    const key = epochCursor.parse(query.cursor)
    const rows = await listEpochs(database, key === undefined ? undefined : Number(key.epoch), query.limit + 1)
    return {
      body: page(rows, query.limit, (row) => ({ ...row, total_rewarded: row.payout_total }), epochCursor.format),
    }
  },
})

function eventsOfKind(path: string, operationId: string, summary: string, kind: StakingEventKind): Route {
  return defineRoute({
    path,
    operationId,
    tag,
    summary,
    query: z.object({ limit, cursor: eventCursor.parameter, node_id: nodeIdParameter().optional() }),
    response: listOf(stakingEventSchema, 'StakingEvent'),
    example: exampleEvents,
    handler: async ({ query }, { database }) => {
      const selection = { kind, nodeId: query.node_id }
      const rows = await listStakingEvents(database, selection, parseEventCursor(query.cursor), query.limit + 1)
      return { body: page(rows, query.limit, presentStakingEvent, ({ row }) => eventCursor.format(row)) }
    },
  })
}

const rewardsPaid = eventsOfKind(
  '/staking/rewards/paid',
  'listRewardsPaid',
  'Rewards paid to nodes and delegators, latest first',
  'rewards',
)
const rewardsStaking = eventsOfKind(
  '/staking/rewards/staking',
  'listStakes',
  'Stakes of nodes and delegators at the start of epochs, latest first',
  'stakes',
)

const nodeEvents = defineRoute({
  path: '/staking/node/{node_id}/event',
  operationId: 'listEventsOfNode',
  tag,
  summary: 'Staking events of a node and its delegators, latest first',
  params: z.object({ node_id: nodeIdParameter() }),
  query: z.object({ limit, cursor: eventCursor.parameter }),
  response: listOf(stakingEventSchema, 'StakingEvent'),
  example: exampleEvents,
  handler: async ({ params, query }, { database }) => {
    const selection = { nodeId: params.node_id }
    const rows = await listStakingEvents(database, selection, parseEventCursor(query.cursor), query.limit + 1)
    return { body: page(rows, query.limit, presentStakingEvent, ({ row }) => eventCursor.format(row)) }
  },
})

const stakingTokenomicsSchema = z
  .strictObject({
    as_of: tokenomicsSchema.shape.updated_at.describe('Block time of the data, seconds since 1970.'),
    ...tokenomicsSchema.shape,
    circulating_supply: z.null().describe('Always null: locked tokens cannot be determined from the chain.'),
    delegator_count: countFormat.nullable().describe('Total of registered delegators; null if no node is known.'),
  })
  .meta({ id: 'StakingTokenomics' })

const tokenomics = defineRoute({
  path: '/staking/tokenomics',
  operationId: 'getStakingTokenomics',
  tag,
  summary: 'FLOW supply, stake, delegators and yield',
  description: 'From the last query of the chain, else from epoch events; null if unknown.',
  response: listOf(stakingTokenomicsSchema, 'StakingTokenomics'),
  example: wholeList([{ as_of: 1751371200, ...exampleTokenomics, circulating_supply: null, delegator_count: 61_240 }]),
  handler: async (_input, { database }) => {
    const [known, delegators] = await Promise.all([readTokenomics(database), readDelegatorCount(database)])
    const body = wholeList([
      {
        as_of: known.updated_at,
        ...known,
        circulating_supply: null,
        delegator_count: delegators,
      },
    ])
    return { body, caching: 'minute' }
  },
})

/** The list of delegators is paged. */
const maxDelegators = 1000

const accountStakeSchema = z
  .strictObject({
    address: addressFormat,
    nodes: z.array(nodeSchema).describe('Nodes registered by the account.'),
    delegators: z
      .array(delegatorSchema)
      .describe(`Delegators registered by the account, largest stake first; up to ${maxDelegators}.`),
  })
  .meta({ id: 'AccountStake' })

const accountStake = defineRoute({
  path: '/staking/account/{address}',
  operationId: 'getStakeOfAccount',
  tag,
  summary: 'Nodes and delegators of an account',
  description: 'Covers indexed registrations.',
  params: z.object({ address: accountParameter() }),
  response: singleOf(accountStakeSchema, 'AccountStake'),
  example: { data: [{ address: '0xe467b9dd11fa00df', nodes: [exampleNode], delegators: [exampleDelegator] }] },
  handler: async ({ params: { address } }, { database }) => {
    const [nodes, delegators] = await Promise.all([
      readNodesOfAccount(database, address),
      readDelegatorsOfAccount(database, address, maxDelegators),
    ])
    const times = await readBlockTimes(
      database,
      [...nodes, ...delegators].map((row) => row.last_height),
    )
    return {
      body: {
        data: [
          {
            address,
            nodes: nodes.map((row) => presentNode(row, times)),
            delegators: delegators.map((row) => presentDelegator(row, times)),
          },
        ],
      },
    }
  },
})

/** The second path is that of the Flow explorer API. */
const accountEvents = (
  [
    ['/staking/account/{address}/event', 'listStakingEventsOfAccount'],
    ['/flow/account/{address}/staking/activity', 'listStakingActivityOfAccount'],
  ] as const
).map(([path, operationId]) =>
  defineRoute({
    path,
    operationId,
    tag,
    summary: 'Staking events of the nodes and delegators of an account, latest first',
    params: z.object({ address: accountParameter() }),
    query: z.object({ limit, cursor: eventCursor.parameter }),
    response: listOf(stakingEventSchema, 'StakingEvent'),
    example: exampleEvents,
    handler: async ({ params: { address }, query }, { database }) => {
      const before = parseEventCursor(query.cursor)
      const rows = await listStakingEventsOfAccount(database, address, before, query.limit + 1)
      return { body: page(rows, query.limit, presentStakingEvent, ({ row }) => eventCursor.format(row)) }
    },
  }),
)

export const stakingRoutes = [
  delegatorList,
  epochStats,
  rewardsPaid,
  rewardsStaking,
  nodeEvents,
  tokenomics,
  accountStake,
  ...accountEvents,
]

const nodeCursor = keyCursor({ tokens_staked: keyParts.amount, node_id: keyParts.hash })
const paging = { limit: limitParameter({ default: 20, max: 200 }), cursor: nodeCursor.parameter }

const amounts = 'Amounts of a node exclude its delegators.'

const nodeList = defineRoute({
  path: '/flow/node',
  operationId: 'listNodes',
  tag,
  summary: 'Nodes, largest stake first',
  description:
    `Current state of all nodes, including those that left. With \`epoch\`, the nodes of that epoch with their ` +
    `amounts at its setup. ${amounts}`,
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
  summary: 'Node',
  description: amounts,
  params: z.object({ node_id: nodeIdParameter() }),
  response: singleOf(nodeSchema, 'Node'),
  problems: { 404: 'The node is unknown.' },
  example: { data: [exampleNode] },
  handler: async ({ params: { node_id: id } }, { database }) => {
    const row = await readNode(database, id)
    if (row === undefined) throw new ApiError(404, 'unknown-node', `Node ${id} is unknown.`, { field: 'node_id' })
    return { body: { data: [presentNode(row, await readBlockTimes(database, [row.last_height]))] } }
  },
})

const epochNodes = defineRoute({
  path: '/staking/epoch/{epoch}/nodes',
  operationId: 'listNodesOfEpoch',
  tag,
  summary: 'Nodes of an epoch with their amounts at its setup, largest stake first',
  description: `Empty if the EpochSetup event is not indexed. ${amounts}`,
  params: z.object({ epoch: epochParameter() }),
  query: z.object({ ...paging, role: roleParameter() }),
  response: listOf(nodeSchema, 'Node'),
  problems: { 404: 'The epoch is not indexed.' },
  example: { data: [exampleNode], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { epoch }, query }, services) => {
    const place = await readEpochSetup(services.database, epoch)
    if (place === undefined) {
      throw new ApiError(404, 'unknown-epoch', `Epoch ${epoch} is not indexed.`, { field: 'epoch' })
    }
    return { body: await nodePage(query, services, { epoch, place }) }
  },
})

interface NodeQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly role?: number | undefined
}

/** Without an epoch: current state. */
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

export const nodeRoutes = [nodeList, node, epochNodes]
