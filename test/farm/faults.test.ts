import { expect } from 'chai'
import { Redis } from 'ioredis'
import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { derivedDigest, runFarm, untilDerived, untilTrue } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import type { RedisServer } from '../../scripts/bench/start-redis.ts'
import { startRecordedNode } from '../support/replay.ts'
import { Stopwatch } from '../support/stopwatch.ts'

const names = workers.map(({ name }) => name)
const tables = workers.flatMap((worker) => [
  ...worker.tables.map(({ name }) => name),
  ...worker.folds.map(({ name }) => name),
])
const heights = [{ from: 0, to: 280 }]
const variables = { LIVE_DERIVERS_CHUNK: '5', HISTORY_DERIVERS_CHUNK: '20' }

describe('faults of the farm', function (this: Mocha.Suite) {
  let node: ReplayNode
  let database: TestDatabase
  let expected: Record<string, string>

  before(async () => {
    node = await startRecordedNode('base')
    database = await createTestDatabase()
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 279, ingest)
    await ingest.stop()
    const farm = await runFarm(database, variables)
    await untilDerived(database, names, heights, farm)
    await farm.stop()
    expected = await derivedDigest(database.pool, tables)
  })
  beforeEach(async () => {
    await database.pool.query(
      `truncate ${tables.join(', ')}, app.worker_leases; delete from app.indexing_checkpoints where service_name not like '%ingester'; drop schema if exists bullmq cascade`,
    )
  })
  after(async () => {
    await node.stop()
    await database.drop()
  })

  /** Blocks every commit of token_worker until the client commits. */
  const holdUp = async (): Promise<pg.PoolClient> => {
    const client = await database.pool.connect()
    await client.query('begin; lock table app.ft_transfers in share mode')
    return client
  }
  const release = async (client: pg.PoolClient): Promise<void> => {
    await client.query('commit')
    client.release()
  }
  const activeBy = async (pid: number): Promise<number[]> => {
    const { rows } = await database.pool.query<{ from: number }>(
      "select from_height::int as from from app.worker_leases where status = 'active' and split_part(leased_by, ':', 2) = $1",
      [String(pid)],
    )
    return rows.map(({ from }) => from)
  }
  const expectAllDerived = async (running?: RunningFarm): Promise<void> => {
    await untilDerived(database, names, heights, running)
    expect(await derivedDigest(database.pool, tables)).to.deep.equal(expected)
  }

  it('continues after lost PostgreSQL connections', async () => {
    const blocker = await holdUp()
    const running = await runFarm(database, variables)
    await untilTrue(database, async () => (await activeBy(process.pid)).length > 0, running)
    const { rows } = await blocker.query<{ pid: number }>('select pg_backend_pid() as pid')
    await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'flowfarm%' and pid <> $1",
      [rows[0]?.pid],
    )
    await release(blocker)
    await expectAllDerived(running)
    await running.stop()
  })

  describe('with queues in Redis', () => {
    let redis: RedisServer
    before(async function (this: Mocha.Context) {
      const started = await startRedis()
      if (started === undefined) this.skip()
      redis = started
    })
    after(() => redis?.stop())

    it('refills them after FLUSHALL and continues after a Redis outage', async () => {
      for (const loss of ['flush', 'restart'] as const) {
        const blocker = await holdUp()
        const running = await runFarm(database, { ...variables, REDIS_URL: redis.url })
        await untilTrue(database, async () => (await activeBy(process.pid)).length > 0, running)
        if (loss === 'restart') await redis.kill()
        else {
          const client = new Redis(redis.url)
          await client.flushall()
          client.disconnect()
        }
        await release(blocker)
        if (loss === 'restart') await redis.restart()
        const lostAt = new Stopwatch()
        await expectAllDerived(running)
        await lostAt.expectBelow(10_000, loss)
        await running.stop()
        await database.pool.query(
          `truncate ${tables.join(', ')}, app.worker_leases; delete from app.indexing_checkpoints where service_name not like '%ingester'`,
        )
      }
    })
  })
})
