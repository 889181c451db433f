import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import type { RedisServer } from '../../scripts/bench/start-redis.ts'
import { workers } from '../../jobs/index.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import type { EmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { readCoverage } from '../../src/farm/leases/coverage.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { waitUntil } from '../support/lease-waits.ts'
import { storedHeights } from '../support/ingest.ts'
import { dropQueues, truncateQueues } from '../support/drop-queues.ts'
import { startRecordedNode } from '../support/replay.ts'
import { Stopwatch } from '../support/stopwatch.ts'

const names = workers.map(({ name }) => name)

/** A growing chain, four times as fast as mainnet. */
const growing = { loop: true, head: 50, intervalMs: 200, cachedBlocks: 600 }
/** Maximum lag after a loss, ms; scaled up on a busy machine by its normal lag. */
const maxBehindMs = 10_000
const usualTimes = 5

describe('with ingest and the API running, the farm', function (this: Mocha.Suite) {
  let database: TestDatabase
  let node: ReplayNode
  let running: FlowfarmProcess | undefined

  beforeEach(async () => {
    database = await createTestDatabase()
    node = await startRecordedNode('base', growing)
  })
  afterEach(async () => {
    await running?.end('SIGKILL')
    await node.stop()
    await database.drop()
  })

  const start = async (variables: Record<string, string> = {}): Promise<string> => {
    running = new FlowfarmProcess(['ingest', 'farm', 'api'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      PORT: '0',
      HOST: '127.0.0.1',
      LIVE_DERIVERS_CHUNK: '2',
      ...variables,
    })
    await running.logged(/Farm started/)
    const { port } = await running.logged(/API listening/)
    return `http://127.0.0.1:${String(port)}`
  }
  const head = async (): Promise<number> => (await storedHeights(database.pool)).at(-1)?.to ?? 0
  /** Resolves when all workers have completed the currently stored heights. */
  const untilCaughtUp = async (): Promise<void> => {
    const to = await head()
    await waitUntil(database, async () => {
      const coverage = await readCoverage(database.pool, names)
      return names.every((name) => (coverage.get(name)?.at(-1)?.to ?? 0) >= to)
    })
  }
  /**
   * Resolves with the usual catch-up time of all workers, the slowest of several measurements, ms.
   */
  const usualMs = async (): Promise<number> => {
    const times: number[] = []
    while (times.length < 3) {
      const [from, startedAt] = [await head(), performance.now()]
      await waitUntil(database, async () => (await head()) > from)
      await untilCaughtUp()
      times.push(performance.now() - startedAt)
    }
    return Math.max(...times)
  }
  const expectIngestAndApi = async (url: string): Promise<void> => {
    const before = await head()
    const answer = await fetch(`${url}/status`)
    expect(answer.status).to.equal(200)
    await waitUntil(database, async () => (await head()) >= before + 5)
  }

  for (const loss of ['truncated', 'dropped'] as const) {
    it(`catches up within 10 s after the schema of its queues was ${loss}`, async () => {
      const url = await start()
      await untilCaughtUp()
      const usual = await usualMs()
      if (loss === 'dropped') await dropQueues(database.pool)
      else await truncateQueues(database.pool)
      const lostAt = new Stopwatch()
      await expectIngestAndApi(url)
      await untilCaughtUp()
      await lostAt.expectBelow(maxBehindMs + usualTimes * usual)
    })
  }

  it('catches up within 10 s after Redis returns, and exits with 0 within 10 s if Redis stays down', async function (this: Mocha.Context) {
    const redis: RedisServer | undefined = await startRedis()
    if (redis === undefined) this.skip()
    try {
      const url = await start({ REDIS_URL: redis.url })
      await untilCaughtUp()
      const usual = await usualMs()
      await redis.kill()
      await expectIngestAndApi(url)
      await redis.restart()
      const backAt = new Stopwatch()
      await untilCaughtUp()
      await backAt.expectBelow(maxBehindMs + usualTimes * usual)
      await redis.kill()
      const endingAt = new Stopwatch()
      expect(await running?.end('SIGTERM'), running?.output().slice(-5000)).to.equal(0)
      await endingAt.expectBelow(10_000)
    } finally {
      await redis.stop()
    }
  })
})

describe('the farm during a PostgreSQL restart', () => {
  it('resumes without a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-restart-'))
    await chmod(folder, 0o711)
    const start = (): Promise<EmbeddedPostgres> =>
      startEmbeddedPostgres({
        dataFolder: folder,
        wait: false,
        log: () => undefined,
        settings: { fsync: 'off', shared_buffers: '32MB' },
      })
    let server = await start()
    const pool = createPool(server.url, { max: 4 })
    const database: TestDatabase = { url: server.url, pool, drop: () => pool.end() }
    await using node = await startRecordedNode('base', { loop: true, head: 300, cachedBlocks: 301 })
    try {
      await migrate(pool, join(import.meta.dirname, '../../migrations'))
      const farm = await runFarm(
        database,
        { CHAIN_ACCESS_NODE: node.endpoint, LIVE_DERIVERS_CHUNK: '2', HISTORY_DERIVERS_CHUNK: '2' },
        { withIngest: true },
      )
      for (const min of [20, 100]) {
        await waitUntil(database, async () => {
          const coverage = await readCoverage(pool, names)
          return names.every(
            (name) => (coverage.get(name) ?? []).reduce((sum, { from, to }) => sum + to - from, 0) >= min,
          )
        })
        await server.stop()
        server = await start()
        expect(server.url).to.equal(database.url)
      }
      await untilDerived(database, names, [{ from: 0, to: 301 }], farm)
      await farm.stop()
    } finally {
      await pool.end()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
