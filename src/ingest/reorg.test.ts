import { expect } from 'chai'
import fc from 'fast-check'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { rawDigest } from '../../test/support/ingest.ts'
import { FatalError, RetryableError } from '../platform/errors.ts'
import { normalize } from '../platform/ranges.ts'
import { NotYetError } from '../access/chain-source.ts'
import { blockIdOf, blockOf, eventOf, storeBlocks } from './blocks.test-support.ts'
import { readRawCoverage } from './checkpoints.ts'
import type { IngesterName } from './checkpoints.ts'
import { resolveFork } from './reorg.ts'
import type { Reorg } from './reorg.ts'

const transaction = { result: { events: [eventOf('A.01.C.E', { n: { type: 'UInt8', value: '1' } })] } }

describe('resolving a fork', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  beforeEach(async () => {
    await empty()
  })

  async function empty(): Promise<void> {
    const tables = ['blocks', 'transactions', 'event_chunks', 'tx_lookup', 'block_lookup', 'unavailable'].map(
      (table) => `raw.${table}`,
    )
    await database.pool.query(`truncate ${tables.join(', ')}, app.indexing_checkpoints`)
  }

  async function store(from: number, to: number, name: IngesterName = 'main_ingester'): Promise<void> {
    const blocks = Array.from({ length: to - from }, (_, i) => blockOf(from + i, { transactions: [transaction] }))
    await storeBlocks(database.pool, name === 'main_ingester' ? blocks : blocks.toReversed(), { name })
  }

  /**
   * Simulates a chain that shares the heights up to `shared` with the stored one and ends at
   * `head`.
   */
  async function resolve(
    stored: { from: number; to: number },
    chain: { shared: number; head: number },
    maxDepth = 1000,
  ): Promise<Reorg & { questions: number }> {
    let questions = 0
    const height = Math.min(chain.head, stored.to - 1)
    const reorg = await resolveFork({
      pool: database.pool,
      height,
      stored,
      maxDepth,
      signal: new AbortController().signal,
      source: {
        blockIdAt: async (height) => {
          questions++
          if (height > chain.head) throw new NotYetError(height, new Error('not there'))
          return blockIdOf(height, height <= chain.shared ? 'main' : 'other')
        },
      },
    })
    return { ...reorg, questions }
  }

  async function errorOf(promise: Promise<unknown>): Promise<unknown> {
    return promise.then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  async function heights(): Promise<number[]> {
    const { rows } = await database.pool.query<{ height: string }>('select height from raw.blocks order by height')
    return rows.map((row) => Number(row.height))
  }

  it('finds the last common block at any position and preserves the blocks below', async () => {
    const cases = fc.record({
      from: fc.nat(20),
      length: fc.integer({ min: 1, max: 40 }),
      shared: fc.nat(70),
      over: fc.integer({ min: -8, max: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ from, length, shared, over }) => {
        await empty()
        const to = from + length
        await store(from, to)
        const head = Math.max(to - 1 + over, 0)
        const { ancestor, depth } = await resolve({ from, to }, { shared, head })
        // Only a different block is a fork; a chain that ends lower is behind.
        const isFork = shared < Math.min(head, to - 1) && head >= from
        const expected = isFork ? Math.max(shared, from - 1) : to - 1
        expect([ancestor, depth]).to.deep.equal([expected, to - 1 - expected])
        expect(await heights()).to.deep.equal(Array.from({ length: expected - from + 1 }, (_, i) => from + i))
        const { all } = await readRawCoverage(database.pool)
        expect(all).to.deep.equal(expected < from ? [] : [{ from, to: expected + 1 }])
      }),
      { numRuns: 40 },
    )
  })

  it('passes over skipped heights at any position', async () => {
    const cases = fc.record({
      holes: fc.array(fc.record({ from: fc.integer({ min: 20, max: 55 }), length: fc.integer({ min: 1, max: 12 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
      shared: fc.integer({ min: 15, max: 62 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ holes: ranges, shared }) => {
        const holes = Array.from({ length: 39 }, (_, i) => 20 + i).filter((height) =>
          ranges.some(({ from, length }) => from <= height && height < from + length),
        )
        await empty()
        const stored = Array.from({ length: 40 }, (_, i) => 20 + i).filter((height) => !holes.includes(height))
        for (const range of normalize(stored.map((height) => ({ from: height, to: height + 1 }))))
          await store(range.from, range.to)
        await database.pool.query(
          `insert into raw.unavailable (block_height, part, reason, endpoint) select unnest($1::bigint[]), 'block', 'x', ''`,
          [holes],
        )
        const { settled } = await readRawCoverage(database.pool)
        expect(settled).to.deep.equal([{ from: 20, to: 60 }])
        const { ancestor, questions } = await resolve({ from: 20, to: 60 }, { shared, head: 70 })
        expect(await heights()).to.deep.equal(stored.filter((height) => height <= shared))
        expect(ancestor).to.equal((stored.find((height) => height > shared) ?? 60) - 1)
        expect(questions).to.be.below(20)
        const { rows } = await database.pool.query<{ height: number }>(
          'select block_height::int4 as height from raw.unavailable order by 1',
        )
        expect(rows.map(({ height }) => height)).to.deep.equal(
          holes.filter((height) => height <= ancestor).toSorted((a, b) => a - b),
        )
      }),
      { numRuns: 12 },
    )
  })

  it('deletes the rows of every table and their counts', async () => {
    await store(50, 60, 'history_ingester')
    const before = await rawDigest(database.pool)
    const checkpoint = `
      select service_name, covered::text, last_height::int, block_count::int, tx_count::int, event_count::int
      from app.indexing_checkpoints order by service_name`
    const { rows: checkpointsBefore } = await database.pool.query(checkpoint)
    await store(60, 90)
    await resolve({ from: 50, to: 90 }, { shared: 59, head: 95 })
    expect(await rawDigest(database.pool)).to.deep.equal(before)
    const { rows } = await database.pool.query(checkpoint)
    expect(rows).to.deep.equal(checkpointsBefore)
  })

  it('truncates the coverage of both ingesters and rejects their pending batches', async () => {
    const { forward, backward } = await readRawCoverage(database.pool)
    await store(50, 60, 'history_ingester')
    await store(60, 70)
    await resolve({ from: 50, to: 70 }, { shared: 55, head: 80 })
    const now = await readRawCoverage(database.pool)
    expect([now.backward.covered, now.forward.covered]).to.deep.equal([[{ from: 50, to: 56 }], []])
    expect(now.forward.generation).to.equal(forward.generation + 1)
    expect(now.backward.generation).to.equal(backward.generation + 1)
    const { rows } = await database.pool.query('select last_height from app.indexing_checkpoints order by service_name')
    expect(rows).to.deep.equal([{ last_height: '50' }, { last_height: null }])
  })

  it('needs at most twice as many requests as the depth has binary digits', async () => {
    await store(0, 1000)
    const { depth, questions } = await resolve({ from: 0, to: 1000 }, { shared: 98, head: 1100 }, 2000)
    expect(depth).to.equal(901)
    expect(questions).to.be.at.most(21)
  })

  it('allows exactly the configured depth', async () => {
    await store(0, 100)
    expect(await resolve({ from: 0, to: 100 }, { shared: 79, head: 120 }, 20)).to.include({ ancestor: 79, depth: 20 })
  })

  for (const shared of [78, 50, -1]) {
    it(`fails without deleting if the chains diverge at ${shared}, beyond the limit`, async () => {
      await store(0, 100)
      const before = await rawDigest(database.pool)
      const error = await errorOf(resolve({ from: 0, to: 100 }, { shared, head: 120 }, 20))
      expect(error).to.be.instanceOf(FatalError).and.have.property('code', 'reorg-too-deep')
      expect(await rawDigest(database.pool)).to.deep.equal(before)
    })
  }

  it('deletes all stored blocks if nothing is shared and the depth allows it', async () => {
    await store(500, 520)
    expect(await resolve({ from: 500, to: 520 }, { shared: 100, head: 530 })).to.include({ ancestor: 499, depth: 20 })
    expect(await heights()).to.deep.equal([])
  })

  it('fails if the other chain ends far below, and does nothing if the node is only behind', async () => {
    await store(0, 100)
    expect(await resolve({ from: 0, to: 100 }, { shared: 1000, head: 30 }, 20)).to.include({ ancestor: 99, depth: 0 })
    const error = await errorOf(resolve({ from: 0, to: 100 }, { shared: 10, head: 30 }, 20))
    expect(error).to.have.property('code', 'reorg-too-deep')
    expect((await heights()).length).to.equal(100)
  })

  it('propagates node errors without deleting', async () => {
    await store(0, 10)
    const busy = new RetryableError('busy', 'busy')
    const error = await errorOf(
      resolveFork({
        pool: database.pool,
        height: 5,
        stored: { from: 0, to: 10 },
        maxDepth: 5,
        signal: new AbortController().signal,
        source: { blockIdAt: () => Promise.reject(busy) },
      }),
    )
    expect(error).to.equal(busy)
    expect((await heights()).length).to.equal(10)
  })
})
