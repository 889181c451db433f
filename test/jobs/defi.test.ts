import { expect } from 'chai'
import { defiWorker } from '../../jobs/defi-worker.ts'
import { stakingWorker } from '../../jobs/staking-worker.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { commitOutput, deriveInto, rollBackDerived } from '../support/derived-tables.ts'
import { namedAccounts } from '../support/recording-annotations.ts'

const tables = [...defiWorker.tables, ...defiWorker.folds].map(({ name }) => name)
const [flow, coin] = ['A.0ae53cb6e3f42a79.FlowToken', 'A.00000000000000c1.Coin']
const pair = 'A.00000000000000d1.SwapPair'

interface Reported {
  readonly type: string
  readonly fields: PayloadFields
}

describe('token pairs', () => {
  let database: TestDatabase
  let recorded: readonly DecodedBlock[]

  before(async () => {
    database = await createTestDatabase()
    recorded = await decodedRecording('base')
  })

  beforeEach(() => database.pool.query(`truncate ${tables.join(', ')}`))

  after(() => database.drop())

  type Row = Record<string, unknown>
  const rows = async (text: string): Promise<Row[]> => (await database.pool.query<Row>(text)).rows
  const derive = async (blocks: readonly DecodedBlock[], from: number, to: number): Promise<void> => {
    expect(await deriveInto(database.pool, defiWorker, blocks, { from, to })).to.deep.equal([])
  }
  /** One block per event. */
  const blocksOf = (events: readonly Reported[]): DecodedBlock[] => {
    const [block] = recorded
    const [transaction] = recorded[1]?.transactions ?? []
    if (block === undefined || transaction === undefined) throw new Error('the recording has a block')
    return events.map((event, height) => ({
      ...block,
      height,
      timestampUs: Date.UTC(2026, 0, 1, height * 10) * 1000,
      transactions: [{ ...transaction, index: 0, events: [{ ...event, index: 0 }] }],
    }))
  }
  const swap = (direction: string, amountIn: string, amountOut: string): Reported => ({
    type: `${pair}.Swap`,
    fields: { inTokenAmount: amountIn, outTokenAmount: amountOut, direction },
  })
  const created = {
    type: 'A.00000000000000e1.SwapFactory.PairCreated',
    fields: { token0Key: flow, token1Key: coin, pairAddress: '0x00000000000000d1', stableMode: false, numPairs: '1' },
  }

  it('are derived from swaps if nothing else defines them', async () => {
    await derive(recorded, 0, recorded.length)
    const { dev = '' } = await namedAccounts('base')
    const columns = 'pair, dex, address, asset0, asset1, created_height, last_height'
    const pairs = await rows(`select ${columns} from app.defi_pairs`)
    expect(pairs).to.deep.equal([
      {
        pair: `A.${dev.slice(2)}.SwapPair`,
        dex: 'incrementfi',
        address: dev,
        asset0: flow,
        asset1: 'A.179b6b1cb6755e31.PebbleCoin',
        created_height: null,
        last_height: '254',
      },
    ])
    const [sum] = await rows('select sum(swap_count) as swaps, sum(volume0)::text as volume0 from app.defi_pair_days')
    const [all] = await rows(`
      select count(*)::numeric as swaps, sum(coalesce(asset0_in, asset0_out))::text as volume0 from app.defi_events
      where event_type = 'Swap'`)
    expect(sum).to.deep.equal(all)
  })

  it('match PairCreated, derived at any time, and retain the last price', async () => {
    const blocks = blocksOf([created, swap('0', '2.00000000', '6.00000000'), swap('1', '8.00000000', '2.00000000')])
    await derive(blocks, 1, 3)
    const columns = 'asset0, asset1, is_stable, created_height, price, last_height'
    expect(await rows(`select ${columns} from app.defi_pairs`)).to.deep.equal([
      {
        asset0: null,
        asset1: null,
        is_stable: null,
        created_height: null,
        price: '4.000000000000000000',
        last_height: '2',
      },
    ])
    await derive(blocks, 0, 1)
    expect(await rows(`select ${columns} from app.defi_pairs`)).to.deep.equal([
      {
        asset0: flow,
        asset1: coin,
        is_stable: false,
        created_height: '0',
        price: '4.000000000000000000',
        last_height: '2',
      },
    ])
    expect(await rows('select swap_count, volume0, volume1 from app.defi_pair_days')).to.deep.equal([
      { swap_count: '2', volume0: '4.00000000', volume1: '14.00000000' },
    ])
    await rollBackDerived(database.pool, 2)
    expect(await rows('select price from app.defi_pairs')).to.deep.equal([{ price: '3.000000000000000000' }])
    await rollBackDerived(database.pool, 0)
    expect(await rows('select * from app.defi_pairs')).to.deep.equal([])
    expect(await rows('select * from app.defi_pair_days')).to.deep.equal([])
  })

  it('are stored at any height: the lowest and the highest have the same partitions', async () => {
    const [block] = blocksOf([swap('0', '1.00000000', '2.00000000')])
    if (block === undefined) throw new Error('there is a block')
    const heights = [0, 19_999_999, 20_000_000, 25_000_001]
    for (const height of heights) {
      for (const worker of [defiWorker, stakingWorker]) {
        const output = new RangeOutput(worker)
        const blocks = [{ ...block, height }]
        worker.derive?.({ from: height, to: height + 1, blocks }, output, { network: 'emulator' })
        await commitOutput(database.pool, worker, { from: height, to: height + 1 }, output)
      }
    }
    expect(
      (await rows('select block_height from app.defi_events order by 1')).map((row) => Number(row['block_height'])),
    ).to.deep.equal(heights)
  })

  it('have the volumes of each day', async () => {
    const some = swap('0', '1.00000000', '2.00000000')
    await derive(blocksOf([some, some, some, some]), 0, 4)
    expect(await rows('select day::text, swap_count, volume1 from app.defi_pair_days order by 1')).to.deep.equal([
      { day: '2026-01-01', swap_count: '3', volume1: '6.00000000' },
      { day: '2026-01-02', swap_count: '1', volume1: '2.00000000' },
    ])
  })

  it('are identified by contract, and their pools by account', async () => {
    const blocks = blocksOf([
      {
        type: 'A.00000000000000e2.FlowSwapPair.Trade',
        fields: { token1Amount: '1.00000000', token2Amount: '1.00000000', side: '1' },
      },
      {
        type: 'A.00000000000000e3.PierPair.Swap',
        fields: { poolId: '16384432157562488507', amountIn: '1.00000000', amountOut: '1.00000000', swapAForB: true },
      },
      { type: 'A.00000000000000e2.FlowSwapPair.FeeUpdated', fields: { feePercentage: '0.00250000' } },
    ])
    await derive(blocks, 0, 3)
    expect(await rows('select dex, address, fee, last_height from app.defi_pairs order by 1')).to.deep.equal([
      { dex: 'bloctoswap', address: '0x00000000000000e2', fee: '0.00250000', last_height: '2' },
      { dex: 'metapier', address: '0xe361323d25ffc6bb', fee: null, last_height: '1' },
    ])
  })
})
