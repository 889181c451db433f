import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool, PoolClient } from 'pg'
import { FatalError, RetryableError, type FlowfarmError } from '../errors.ts'
import { pause } from '../retry.ts'
import { asDatabaseError } from './errors.ts'

/** A file `NNNN_name.sql` of the migrations folder. */
export interface Migration {
  readonly id: number
  /** The file's name without `.sql`. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file in hex. */
  readonly checksum: string
  /**
   * False when the file has the line `-- flowfarm:no-transaction`: its statements, each ending with a semicolon at the
   * end of a line, run one by one, and again from the first after a failure. So an index is built concurrently by
   * `DROP INDEX CONCURRENTLY IF EXISTS` and then `CREATE INDEX CONCURRENTLY`: a failed build leaves an invalid index.
   */
  readonly inTransaction: boolean
}

/** Any constant that nothing else uses. */
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
  COMMENT ON TABLE app.schema_migrations IS 'The numbered files of migrations/ that this database has had.';
  COMMENT ON COLUMN app.schema_migrations.id IS 'The number of the file.';
  COMMENT ON COLUMN app.schema_migrations.name IS 'The name of the file, without .sql.';
  COMMENT ON COLUMN app.schema_migrations.checksum IS 'SHA-256 of the file, hex; a file that landed is never edited.';
  COMMENT ON COLUMN app.schema_migrations.applied_at IS 'When it was applied.'`

/**
 * Brings the database up to the newest file of `folder` and returns the names of the files that were applied now.
 * Any number of processes may call it at once: an advisory lock makes the others wait, and each file's number is
 * inserted first in the file's own transaction, so no file can be applied twice even without the lock.
 *
 * Throws FatalError `database-newer` when the database has a migration that the folder lacks, `migration-edited` when a
 * file changed after it was applied, `migration-numbering` when the folder's numbers are not 1, 2, 3 ….
 */
export async function migrate(pool: Pool, folder: string): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(folder)
  const applied: string[] = []
  const client = await pool.connect().catch((error: unknown) => {
    throw asDatabaseError(error)
  })
  try {
    // Building an index may take hours, and others may wait for us as long.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await waitForLock(client)
    await client.query(bookkeeping)
    await adoptSquashed(client, migrations)
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
    // Closed, not returned: that gives back the lock and the settings, whatever state the connection is in.
    client.release(true)
  }
}

/** Reads the folder's migrations in order. Files that do not end in `.sql` are left alone. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const migrations: Migration[] = []
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()) {
    const id = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1])
    if (id !== migrations.length + 1) {
      throw new FatalError(
        'migration-numbering',
        `${join(folder, file)} should be number ${String(migrations.length + 1).padStart(4, '0')}, as in ` +
          '0001_name.sql.',
      )
    }
    const sql = await readFile(join(folder, file), 'utf8')
    migrations.push({
      id,
      name: file.slice(0, -'.sql'.length),
      sql,
      checksum: createHash('sha256').update(sql).digest('hex'),
      inTransaction: !noTransactionMarker.test(sql),
    })
  }
  return migrations
}

/**
 * Asks again and again instead of waiting inside the server: a session that waits in a statement keeps a snapshot, and
 * CREATE INDEX CONCURRENTLY of the lock's holder would wait for that snapshot to go.
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

/** The last migration before 0.1.0, which squashed 34 files into the first 16: the same schema, under other numbers. */
const lastUnreleased = '0034_outgoing_mails'
const squashedCount = 16

/**
 * Records the squashed migrations in a database that was made before 0.1.0 and has all of the files that they
 * replace.
 */
async function adoptSquashed(client: PoolClient, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM app.schema_migrations ORDER BY id DESC LIMIT 1',
  )
  if (rows[0]?.name !== lastUnreleased) return
  await client.query('BEGIN')
  await client.query('DELETE FROM app.schema_migrations')
  for (const migration of migrations.slice(0, squashedCount)) await recordMigration(client, migration)
  await client.query('COMMIT')
}

async function recordMigration(client: PoolClient, { id, name, checksum }: Migration): Promise<void> {
  await client.query('INSERT INTO app.schema_migrations (id, name, checksum) VALUES ($1, $2, $3)', [id, name, checksum])
}

function refuseNewerDatabase(migrations: Migration[], done: Map<number, AppliedMigration>): void {
  const newest = [...done.values()].at(-1)
  if (newest === undefined || newest.id <= migrations.length) return
  throw new FatalError(
    'database-newer',
    `The database was made by a newer flowfarm: it has migration ${newest.name} and this program ends at number ` +
      `${migrations.length}. Start that newer version, or restore a backup from before the upgrade.`,
    { details: { databaseAt: newest.id, programAt: migrations.length } },
  )
}

function refuseEditedFiles(migrations: Migration[], done: Map<number, AppliedMigration>): void {
  for (const { id, name, checksum } of migrations) {
    const landed = done.get(id)
    if (landed === undefined || landed.checksum === checksum) continue
    throw new FatalError(
      'migration-edited',
      `The migration ${name} differs from the one (${landed.name}) that this database has had: ` +
        'put the file back as it was and write the change as a new migration.',
      { details: { id } },
    )
  }
}

async function apply(client: PoolClient, migration: Migration): Promise<void> {
  if (!migration.inTransaction) {
    for (const statement of migration.sql.split(/;\s*$/m)) await client.query(statement)
    await recordMigration(client, migration)
    return
  }
  await client.query('BEGIN')
  await recordMigration(client, migration)
  // On failure the connection is closed, which rolls back.
  await client.query(migration.sql)
  await client.query('COMMIT')
}

/** The same error, of the same class, that says in which file and line it was. */
function inMigration(migration: Migration, error: FlowfarmError): FlowfarmError {
  const { position } = (error.cause ?? {}) as { position?: string }
  const line = position === undefined ? '' : ` line ${migration.sql.slice(0, Number(position)).split('\n').length}`
  const text = `${migration.name}.sql${migration.inTransaction ? line : ''}: ${error.message}`
  const options = { cause: error, details: error.details }
  return error instanceof RetryableError
    ? new RetryableError(error.code, text, options)
    : new FatalError(error.code, text, options)
}
