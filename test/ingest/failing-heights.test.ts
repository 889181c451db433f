import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { skipHeight } from '../../src/farm/unavailable/skip-height.ts'
import { retryHeights } from '../../src/farm/unavailable/retry-heights.ts'
import { listFailingHeights } from '../../src/farm/unavailable/list-failing-heights.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { derivedDigest } from '../support/derived-tables.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import { rawDigest, runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions } from '../support/undisturbed.ts'
import type { ReplayNode } from '../../src/simnode/replay/replay-node.ts'

/** Heights up to 300 are settled: 600 blocks below the head. */
const head = 900
const shape = { loop: true, head, cachedBlocks: head + 1 }
const broken = { from: 201, to: 202 }
const bulk = ['GetTransactionResultsByBlockID', 'GetTransactionResultByIndex', 'GetTransactionResult']

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** The node answers INTERNAL whatever is asked of these heights, or only when asked for results. */
function breakHeights(node: ReplayNode, what: 'everything' | 'results'): void {
  node.inject({ kind: 'status', code: 'INTERNAL', heights: broken, ...(what === 'results' ? { methods: bulk } : {}) })
}

async function failing(database: TestDatabase): Promise<number[]> {
  return (await listFailingHeights(database.pool, 10)).heights.filter((row) => row.state !== 'unavailable').map((row) => row.height)
}

describe('settled heights that no access node serves', function () {
  this.timeout(900_000)
  let undisturbed: Record<string, string>
  before(async () => {
    const database = await createTestDatabase()
    await using node = await startRecordedNode('base', shape)
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward })
    await untilStored(database, 0, head, run)
    await run.stop()
    undisturbed = await rawDigest(database.pool)
    await database.drop()
  })

  for (const [direction, variables] of Object.entries(directions)) {
    for (const what of ['everything', 'results'] as const) {
      it(`are recorded as unavailable, and fetched when they are retried: ${direction}, ${what}`, async () => {
        const database = await createTestDatabase()
        await using node = await startRecordedNode('base', shape)
        breakHeights(node, what)
        const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, UNAVAILABLE_AFTER_S: '2', ...variables })
        try {
          await untilTrue(async () => (await failing(database)).length === 2)
          expect((await run.metrics.failingHeights.get()).values.map(({ value }) => value)).to.include(2)
          await untilTrue(async () => (await listFailingHeights(database.pool, 10)).unavailable === 2)
          const isWhole = what === 'everything'
          await untilTrue(async () => {
            const stored = await storedHeights(database.pool)
            return stored.reduce((sum, range) => sum + range.to - range.from, 0) === head + 1 - (isWhole ? 2 : 0)
          })
          expect(await failing(database)).to.deep.equal([])
          const listed = (await listFailingHeights(database.pool, 10)).heights
          expect(listed.map((row) => row.height).toSorted((a, b) => a - b)).to.deep.equal([201, 202])
          if (isWhole) expect(listed.every((row) => row.part === 'block' && row.reason.includes('INTERNAL'))).to.equal(true)
          const { rows: [checkpoint] } = await database.pool.query<{ last: number }>(
            `select last_height::float8 as last from app.indexing_checkpoints where not isempty(covered)`,
          )
          expect(checkpoint?.last).to.equal(direction === 'forward' ? head : 0)
          node.clearFaults()
          expect(await retryHeights(database.pool, { from: 200, to: 210 })).to.deep.equal([201, 202])
          await untilStored(database, 0, head, run)
          expect(await rawDigest(database.pool)).to.deep.equal(undisturbed)
        } finally {
          await run.stop()
          await database.drop()
        }
      })
    }
  }

  it('are waited for while they may recover: a node that recovers just before', async () => {
    const database = await createTestDatabase()
    await using node = await startRecordedNode('base', shape)
    breakHeights(node, 'everything')
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, UNAVAILABLE_AFTER_S: '20', ...directions.forward })
    try {
      await untilTrue(async () => {
        // As if it had failed for nearly all of the time.
        const { rowCount } = await database.pool.query(
          `insert into raw.failing_heights (height, ingester, reason, failing_since)
           values (201, 'main_ingester', 'x', now() - interval '15 s') on conflict do nothing`,
        )
        return rowCount === 1
      })
      node.clearFaults()
      await untilStored(database, 0, head, run)
      expect(await rawDigest(database.pool)).to.deep.equal(undisturbed)
      expect(await listFailingHeights(database.pool, 10)).to.deep.equal({ heights: [], failing: 0, unavailable: 0 })
    } finally {
      await run.stop()
      await database.drop()
    }
  })

  it('are fetched from another node that has them', async () => {
    const database = await createTestDatabase()
    await using node = await startRecordedNode('base', shape)
    await using other = await startRecordedNode('base', shape)
    breakHeights(node, 'everything')
    const run = await runIngest(database, {
      CHAIN_ACCESS_NODE: node.endpoint, CHAIN_ACCESS_NODES: `${node.endpoint},${other.endpoint}`, UNAVAILABLE_AFTER_S: '1', ...directions.forward,
    })
    try {
      await untilStored(database, 0, head, run)
      expect(await rawDigest(database.pool)).to.deep.equal(undisturbed)
    } finally {
      await run.stop()
      await database.drop()
    }
  })

  it('are skipped by an operator; outages and the head are not given up', async () => {
    const database = await createTestDatabase()
    await using node = await startRecordedNode('base', shape)
    node.inject({ kind: 'status', code: 'UNAVAILABLE', heights: { from: 201, to: 201 } })
    node.inject({ kind: 'status', code: 'INTERNAL', heights: { from: 850, to: 850 } })
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, UNAVAILABLE_AFTER_S: '1', ...directions.forward })
    try {
      await untilTrue(async () => {
        const { heights: [first] } = await listFailingHeights(database.pool, 10)
        return first !== undefined && first.count > 3
      })
      expect((await listFailingHeights(database.pool, 10)).unavailable).to.equal(0)
      await skipHeight(database.pool, 201)
      await untilTrue(async () => (await storedHeights(database.pool)).some((range) => range.to === 850))
      const { rowCount } = await database.pool.query('select from raw.failing_heights')
      expect(rowCount).to.equal(0)
      node.clearFaults()
      await untilTrue(async () => (await storedHeights(database.pool)).some((range) => range.to > head))
      expect((await listFailingHeights(database.pool, 10)).heights.map((row) => [row.height, row.part])).to.deep.equal([[201, 'block']])
    } finally {
      await run.stop()
      await database.drop()
    }
  })

  it('are derived when they were retried, as if nothing had been missing', async () => {
    const digests: Record<string, string>[] = []
    const deriving = workers.filter(({ derive }) => derive !== undefined).map(({ name }) => name)
    for (const isBroken of [false, true]) {
      const database = await createTestDatabase()
      await using node = await startRecordedNode('base', shape)
      if (isBroken) breakHeights(node, 'results')
      const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, UNAVAILABLE_AFTER_S: '1', ...directions.forward })
      const farm = await runFarm(database, {})
      try {
        await untilStored(database, 0, head, run)
        await untilDerived(database, deriving, [{ from: 0, to: head + 1 }])
        if (isBroken) {
          expect((await listFailingHeights(database.pool, 10)).unavailable).to.equal(2)
          node.clearFaults()
          await retryHeights(database.pool, { from: 0, to: head })
          await untilStored(database, 0, head, run)
          await untilDerived(database, deriving, [{ from: 0, to: head + 1 }])
        }
        digests.push(await derivedDigest(database.pool))
      } finally {
        await farm.stop()
        await run.stop()
        await database.drop()
      }
    }
    expect(digests[1]).to.deep.equal(digests[0])
  })
})
