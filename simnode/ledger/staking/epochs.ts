import { hash } from 'node:crypto'
import type { Moment, SystemWork } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import type { CadenceValue } from '../encoding/cadence-value.ts'
import { viewOf } from '../world/clock.ts'
import { placeInTide, tideLength, tideOf } from '../world/tide.ts'
import { flow } from '../world/tokens.ts'
import { nodeIdOf, publicKeyText, roleOf } from './stakers.ts'
import type { Staker } from './stakers.ts'
import { beginEpoch, rewardOf } from './staking-program.ts'
import { stakingShapes } from './staking-shapes.ts'
import type { StakingTable } from './staking-table.ts'
import { stakingTeller } from './staking-teller.ts'

/** What all earn in an epoch with what is staked. */
export function epochPayout(table: StakingTable): bigint {
  return table.registered.reduce((total, staker) => total + rewardOf(table.of(staker).staked), 0n)
}

/** The views of an epoch, which is a tide, the last ones inclusive. In its last block it is too late to stake. */
export function viewsOf(epoch: number): {
  readonly first: number
  readonly stakingEnd: number
  readonly final: number
} {
  const first = epoch * tideLength
  return { first: viewOf(first), stakingEnd: viewOf(first + tideLength - 1) - 1, final: viewOf(first + tideLength) - 1 }
}

/**
 * Epochs, as long as tides, since what is staked for good is the same in each: in the last block of one the next is set
 * up, and in the first block of that one rewards are paid and tokens move.
 */
export const epochs: SystemWork = {
  name: 'epochs',
  chunk(moment) {
    const [epoch, place] = [tideOf(moment.height), placeInTide(moment.height)]
    if (place === tideLength - 1) return setUp(moment, epoch + 1)
    return place === 0 && epoch > 0 ? begin(moment, epoch) : []
  },
}

function begin(moment: Moment, epoch: number): DraftEvent[] {
  const {
    state: { staking, supplies },
  } = moment
  const events: DraftEvent[] = [{ shape: stakingShapes.commit, values: commitOf(staking, epoch) }]
  const minted = staking.minted
  beginEpoch(staking, stakingTeller(moment, events), epoch)
  supplies.add(flow, staking.minted - minted)
  const [total, payout, views] = [staking.totalStaked(), epochPayout(staking), viewsOf(epoch)]
  events.push(
    { shape: stakingShapes.newEpoch, values: [total, payout, epoch] },
    {
      shape: stakingShapes.start,
      values: [epoch, views.first, views.stakingEnd, views.final, total, supplies.of(flow), payout],
    },
  )
  return events
}

function setUp({ state: { staking }, timeAt }: Moment, epoch: number): DraftEvent[] {
  const { first, final } = viewsOf(epoch)
  const nodes = staking.nodes
  const collectors = nodes.filter(({ node }) => roleOf(node) === 1).map(({ node }) => [nodeIdOf(node), weight] as const)
  const [start, end] = [timeAt(epoch * tideLength), timeAt((epoch + 1) * tideLength)]
  return [
    { shape: stakingShapes.keysBegun, values: [] },
    {
      shape: stakingShapes.setUp,
      values: [
        epoch,
        nodes.map((node) => infoOf(staking, node)),
        first,
        final,
        [[0, collectors, collectors.length * weight, [], []]],
        hash('sha3-256', `epoch ${epoch}`, 'hex').slice(0, 32),
        first + 50,
        first + 100,
        first + 150,
        Math.round((end - start) / 1000),
        Math.floor(end / 1000),
      ],
    },
  ]
}

const weight = 100

/** A node as `FlowIDTableStaking.NodeInfo` tells it. */
function infoOf(table: StakingTable, staker: Staker): CadenceValue {
  const { node } = staker
  const { staked, committed, unstaking, unstaked, rewarded, requested } = table.of(staker)
  const delegators = table.delegatorsOf(node).map(({ delegatorId }) => delegatorId)
  return [
    nodeIdOf(node),
    roleOf(node),
    table.addressOf(node),
    publicKeyText(node, 'networking'),
    publicKeyText(node, 'staking'),
    staked,
    committed,
    unstaking,
    unstaked,
    rewarded,
    delegators,
    delegators.length,
    requested,
    weight,
  ]
}

/** The keys that consensus nodes made for an epoch, and the votes of the collectors. */
function commitOf(table: StakingTable, epoch: number): readonly CadenceValue[] {
  const ids = (role: number): string[] =>
    table.nodes.filter(({ node }) => roleOf(node) === role).map(({ node }) => nodeIdOf(node))
  const key = (of: string): string => hash('sha3-384', `epoch ${epoch} ${of}`, 'hex').repeat(2)
  const consensus = ids(2)
  const voters = ids(1)
  return [
    epoch,
    [[0, voters.map((id) => key(id).slice(0, 96)), key('cluster 0'), voters]],
    consensus.map(key),
    key('group'),
    consensus.map((id, index) => [id, index]),
  ]
}
