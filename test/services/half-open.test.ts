import { expect } from 'chai'
import { startRedis } from '../../scripts/support/start-redis.ts'
import { workers } from '../../jobs/index.ts'
import type { ReplayNode } from '../../src/simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm, untilDerived, untilTrue } from '../support/farm.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

const names = workers.map(({ name }) => name)
const all = [{ from: 0, to: 281 }]

describe('the farm, when its connections fall silent', function (this: Mocha.Suite) {
  this.timeout(90_000)
  let node: ReplayNode
  let database: TestDatabase

  before(async () => {
    node = await startRecordedNode('base')
  })
  beforeEach(async () => {
    database = await createTestDatabase()
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 280, ingest)
    await ingest.stop()
  })
  afterEach(() => database.drop())
  after(() => node.stop())

  const variables = { LIVE_DERIVERS_CHUNK: '5', HISTORY_DERIVERS_CHUNK: '5' }
  const isBusy = async (): Promise<boolean> => {
    const { rows } = await database.pool.query<{ busy: boolean }>("select count(*) filter (where status = 'active') > 0 as busy from app.worker_leases")
    return rows[0]?.busy === true
  }

  it('to PostgreSQL: notices within 30 s and goes on over new ones', async () => {
    const proxy = await startHalfOpenProxy(database.url)
    const blocker = await database.pool.connect()
    await blocker.query('begin; lock table app.ft_transfers in share mode')
    const farm = await runFarm({ ...database, url: proxy.url }, variables)
    await untilTrue(database, isBusy, farm)
    proxy.freeze()
    const frozenAt = performance.now()
    await blocker.query('commit')
    blocker.release()
    proxy.thaw()
    await untilDerived(database, names, all, farm)
    expect(performance.now() - frozenAt).to.be.lessThan(30_000)
    await farm.stop()
    await proxy.close()
  })

  it('to Redis: notices within 30 s and goes on over new ones', async function (this: Mocha.Context) {
    const redis = await startRedis()
    if (redis === undefined) this.skip()
    try {
      const proxy = await startHalfOpenProxy(redis.url)
      const blocker = await database.pool.connect()
      await blocker.query('begin; lock table app.ft_transfers in share mode')
      const farm = await runFarm(database, { ...variables, REDIS_URL: proxy.url.replace('postgresql:', 'redis:') })
      await untilTrue(database, isBusy, farm)
      proxy.freeze()
      const frozenAt = performance.now()
      await blocker.query('commit')
      blocker.release()
      proxy.thaw()
      await untilDerived(database, names, all, farm)
      expect(performance.now() - frozenAt).to.be.lessThan(30_000)
      await farm.stop()
      await proxy.close()
    } finally {
      await redis.stop()
    }
  })
})
