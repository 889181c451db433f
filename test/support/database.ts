import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client, type Pool } from 'pg'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool, type PoolOptions } from '../../src/platform/db/pool.ts'
import { withDatabase } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { startTestServer, type TestServer } from './test-server.ts'

export interface TestDatabase {
  readonly url: string
  /** A pool on this database, ended by `drop`. */
  readonly pool: Pool
  /**
   * Ends the pool, throws if other connections to the database are open, and drops the database.
   */
  drop(): Promise<void>
}

interface Shared {
  readonly server: TestServer
  /** The template database with all migrations. */
  readonly template: string
}

const migrationsFolder = join(import.meta.dirname, '../../migrations')
const runName = `flowfarm_test_${process.pid}_${randomBytes(3).toString('hex')}`
/** Existing databases, with the stack of their creation. */
const open = new Map<string, string>()
let shared: Promise<Shared> | undefined
let counter = 0

/**
 * The URL of this process's test server (its maintenance database). Starts the server on the first
 * call.
 */
export async function testServerUrl(): Promise<string> {
  return (await useShared()).server.url
}

/**
 * A fresh database with all migrations. The file copy strategy takes half as long as the WAL. The
 * caller drops it, usually in the file's `after`.
 */
export async function createTestDatabase(options: PoolOptions = {}): Promise<TestDatabase> {
  return await create(options, `TEMPLATE ${(await useShared()).template} STRATEGY file_copy`)
}

/** A copy of a database without connections: end its pool first. */
export async function copyTestDatabase(original: TestDatabase, options: PoolOptions = {}): Promise<TestDatabase> {
  const { server } = await useShared()
  const name = new URL(original.url).pathname.slice(1)
  await waitUntilUnused(server.url, name)
  return await create(options, `TEMPLATE ${name}`)
}

/** A fresh empty database. */
export async function createEmptyDatabase(options: PoolOptions = {}): Promise<TestDatabase> {
  await useShared()
  return await create(options, 'TEMPLATE template0')
}

/**
 * Called once after all tests: stops the server, and throws if a test file did not drop its
 * database.
 */
export async function stopTestServer(): Promise<void> {
  if (shared === undefined) return
  const { server, template } = await shared
  const forgotten = [...open.values()]
  await administer(server.url, ...[...open.keys(), template].map((name) => `DROP DATABASE ${name} WITH (FORCE)`))
  await server.stop()
  shared = undefined
  if (forgotten.length > 0)
    throw new Error(`test databases were not dropped; they were made here:\n${forgotten.join('\n')}`)
}

function useShared(): Promise<Shared> {
  shared ??= (async () => {
    const server = await startTestServer()
    const template = `${runName}_template`
    await administer(server.url, `CREATE DATABASE ${template} TEMPLATE template0`)
    const pool = createPool(withDatabase(server.url, template), { max: 1 })
    try {
      await migrate(pool, migrationsFolder)
    } finally {
      await pool.end()
    }
    await waitUntilUnused(server.url, template)
    return { server, template }
  })()
  return shared
}

async function create(options: PoolOptions, template: string): Promise<TestDatabase> {
  const { server } = await useShared()
  const name = `${runName}_${++counter}`
  await administer(server.url, `CREATE DATABASE ${name} ${template}`)
  open.set(name, new Error(name).stack ?? name)
  const url = withDatabase(server.url, name)
  const pool = createPool(url, { applicationName: 'test', ...options })
  return {
    url,
    pool,
    async drop() {
      if (!pool.ended) await pool.end()
      const leaks = await waitUntilUnused(server.url, name)
      await administer(server.url, `DROP DATABASE ${name} WITH (FORCE)`)
      open.delete(name)
      if (leaks.length > 0) throw new Error(`connections to ${name} were left open:\n${leaks.join('\n')}`)
    },
  }
}

/** Time until closed connections count as left open, ms. A busy server detects the close late. */
const leakMs = 30_000

/** Waits for closing connections. Returns those still open, one line each. */
async function waitUntilUnused(serverUrl: string, database: string): Promise<string[]> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  try {
    const deadline = Date.now() + leakMs
    for (;;) {
      const { rows } = await client.query<{ line: string }>(
        `SELECT format('%s (%s): %s', application_name, state, query) AS line FROM pg_stat_activity
         WHERE datname = $1 AND backend_type = 'client backend'`,
        [database],
      )
      if (rows.length === 0 || Date.now() > deadline) return rows.map((row) => row.line)
      await client.query('SELECT pg_sleep(0.005)')
    }
  } finally {
    await client.end()
  }
}

async function administer(serverUrl: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
