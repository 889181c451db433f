import { expect } from 'chai'
import { withTransaction } from '../../platform/db/pool.ts'
import { toMultirange } from '../../platform/ranges.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { addLeases, clearFarm, leaseLines, setCoverage } from '../farm-tables.test-support.ts'
import { addOwnWorker, deleteWorkerState, readCoverage } from './coverage.ts'
import { claimLeases } from './leases.ts'
import { addRequest, listOpenRequests } from './requests.ts'

describe('registration of own workers', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })
  beforeEach(() => clearFarm(database.pool))
  after(() => database.drop())

  const add = (startHeight: number): Promise<void> =>
    withTransaction(database.pool, (client) => addOwnWorker(client, 'own_a', startHeight))
  const covered = async (): Promise<string> =>
    toMultirange((await readCoverage(database.pool, ['own_a'])).get('own_a') ?? [])

  it('covers heights below the start, once', async () => {
    await add(100)
    expect(await covered()).to.equal('{[0,100)}')
    await add(50)
    expect(await covered()).to.equal('{[0,100)}')
  })

  it('covers nothing if the start is the first block', async () => {
    await add(0)
    expect(await covered()).to.equal('{}')
  })

  it('deletes everything of a removed worker, and only of it', async () => {
    const { pool } = database
    await add(0)
    await setCoverage(pool, { own_b: [] })
    await addLeases(pool, [
      { worker: 'own_a', from: 0, to: 10 },
      { worker: 'own_b', from: 0, to: 10 },
    ])
    await claimLeases(pool, [{ worker: 'own_a', from: 0 }], { leasedBy: 'test', leaseMs: 60_000 })
    const linked = ['own_a', 'own_b'].map((name) => ({ name, follows: [] }))
    await addRequest(pool, linked, ['own_a'], { from: 0, to: 5 })
    await addRequest(pool, linked, ['own_a', 'own_b'], { from: 0, to: 5 })
    await withTransaction(pool, (client) => deleteWorkerState(client, 'own_a'))
    expect(await leaseLines(pool)).to.deep.equal(['own_b 0-10 queued'])
    expect([...(await readCoverage(pool, ['own_a', 'own_b'])).keys()]).to.deep.equal(['own_b'])
    expect((await listOpenRequests(pool)).map(({ workers }) => workers)).to.deep.equal([['own_b']])
  })
})
