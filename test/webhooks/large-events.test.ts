import { expect } from 'chai'
import { blockOf, eventOf, storeBlocks } from '../../src/ingest/blocks.test-support.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { readableRange } from '../../src/webhooks/dispatcher.ts'
import { allSources } from '../../src/webhooks/sources/all-sources.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

const contract = 'A.0000000000000001.C'
/** Largest delivered payload; `{"n": "…"}` has 9 characters more. */
const longest = 262_144 - 9

describe('large events of webhooks', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
    for (const height of [100, 101, 102, 103]) {
      const events = [eventOf(`${contract}.E`, { n: { type: 'String', value: '' } })]
      await storeBlocks(database.pool, [blockOf(height, { transactions: [{ result: { events } }] })])
    }
  })
  after(() => database.drop())

  /** @param text SQL of the only field of each event */
  async function fill(text: string): Promise<void> {
    await database.pool.query(`update raw.event_chunks set payloads = array[json_build_array(${text})]`)
  }

  it('have no payload above the limit', async () => {
    await fill(`repeat('x', ${longest} + (block_height = 101)::int)`)
    const source = allSources.find(({ types }) => types.includes('contract.event'))
    const read = await withTransaction(database.pool, (client) =>
      source === undefined
        ? Promise.resolve([])
        : source.read(client, { from: 100, to: 102 }, [{ contracts: [contract] }]),
    )
    const lengths = read.map(({ data }) => (data['payload'] as { n: string } | null)?.n.length)
    expect(lengths).to.deep.equal([longest, undefined])
  })

  it('are read in ranges of bounded size, at least one block', async () => {
    const range = (from: number): Promise<{ readonly to: number }> =>
      withTransaction(database.pool, (client) => readableRange(client, { from, to: 104 }))
    expect((await range(100)).to).to.equal(104)
    // Incompressible.
    const random = (lines: number): string =>
      `(select string_agg(md5(line::text), '') from generate_series(1, ${lines}) as line)`
    await fill(random(15_000))
    expect((await range(100)).to).to.equal(102)
    await fill(random(40_000))
    expect((await range(100)).to).to.equal(101)
    expect((await range(103)).to).to.equal(104)
  })
})
