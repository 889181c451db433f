import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { skipHeight, retryHeights, listFailingHeights } from '../../src/farm/leases/coverage.ts'
import type { WeighedBlock } from '../../src/flow/decoded-block.ts'
import { Shared } from '../../src/platform/service.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { derivedDigest } from '../support/derived-tables.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import { rawDigest, runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import type { RunningIngest } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions, faultlessDigest } from '../support/faultless-digest.ts'

const head = 60
/**
 * Heights up to 40 are final. Failures are reported immediately, and skipped when a test advances
 * their clock.
 */
const timeouts = { settledDepth: 20, maxPauseMs: 10, reportAfterMs: 0, recheckMs: 20 }
const broken = { from: 21, to: 22 }
const bulk = ['GetTransactionResultsByBlockID', 'GetTransactionResultByIndex', 'GetTransactionResult']

/** Polls, for conditions without a notification. */
async function untilTrue(isTrue: () => Promise<boolean>, running: RunningIngest): Promise<void> {
  while (!(await isTrue())) {
    if (running.lifecycle.signal.aborted) throw running.lifecycle.failure ?? new Error('stopped too early')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The node returns INTERNAL for all calls at these heights, or only for results. */
function breakHeights(node: ReplayNode, what: 'everything' | 'results', heights = broken): void {
  node.inject({ kind: 'status', code: 'INTERNAL', heights, ...(what === 'results' ? { methods: bulk } : {}) })
}

async function failing(database: TestDatabase): Promise<number[]> {
  return (await listFailingHeights(database.pool, 100)).heights
    .filter((row) => row.state !== 'unavailable')
    .map((row) => row.height)
}

async function unavailable(database: TestDatabase): Promise<number[]> {
  const { heights } = await listFailingHeights(database.pool, 100)
  return heights
    .filter((row) => row.state === 'unavailable')
    .map((row) => row.height)
    .toSorted((a, b) => a - b)
}

/** Makes a failing height reach UNAVAILABLE_AFTER_S. */
async function waitItOut(database: TestDatabase, running: RunningIngest, height: number): Promise<void> {
  await untilTrue(async () => (await failing(database)).includes(height), running)
  await database.pool.query(
    `update raw.failing_heights set failing_since = now() - interval '1 day' where height = $1`,
    [height],
  )
}

async function untilCount(database: TestDatabase, running: RunningIngest, blocks: number): Promise<void> {
  await untilTrue(async () => {
    const stored = await storedHeights(database.pool)
    return stored.reduce((sum, range) => sum + range.to - range.from, 0) === blocks
  }, running)
}

function heightsOf({ from, to }: { from: number; to: number }): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

describe('final heights that cannot be fetched or stored', function () {
  this.timeout(300_000)
  let database: TestDatabase
  let node: ReplayNode
  let run: RunningIngest | undefined
  let undisturbed: Record<string, string>

  before(async () => {
    undisturbed = await faultlessDigest('base', { head })
  })

  beforeEach(async () => {
    database = await createTestDatabase()
    node = await startRecordedNode('base', { head })
  })

  afterEach(async function () {
    if (this.currentTest?.isFailed() === true) {
      const { rows } = await database.pool.query('select * from raw.failing_heights order by height')
      const state = { failing: rows, stored: await storedHeights(database.pool) }
      process.stderr.write(`${JSON.stringify(state, null, 2)}\n`)
    }
    await run?.stop()
    run = undefined
    await node.stop()
    await database.drop()
  })

  async function start(variables: Record<string, string>): Promise<RunningIngest> {
    run = await runIngest(
      database,
      { CHAIN_ACCESS_NODE: node.endpoint, ...variables },
      new Shared<WeighedBlock>(),
      timeouts,
    )
    return run
  }

  /** After the repair, unavailable heights are fetched again and none are missing. */
  async function retry(running: RunningIngest, heights: readonly number[]): Promise<void> {
    expect(await retryHeights(database.pool, { from: 0, to: head })).to.deep.equal(heights)
    await untilStored(database, 0, head, running)
    expect(await rawDigest(database.pool)).to.deep.equal(undisturbed)
    expect(await listFailingHeights(database.pool, 10)).to.deep.equal({ heights: [], failing: 0, unavailable: 0 })
    expect((await database.pool.query('select from raw.failing_heights')).rowCount).to.equal(0)
  }

  for (const [direction, variables] of Object.entries(directions)) {
    const first = direction === 'forward' ? broken.from : broken.to
    for (const what of ['everything', 'results'] as const) {
      it(`are recorded as unavailable and fetched on retry: ${direction}, ${what}`, async () => {
        breakHeights(node, what)
        const running = await start(variables)
        await untilTrue(async () => (await failing(database)).includes(first), running)
        expect((await running.metrics.failingHeights.get()).values[0]?.value).to.be.greaterThan(0)
        await waitItOut(database, running, first)
        const isWhole = what === 'everything'
        await untilCount(database, running, head + 1 - (isWhole ? 2 : 0))
        expect(await failing(database)).to.deep.equal([])
        expect(await unavailable(database)).to.deep.equal([21, 22])
        if (isWhole) {
          const { heights } = await listFailingHeights(database.pool, 10)
          expect(heights.every((row) => row.part === 'block' && row.reason.includes('INTERNAL'))).to.equal(true)
        }
        const {
          rows: [checkpoint],
        } = await database.pool.query<{ last: number }>(
          `select last_height::float8 as last from app.indexing_checkpoints where not isempty(covered)`,
        )
        expect(checkpoint?.last).to.equal(direction === 'forward' ? head : 0)
        node.clearFaults()
        await retry(running, [21, 22])
      })
    }

    it(`are skipped in turn, with one clock, until one is stored: ${direction}`, async () => {
      breakHeights(node, 'everything', { from: 12, to: 16 })
      breakHeights(node, 'everything', { from: 20, to: 24 })
      const [upper, lower] = [heightsOf({ from: 20, to: 24 }), heightsOf({ from: 12, to: 16 })]
      const before = direction === 'forward' ? lower : upper
      const [firstOfRun, firstOfNext] = direction === 'forward' ? [12, 20] : [24, 16]
      let running = await start({ ...variables, LATEST_WORKER_COUNT: '1', HISTORY_WORKER_COUNT: '1' })
      await waitItOut(database, running, firstOfRun)
      await untilTrue(async () => (await unavailable(database)).length > 1, running)
      await running.stop()
      running = await start(variables)
      await untilTrue(async () => (await failing(database)).includes(firstOfNext), running)
      expect(await unavailable(database)).to.deep.equal(before)
      const { rows } = await database.pool.query<{ count: number }>(
        `select count(*)::int4 as count from raw.failing_heights where given_up_at is null and failing_since < now() - interval '1 h'`,
      )
      expect(rows).to.deep.equal([{ count: 0 }])
      await waitItOut(database, running, firstOfNext)
      await untilCount(database, running, head + 1 - 10)
      node.clearFaults()
      await retry(running, [...lower, ...upper])
    })

    it(`are skipped with their own clock if PostgreSQL rejects their rows: ${direction}`, async () => {
      const [byNodes, byDatabase] = direction === 'forward' ? [21, 22] : [22, 21]
      breakHeights(node, 'everything', { from: byNodes, to: byNodes })
      await database.pool.query(`alter table raw.blocks add constraint refused check (height <> ${byDatabase})`)
      const running = await start(variables)
      await waitItOut(database, running, byNodes)
      await untilTrue(async () => (await failing(database)).includes(byDatabase), running)
      expect(await unavailable(database)).to.deep.equal([byNodes])
      expect((await running.metrics.failingHeights.get()).values[0]?.value).to.equal(1)
      await waitItOut(database, running, byDatabase)
      await untilCount(database, running, head - 1)
      const { heights } = await listFailingHeights(database.pool, 10)
      expect(heights.find(({ height }) => height === byDatabase))
        .to.include({ part: 'block' })
        .and.have.property('reason')
        .that.includes('refused')
      expect((await running.metrics.failingHeights.get()).values[0]?.value).to.equal(0)
      await database.pool.query('alter table raw.blocks drop constraint refused')
      node.clearFaults()
      await retry(running, [21, 22])
    })

    it(`are skipped if their parent is permanently wrong: ${direction}`, async () => {
      node.inject({ kind: 'wrong-parent', heights: { from: 21, to: 21 }, methods: ['GetBlockByHeight'] })
      const running = await start(variables)
      await waitItOut(database, running, 21)
      await untilCount(database, running, head)
      const { heights } = await listFailingHeights(database.pool, 10)
      expect(heights).to.have.length(1)
      expect(heights[0])
        .to.include({ height: 21, part: 'block', state: 'unavailable' })
        .and.have.property('reason')
        .that.includes('21')
      expect((await running.metrics.reorgs.get()).values[0]?.value ?? 0).to.equal(0)
      node.clearFaults()
      await retry(running, [21])
    })
  }

  it('are skipped by an operator if PostgreSQL rejects their rows', async () => {
    await database.pool.query('alter table raw.blocks add constraint refused check (height <> 21)')
    const running = await start(directions.forward)
    await untilTrue(async () => (await failing(database)).includes(21), running)
    await skipHeight(database.pool, 21)
    await untilCount(database, running, head)
    await database.pool.query('alter table raw.blocks drop constraint refused')
    await retry(running, [21])
  })

  it('are not skipped if the database itself fails, and are stored after its recovery', async () => {
    const states = ['55P03', '57014', '40001', '40P01', '53200', '57P01', '25006']
    await database.pool.query(`
      create sequence public.attempts;
      create function public.fail() returns trigger language plpgsql as $$ begin
        raise exception using message = 'not now',
          errcode = ('{${states.join()}}'::text[])[1 + nextval('public.attempts') % ${states.length}];
      end $$;
      create trigger fail before insert on raw.blocks for each row when (new.height = 21) execute function public.fail()`)
    const running = await start(directions.forward)
    await untilTrue(async () => {
      const { rows } = await database.pool.query<{ last: number }>(
        'select last_value::int4 as last from public.attempts',
      )
      return (rows[0]?.last ?? 0) > states.length
    }, running)
    expect((await database.pool.query('select from raw.failing_heights')).rowCount).to.equal(0)
    await database.pool.query('drop trigger fail on raw.blocks')
    await untilStored(database, 0, head, running)
    expect(await rawDigest(database.pool)).to.deep.equal(undisturbed)
    expect((await listFailingHeights(database.pool, 10)).unavailable).to.equal(0)
  })

  it('are waited for while they may recover, including a node that recovers just in time', async () => {
    breakHeights(node, 'everything')
    const running = await start(directions.forward)
    await untilTrue(async () => (await failing(database)).includes(21), running)
    await database.pool.query(`update raw.failing_heights set failing_since = now() - interval '5 h'`)
    node.clearFaults()
    await untilStored(database, 0, head, running)
    expect(await rawDigest(database.pool)).to.deep.equal(undisturbed)
    expect(await listFailingHeights(database.pool, 10)).to.deep.equal({ heights: [], failing: 0, unavailable: 0 })
  })

  it('are fetched from another node that has them', async () => {
    await using other = await startRecordedNode('base', { head })
    breakHeights(node, 'everything')
    const running = await start({ CHAIN_ACCESS_NODES: `${node.endpoint},${other.endpoint}`, ...directions.forward })
    await untilStored(database, 0, head, running)
    expect(await rawDigest(database.pool)).to.deep.equal(undisturbed)
  })

  it('are skipped by an operator; outages and the head are not skipped', async () => {
    node.inject({ kind: 'status', code: 'UNAVAILABLE', heights: { from: 21, to: 21 } })
    node.inject({ kind: 'status', code: 'INTERNAL', heights: { from: 50, to: 50 } })
    const running = await start(directions.forward)
    await waitItOut(database, running, 21)
    const attempts = async (): Promise<number> => (await listFailingHeights(database.pool, 10)).heights[0]?.count ?? 0
    const seen = await attempts()
    await untilTrue(async () => (await attempts()) > seen + 1, running)
    expect((await listFailingHeights(database.pool, 10)).unavailable).to.equal(0)
    await skipHeight(database.pool, 21)
    await untilTrue(async () => (await storedHeights(database.pool)).some((range) => range.to === 50), running)
    expect(await failing(database)).to.deep.equal([])
    node.clearFaults()
    await untilStored(database, 22, head, running)
    expect((await listFailingHeights(database.pool, 10)).heights.map((row) => [row.height, row.part])).to.deep.equal([
      [21, 'block'],
    ])
  })

  it('are skipped by derivation, and derived normally after a retry', async () => {
    const digests: Record<string, string>[] = []
    const workerNames = workers.map(({ name }) => name)
    for (const isBroken of [false, true]) {
      const other = isBroken ? database : await createTestDatabase()
      if (isBroken) {
        breakHeights(node, 'everything', { from: 21, to: 21 })
        breakHeights(node, 'results', { from: 31, to: 31 })
      }
      const running = await runIngest(
        other,
        { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward },
        new Shared<WeighedBlock>(),
        timeouts,
      )
      const farm = await runFarm(other, {})
      try {
        if (isBroken) {
          await waitItOut(other, running, 21)
          await waitItOut(other, running, 31)
          await untilDerived(other, workerNames, [
            { from: 0, to: 21 },
            { from: 22, to: head + 1 },
          ])
          expect(await unavailable(other)).to.deep.equal([21, 31])
          node.clearFaults()
          await retryHeights(other.pool, { from: 0, to: head })
        }
        await untilStored(other, 0, head, running)
        await untilDerived(other, workerNames, [{ from: 0, to: head + 1 }])
        digests.push(await derivedDigest(other.pool))
      } finally {
        await farm.stop()
        await running.stop()
        if (!isBroken) await other.drop()
      }
    }
    expect(digests[1]).to.deep.equal(digests[0])
  })
})
