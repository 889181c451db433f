import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import type { EventDerivation } from '../../../jobs/worker.ts'
import { txContractsWorker } from '../../../jobs/tx-contracts-worker.ts'
import type { PlacedEvent } from '../../flow/decoded-block.ts'
import { rollBack, storeBlocks } from '../../../test/support/chain-rows.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { deriveInto, rollBackDerived } from '../../../test/support/derived-tables.ts'
import { explain, flattenPlan } from '../../../test/support/explain.ts'
import { insertEvents } from '../../../test/support/insert-events.ts'
import { EventReader, eventsOfBlocks } from './event-reader.ts'
import { RangeReader } from './range-reader.ts'

const end = 1200
const contracts = [
  'A.0ae53cb6e3f42a79.Foo',
  'A.0ae53cb6e3f42a79.FooBar',
  'A.0ae53cb6e3f42a79.Fo',
  'A.f919ee77447b7497.FlowFees',
]

/** Foo and FooBar: 150 events in three chunks; some types and heights only, one in nine undecodable. */
const ownEvents = insertEvents(`
  select h, 0, 64 + i, 'A.0ae53cb6e3f42a79.' || (array['Foo', 'FooBar', 'Foo'])[1 + i % 3] || '.' ||
    (array['Made', 'Sold', 'MadeMore'])[1 + i % 4 % 3],
    case when i % 9 <> 0 then jsonb_build_object('id', i::text, 'at', h::text) end
  from generate_series(0, ${end - 1}) h cross join generate_series(0, 149) i
  where h % 350 in (3, 4, 199, 200)`)

describe('EventReader', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await storeBlocks(pool, 0, end - 1)
    await pool.query(ownEvents)
    await pool.query(
      'update raw.blocks b set event_count = (select count(*) from raw.events e where e.block_height = b.height)',
    )
    const { blocks } = await new RangeReader({ pool }).read(0, end)
    await deriveInto(pool, txContractsWorker, blocks, { from: 0, to: end })
    await pool.query('vacuum analyze')
  })
  after(() => database.drop())

  async function readAll(derivation: EventDerivation, from: number, to: number, maxBytes?: number) {
    const reader = new EventReader(pool, derivation, maxBytes)
    const events: PlacedEvent[] = []
    let batches = 0
    for (let next = from; next < to; batches++) {
      const batch = await reader.read(next, to)
      expect(batch.from).to.equal(next)
      expect(batch.to).to.be.within(next + 1, to)
      expect(batch.events.every(({ height }) => height >= next && height < batch.to)).to.equal(true)
      events.push(...batch.events)
      next = batch.to
    }
    return { events, batches }
  }
  const filtered = async (derivation: EventDerivation, from: number, to: number): Promise<PlacedEvent[]> =>
    eventsOfBlocks(derivation, (await new RangeReader({ pool }).read(from, to)).blocks)
  const deriving = (contract: string, more: Partial<EventDerivation> = {}): EventDerivation => ({
    contract,
    startHeight: 0,
    derive: () => Promise.resolve(),
    ...more,
  })

  it('reads the same events as a filter over all events, in batches of any size', async () => {
    const range = fc
      .tuple(fc.nat(end - 1), fc.nat(end))
      .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 }))
    const options = fc.record({
      contract: fc.constantFrom(...contracts),
      hasTypes: fc.boolean(),
      startHeight: fc.constantFrom(0, 201, 2000),
      maxBytes: fc.constantFrom(1, 50_000, 4_000_000),
    })
    await fc.assert(
      fc.asyncProperty(range, options, async ({ from, to }, { contract, hasTypes, startHeight, maxBytes }) => {
        const types = hasTypes ? { types: [`${contract}.Made`, `${contract}.FeesDeducted`] } : {}
        const derivation = deriving(contract, { startHeight, ...types })
        const limit = Math.min(to, end)
        const { events } = await readAll(derivation, from, limit, maxBytes)
        expect(events).to.deep.equal(await filtered(derivation, from, limit))
      }),
      { numRuns: 20 },
    )
    expect((await readAll(deriving('A.0ae53cb6e3f42a79.Foo'), 0, end)).events).to.not.be.empty
    expect((await readAll(deriving('A.0ae53cb6e3f42a79.Fo'), 0, end)).events).to.be.empty
  })

  it('bounds batches by bytes', async () => {
    const { batches } = await readAll(deriving('A.0ae53cb6e3f42a79.Foo'), 0, end, 1)
    expect(batches).to.equal(14)
  })

  it('examines 10,000 heights at a time', async () => {
    const contract = 'A.0ae53cb6e3f42a79.Wide'
    await pool.query(`
      insert into app.event_types values ('${contract}.E', 301);
      insert into app.event_type_pieces select '${contract}.E', 1000 + p, 1 from generate_series(0, 300) p`)
    const reader = new EventReader(pool, deriving(contract))
    const ends: number[] = []
    for (let next = 0; next < 200_000; ends.push(next)) next = (await reader.read(next, 200_000)).to
    expect(ends).to.deep.equal([110_000, 120_000, 130_000, 200_000])
  })

  it('reads no block of a range without events of the contract', async () => {
    const statements: { text: string; values: unknown[] }[] = []
    const recording = new Proxy(pool, {
      get: (target, name) =>
        name === 'query'
          ? (query: string | { text: string; values: unknown[] }, values: unknown[] = []) => {
              statements.push(typeof query === 'string' ? { text: query, values } : query)
              return typeof query === 'string' ? target.query(query, values) : target.query(query)
            }
          : (Reflect.get(target, name) as unknown),
    })
    const touched = async (): Promise<Map<string, number>> => {
      const rows = new Map<string, number>()
      for (const statement of statements.splice(0)) {
        for (const node of flattenPlan(await explain(pool, statement, 'analyze, timing off'))) {
          const relation = node['Relation Name']
          if (relation === undefined || node['Actual Loops'] === 0) continue
          const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
          rows.set(relation, (rows.get(relation) ?? 0) + read)
        }
      }
      return rows
    }
    const absent = new EventReader(recording, deriving('A.0ae53cb6e3f42a79.Foo'))
    await absent.read(600, 700)
    expect(
      [...(await touched()).keys()].filter((name) => !name.startsWith('event_type') && name !== 'indexing_checkpoints'),
    ).to.deep.equal([])
    await absent.read(500, 900)
    const found = await touched()
    const blocks = [...found]
      .filter(([name]) => name.startsWith('block_event_types'))
      .reduce((sum, [, rows]) => sum + rows, 0)
    expect(blocks, 'blocks of three pieces').to.be.within(5, 300)
    const chunks = [...found]
      .filter(([name]) => name.startsWith('event_chunks'))
      .reduce((sum, [, rows]) => sum + rows, 0)
    expect(chunks, 'chunks of five blocks').to.be.within(5, 5 * 10)
  })

  it('returns the chain version, and the events of the new fork after a rollback', async () => {
    const derivation = deriving('A.f919ee77447b7497.FlowFees')
    const before = await new EventReader(pool, derivation).read(1190, 1200)
    await rollBack(pool, 1190)
    await rollBackDerived(pool, 1190)
    await pool.query(
      "update app.indexing_checkpoints set generation = generation + 1 where service_name = 'main_ingester'",
    )
    expect((await new EventReader(pool, derivation).read(1190, 1200)).events).to.deep.equal([])
    await storeBlocks(pool, 1190, 1199, { fork: 'other', forkedAt: 1190 })
    const { blocks } = await new RangeReader({ pool }).read(0, 1200)
    await deriveInto(pool, txContractsWorker, blocks, { from: 1190, to: 1200 })
    const after = await new EventReader(pool, derivation).read(1190, 1200)
    expect(after.chainVersion).to.equal(before.chainVersion + 1)
    expect(after.events).to.deep.equal(eventsOfBlocks(derivation, blocks.slice(1190)))
    expect(after.events.map(({ transactionId }) => transactionId)).to.not.deep.equal(
      before.events.map(({ transactionId }) => transactionId),
    )
  })
})
