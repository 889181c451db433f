import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import { announceFarmWork } from '../../src/platform/db/listen.ts'
import { addRederiveRequest } from '../../src/farm/leases/requests.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm } from '../support/farm.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { StoredChain } from '../support/stored-chain.ts'
import { Stopwatch } from '../support/stopwatch.ts'

/**
 * The number of connections does not depend on the number of workers, and six farms run at once.
 */
const names = ['token_worker', 'accounts_worker', 'ft_holdings_worker']
const small = { LIVE_DERIVERS_CHUNK: '20', HISTORY_DERIVERS_CHUNK: '20' }

/**
 * Connections that go silent during work, which TCP does not report for minutes. Each kind of
 * connection is silenced in a separate farm; the farms run concurrently because each may take 30 s.
 */
describe('half-open connections of the farm are detected and replaced within 30 s', function (this: Mocha.Suite) {
  let chain: StoredChain
  const outcomes = new Map<string, Promise<'in time' | 'skipped'>>()
  const sessions = ['flowfarm farm', 'flowfarm leases', 'flowfarm queues', 'flowfarm coordinator']

  before(async () => {
    chain = await StoredChain.store(279, names)
    for (const session of sessions) outcomes.set(session, silencePostgres(session))
    outcomes.set('all', silencePostgres(undefined))
    outcomes.set('redis', silenceRedis())
    // Each is awaited by its own test.
    for (const outcome of outcomes.values()) outcome.catch(() => undefined)
  })
  after(async () => {
    await Promise.allSettled(outcomes.values())
    await chain.drop()
  })

  /**
   * Runs a farm on `database` until a part is derived, silences the connection and requeues
   * everything. @throws if recovery takes longer than 30 s
   */
  const silenced = async (
    database: TestDatabase,
    url: string,
    variables: Record<string, string>,
    silence: () => void,
  ): Promise<'in time'> => {
    const running = await runFarm({ ...database, url }, { ...small, ...chain.variables, ...variables })
    try {
      await chain.untilDerived(database)
      silence()
      const silentAt = new Stopwatch()
      await addRederiveRequest(database.pool, workers, names, { from: 0, to: 280 })
      await announceFarmWork(database.pool)
      await chain.untilDerived(database)
      await silentAt.expectBelow(30_000)
      expect(await chain.differences(database)).to.deep.equal([])
      return 'in time'
    } finally {
      await running.stop()
    }
  }

  async function silencePostgres(session: string | undefined): Promise<'in time'> {
    const database = await chain.newDatabase()
    const proxy = await startHalfOpenProxy(database.url)
    try {
      return await silenced(database, proxy.url, {}, () => {
        proxy.freeze(session)
        proxy.thaw()
      })
    } finally {
      // Silent connections hold server sessions until they are cut.
      await proxy.close()
      await database.drop()
    }
  }

  async function silenceRedis(): Promise<'in time' | 'skipped'> {
    const redis = await startRedis()
    if (redis === undefined) return 'skipped'
    const database = await chain.newDatabase()
    const proxy = await startHalfOpenProxy(redis.url)
    try {
      return await silenced(database, database.url, { REDIS_URL: proxy.url }, () => {
        proxy.freeze()
        proxy.thaw()
      })
    } finally {
      await proxy.close()
      await redis.stop()
      await database.drop()
    }
  }

  for (const session of sessions) {
    it(`to PostgreSQL: sessions '${session}'`, async () => {
      expect(await outcomes.get(session)).to.equal('in time')
    })
  }

  it('to PostgreSQL: all sessions of the process', async () => {
    expect(await outcomes.get('all')).to.equal('in time')
  })

  it('to Redis', async function (this: Mocha.Context) {
    if ((await outcomes.get('redis')) === 'skipped') this.skip()
  })
})
