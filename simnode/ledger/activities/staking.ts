import { hash } from 'node:crypto'
import { systemAccounts, flow } from '../world/tokens.ts'
import type { StakingCall, StakingTurn } from '../staking/staking-program.ts'
import type { Staker } from '../staking/stakers.ts'
import type { Moment } from '../state/ledger-state.ts'
import { argument } from '../events/draft.ts'
import type { DraftEvent, DraftArgument, DraftTransaction } from '../events/draft.ts'
import type { StakingContext, StakingTable } from '../staking/staking-table.ts'
import { activity, executionError, ownFlowVault } from './activity.ts'
import type { Turn, SystemWork } from './activity.ts'
import { doStaking, lastingTurns, stakersFlow, beginEpoch, rewardOf } from '../staking/staking-program.ts'
import { networkingAddress, nodeIdOf, publicKeyText, roleOf } from '../staking/stakers.ts'
import { cycleOf, placeInCycle, cycleLength } from '../world/cycle.ts'
import type { CadenceValue } from '../encoding/cadence.ts'
import { viewOf } from '../world/clock.ts'
import { stakingShapes } from '../staking/staking-events.ts'

const imports = `import FlowIDTableStaking from 0x${systemAccounts.service.hex}
import FlowToken from 0x${systemAccounts.flowToken.hex}
import FungibleToken from 0x${systemAccounts.fungibleToken.hex}
`
const node = `let staker = signer.storage.borrow<auth(FlowIDTableStaking.NodeOperator) &FlowIDTableStaking.NodeStaker>(
            from: FlowIDTableStaking.NodeStakerStoragePath
        ) ?? panic("The signer runs no node")`
const delegatorType = 'auth(FlowIDTableStaking.DelegatorOwner) &FlowIDTableStaking.NodeDelegator'
const delegator = `let staker = signer.storage.borrow<${delegatorType}>(
            from: FlowIDTableStaking.DelegatorStoragePath
        ) ?? panic("The signer delegates to no node")`

type AmountCall = Exclude<StakingCall, 'register-node' | 'register-delegator' | 'update-address'>

const bodies: Readonly<Record<AmountCall, readonly [string, string]>> = {
  'withdraw-rewards': same('vault.deposit(from: <-staker.withdrawRewardedTokens(amount: amount))'),
  'withdraw-unstaked': same('vault.deposit(from: <-staker.withdrawUnstakedTokens(amount: amount))'),
  'request-unstaking': same('staker.requestUnstaking(amount: amount)'),
  'stake-new': [
    'staker.stakeNewTokens(<-vault.withdraw(amount: amount))',
    'staker.delegateNewTokens(from: <-vault.withdraw(amount: amount))',
  ],
  'stake-rewards': ['staker.stakeRewardedTokens(amount: amount)', 'staker.delegateRewardedTokens(amount: amount)'],
  'stake-unstaked': ['staker.stakeUnstakedTokens(amount: amount)', 'staker.delegateUnstakedTokens(amount: amount)'],
  'take-back': same(`staker.requestUnstaking(amount: amount)
        vault.deposit(from: <-staker.withdrawUnstakedTokens(amount: amount))`),
}

function same(body: string): readonly [string, string] {
  return [body, body]
}

function script(parameters: string, lines: readonly string[]): Buffer {
  return Buffer.from(`${imports}
transaction(${parameters}) {
    prepare(signer: auth(BorrowValue, SaveValue) &Account) {
        ${lines.join('\n        ')}
    }
}
`)
}

const nodeParameters =
  'id: String, role: UInt8, address: String, networkingKey: String, stakingKey: String, proof: String, amount: UFix64'
const paid = 'tokensCommitted: <-vault.withdraw(amount: amount)'

const scripts = new Map<string, Buffer>([
  [
    'register-node',
    script(nodeParameters, [
      ownFlowVault,
      'let record <- FlowIDTableStaking.addNodeRecord(id: id, role: role, networkingAddress: address, ' +
        'networkingKey: networkingKey,',
      `    stakingKey: stakingKey, stakingKeyPoP: proof, ${paid})`,
      'signer.storage.save(<-record, to: FlowIDTableStaking.NodeStakerStoragePath)',
    ]),
  ],
  [
    'register-delegator',
    script('nodeID: String, amount: UFix64', [
      ownFlowVault,
      `let record <- FlowIDTableStaking.registerNewDelegator(nodeID: nodeID, ${paid})`,
      'signer.storage.save(<-record, to: FlowIDTableStaking.DelegatorStoragePath)',
    ]),
  ],
  ['update-address', script('address: String', [node, 'staker.updateNetworkingAddress(address)'])],
  ...Object.entries(bodies).flatMap(([call, [ofNode, ofDelegator]]): [string, Buffer][] => [
    [`${call} node`, script('amount: UFix64', [ownFlowVault, node, ofNode])],
    [`${call} delegator`, script('amount: UFix64', [ownFlowVault, delegator, ofDelegator])],
  ]),
])

function stakingScript(call: StakingCall, { delegatorId }: Staker): Buffer {
  const found = scripts.get(call) ?? scripts.get(`${call} ${delegatorId === 0 ? 'node' : 'delegator'}`)
  if (found === undefined) throw new RangeError(`No script for ${call}`)
  return found
}

function stakingContext({ state: { vaults }, newUuid }: Moment, events: DraftEvent[]): StakingContext {
  return {
    events,
    newUuid,
    purse: {
      withdraw: (account, amount) => vaults.withdraw(flow, account, amount),
      deposit: (account, amount) => vaults.deposit(flow, account, amount),
    },
  }
}

const gasLimit = 9999

export const staking = activity<undefined>({
  name: 'staking',
  perCycle: lastingTurns.length,
  act(turn) {
    const { staking: table } = turn.state
    // A busier chain has more turns than there are changes.
    const done = lastingTurns[table.turns++]?.(cycleOf(turn.height), table)
    return { transaction: done === undefined ? failedUnstaking(turn) : draft(turn, done), memo: undefined }
  },
  lasting: (token, account, _turns, cycle) => (token.index === 0 ? stakersFlow(account, cycle) : 0n),
})

export const stakingThereAndBack = activity<StakingTurn | undefined>({
  name: 'staking-there-and-back',
  perCycle: 4,
  act(turn) {
    const { state, height, random } = turn
    // Without stakers whose stakes change permanently in this cycle.
    const candidates = state.staking.registered.slice(2, cycleOf(height))
    if (candidates.length === 0) return { transaction: failedUnstaking(turn), memo: undefined }
    const staker = random.pick(candidates)
    const amount = BigInt(random.between(1_00000000, 40_00000000))
    return {
      transaction: draft(turn, { call: 'stake-new', staker, amount }),
      memo: { call: 'take-back', staker, amount },
    }
  },
  undo: (turn, memo) => (memo === undefined ? failedUnstaking(turn) : draft(turn, memo)),
})

function draft(turn: Turn, done: StakingTurn): DraftTransaction {
  const events: DraftEvent[] = []
  const { staking: table } = turn.state
  doStaking(table, stakingContext(turn, events), done)
  return {
    script: stakingScript(done.call, done.staker),
    arguments: argumentsOf(turn, done),
    authorizers: [done.staker.owner],
    gasLimit,
    computation: 60 + events.length,
    events,
  }
}

function argumentsOf({ state }: Turn, { call, staker: { node }, amount }: StakingTurn): readonly DraftArgument[] {
  const text = argument.string
  const flow = argument.ufix64(amount)
  if (call === 'update-address') return [text(state.staking.addressOf(node))]
  if (call === 'register-delegator') return [text(nodeIdOf(node)), flow]
  if (call !== 'register-node') return [flow]
  const [networkingKey, stakingKey] = [publicKeyText(node, 'networking'), publicKeyText(node, 'staking')]
  return [
    text(nodeIdOf(node)),
    argument.uint8(roleOf(node)),
    text(networkingAddress(node, 0)),
    text(networkingKey),
    text(stakingKey),
    text(stakingKey.slice(0, 96)),
    flow,
  ]
}

const noNodeScript = Buffer.from(`import FlowIDTableStaking from 0xf8d6e0586b0a20c7

transaction(amount: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        ${node}
        staker.requestUnstaking(amount: amount)
    }
}
`)

function failedUnstaking({ payer }: Turn): DraftTransaction {
  return {
    script: noNodeScript,
    arguments: [argument.ufix64(1_00000000n)],
    authorizers: [payer],
    gasLimit,
    computation: 12,
    events: [],
    error: executionError('panic: The signer runs no node'),
  }
}

export function epochPayout(table: StakingTable): bigint {
  return table.registered.reduce((total, staker) => total + rewardOf(table.of(staker).staked), 0n)
}

/** Both ends inclusive. An epoch is a cycle; staking ends before its last block. */
export function viewsOf(epoch: number): {
  readonly first: number
  readonly stakingEnd: number
  readonly final: number
} {
  const first = epoch * cycleLength
  return {
    first: viewOf(first),
    stakingEnd: viewOf(first + cycleLength - 1) - 1,
    final: viewOf(first + cycleLength) - 1,
  }
}

/** The last block of an epoch sets up the next, whose first block pays rewards and moves tokens. */
export const epochs: SystemWork = {
  name: 'epochs',
  chunk(moment) {
    const [epoch, place] = [cycleOf(moment.height), placeInCycle(moment.height)]
    if (place === cycleLength - 1) return setUp(moment, epoch + 1)
    return place === 0 && epoch > 0 ? begin(moment, epoch) : []
  },
}

function begin(moment: Moment, epoch: number): DraftEvent[] {
  const { staking, supplies } = moment.state
  const events: DraftEvent[] = [{ shape: stakingShapes.commit, values: commitOf(staking, epoch) }]
  const minted = staking.minted
  beginEpoch(staking, stakingContext(moment, events), epoch)
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
  const [start, end] = [timeAt(epoch * cycleLength), timeAt((epoch + 1) * cycleLength)]
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
