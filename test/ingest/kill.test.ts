import { expect } from 'chai'
import { listen } from '../../src/platform/db/listen.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { rawDigest, runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

/**
 * FLOWFARM_KILLS: number of kills per database; each takes about two CPU seconds. By default one
 * after every number of commits from 0 to 9.
 */
const kills = Number(process.env['FLOWFARM_KILLS'] ?? 10)
/** Enough blocks for all kills: on average 32 are stored before each, more on a busy machine. */
const lastHeight = kills * 100

describe('kill -9 of the ingester', () => {
  let node: ReplayNode
  let undisturbed: Record<string, string>

  before(async () => {
    node = await startRecordedNode('base', { loop: true, head: lastHeight, cachedBlocks: lastHeight + 1 })
    const database = await createTestDatabase()
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ENABLE_HISTORY_INGESTER: 'false' })
    await untilStored(database, 0, lastHeight, run)
    await run.stop()
    undisturbed = await rawDigest(database.pool)
    await database.drop()
  })

  after(() => node.stop())

  it(`${kills} times in a row, forward and backward on separate databases: the raw tables match an undisturbed run`, async function () {
    this.timeout(3_600_000)
    await Promise.all([
      killAgainAndAgain({ ENABLE_HISTORY_INGESTER: 'false', LATEST_BATCH_SIZE: '7' }),
      killAgainAndAgain({ ENABLE_FORWARD_INGESTER: 'false', HISTORY_BATCH_SIZE: '7' }),
    ])
  })

  async function killAgainAndAgain(variables: Record<string, string>): Promise<void> {
    const database = await createTestDatabase()
    try {
      for (let kill = 0; kill < kills; kill++) await runAndKill(database, variables, kill % 10)
      const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables })
      await untilStored(database, 0, lastHeight, run)
      await run.stop()
      expect(await rawDigest(database.pool)).to.deep.equal(undisturbed)
    } finally {
      await database.drop()
    }
  }

  /** Kills after a number of commits; 0 kills as soon as the first rows are sent. */
  async function runAndKill(database: TestDatabase, variables: Record<string, string>, commits: number): Promise<void> {
    const stop = new AbortController()
    const enough = Promise.withResolvers<void>()
    let seen = 0
    const count = (): void => {
      if (++seen >= commits) enough.resolve()
    }
    const listener = await listen(database.url, ['flowfarm_blocks'], count, {
      signal: stop.signal,
      onReconnect: count,
      onError: enough.reject,
    })
    const farm = new FlowfarmProcess(['ingest'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      ...variables,
    })
    if (commits === 0) void untilCopying(database).then(enough.resolve, enough.reject)
    void farm.ended().then((code) => enough.reject(new Error(`ended by itself with ${code}:\n${farm.output()}`)))
    try {
      await enough.promise
      expect(await farm.end('SIGKILL')).to.equal('SIGKILL')
    } finally {
      stop.abort()
      await listener.ended
    }
  }

  /** Resolves when a session sends rows, so that a kill interrupts a transaction. */
  async function untilCopying(database: TestDatabase): Promise<void> {
    for (;;) {
      const { rowCount } = await database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and query ilike 'copy %' and state = 'active'`,
      )
      if (rowCount !== null && rowCount > 0) return
    }
  }
})
