import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import { runFarm } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import { StoredChain } from '../support/stored-chain.ts'
import { Stopwatch } from '../support/stopwatch.ts'

/** Number of committed ranges. */
async function committed(farm: RunningFarm): Promise<number> {
  const { values } = await farm.metrics.farmRanges.get()
  return values.filter(({ labels }) => labels['outcome'] === 'committed').reduce((sum, { value }) => sum + value, 0)
}

describe('a Redis outage of 20 s', function (this: Mocha.Suite) {
  it('is followed by refilled queues within 10 s', async function (this: Mocha.Context) {
    const redis = await startRedis()
    if (redis === undefined) this.skip()
    const chain = await StoredChain.store(999)
    const database = await chain.newDatabase()
    const farm = await runFarm(database, {
      REDIS_URL: redis.url,
      LIVE_DERIVERS_CHUNK: '1',
      HISTORY_DERIVERS_CHUNK: '1',
    })
    try {
      while ((await committed(farm)) === 0) await delay(5)
      await redis.kill()
      await delay(20_000)
      const before = await committed(farm)
      await redis.restart()
      const backAt = new Stopwatch()
      while ((await committed(farm)) === before) await delay(20)
      await backAt.expectBelow(10_000)
      await chain.untilDerived(database)
      expect(await chain.differences(database)).to.deep.equal([])
    } finally {
      await farm.stop()
      await database.drop()
      await chain.drop()
      await redis.stop()
    }
  })
})
