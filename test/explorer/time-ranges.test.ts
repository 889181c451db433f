import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { readHeightsOf } from '../../src/explorer/paging/bounds.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { storeBlocks, timestampAt } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

describe('heights of a time range', () => {
  let database: TestDatabase
  let reads: DatabasePool

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 120)
    await storeBlocks(database.pool, 900, 903)
    reads = await createReadPool({ url: database.url })
  })

  after(async () => {
    await reads.end()
    await database.drop()
  })

  const stored = [...Array.from({ length: 21 }, (_, i) => 100 + i), 900, 901, 902, 903]
  const shifted = (height: number, ms: number): string => new Date(Date.parse(timestampAt(height)) + ms).toISOString()

  it('contain exactly its stored blocks, also with gaps', async () => {
    for (const low of [50, 100, 120, 121, 900, 904]) {
      for (const high of [99, 101, 121, 500, 901, 950]) {
        for (const ms of [-1, 0]) {
          const span = { from: shifted(low, ms), to: shifted(high, ms) }
          const bounds = await readHeightsOf(reads, { min: 100, max: 903 }, span)
          const expected = stored.filter((height) => timestampAt(height) >= span.from && timestampAt(height) < span.to)
          const found = stored.filter((height) => bounds !== undefined && height >= bounds.min && height <= bounds.max)
          expect(found, `${low} ${high} ${ms}`).to.deep.equal(expected)
        }
      }
    }
  })
})
