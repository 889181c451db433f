import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type pg from 'pg'
import { readConfig, settings } from '../../src/config.ts'
import type { Config } from '../../src/config.ts'
import { FatalError, FlowfarmError, RetryableError } from '../../src/platform/errors.ts'
import { folderHolder } from '../../src/platform/db/embedded/folder-lock.ts'
import { isConnectionLost } from '../../src/platform/db/errors.ts'
import { createPool, query } from '../../src/platform/db/pool.ts'

export interface OpenDatabase {
  readonly config: Config
  /** Undefined with DB_URL. */
  readonly dataFolder: string | undefined
  readonly url: string
  readonly pool: pg.Pool
}

const holderTimeoutMs = 10_000

const neededMigration = '0002_farm'

/**
 * The database of DB_URL, or of a flowfarm in DATA_FOLDER.
 *
 * @param acceptsDemo without both, uses the only demo on this machine
 *
 * @throws FatalError `no-database`, `database-outdated`; RetryableError `database-unreachable`
 */
export async function withDatabase<T>(
  use: (database: OpenDatabase) => Promise<T>,
  { acceptsDemo = false }: { readonly acceptsDemo?: boolean } = {},
): Promise<T> {
  const config = readConfig()
  const { DB_URL: given } = config
  const { url, dataFolder } =
    given === undefined ? await findEmbedded(config.DATA_FOLDER, acceptsDemo) : { url: given, dataFolder: undefined }
  // Comparing whole tables may take hours.
  const pool = createPool(url, { max: 4, applicationName: 'flowfarm command', statementTimeoutMs: 0 })
  try {
    await checkMigrations(pool).catch((error: unknown) => {
      throw explained(error, url)
    })
    return await use({ config, dataFolder, url, pool })
  } finally {
    await pool.end()
  }
}

interface Embedded {
  readonly url: string
  readonly dataFolder: string
}

async function findEmbedded(dataFolder: string, acceptsDemo: boolean): Promise<Embedded> {
  const folder = resolve(dataFolder)
  const holder = await holderOf(folder, holderTimeoutMs)
  if (holder === 'silent') {
    const message =
      `The flowfarm in ${folder} did not respond within ${holderTimeoutMs / 1000} s: its process ` +
      'is stopped or busy. Resume it (kill -CONT) or retry.'
    throw new RetryableError('holder-silent', message)
  }
  if (holder?.url !== undefined) return { url: holder.url, dataFolder: folder }
  if (holder !== undefined) {
    const message = `The flowfarm in ${folder} (process ${holder.pid}) is starting: try again in a moment.`
    throw new RetryableError('database-starting', message)
  }
  const demos = await runningDemos()
  const [demo, ...others] = demos
  if (acceptsDemo && demo !== undefined && others.length === 0 && dataFolder === settings.DATA_FOLDER.read(undefined)) {
    process.stderr.write(`Using the demo that runs in ${demo}.\n`)
    return findEmbedded(demo, false)
  }
  const remedies = [
    'Start flowfarm first (npm start), or set DB_URL to its database, or DATA_FOLDER to its folder.',
    ...demos.map((demo) => `A demo runs here: DATA_FOLDER=${demo}`),
  ]
  const message = `No flowfarm runs in the data folder ${folder}, and DB_URL is not set. ${remedies.join('\n')}`
  throw new FatalError('no-database', message)
}

async function holderOf(folder: string, connectTimeoutMs?: number): Promise<Awaited<ReturnType<typeof folderHolder>>> {
  try {
    return await folderHolder(folder, connectTimeoutMs)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function runningDemos(): Promise<string[]> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith('flowfarm-demo-'))
  const folders = names.map((name) => join(tmpdir(), name))
  const holders = await Promise.all(folders.map(async (folder) => ({ folder, holder: await holderOf(folder) })))
  return holders.filter(({ holder }) => holder !== undefined).map(({ folder }) => folder)
}

async function checkMigrations(pool: pg.Pool): Promise<void> {
  const exists = "select to_regclass('app.schema_migrations') is not null as found"
  const {
    rows: [table],
  } = await query<{ found: boolean }>(pool, exists)
  if (table?.found === true) {
    const applied = await query(pool, 'select 1 from app.schema_migrations where name = $1', [neededMigration])
    if (applied.rowCount === 1) return
  }
  const remedy = 'start flowfarm once (npm start) to migrate it'
  throw new FatalError('database-outdated', `The database lacks the tables of this version: ${remedy}.`)
}

function explained(error: unknown, url: string): unknown {
  if (!(error instanceof FlowfarmError) || !isConnectionLost(error)) return error
  const { hostname, port, pathname } = new URL(url)
  const place = `${decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`
  const { cause } = error
  const reason = cause instanceof AggregateError ? cause.errors.map(String).join(', ') : error.message
  const message = `The database at ${place} cannot be reached: ${reason}. Check DB_URL and that PostgreSQL runs there.`
  return new RetryableError('database-unreachable', message, { cause: error })
}
