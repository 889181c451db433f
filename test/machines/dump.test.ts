import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Pool } from 'pg'
import { workers } from '../../jobs/index.ts'
import { compareDerived } from '../../src/farm/rebuild/compare-derived.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm, untilDerived } from '../support/farm.ts'

const run = promisify(execFile)
const names = workers.map(({ name }) => name)

describe('a dump of a running system', function () {
  let database: TestDatabase
  let folder: string

  before(async function (this: Mocha.Context) {
    database = await createTestDatabase()
    const missing = await missingTools(database.pool)
    if (missing !== undefined) {
      process.stderr.write(`    skipped: ${missing}\n`)
      this.skip()
    }
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-dump-'))
  })

  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true })
    await database.drop()
  })

  it('is restored into another database, which continues without gaps', async () => {
    const node = await startLedgerNode({ seed: 3, head: 150 })
    const restored = await createEmptyDatabase()
    try {
      const variables = { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '0', ENABLE_HISTORY_INGESTER: 'false' }
      const before = await runFarm(
        database,
        { ...variables, LIVE_DERIVERS_CHUNK: '5', HISTORY_DERIVERS_CHUNK: '5' },
        { withIngest: true },
      )
      await untilDerived(database, names, [{ from: 0, to: 50 }], before)
      const dump = join(folder, 'dump')
      await run('pg_dump', ['--format=directory', '--jobs=2', `--file=${dump}`, database.url])
      await before.stop()
      await run('pg_restore', ['--jobs=2', '--exit-on-error', '--no-owner', `--dbname=${restored.url}`, dump])

      node.setHead(200)
      const after = await runFarm(restored, variables, { withIngest: true })
      await untilDerived(restored, names, [{ from: 0, to: 201 }], after)
      await rebuildDerived({ pool: restored.pool, workers, network: 'emulator' })
      const { heights, tables } = await compareDerived({ pool: restored.pool, workers })
      expect(tables.filter(({ differences }) => differences > 0)).to.deep.equal([])
      expect(heights).to.deep.equal([{ from: 0, to: 201 }])
      await after.stop()
    } finally {
      await node.stop()
      await restored.drop()
    }
  })
})

/**
 * The reason why no dump is possible: the embedded package contains only the server, and an older
 * pg_dump rejects a newer server.
 */
async function missingTools(pool: Pool): Promise<string | undefined> {
  const {
    rows: [server],
  } = await pool.query<{ version: number }>(`select current_setting('server_version_num')::int / 10000 as version`)
  const remedy = `install the client programs of PostgreSQL ${server?.version}, or run this on an older server by TEST_DB_URL`
  try {
    const { stdout } = await run('pg_dump', ['--version'])
    const version = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1])
    return version >= (server?.version ?? 0)
      ? undefined
      : `pg_dump is of version ${version} and the server of ${server?.version}: ${remedy}`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return `pg_dump not found: ${remedy}`
  }
}
