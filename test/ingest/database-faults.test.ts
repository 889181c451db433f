import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type pg from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import type { EmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { rawDigest, runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions, faultlessDigest } from '../support/faultless-digest.ts'
import { Stopwatch } from '../support/stopwatch.ts'

const shape = { loop: true, head: 700, cachedBlocks: 701 }
/** Small commits create many points at which a fault can occur. */
const small = { LATEST_BATCH_SIZE: '5', HISTORY_BATCH_SIZE: '5' }

/** Resolves when at least `count` blocks are stored. */
async function untilBlocks(pool: pg.Pool, count: number): Promise<void> {
  for (;;) {
    const stored = await storedHeights(pool)
    if (stored.reduce((sum, range) => sum + range.to - range.from, 0) >= count) return
    await pool.query('select pg_sleep(0.02)')
  }
}

describe('ingest, while the database', () => {
  let expected: Record<string, string>
  let node: ReplayNode

  before(async () => {
    expected = await faultlessDigest('base', shape)
    node = await startRecordedNode('base', shape)
  })

  after(() => node.stop())

  describe('loses', () => {
    let database: TestDatabase

    beforeEach(async () => {
      database = await createTestDatabase()
    })

    afterEach(() => database.drop())

    for (const [direction, variables] of Object.entries(directions)) {
      it(`all sessions 10 times, ${direction}: the raw tables match an undisturbed run`, async () => {
        const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables, ...small })
        for (let i = 0; i < 10; i++) {
          await untilBlocks(database.pool, 20 + i * 60 + ((i * 7) % 31))
          const { rowCount } = await database.pool.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'flowfarm%'`,
          )
          expect(rowCount).to.be.greaterThan(0)
        }
        await untilStored(database, 0, shape.head, run)
        expect(await rawDigest(database.pool)).to.deep.equal(expected)
        await run.stop()
      })
    }

    it('nothing, but another session locks the checkpoints for 3 s: waits', async () => {
      const locker = createPool(database.url, { max: 1, applicationName: 'locker' })
      const session = await locker.connect()
      const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward, ...small })
      await untilBlocks(database.pool, 50)
      await session.query('begin; lock table app.indexing_checkpoints in access exclusive mode')
      await session.query('select pg_sleep(3)')
      await session.query('commit')
      session.release()
      await locker.end()
      await untilStored(database, 0, shape.head, run)
      expect(await rawDigest(database.pool)).to.deep.equal(expected)
      await run.stop()
    })

    it('a connection silently: detects it within 30 s and reconnects', async () => {
      const proxy = await startHalfOpenProxy(database.url)
      try {
        const run = await runIngest(
          { ...database, url: proxy.url },
          { CHAIN_ACCESS_NODE: node.endpoint, ...directions.backward, ...small },
        )
        await untilBlocks(database.pool, 100)
        proxy.freeze()
        const frozenAt = new Stopwatch()
        const stuck = await storedHeights(database.pool)
        proxy.thaw()
        const before = stuck.reduce((sum, range) => sum + range.to - range.from, 0)
        await untilBlocks(database.pool, before + 20)
        await frozenAt.expectBelow(30_000)
        await untilStored(database, 0, shape.head, run)
        expect(await rawDigest(database.pool)).to.deep.equal(expected)
        await run.stop()
      } finally {
        // Frozen connections hold server sessions until they are cut.
        await proxy.close()
      }
    })
  })

  it('restarts: resumes afterwards', async () => {
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
    try {
      await migrate(pool, join(import.meta.dirname, '../../migrations'))
      const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward, ...small })
      for (const count of [100, 500]) {
        await untilBlocks(pool, count)
        await server.stop()
        server = await start()
        expect(server.url).to.equal(database.url)
      }
      await untilStored(database, 0, shape.head, run)
      expect(await rawDigest(pool)).to.deep.equal(expected)
      await run.stop()
    } finally {
      await pool.end()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
