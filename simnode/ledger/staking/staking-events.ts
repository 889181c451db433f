import { arrayOf, compositeType, eventShape, optional } from '../encoding/cadence.ts'
import type { CadenceType, EventShape } from '../encoding/cadence.ts'
import { systemAccounts } from '../world/tokens.ts'

const account = `A.${systemAccounts.service.hex}`

const table = (name: string, fields: Readonly<Record<string, CadenceType>>): EventShape =>
  eventShape(`${account}.FlowIDTableStaking.${name}`, fields)
const epoch = (name: string, fields: Readonly<Record<string, CadenceType>>): EventShape =>
  eventShape(`${account}.FlowEpoch.${name}`, fields)
const struct = (name: string, fields: Readonly<Record<string, CadenceType>>) =>
  compositeType('struct', `${account}.${name}`, fields)
const dictionary = (value: CadenceType): CadenceType => ({ kind: 'dictionary', key: 'String', value })

/** Without the prefix `Delegator`. */
const amountEvents = [
  'TokensCommitted',
  'TokensStaked',
  'TokensRequestedToUnstake',
  'TokensUnstaking',
  'TokensUnstaked',
  'RewardsPaid',
  'UnstakedTokensWithdrawn',
  'RewardTokensWithdrawn',
] as const
export type AmountEvent = (typeof amountEvents)[number]

function more(name: AmountEvent): Readonly<Record<string, CadenceType>> {
  return name === 'RewardsPaid' ? { epochCounter: 'UInt64' } : {}
}

function byName(of: (name: AmountEvent) => EventShape): Readonly<Record<AmountEvent, EventShape>> {
  return Object.fromEntries(amountEvents.map((name) => [name, of(name)])) as Record<AmountEvent, EventShape>
}

/** Source: onflow/flow-core-contracts `contracts/FlowIDTableStaking.cdc`, `contracts/epochs`. */
export const nodeShapes = byName((name) =>
  table(name === 'TokensRequestedToUnstake' ? `Node${name}` : name, {
    nodeID: 'String',
    amount: 'UFix64',
    ...more(name),
  }),
)

export const delegatorShapes = byName((name) =>
  table(`Delegator${name}`, { nodeID: 'String', delegatorID: 'UInt32', amount: 'UFix64', ...more(name) }),
)

const vote = struct('FlowClusterQC.Vote', {
  nodeID: 'String',
  signature: optional('String'),
  message: optional('String'),
  clusterIndex: 'UInt16',
  weight: 'UInt64',
})
const cluster = struct('FlowClusterQC.Cluster', {
  index: 'UInt16',
  nodeWeights: dictionary('UInt64'),
  totalWeight: 'UInt64',
  generatedVotes: dictionary(vote),
  uniqueVoteMessageTotalWeights: dictionary('UInt64'),
})
const nodeInfo = struct('FlowIDTableStaking.NodeInfo', {
  id: 'String',
  role: 'UInt8',
  networkingAddress: 'String',
  networkingKey: 'String',
  stakingKey: 'String',
  tokensStaked: 'UFix64',
  tokensCommitted: 'UFix64',
  tokensUnstaking: 'UFix64',
  tokensUnstaked: 'UFix64',
  tokensRewarded: 'UFix64',
  delegators: { kind: 'reference', authorization: { kind: 'none' }, referenced: arrayOf('UInt32') },
  delegatorIDCounter: 'UInt32',
  tokensRequestedToUnstake: 'UFix64',
  initialWeight: 'UInt64',
})
const clusterCertificate = struct('FlowClusterQC.ClusterQC', {
  index: 'UInt16',
  voteSignatures: arrayOf('String'),
  voteMessage: 'String',
  voterIDs: arrayOf('String'),
})

export const stakingShapes = {
  newNode: table('NewNodeCreated', { nodeID: 'String', role: 'UInt8', amountCommitted: 'UFix64' }),
  newDelegator: table('NewDelegatorCreated', { nodeID: 'String', delegatorID: 'UInt32' }),
  addressUpdated: table('NetworkingAddressUpdated', { nodeID: 'String', newAddress: 'String' }),
  totalRewards: table('EpochTotalRewardsPaid', {
    total: 'UFix64',
    fromFees: 'UFix64',
    minted: 'UFix64',
    feesBurned: 'UFix64',
    epochCounterForRewards: 'UInt64',
  }),
  newEpoch: table('NewEpoch', { totalStaked: 'UFix64', totalRewardPayout: 'UFix64', newEpochCounter: 'UInt64' }),
  feesTaken: eventShape(`A.${systemAccounts.flowFees.hex}.FlowFees.TokensWithdrawn`, { amount: 'UFix64' }),
  keysBegun: eventShape(`${account}.FlowDKG.StartDKG`, {}),
  setUp: epoch('EpochSetup', {
    counter: 'UInt64',
    nodeInfo: arrayOf(nodeInfo),
    firstView: 'UInt64',
    finalView: 'UInt64',
    collectorClusters: arrayOf(cluster),
    randomSource: 'String',
    DKGPhase1FinalView: 'UInt64',
    DKGPhase2FinalView: 'UInt64',
    DKGPhase3FinalView: 'UInt64',
    targetDuration: 'UInt64',
    targetEndTime: 'UInt64',
  }),
  commit: epoch('EpochCommit', {
    counter: 'UInt64',
    clusterQCs: arrayOf(clusterCertificate),
    dkgPubKeys: arrayOf('String'),
    dkgGroupKey: 'String',
    dkgIdMapping: dictionary('Int'),
  }),
  start: epoch('EpochStart', {
    counter: 'UInt64',
    firstView: 'UInt64',
    stakingAuctionEndView: 'UInt64',
    finalView: 'UInt64',
    totalStaked: 'UFix64',
    totalFlowSupply: 'UFix64',
    totalRewards: 'UFix64',
  }),
} as const
