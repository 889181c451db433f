import { escapeIdentifier } from 'pg'
import type pg from 'pg'
import type { Worker } from '../../jobs/worker.ts'
import { addOwnWorker, deleteWorkerState, lockCheckpoints } from '../farm/leases/coverage.ts'
import type { KnownWorker } from '../farm/overview/stage-plan.ts'
import { query } from '../platform/db/pool.ts'
import { FatalError } from '../platform/errors.ts'
import type { OwnDeclaration, OwnWorker } from './declaration.ts'
import { createOwnSchema } from './create-schema.ts'
import { farmWorkerOf } from './own-worker.ts'

/** Notified with a worker's name when app.own_workers has changed. */
export const ownWorkersChannel = 'own_workers'

const successorSuffix = '__next'

/** The worker that replaces `name` when it has caught up. */
export function successorOf(name: string): string {
  return `${name}${successorSuffix}`
}

export interface RegisteredWorker extends OwnWorker {
  readonly codeHash: string
  readonly error: string | null
}

/** Sorted by name. @throws FlowfarmError */
export async function readRegisteredWorkers(db: pg.Pool | pg.ClientBase): Promise<RegisteredWorker[]> {
  const { rows } = await query<Omit<RegisteredWorker, 'replaces'> & { replaces: string | null }>(
    db,
    `select name, declaration, code_hash as "codeHash", start_height::float8 as "startHeight", replaces, error
     from app.own_workers order by name`,
  )
  return rows.map((row) => ({ ...row, replaces: row.replaces ?? undefined }))
}

/** Without code: for rollbacks, requests, overviews and comparisons. */
export async function readOwnWorkers(db: pg.Pool | pg.ClientBase): Promise<readonly Worker[]> {
  return (await readRegisteredWorkers(db)).map((worker) => farmWorkerOf(worker))
}

/** The same, for the operator page. */
export async function readOwnStages(db: pg.Pool | pg.ClientBase): Promise<readonly KnownWorker[]> {
  return (await readRegisteredWorkers(db)).map((worker) => {
    const { declaration, replaces = null, error } = worker
    return { ...farmWorkerOf(worker), own: { version: declaration.version, replaces, error } }
  })
}

interface Candidate {
  readonly name: string
  readonly declaration: OwnDeclaration
  readonly codeHash: string
}

/**
 * In a transaction of its own, since several processes start at once.
 *
 * @param isReload changed code needs no higher version
 *
 * @returns the worker that runs this code: `name`, or its successor
 *
 * @throws FatalError `own-worker-changed` if the registered code differs; `own-schema-exists`
 */
export async function registerOwnWorker(
  client: pg.ClientBase,
  candidate: Candidate,
  isReload: boolean,
): Promise<RegisteredWorker> {
  const { name, declaration, codeHash } = candidate
  await lockRegistry(client)
  const registered = await readRegisteredWorkers(client)
  const current = registered.find((worker) => worker.name === name)
  const successor = registered.find((worker) => worker.replaces === name)
  if (current === undefined) return addWorker(client, candidate, undefined)
  if (current.codeHash === codeHash) {
    if (successor !== undefined && isReload) await deleteWorker(client, successor.name)
    return { ...current, error: null }
  }
  if (successor?.codeHash === codeHash) return successor
  const newest = (successor ?? current).declaration.version
  if (!isReload && declaration.version <= newest) {
    const remedy =
      declaration.version < newest
        ? `Deploy version ${newest}, or raise version above ${newest} to derive its tables again.`
        : `Restore the code, or raise version above ${newest} to derive its tables again.`
    throw new FatalError(
      'own-worker-changed',
      `Could not start ${name}: its code differs from the registered version ${newest}, ` +
        `and declares version ${declaration.version}. ${remedy}`,
    )
  }
  if (successor !== undefined) await deleteWorker(client, successor.name)
  return addWorker(client, { ...candidate, name: successorOf(name) }, name)
}

async function lockRegistry(client: pg.ClientBase): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('flowfarm own workers', 0))`)
}

async function addWorker(
  client: pg.ClientBase,
  { name, declaration: declared, codeHash }: Candidate,
  replaces: string | undefined,
): Promise<RegisteredWorker> {
  const { rows } = await client.query<{ isTaken: boolean }>(
    'select exists (select from pg_namespace where nspname = $1) as "isTaken"',
    [name],
  )
  if (rows[0]?.isTaken === true) {
    const remedy = 'Rename the folder of the worker, or drop the schema'
    throw new FatalError('own-schema-exists', `Could not create schema ${name}: it exists already. ${remedy}.`)
  }
  const declaration = await createOwnSchema(client, name, declared)
  // Heights before the deployment have no events, and cost nothing.
  const startHeight = declaration.startHeight ?? 0
  await client.query(
    `insert into app.own_workers (name, declaration, code_hash, start_height, replaces) values ($1, $2, $3, $4, $5)`,
    [name, JSON.stringify(declaration), codeHash, startHeight, replaces],
  )
  await addOwnWorker(client, name, startHeight)
  await announce(client, name)
  return { name, declaration, codeHash, startHeight, replaces, error: null }
}

async function announce(client: pg.Pool | pg.ClientBase, name: string): Promise<void> {
  await client.query('select pg_notify($1, $2)', [ownWorkersChannel, name])
}

/** Shown with the worker. Null: its files are loaded. */
export async function setWorkerError(db: pg.Pool | pg.ClientBase, name: string, error: string | null): Promise<void> {
  await db.query(
    `with changed as (
       update app.own_workers set error = $2, updated_at = now() where name = $1 and error is distinct from $2
       returning name
     )
     select pg_notify('${ownWorkersChannel}', name) from changed`,
    [name, error],
  )
}

/**
 * In a transaction. Moves the successor's tables, leases and coverage to the name of the worker
 * that it replaces, if it has covered the heights of that worker from its own start height.
 *
 * Claims of both that are running cannot commit: their leases no longer exist.
 */
export async function replaceIfCaughtUp(client: pg.ClientBase, name: string): Promise<boolean> {
  const successor = successorOf(name)
  await lockRegistry(client)
  const { rows: found } = await client.query('select from app.own_workers where name = $1 and replaces = $2', [
    successor,
    name,
  ])
  if (found.length === 0 || !(await hasCaughtUp(client, name))) return false
  await lockLeases(client, [name, successor])
  // Coverage may have changed before the locks, by a rollback for example.
  if (!(await hasCaughtUp(client, name))) return false
  await deleteWorker(client, name)
  // Other leases are planned again. Their claims would otherwise hold the heights until they expire.
  await client.query("delete from app.worker_leases where worker_type = $1 and status not in ('done', 'skipped')", [
    successor,
  ])
  for (const [table, column] of ownerColumns) {
    await client.query(`update ${table} set ${column} = $2 where ${column} = $1`, [successor, name])
  }
  await client.query('update app.own_workers set name = $2, replaces = null, updated_at = now() where name = $1', [
    successor,
    name,
  ])
  await client.query(`alter schema ${escapeIdentifier(successor)} rename to ${escapeIdentifier(name)}`)
  await announce(client, name)
  return true
}

/** Columns with the names of workers. */
const ownerColumns = [
  ['app.worker_leases', 'worker_type'],
  ['app.indexing_checkpoints', 'service_name'],
  ['raw.indexing_errors', 'worker_name'],
] as const

async function hasCaughtUp(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ hasCaughtUp: boolean }>(
    `select coalesce(n.covered, '{}') @> (coalesce(o.covered, '{}') * int8multirange(int8range(w.start_height, null)))
       as "hasCaughtUp"
     from app.own_workers w
     left join app.coverage n on n.service_name = w.name
     left join app.coverage o on o.service_name = w.replaces
     where w.name = $1`,
    [successorOf(name)],
  )
  return rows[0]?.hasCaughtUp === true
}

/** Waits for running commits of the workers. */
async function lockLeases(client: pg.ClientBase, names: readonly string[]): Promise<void> {
  await lockCheckpoints(client, names)
  await client.query(
    `select from app.worker_leases where worker_type = any ($1::text[])
     order by worker_type, from_height for update`,
    [names],
  )
}

/**
 * In a transaction. Deletes the worker, its successor and their tables.
 *
 * @returns false if the worker is not registered
 */
export async function removeOwnWorker(client: pg.ClientBase, name: string): Promise<boolean> {
  await lockRegistry(client)
  const { rows } = await client.query<{ name: string }>(
    'select name from app.own_workers where name = $1 or replaces = $1 order by name',
    [name],
  )
  for (const worker of rows) await deleteWorker(client, worker.name)
  return rows.length > 0
}

async function deleteWorker(client: pg.ClientBase, name: string): Promise<void> {
  await lockLeases(client, [name])
  await deleteWorkerState(client, name)
  await client.query('delete from app.own_workers where name = $1', [name])
  await client.query(`drop schema if exists ${escapeIdentifier(name)} cascade`)
  await announce(client, name)
}
