import { expect } from 'chai'
import { Client } from 'pg'
import { workers } from '../../jobs/index.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { copyTestDatabase, createTestDatabase, testServerUrl } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { derivedDigest } from '../support/derived-tables.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { rawDigest, runIngest, untilStored } from '../support/ingest.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { startRecordedNode } from '../support/replay.ts'

const backupHead = 60
const head = 200
const shape = { loop: true, cachedBlocks: head + 1 }
const workerNames = workers.map(({ name }) => name)
const variables = { ENABLE_HISTORY_INGESTER: 'false' }

async function digests({ pool }: TestDatabase): Promise<readonly Record<string, string>[]> {
  return [await rawDigest(pool), await derivedDigest(pool)]
}

async function runTo(database: TestDatabase, to: number): Promise<void> {
  await using node = await startRecordedNode('base', { ...shape, head: to })
  const farm = await runFarm(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables }, { withIngest: true })
  try {
    await untilStored(database, 0, to, farm)
    await untilDerived(database, workerNames, [{ from: 0, to: to + 1 }], farm)
  } finally {
    await farm.stop()
  }
}

/** Swaps the names of two databases. Neither may have sessions. */
async function swapNames(one: TestDatabase, other: TestDatabase): Promise<void> {
  const [a, b] = [one, other].map(({ url }) => new URL(url).pathname.slice(1))
  const client = new Client({ connectionString: await testServerUrl() })
  await client.connect()
  try {
    await client.query(
      'select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = any ($1::text[])',
      [[a, b]],
    )
    for (const [from, to] of [
      [a, `${a}_old`],
      [b, a],
      [`${a}_old`, b],
    ]) {
      await client.query(`alter database ${from} rename to ${to}`)
    }
  } finally {
    await client.end()
  }
}

/** Reads of the head, derived data and events, whose shapes the API caches. */
async function apiAnswers(api: RunningApi): Promise<unknown[]> {
  const paths = ['/flow/block?limit=50', `/flow/block/${head}`, '/flow/transaction?limit=50', '/flow/account?limit=50']
  const events = ['TokensDeposited', 'TokensWithdrawn'].map((name) => `/flow/events/search?name=${name}&limit=50`)
  return Promise.all([...paths, ...events].map(async (path) => (await api.json<{ data: unknown }>(path)).data))
}

describe('an older backup that replaces the database', function () {
  this.timeout(600_000)

  it('while ingest, farm and API run, leads to the same raw and derived tables as an undisturbed run, and the API serves them', async () => {
    const undisturbed = await createTestDatabase()
    await runTo(undisturbed, head)
    const expected = await digests(undisturbed)
    await undisturbed.drop()

    const original = await createTestDatabase()
    await runTo(original, backupHead)
    await original.pool.end()
    const backup = await copyTestDatabase(original)
    await backup.pool.end()

    const proxy = await startHalfOpenProxy(original.url)
    const database: TestDatabase = { url: proxy.url, pool: createPool(proxy.url), drop: () => Promise.resolve() }
    await using node = await startRecordedNode('base', { ...shape, head })
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables })
    const farm = await runFarm(database, {})
    const api = await runApi(proxy.url)
    try {
      await untilStored(database, 0, head, ingest)
      await apiAnswers(api)
      await untilDerived(database, workerNames, [{ from: 0, to: backupHead + 1 }], farm)
      await proxy.shut()
      await swapNames(original, backup)
      await proxy.reopen()
      await untilStored(database, 0, head, ingest)
      await untilDerived(database, workerNames, [{ from: 0, to: head + 1 }], farm)
      expect(await digests(database)).to.deep.equal(expected)
      const fresh = await runApi(proxy.url)
      try {
        expect(await apiAnswers(api)).to.deep.equal(await apiAnswers(fresh))
      } finally {
        await fresh.stop()
      }
    } finally {
      await api.stop()
      await farm.stop()
      await ingest.stop()
      await database.pool.end()
      await proxy.close()
      await original.drop()
      await backup.drop()
    }
  })
})
