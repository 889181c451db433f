import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { createReadPool } from '../../platform/db/slonik.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { keepRecentReads, readRecent } from './bounds.ts'

describe('recent reads', () => {
  let database: TestDatabase
  let pool: DatabasePool
  let asked: string[][] = []

  before(async () => {
    database = await createTestDatabase()
  })

  beforeEach(async () => {
    pool = await createReadPool({ url: database.url })
    asked = []
  })

  afterEach(() => pool.end())

  after(() => database.drop())

  const read = (keys: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    readRecent(pool, 'letters', keys, async (missing) => {
      asked.push([...missing])
      return await Promise.resolve(new Map(missing.filter((key) => key !== 'z').map((key) => [key, key.toUpperCase()])))
    })

  it('are none where nobody has them kept', async () => {
    await read(['a', 'a'])
    expect([...(await read(['a']))]).to.deep.equal([['a', 'A']])
    expect(asked).to.deep.equal([['a'], ['a']])
  })

  it('are given again until they are forgotten, also that there is nothing', async () => {
    const { forget } = keepRecentReads([pool], 3_600_000)
    expect([...(await read(['a', 'z']))]).to.deep.equal([['a', 'A']])
    expect([...(await read(['z', 'b', 'a']))]).to.deep.equal([
      ['a', 'A'],
      ['b', 'B'],
    ])
    expect(asked).to.deep.equal([['a', 'z'], ['b']])
    forget()
    await read(['a'])
    expect(asked).to.deep.equal([['a', 'z'], ['b'], ['a']])
  })

  it('are not kept when they were read before a commit', async () => {
    const { forget } = keepRecentReads([pool], 3_600_000)
    await readRecent(pool, 'letters', ['a'], async () => {
      forget()
      return await Promise.resolve(new Map([['a', 'old']]))
    })
    expect([...(await read(['a']))]).to.deep.equal([['a', 'A']])
  })

  it('are not kept while commits are not heard of', async () => {
    const hearing = keepRecentReads([pool], 3_600_000)
    await read(['a'])
    hearing.setSuspended(true)
    await read(['a'])
    await read(['a'])
    hearing.setSuspended(false)
    await read(['a'])
    await read(['a'])
    expect(asked).to.have.length(4)
  })

  it('are read anew when they are too old', async () => {
    keepRecentReads([pool], 0)
    await read(['a'])
    await read(['a'])
    expect(asked).to.have.length(2)
  })
})
