import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { createReadPool } from '../../platform/db/slonik.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { cacheRecentReads, readRecent } from './bounds.ts'

describe('recent reads', () => {
  let database: TestDatabase
  let pool: DatabasePool
  let requested: string[][] = []

  before(async () => {
    database = await createTestDatabase()
  })

  beforeEach(async () => {
    pool = await createReadPool({ url: database.url })
    requested = []
  })

  afterEach(() => pool.end())

  after(() => database.drop())

  const read = (keys: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    readRecent(pool, 'letters', keys, async (missing) => {
      requested.push([...missing])
      return await Promise.resolve(new Map(missing.filter((key) => key !== 'z').map((key) => [key, key.toUpperCase()])))
    })

  it('are not cached without a cache', async () => {
    await read(['a', 'a'])
    expect([...(await read(['a']))]).to.deep.equal([['a', 'A']])
    expect(requested).to.deep.equal([['a'], ['a']])
  })

  it('are cached until cleared, including absent values', async () => {
    const { clear } = cacheRecentReads([pool], 3_600_000)
    expect([...(await read(['a', 'z']))]).to.deep.equal([['a', 'A']])
    expect([...(await read(['z', 'b', 'a']))]).to.deep.equal([
      ['a', 'A'],
      ['b', 'B'],
    ])
    expect(requested).to.deep.equal([['a', 'z'], ['b']])
    clear()
    await read(['a'])
    expect(requested).to.deep.equal([['a', 'z'], ['b'], ['a']])
  })

  it('are not cached if read before a commit', async () => {
    const { clear } = cacheRecentReads([pool], 3_600_000)
    await readRecent(pool, 'letters', ['a'], async () => {
      clear()
      return await Promise.resolve(new Map([['a', 'old']]))
    })
    expect([...(await read(['a']))]).to.deep.equal([['a', 'A']])
  })

  it('are not cached while suspended', async () => {
    const cache = cacheRecentReads([pool], 3_600_000)
    await read(['a'])
    cache.suspend(true)
    await read(['a'])
    await read(['a'])
    cache.suspend(false)
    await read(['a'])
    await read(['a'])
    expect(requested).to.have.length(4)
  })

  it('expire', async () => {
    cacheRecentReads([pool], 0)
    await read(['a'])
    await read(['a'])
    expect(requested).to.have.length(2)
  })
})
