import { expect } from 'chai'
import type pg from 'pg'
import { RetryableError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import type { DecodedBlock } from '../../flow/decoded-block.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { storeBlocks } from '../../../test/support/chain-rows.ts'
import { RangeReader } from './range-reader.ts'
import type { RangeReaderOptions } from './range-reader.ts'

const blocks = 60

describe('RangeReader', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let reads: HeightRange[]

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await storeBlocks(pool, 0, blocks - 1)
  })
  beforeEach(() => {
    reads = []
  })
  after(() => database.drop())

  const open = (options: Partial<RangeReaderOptions> = {}): RangeReader =>
    new RangeReader({ pool, onRead: (range) => reads.push(range), ...options })
  const heightsOf = (read: readonly DecodedBlock[]): number[] => read.map(({ height }) => height)
  const heights = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
  const emptyBlock = (height: number): DecodedBlock => ({
    height,
    id: Buffer.alloc(32, height),
    timestampUs: 0,
    transactions: [],
  })

  it('reads each block once for all callers', async () => {
    const reader = open()
    const all = await Promise.all(
      [
        [0, 20],
        [5, 30],
        [10, 20],
        [29, 31],
      ].map(([from = 0, to = 0]) => reader.read(from, to)),
    )
    expect(all.map((range) => heightsOf(range.blocks))).to.deep.equal([
      heights(0, 20),
      heights(5, 30),
      heights(10, 20),
      heights(29, 31),
    ])
    await reader.read(0, 31)
    expect(reads.reduce((sum, { from, to }) => sum + to - from, 0)).to.equal(31)
  })

  it('returns slices within the limit, at least one block', async () => {
    const whole = open()
    await whole.read(0, blocks)
    const sliceBytes = whole.cachedBytes / 6
    for (const [reader, min] of [
      [open({ sliceBytes }), 6],
      [open({ sliceBytes: 1, maxBytes: 1 }), blocks],
    ] as const) {
      const read: number[] = []
      let slices = 0
      for (let next = 0; next < blocks; slices++) {
        const slice = await reader.readSome(next, blocks)
        expect([slice.from, slice.to]).to.deep.equal([next, next + slice.blocks.length])
        read.push(...heightsOf(slice.blocks))
        next = slice.to
      }
      expect(read).to.deep.equal(heights(0, blocks))
      expect(slices).to.be.within(min, blocks)
      expect(heightsOf((await reader.read(0, blocks)).blocks)).to.deep.equal(heights(0, blocks))
    }
  })

  it('bounds the cache', async () => {
    const reader = open({ maxBytes: 40_000 })
    await reader.read(0, blocks)
    expect(reader.cachedBytes).to.be.within(20_000, 40_000)
  })

  it('accepts offered blocks', async () => {
    const reader = open()
    reader.offer(
      heights(100, 110).map((height) => ({ block: emptyBlock(height), bytes: 100 })),
      0,
    )
    expect(heightsOf((await reader.read(100, 110)).blocks)).to.deep.equal(heights(100, 110))
    expect(reads).to.deep.equal([])
  })

  it('drops blocks after all readers have read them', async () => {
    const reader = open({ readers: ['a', 'b'] })
    for (const name of ['a', 'b', 'a'])
      expect(heightsOf((await reader.readSome(0, 20, [name])).blocks)).to.deep.equal(heights(0, 20))
    // Read a second time because it was evicted.
    expect(reads).to.deep.equal([
      { from: 0, to: 20 },
      { from: 0, to: 20 },
    ])
    await reader.readSome(0, 20, ['b'])
    expect(reader.cachedBytes).to.equal(0)
    await reader.readSome(0, 20)
    expect(reader.cachedBytes).to.be.greaterThan(0)
    await reader.readSome(0, 20, ['a', 'b'])
    expect(reader.cachedBytes).to.equal(0)
  })

  it('makes producers wait for slow readers', async () => {
    const reader = open({ readers: ['a', 'b'], backlogBytes: 1000, readTimeoutMs: 1e6 })
    const { signal } = new AbortController()
    const offer = (from: number): void =>
      reader.offer(
        heights(from, from + 5).map((height) => ({ block: emptyBlock(height), bytes: 100 })),
        0,
      )
    offer(105)
    await reader.capacity(signal)
    offer(100)
    let hasCapacity = false
    const capacity = reader.capacity(signal).then(() => (hasCapacity = true))
    await reader.readSome(100, 110, ['a'])
    await reader.readSome(100, 110)
    expect(hasCapacity).to.equal(false)
    await reader.readSome(105, 110, ['b'])
    await capacity
    expect([reader.cachedBytes, reads]).to.deep.equal([500, []])
  })

  it('does not wait for blocks of an outdated chain version', async () => {
    const reader = open({ readers: ['a'], backlogBytes: 100, readTimeoutMs: 1e6 })
    reader.offer([{ block: emptyBlock(100), bytes: 100 }], 7)
    const capacity = reader.capacity(new AbortController().signal)
    reader.invalidate(7)
    await capacity
  })

  it('reads the next slice ahead', async () => {
    const whole = open()
    await whole.read(0, blocks)
    const reader = open({ sliceBytes: whole.cachedBytes / 6 })
    reads = []
    reader.offer(
      heights(0, 5).map((height) => ({ block: emptyBlock(height), bytes: 100 })),
      0,
    )
    expect((await reader.readSome(0, 30)).to).to.equal(5)
    while (reads.length === 0) await pool.query('select 1')
    const first = await reader.readSome(5, 30)
    expect(first.to).to.be.below(30)
    await reader.readSome(first.to, 30)
    expect(reads).to.deep.equal([{ from: 5, to: 30 }])
    await reader.readSome(5, 6)
    expect(reads).to.have.length(1)
  })

  it('rejects heights that are not stored', async () => {
    const error: unknown = await open()
      .read(blocks - 2, blocks + 2)
      .catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RetryableError).with.property('code', 'range-not-stored')
  })

  it('reads shape ids again after a restore', async () => {
    const reader = open({ maxBytes: 1 })
    const typesOf = async (): Promise<string[]> => {
      const { blocks: read } = await reader.read(0, blocks)
      return read.flatMap((block) => block.transactions.flatMap((t) => t.events.map((event) => event.type)))
    }
    const before = await typesOf()
    expect(before).to.not.have.length(0)
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('create temporary table restored on commit drop as select * from raw.event_shapes')
      await client.query('truncate raw.event_shapes')
      await client.query(`insert into raw.event_shapes overriding system value
        select id, sha256(hash), type || 'Restored', fields from restored`)
      await client.query('commit')
    } finally {
      client.release()
    }
    expect(await typesOf()).to.deep.equal(before.map((type) => `${type}Restored`))
  })

  it('never mixes chain versions', async () => {
    const reader = open()
    const { rows } = await pool.query<{ before: number }>(
      `insert into app.indexing_checkpoints as c (service_name, generation) values ('main_ingester', 1)
       on conflict (service_name) do update set generation = c.generation + 1 returning (generation - 1)::int as before`,
    )
    const before = rows[0]?.before ?? 0
    reader.offer(
      heights(0, 10).map((height) => ({ block: emptyBlock(height), bytes: 100 })),
      before,
    )
    const first = await reader.readSome(0, 20)
    expect([first.to, first.chainVersion]).to.deep.equal([10, before])
    const read = await reader.read(0, 20)
    expect(read.chainVersion).to.equal(before + 1)
    expect(read.blocks.every((block) => block.transactions.length > 0)).to.equal(true)
    reader.invalidate(before + 1)
    expect(reader.cachedBytes).to.equal(0)
  })
})
