import { expect } from 'chai'
import * as fc from 'fast-check'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import type { PayloadFields, PayloadValue } from '../src/flow/payload-value.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow, CollectedRows } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { annotatedTransactions } from '../test/support/recording-annotations.ts'
import { stakingWorker } from './staking-worker.ts'

const table = 'A.f8d6e0586b0a20c7.FlowIDTableStaking'
const epoch = 'A.f8d6e0586b0a20c7.FlowEpoch'
const flow = 'A.0ae53cb6e3f42a79.FlowToken'
const nodeID = '7'.repeat(64)

interface Emitted {
  readonly type: string
  readonly fields: PayloadFields | undefined
}

describe('staking_worker', () => {
  let blocks: readonly DecodedBlock[]
  let all: CollectedRows

  before(async () => {
    blocks = await decodedRecording('base')
    all = collect(stakingWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
  })

  /** The worker's output for one transaction with these events. */
  const derive = (events: readonly Emitted[], script = ''): CollectedRows => {
    const [block] = blocks
    const [transaction] = blocks[1]?.transactions ?? []
    if (block === undefined || transaction === undefined) throw new Error('the recording has a block')
    const numbered = events.map((event, index) => ({ ...event, index }))
    const made = { ...transaction, index: 2, script, events: numbered }
    return collect(stakingWorker, { from: 0, to: 1, blocks: [{ ...block, transactions: [made] }] })
  }
  /** The rows of a labelled transaction: event, delegator, amount, from, to, moved. */
  const labelled = async (label: string): Promise<unknown[][]> => {
    const noted = (await annotatedTransactions('base')).find((transaction) => transaction.label === label)
    const rows = all
      .of('app.staking_events')
      .filter((row) => row['block_height'] === noted?.height && row['tx_index'] === noted?.index)
    return rows.map(moveOf)
  }

  it('processes the recording without a problem', () => {
    expect(all.problems).to.deep.equal([])
    expect(all.of('app.staking_events')).to.have.length(67)
    expect(all.of('app.epoch_events').map((row) => row['event_type'])).to.deep.equal([
      'EpochSetup',
      'NewEpoch',
      'EpochStart',
      'EpochTotalRewardsPaid',
      'EpochTotalRewardsPaid',
      'NewEpoch',
      'EpochTotalRewardsPaid',
      'NewEpoch',
    ])
  })

  it('gives the same rows for JSON-CDC payloads', async () => {
    const json = await decodedRecording('base', { encoding: 'json-cdc' })
    const output = collect(stakingWorker, rangeOf(json, { from: 0, to: json.length }))
    for (const { name } of stakingWorker.tables) expect(output.of(name), name).to.deep.equal(all.of(name))
  })

  it('distinguishes new stake from rewards', async () => {
    expect(await labelled('staking/stake-new-tokens')).to.deep.equal([
      ['TokensCommitted', 0, '11.50000000', null, 'committed', null],
    ])
    expect(await labelled('staking/stake-rewards')).to.deep.equal([
      ['TokensCommitted', 0, '3.00000000', 'rewarded', 'committed', null],
    ])
    expect(await labelled('staking/delegator-stake-rewards')).to.deep.equal([
      ['DelegatorTokensCommitted', 1, '0.01000000', 'rewarded', 'committed', null],
    ])
  })

  it('distinguishes withdrawn commitments from tokens released at an epoch end', async () => {
    expect(await labelled('staking/delegator-request-unstake')).to.deep.equal([
      ['DelegatorTokensUnstaked', 2, '0.00000000', 'committed', 'unstaked', null],
      ['DelegatorTokensRequestedToUnstake', 2, '2.50000000', null, null, null],
    ])
    const freed = all
      .of('app.staking_events')
      .filter((row) => row['block_height'] === 148)
      .map(moveOf)
    expect(freed.filter(([type]) => String(type).includes('Unstaked'))).to.deep.equal([
      ['DelegatorTokensUnstaked', 2, '2.50000000', 'unstaking', 'unstaked', null],
      ['TokensUnstaked', 0, '11.50000000', 'unstaking', 'unstaked', null],
    ])
  })

  it('reads events before November 2023, without an epoch', () => {
    const output = derive([
      { type: `${table}.RewardsPaid`, fields: { nodeID, amount: '1.00000000' } },
      { type: `${table}.DelegatorRewardsPaid`, fields: { nodeID, delegatorID: '4', amount: '2.00000000' } },
      {
        type: `${table}.EpochTotalRewardsPaid`,
        fields: { total: '3.00000000', fromFees: '1.00000000', minted: '2.00000000', feesBurned: '0.00000000' },
      },
      { type: `${table}.NewEpoch`, fields: { totalStaked: '5.00000000', totalRewardPayout: '3.00000000' } },
    ])
    expect(output.problems).to.deep.equal([])
    expect(
      output.of('app.staking_events').map((row) => [row['delegator_id'], row['to_bucket'], row['epoch']]),
    ).to.deep.equal([
      [0, 'rewarded', null],
      [4, 'rewarded', null],
    ])
    expect(
      output.of('app.epoch_events').map((row) => [row['event_type'], row['epoch'], row['total_rewards']]),
    ).to.deep.equal([
      ['EpochTotalRewardsPaid', null, '3.00000000'],
      ['NewEpoch', null, '3.00000000'],
    ])
  })

  it('reads stakes before Cadence 1.0 from token events and the script', () => {
    const inner = (amount: string): Emitted[] => [
      { type: `${flow}.TokensWithdrawn`, fields: { amount, from: '0xf8d6e0586b0a20c7' } },
      { type: `${flow}.TokensDeposited`, fields: { amount, to: '0xf8d6e0586b0a20c7' } },
    ]
    const fields = { nodeID, delegatorID: '1', amount: '9.00000000' }
    const committed = { type: `${table}.DelegatorTokensCommitted`, fields }
    const again = [...inner('4.00000000'), committed]
    expect(
      derive(again, 'delegator.delegateUnstakedTokens(amount: amount)').of('app.staking_events').map(moveOf),
    ).to.deep.equal([['DelegatorTokensCommitted', 1, '9.00000000', 'unstaked', 'committed', '4.00000000']])
    expect(derive(again).of('app.staking_events').map(moveOf)).to.deep.equal([
      ['DelegatorTokensCommitted', 1, '9.00000000', 'unknown', 'committed', '4.00000000'],
    ])
    const removed = { type: `${table}.NodeRemovedAndRefunded`, fields: { nodeID, amount: '9.00000000' } }
    expect(
      derive([removed, ...inner('4.00000000')])
        .of('app.staking_events')
        .map(moveOf),
    ).to.deep.equal([['NodeRemovedAndRefunded', 0, '9.00000000', 'committed', 'unstaked', '4.00000000']])
  })

  it('counts stake that came with the registration', () => {
    const fields = { nodeID, role: '5', amountCommitted: '250.00000000' }
    expect(
      derive([{ type: `${table}.NewNodeCreated`, fields }])
        .of('app.staking_events')
        .map(moveOf),
    ).to.deep.equal([['NewNodeCreated', 0, '250.00000000', null, 'committed', null]])
  })

  it('ignores contracts of the same name in other accounts', () => {
    const fields = { nodeID, amount: '1.00000000' }
    const output = derive([
      { type: 'A.00000000000000a1.FlowIDTableStaking.TokensCommitted', fields },
      { type: 'A.00000000000000a1.FlowEpoch.EpochStart', fields: { counter: '7' } },
    ])
    expect(output.of('app.staking_events')).to.deep.equal([])
    expect(output.of('app.epoch_events')).to.deep.equal([])
    expect(output.problems).to.deep.equal([])
  })

  it('records undecodable events as problems and reads the rest', () => {
    const output = derive([
      { type: `${table}.TokensStaked`, fields: { nodeID, amount: '1' } },
      { type: `${table}.TokensMelted`, fields: { nodeID } },
      { type: `${epoch}.EpochSetup`, fields: { counter: '4', nodeInfo: [{ id: nodeID }], firstView: '1' } },
      { type: `${table}.TokensStaked`, fields: { nodeID, amount: '1.00000000' } },
    ])
    expect(output.problems.map(({ eventIndex, code, message }) => [eventIndex, code, message])).to.deep.equal([
      [0, 'staking-event-shape', 'field amount is not a UFix64'],
      [1, 'staking-event-shape', 'unknown event TokensMelted of FlowIDTableStaking'],
      [2, 'staking-event-shape', 'field role is not a UInt64'],
    ])
    expect(output.of('app.staking_events')).to.have.length(1)
    expect(output.of('app.epoch_nodes')).to.deep.equal([])
  })

  it('never fails, for any events of these names', () => {
    const names = [
      'TokensCommitted',
      'DelegatorTokensCommitted',
      'TokensUnstaked',
      'NodeRemovedAndRefunded',
      'NewEpoch',
      'NewNodeCreated',
      'NodeWeightChanged',
      'RewardsPaid',
      'EpochTotalRewardsPaid',
    ]
    const types = [
      ...names.map((name) => `${table}.${name}`),
      `${epoch}.EpochSetup`,
      `${epoch}.EpochStart`,
      'A.ee82856bf20e2aa6.FungibleToken.Withdrawn',
      'A.ee82856bf20e2aa6.FungibleToken.Deposited',
      `${flow}.TokensWithdrawn`,
      `${flow}.TokensDeposited`,
    ]
    const values: readonly PayloadValue[] = [
      null,
      '',
      '0',
      '1',
      '300',
      '99999999999999999999',
      '1.00000000',
      nodeID,
      `${flow}.Vault`,
      '0xf8d6e0586b0a20c7',
      [],
      [{}],
      {},
      true,
    ]
    const fields = [
      'nodeID',
      'delegatorID',
      'amount',
      'amountCommitted',
      'role',
      'newWeight',
      'epochCounter',
      'counter',
      'nodeInfo',
      'firstView',
      'finalView',
      'type',
      'from',
      'to',
      'fromUUID',
      'toUUID',
      'withdrawnUUID',
      'depositedUUID',
    ]
    const event = fc.record({
      type: fc.constantFrom(...types),
      fields: fc.option(fc.dictionary(fc.constantFrom(...fields), fc.constantFrom(...values)), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), (events) => {
        const output = derive(events)
        const rows = [...output.of('app.staking_events'), ...output.of('app.epoch_events')]
        const requested = events.filter(
          ({ type, fields: has }) => has !== undefined && type.startsWith('A.f8d6e0586b0a20c7.'),
        )
        expect(rows.length + output.problems.length).to.equal(requested.length)
      }),
      { numRuns: 500 },
    )
  })
})

function moveOf(row: CollectedRow): unknown[] {
  return ['event_type', 'delegator_id', 'amount', 'from_bucket', 'to_bucket', 'moved'].map((column) => row[column])
}
