import { expect } from 'chai'
import * as fc from 'fast-check'
import { stakingWorker } from '../../jobs/staking-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto, rollBackDerived } from '../support/derived-tables.ts'
import { truthOf } from '../support/recording-annotations.ts'
import { playStaking, stakingCalls } from '../support/staking-history.ts'
import type { ExpectedStaker } from '../support/staking-history.ts'

const tables = [...stakingWorker.tables, ...stakingWorker.folds].map(({ name }) => name)
const amounts = [
  'tokens_committed',
  'tokens_staked',
  'tokens_unstaking',
  'tokens_unstaked',
  'tokens_rewarded',
  'tokens_requested_to_unstake',
] as const

type Row = Readonly<Record<string, unknown>>

interface Reported {
  readonly type: string
  readonly fields: PayloadFields
}

describe('stakes and epochs', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
  })

  after(() => database.drop())

  const derive = async (from: readonly DecodedBlock[], ...ranges: HeightRange[]): Promise<void> => {
    await database.pool.query(`truncate ${tables.join(', ')}`)
    for (const range of ranges) {
      expect(await deriveInto(database.pool, stakingWorker, from, range)).to.deep.equal([])
    }
  }
  const rows = async (table: string, order: string): Promise<Row[]> => {
    return (await database.pool.query<Row>(`select * from ${table} order by ${order}`)).rows
  }
  /** One block per event. Undefined: an empty block. */
  const blocksOf = (events: ReadonlyArray<Reported | undefined>): DecodedBlock[] => {
    const [block] = blocks
    const [transaction] = blocks[1]?.transactions ?? []
    if (block === undefined || transaction === undefined) throw new Error('the recording has a block')
    return events.map((event, height) => ({
      ...block,
      height,
      transactions: event === undefined ? [] : [{ ...transaction, index: 0, events: [{ ...event, index: 0 }] }],
    }))
  }
  /** All stakers and their stakes. */
  const stakers = async (): Promise<ExpectedStaker[]> => {
    const columns = amounts.join(', ')
    const { rows: all } = await database.pool.query<ExpectedStaker>(`
      select node_id, 0 as delegator_id, ${columns} from app.staking_nodes
      union all select node_id, delegator_id, ${columns} from app.staking_delegators order by 1, 2`)
    return all
  }

  it('has the stakes of the chain for nodes', async () => {
    await derive(blocks, { from: 0, to: blocks.length })
    const { staking } = await truthOf('base')
    const nodes = await rows('app.staking_nodes', 'node_id')
    expect(
      nodes.map((node) => [
        node['node_id'],
        String(node['role']),
        node['tokens_staked'],
        node['tokens_committed'],
        node['tokens_unstaking'],
        node['tokens_unstaked'],
        node['tokens_rewarded'],
        String(node['delegator_count']),
      ]),
    ).to.deep.equal(staking.nodes.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)))
    expect(nodes.every((node) => node['is_complete'])).to.equal(true)
  })

  it('has the vault balances of delegators', async () => {
    await derive(blocks, { from: 0, to: blocks.length })
    const held = new Map<string, string>()
    const transactions = blocks.flatMap((block) => block.transactions)
    for (const { fields } of transactions.flatMap(({ events }) => events)) {
      const vault = fields?.['toUUID'] ?? fields?.['fromUUID']
      const balance = fields?.['balanceAfter']
      if (typeof vault === 'string' && typeof balance === 'string') held.set(vault, balance)
    }
    // The first vault of each received its first tokens. The others were created right after it.
    const firstVaults = [80264348827655n, 81363860455433n, 82463372083205n]
    const delegators = await rows('app.staking_delegators', 'node_id, delegator_id')
    const order = ['committed', 'staked', 'unstaking', 'rewarded', 'unstaked']
    const inVaults = firstVaults.map((first) =>
      [0n, 1n, 2n, 3n, 4n].map((i) => held.get(String(first + i)) ?? '0.00000000'),
    )
    expect(delegators.map((row) => order.map((bucket) => row[`tokens_${bucket}`]))).to.deep.equal(inVaults)
    expect(delegators.every((row) => row['is_complete'])).to.equal(true)
  })

  it("starts epochs at the chain's start event, not at the setup event", async () => {
    await derive(blocks, { from: 0, to: blocks.length })
    const epochs = await rows('app.epoch_stats', 'epoch')
    const heights = epochs.map((row) => [row['epoch'], row['start_height'], row['end_height'], row['setup_height']])
    expect(heights).to.deep.equal([
      ['1', '142', '145', '141'],
      ['2', '146', '147', null],
      ['3', '148', null, null],
    ])
    expect(epochs[0]).to.include({
      first_view: '291',
      staking_end_view: '1290',
      final_view: '9290',
      total_nodes: 5,
      total_staked: '2136829.62345678',
      total_supply: '1000000035.97534828',
      total_rewards: '120000.00000000',
      payout_height: '143',
      payout_total: '120000.00000000',
      payout_from_fees: '0.00416168',
      payout_minted: '119999.99583832',
      payout_fees_burned: '0.00747910',
      setup_tx_index: 0,
      setup_event_index: 1,
    })
    const time = (height: number): Date => new Date(Math.floor((blocks[height]?.timestampUs ?? 0) / 1000))
    expect(epochs[0]?.['start_time']).to.deep.equal(time(142))
    expect(epochs[0]?.['end_time']).to.deep.equal(time(146))
    expect(await rows('app.epoch_nodes', 'node_id')).to.have.length(5)
  })

  it('derives epochs before November 2023, whose events lack the counter, from neighbouring ones', async () => {
    const [staking, epoch] = ['A.f8d6e0586b0a20c7.FlowIDTableStaking', 'A.f8d6e0586b0a20c7.FlowEpoch']
    const setup = (counter: string): Reported => ({
      type: `${epoch}.EpochSetup`,
      fields: { counter, nodeInfo: [], firstView: '1', finalView: '2' },
    })
    const fields = { totalStaked: '5.00000000', totalRewardPayout: '3.00000000' }
    const moved = { type: `${staking}.NewEpoch`, fields }
    const paid = (total: string): Reported => ({
      type: `${staking}.EpochTotalRewardsPaid`,
      fields: { total, fromFees: '0.00000000', minted: total, feesBurned: '0.00000000' },
    })
    const old = blocksOf([
      setup('5'),
      undefined,
      moved,
      paid('1.00000000'),
      undefined,
      setup('6'),
      undefined,
      moved,
      paid('2.00000000'),
      setup('7'),
      moved,
      setup('8'),
      moved,
      paid('3.00000000'),
    ])
    const bounds = [0, 3, 6, 9, 14]
    const ranges = bounds.slice(1).map((to, i) => ({ from: bounds[i] ?? 0, to }))
    for (const some of [ranges, ranges.toReversed()]) {
      await derive(old, ...some)
      const epochs = await rows('app.epoch_stats', 'epoch')
      const columns = ['epoch', 'setup_height', 'start_height', 'end_height', 'payout_height', 'payout_total']
      expect(epochs.map((row) => columns.map((name) => row[name]))).to.deep.equal([
        ['5', '0', '2', '6', '8', '2.00000000'],
        ['6', '5', '7', '9', null, null],
        ['7', '9', '10', '11', '13', '3.00000000'],
        ['8', '11', '12', null, null, null],
      ])
    }
  })

  it('has the stakes of nodes from the first EpochSetup on if history starts in the middle', async () => {
    await derive(blocks, { from: 141, to: blocks.length })
    const { staking } = await truthOf('base')
    const nodes = await rows('app.staking_nodes', 'node_id')
    expect(
      nodes.map((node) => [node['node_id'], node['tokens_staked'], node['tokens_rewarded'], node['is_complete']]),
    ).to.deep.equal(
      staking.nodes
        .map(([id, , staked, , , , rewarded]) => [id, staked, rewarded, true])
        .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    )
    expect(nodes.map((node) => node['created_height'])).to.deep.equal([null, null, null, null, null])
    const delegators = await rows('app.staking_delegators', 'node_id, delegator_id')
    expect(delegators.map((row) => row['is_complete'])).to.deep.equal([false, false, false])
  })

  it('releases commitments below the minimum, which no epoch-end event reports', async () => {
    const history = playStaking(
      '1.0',
      [
        [{ what: 'register-node', who: 0, amount: 700n }],
        [{ what: 'register-delegator', who: 0, amount: 60n }],
        [{ what: 'request', who: 1, amount: 20n }],
        [{ what: 'end-epoch', who: 0, amount: 0n }],
      ],
      blocks[1] as DecodedBlock,
    )
    const [early, late] = [
      { from: 0, to: 3 },
      { from: 3, to: 4 },
    ]
    const held = (): Promise<Row[]> => rows('app.staking_delegators', '1')
    const pending = { tokens_committed: '0.00000040', tokens_unstaked: '0.00000020' }
    const free = { tokens_committed: '0.00000000', tokens_unstaked: '0.00000060' }
    await derive(history.blocks, early)
    expect((await held())[0]).to.include(pending)
    expect(await deriveInto(database.pool, stakingWorker, history.blocks, late)).to.deep.equal([])
    expect((await held())[0]).to.include(free)
    await rollBackDerived(database.pool, 3)
    expect((await held())[0]).to.include(pending)
    await derive(history.blocks, late, early)
    expect((await held())[0]).to.include(free)
  })

  it('knows a request again from the setup of the next epoch', async () => {
    const node = { who: 0, amount: 700n }
    const history = playStaking(
      '1.0',
      [
        [{ what: 'register-node', ...node }],
        [{ what: 'end-epoch', ...node }],
        [{ what: 'request', who: 0, amount: 1n }],
        // No event has the rest of a request that is cancelled in part.
        [{ what: 'stake-unstaked', who: 0, amount: 0n }],
        [{ what: 'end-auction', ...node }],
        [{ what: 'set-up', ...node }],
      ],
      blocks[1] as DecodedBlock,
    )
    const requests: unknown[] = []
    for (const to of [3, 4, 6]) {
      await derive(history.blocks, { from: 0, to })
      const found = await stakers()
      expect(found).to.deep.equal(sorted(history.after[to - 1] ?? []))
      requests.push(found[0]?.tokens_requested_to_unstake)
    }
    expect(requests).to.deep.equal(['0.00000001', null, '0.00000001'])
  })

  it('matches the contract for any calls, derived in any order', async () => {
    const cuts = fc.array(fc.nat(100), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(stakingCalls, cuts, fc.boolean(), fc.nat(100), async (calls, places, isBackward, end) => {
        const history = playStaking('1.0', calls, blocks[1] as DecodedBlock)
        const to = Math.max(1, Math.min(history.blocks.length, Math.ceil(history.blocks.length * (end / 80))))
        const bounds = [...new Set([0, ...places.map((place) => place % to), to])].toSorted((a, b) => a - b)
        const ranges = bounds.slice(1).map((bound, i) => ({ from: bounds[i] ?? 0, to: bound }))
        await derive(history.blocks, ...(isBackward ? ranges.toReversed() : ranges))
        expect(await stakers()).to.deep.equal(sorted(history.after[to - 1] ?? []))
        const isIncomplete = 'select 1 from app.staking_nodes where not is_complete'
        expect((await database.pool.query(isIncomplete)).rows).to.deep.equal([])
      }),
      { numRuns: 40 },
    )
  })

  it('matches the contract after a rollback', async () => {
    await fc.assert(
      fc.asyncProperty(stakingCalls, fc.nat(100), async (calls, place) => {
        const history = playStaking('1.0', calls, blocks[1] as DecodedBlock)
        const to = 1 + (place % history.blocks.length)
        await derive(history.blocks, { from: 0, to: history.blocks.length })
        await rollBackDerived(database.pool, to)
        expect(await stakers()).to.deep.equal(sorted(history.after[to - 1] ?? []))
      }),
      { numRuns: 30 },
    )
  })

  it('matches the contract of 2021 at the end of every epoch', async () => {
    await fc.assert(
      fc.asyncProperty(stakingCalls, fc.nat(100), async (calls, place) => {
        const history = playStaking('2021', calls, blocks[1] as DecodedBlock)
        const height = history.epochEnds[place % Math.max(1, history.epochEnds.length)]
        fc.pre(height !== undefined)
        await derive(history.blocks, { from: 0, to: height + 1 })
        expect(await stakers()).to.deep.equal(sorted(history.after[height] ?? []))
      }),
      { numRuns: 40 },
    )
  })
})

function sorted(stakers: readonly ExpectedStaker[]): ExpectedStaker[] {
  return stakers.toSorted((a, b) => {
    if (a.node_id === b.node_id) return a.delegator_id - b.delegator_id
    return a.node_id < b.node_id ? -1 : 1
  })
}
