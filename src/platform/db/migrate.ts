import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool, PoolClient } from 'pg'
import { FatalError, RetryableError, type FlowfarmError } from '../errors.ts'
import { pause } from '../retry.ts'
import { asDatabaseError } from './errors.ts'

export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  /**
   * SHA-256 in hex of the statements without comments, `COMMENT ON` and insignificant white space.
   */
  readonly checksum: string
  /**
   * False when the file has the line `-- flowfarm:no-transaction`: its statements run one by one,
   * and again from the first after a failure. Write `DROP INDEX CONCURRENTLY IF EXISTS` before
   * `CREATE INDEX CONCURRENTLY`: a failed build leaves an invalid index.
   */
  readonly inTransaction: boolean
}

const migrationLock = 7_364_829_104

const noTransactionMarker = /^-- flowfarm:no-transaction\s*$/m

const bookkeeping = `
  CREATE SCHEMA IF NOT EXISTS app;
  CREATE TABLE IF NOT EXISTS app.schema_migrations (
    id int PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE app.schema_migrations IS 'Applied migrations.';
  COMMENT ON COLUMN app.schema_migrations.id IS 'Number of the file.';
  COMMENT ON COLUMN app.schema_migrations.name IS 'File name without .sql.';
  COMMENT ON COLUMN app.schema_migrations.checksum IS 'SHA-256 of the statements without comments, hex.';
  COMMENT ON COLUMN app.schema_migrations.applied_at IS NULL`

/**
 * Whole-file checksums of the last migration of databases made before 0.1.0 (0034_outgoing_mails or
 * 0016_editor). Either history gives the schema of the first 16 files.
 */
const preReleaseChecksums: ReadonlySet<string> = new Set([
  '53432673ae63e216141d64f7bdf3398a5ac4f2fa32a48c9249f55103eefffe33',
  'b5313091b5125edea39e6bd3d77d49eb8dbdb41bebedb5116ab593c13f8971a2',
])
const releasedCount = 16

/**
 * Applies pending migrations and returns their names. Each file's number is inserted first in the
 * file's transaction, so no file is applied twice even without the lock.
 *
 * @throws FatalError `database-newer`: the folder lacks an applied migration; `migration-edited`:
 *   statements changed after they were applied; `migration-numbering`: the file numbers are not 1,
 *   2, 3 ….
 */
export async function migrate(pool: Pool, folder: string): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(folder)
  const applied: string[] = []
  const client = await pool.connect().catch((error: unknown) => {
    throw asDatabaseError(error)
  })
  try {
    // Building an index may take hours.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await waitForLock(client)
    await client.query(bookkeeping)
    await adoptPreRelease(client, migrations)
    const done = await appliedMigrations(client)
    refuseNewerDatabase(migrations, done)
    refuseEditedFiles(migrations, done)
    for (const migration of migrations) {
      if (done.has(migration.id)) continue
      await apply(client, migration).catch((error: unknown) => {
        throw inMigration(migration, asDatabaseError(error))
      })
      applied.push(migration.name)
    }
    return { applied }
  } catch (error) {
    throw asDatabaseError(error)
  } finally {
    // Releases the lock and resets the settings.
    client.release(true)
  }
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const migrations: Migration[] = []
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()) {
    const id = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1])
    if (id !== migrations.length + 1) {
      throw new FatalError(
        'migration-numbering',
        `Could not read the migrations: ${join(folder, file)} is not number ` +
          `${String(migrations.length + 1).padStart(4, '0')}. Name the files 0001_name.sql, 0002_name.sql, ….`,
      )
    }
    const sql = await readFile(join(folder, file), 'utf8')
    migrations.push({
      id,
      name: file.slice(0, -'.sql'.length),
      sql,
      checksum: checksumOf(sql),
      inTransaction: !noTransactionMarker.test(sql),
    })
  }
  return migrations
}

function checksumOf(sql: string): string {
  const statements = statementsOf(sql).filter((statement) => !isComment(statement))
  return createHash('sha256').update(statements.join(';\n')).digest('hex')
}

function isComment(statement: string): boolean {
  return /^comment on /i.test(statement)
}

const sqlTokens =
  /--[^\n]*|\/\*[^]*?\*\/|[eE]'(?:[^'\\]|\\[^]|'')*'|'(?:[^']|'')*'|"[^"]*"|\$([a-z_]\w*)?\$[^]*?\$\1\$|;|\s+|\w+|[^]/gi

/** Comments and white space outside of quotes become one space. */
function statementsOf(sql: string): string[] {
  const statements: string[] = []
  let statement = ''
  for (const [token] of sql.matchAll(sqlTokens)) {
    if (token === ';') {
      statements.push(statement.trim())
      statement = ''
    } else if (!/^(?:--|\/\*|\s)/.test(token)) {
      statement += token
    } else if (!statement.endsWith(' ')) {
      statement += ' '
    }
  }
  return [...statements, statement.trim()].filter((text) => text !== '')
}

/**
 * Polls: a session that waits in a statement holds a snapshot, for which CREATE INDEX CONCURRENTLY
 * of the lock holder would wait.
 */
async function waitForLock(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      migrationLock,
    ])
    if (rows[0]?.locked === true) return
    await pause(100 + Math.random() * 100)
  }
}

interface AppliedMigration {
  readonly id: number
  readonly name: string
  readonly checksum: string
}

async function appliedMigrations(client: PoolClient): Promise<Map<number, AppliedMigration>> {
  const { rows } = await client.query<AppliedMigration>(
    'SELECT id, name, checksum FROM app.schema_migrations ORDER BY id',
  )
  return new Map(rows.map((row) => [row.id, row]))
}

async function adoptPreRelease(client: PoolClient, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ checksum: string }>(
    'SELECT checksum FROM app.schema_migrations ORDER BY id DESC LIMIT 1',
  )
  if (!preReleaseChecksums.has(rows[0]?.checksum ?? '')) return
  const released = migrations.slice(0, releasedCount)
  await client.query('BEGIN')
  await client.query('DELETE FROM app.schema_migrations')
  for (const migration of released) await recordMigration(client, migration)
  await removeColumnComments(client)
  await client.query(released.flatMap(({ sql }) => statementsOf(sql).filter(isComment)).join(';\n'))
  await client.query('COMMIT')
}

async function removeColumnComments(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('COMMENT ON COLUMN %s.%I IS NULL', c.oid::regclass, a.attname) AS statement
     FROM pg_description d JOIN pg_class c ON c.oid = d.objoid
     JOIN pg_attribute a ON a.attrelid = d.objoid AND a.attnum = d.objsubid
     WHERE d.classoid = 'pg_class'::regclass AND d.objsubid > 0 AND c.oid <> 'app.schema_migrations'::regclass
       AND c.relnamespace::regnamespace::text
         IN ('raw', 'app', 'analytics', 'wallet_auth', 'wallet', 'projects', 'editor')`,
  )
  await client.query(rows.map(({ statement }) => statement).join(';\n'))
}

async function recordMigration(client: PoolClient, { id, name, checksum }: Migration): Promise<void> {
  await client.query('INSERT INTO app.schema_migrations (id, name, checksum) VALUES ($1, $2, $3)', [id, name, checksum])
}

function refuseNewerDatabase(migrations: Migration[], done: Map<number, AppliedMigration>): void {
  const newest = [...done.values()].at(-1)
  if (newest === undefined || newest.id <= migrations.length) return
  throw new FatalError(
    'database-newer',
    `The database is newer than this version of flowfarm: it has migration ${newest.name}, and the newest one here ` +
      `is number ${migrations.length}. Start the newer version, or restore a backup made before the upgrade.`,
    { details: { databaseAt: newest.id, programAt: migrations.length } },
  )
}

function refuseEditedFiles(migrations: Migration[], done: Map<number, AppliedMigration>): void {
  for (const { id, name, checksum } of migrations) {
    const landed = done.get(id)
    if (landed === undefined || landed.checksum === checksum) continue
    throw new FatalError(
      'migration-edited',
      `Migration ${name} was changed after this database applied it (as ${landed.name}). ` +
        'Restore the file and put the change into a new migration.',
      { details: { id } },
    )
  }
}

async function apply(client: PoolClient, migration: Migration): Promise<void> {
  if (!migration.inTransaction) {
    for (const statement of statementsOf(migration.sql)) await client.query(statement)
    await recordMigration(client, migration)
    return
  }
  await client.query('BEGIN')
  await recordMigration(client, migration)
  await client.query(migration.sql)
  await client.query('COMMIT')
}

function inMigration(migration: Migration, error: FlowfarmError): FlowfarmError {
  const { position } = (error.cause ?? {}) as { position?: string }
  const line = position === undefined ? '' : ` line ${migration.sql.slice(0, Number(position)).split('\n').length}`
  const text = `${migration.name}.sql${migration.inTransaction ? line : ''}: ${error.message}`
  const options = { cause: error, details: error.details }
  return error instanceof RetryableError
    ? new RetryableError(error.code, text, options)
    : new FatalError(error.code, text, options)
}
