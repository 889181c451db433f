import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { escapeIdentifier } from 'pg'
import type { Pool } from 'pg'
import { workers } from '../jobs/index.ts'
import { addRederiveRequest } from '../src/farm/leases/requests.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { ensurePartitions } from '../src/platform/db/partitions.ts'
import { createEmptyDatabase } from './support/database.ts'
import type { TestDatabase } from './support/database.ts'
import { exploredChain } from './support/explored-chain.ts'
import { runFarm, untilDerived } from './support/farm.ts'
import { runApi } from './support/running-api.ts'
import type { RunningApi } from './support/running-api.ts'

const migrations = join(import.meta.dirname, '../migrations')
/** Migrations of release 0.1.0. */
const released = 16
/** Heights of the recording `base`. */
const heights = { from: 0, to: 281 }

interface Column {
  readonly name: string
  readonly columns: string[]
  readonly partitioned: boolean
}

/** Tables with rows of a chain, without partitions and generated columns. */
async function tablesOf(pool: Pool): Promise<readonly Column[]> {
  const { rows } = await pool.query<Column>(`
    select n.nspname || '.' || c.relname as name, c.relkind = 'p' as partitioned,
      array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where n.nspname in ('raw', 'app') and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('schema_migrations', 'database_identity')
    group by 1, 2 order by 1`)
  return rows
}

/** Foreign keys are not checked while the rows are copied. */
async function copyRows(from: Pool, to: Pool): Promise<number> {
  let count = 0
  for (const { name, columns, partitioned } of await tablesOf(to)) {
    const list = columns.map(escapeIdentifier).join(', ')
    const { rows } = await from.query<{ row: string }>(`select t::text as row from (select ${list} from ${name}) t`)
    if (rows.length === 0) continue
    if (partitioned) await ensurePartitions(to, name, 5_000_000, heights)
    await to.query(`alter table ${name} disable trigger all; truncate ${name} cascade`)
    await to.query(`create table copied as select ${list} from ${name} with no data`)
    const added = await to.query(
      `insert into ${name} (${list}) overriding system value
       select (row::copied).* from unnest($1::text[]) as row`,
      [rows.map(({ row }) => row)],
    )
    await to.query('drop table copied')
    await to.query(`alter table ${name} enable trigger all`)
    count += added.rowCount ?? 0
  }
  return count
}

describe('upgrade from 0.1.0', function () {
  this.timeout(120_000)
  let database: TestDatabase
  let current: RunningApi
  let upgraded: RunningApi
  let applied: readonly string[]

  before(async () => {
    const explored = await exploredChain()
    current = explored.api
    database = await createEmptyDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-released-'))
    const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql')).toSorted()
    for (const file of files.slice(0, released)) await copyFile(join(migrations, file), join(folder, file))
    expect((await migrate(database.pool, folder)).applied).to.have.length(released)
    await rm(folder, { recursive: true })
    expect(await copyRows(explored.database.pool, database.pool)).to.be.greaterThan(10_000)
    ;({ applied } = await migrate(database.pool, migrations))
    await database.pool.query('analyze')
    upgraded = await runApi(database.url, { server: { network: () => 'emulator' } })
  })

  after(async () => {
    await upgraded?.stop()
    await database.drop()
  })

  it('applies the later migrations', async () => {
    const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql'))
    expect(applied).to.have.length(files.length - released)
    expect(applied[0]).to.equal('0017_evm_metadata')
  })

  it('serves the rows as before', async () => {
    const body = async (api: RunningApi, path: string): Promise<unknown> => {
      const response = await api.get(path)
      expect(response.status, path).to.equal(200)
      const text = (await response.text()).replaceAll(/"(as_of|updated_at|generated_at)":"[^"]*"/g, '"$1":""')
      return JSON.parse(text)
    }
    for (const path of [
      '/flow/block?limit=50',
      '/flow/block/141',
      '/flow/transaction?limit=50',
      '/flow/account?limit=50',
      '/flow/account/0xe03daebed8ca0615',
      '/flow/account/0xe03daebed8ca0615/ft',
      '/flow/ft?limit=50',
      '/flow/ft/transfer?limit=50',
      '/flow/nft?limit=50',
      '/flow/nft/transfer?limit=50',
      '/flow/contract?limit=50',
      '/flow/evm/transaction?limit=100',
      '/flow/evm/transaction?limit=100&status=error',
      '/flow/evm/token',
      '/flow/evm/block?limit=20',
      '/flow/scheduled-transaction',
      '/insights/daily',
    ]) {
      expect(await body(upgraded, path), path).to.deep.equal(await body(current, path))
    }
  })

  it('finds methods of EVM calls once evm_worker derived the heights again', async () => {
    const path = '/flow/evm/transaction?limit=100&method=transfer'
    const hashes = async (api: RunningApi): Promise<string[]> =>
      (await api.json<{ data: { hash: string }[] }>(path)).data.map(({ hash }) => hash)
    expect(await hashes(upgraded)).to.deep.equal([])
    await addRederiveRequest(database.pool, workers, ['evm_worker'], heights)
    const farm = await runFarm(database, {})
    await untilDerived(database, ['evm_worker'], [heights], farm)
    await farm.stop()
    expect(await hashes(upgraded)).to.deep.equal(await hashes(current))
  })
})
