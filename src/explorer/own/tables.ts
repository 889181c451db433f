import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { OwnDeclaration } from '../../own-tables/declaration.ts'
import { tableShapes, viewShape } from '../../own-tables/own-schema.ts'
import type { ColumnShape, TableShape } from '../../own-tables/own-schema.ts'
import { ApiError, RetryableError } from '../../platform/errors.ts'
import { readRecent } from '../paging/bounds.ts'

export type ServedColumn = ColumnShape

export interface ServedTable extends TableShape {
  readonly worker: string
  /** The table of a fold. */
  readonly of: string | null
  readonly filters: readonly ServedColumn[]
  /** Besides the key. */
  readonly sorts: readonly ServedColumn[]
}

export interface ServedWorker {
  /** Name of the worker and its schema: `own_top_shot`. */
  readonly worker: string
  /** In paths: `top_shot`. */
  readonly name: string
  readonly declaration: OwnDeclaration
  readonly startHeight: number
  readonly error: string | null
  readonly updatedAt: string
  readonly tables: readonly ServedTable[]
}

const prefix = 'own_'

/** As in subscriptions: `top_shot.moment_purchased`. */
export function labelOf({ worker, name }: Pick<ServedTable, 'worker' | 'name'>): string {
  return `${worker.slice(prefix.length)}.${name}`
}

function servedWorker({ name: worker, declaration, ...row }: z.output<typeof workerRow>): ServedWorker {
  return {
    worker,
    name: worker.slice(prefix.length),
    declaration,
    startHeight: row.start_height,
    error: row.error,
    updatedAt: row.updated_at,
    tables: [...tableShapes(declaration), ...(declaration.views ?? []).map(viewShape)].map((shape) => ({
      ...shape,
      worker,
      of: declaration.folds.find(({ name }) => name === shape.name)?.of ?? null,
      filters: shape.columns.filter((column) => isFilter(shape, column)),
      sorts: shape.columns.filter((column) => isSort(shape, column)),
    })),
  }
}

function isFilter({ kind, key, indexes }: TableShape, { name, type }: ServedColumn): boolean {
  if (type === 'jsonb' || type === 'bytea') return false
  if (kind === 'events' ? key.includes(name) : kind === 'sum' && !key.includes(name)) return false
  return hasIndex([key, ...indexes], [name, ...key.filter((one) => one !== name)])
}

function isSort({ kind, key, indexes }: TableShape, { name, type }: ServedColumn): boolean {
  return kind !== 'events' && type !== 'jsonb' && !key.includes(name) && hasIndex(indexes, [name, ...key])
}

function hasIndex(indexes: readonly (readonly string[])[], columns: readonly string[]): boolean {
  return indexes.some((index) => index.join(' ') === columns.join(' '))
}

const workerRow = z.object({
  name: z.string(),
  declaration: z.custom<OwnDeclaration>(),
  start_height: z.number(),
  error: z.string().nullable(),
  updated_at: z.string(),
})

/** Beyond it, workers are not served: more are a mistake. */
const maxWorkers = 500

async function queryWorkers(database: DatabasePool): Promise<readonly ServedWorker[]> {
  const rows = await database.any(sql.type(workerRow)`
    select name, declaration, start_height, error, updated_at from app.own_workers
    where replaces is null order by name limit ${maxWorkers}
  `)
  return rows.map(servedWorker)
}

/** At most a second old. */
export async function readWorkers(database: DatabasePool): Promise<readonly ServedWorker[]> {
  const read = async (): Promise<Map<string, readonly ServedWorker[]>> => new Map([['', await queryWorkers(database)]])
  return (await readRecent(database, 'own workers', [''], read)).get('') ?? []
}

/** @throws ApiError 404 `unknown-own-worker` that names the known ones */
export function findWorker(workers: readonly ServedWorker[], name: string): ServedWorker {
  const found = workers.find((worker) => worker.name === name)
  if (found !== undefined) return found
  const known = workers.length === 0 ? 'No worker is loaded.' : `Known: ${listed(workers)}.`
  throw new ApiError(404, 'unknown-own-worker', `Worker ${name} is unknown. ${known}`, { field: 'workerName' })
}

/** @throws ApiError 404 `unknown-own-table` that names the known ones */
export function findTable({ name: worker, tables }: ServedWorker, name: string): ServedTable {
  const found = tables.find((table) => table.name === name)
  if (found !== undefined) return found
  const detail = `Worker ${worker} has no table ${name}. Known: ${listed(tables)}.`
  throw new ApiError(404, 'unknown-own-table', detail, { field: 'tableName' })
}

function listed(named: readonly { readonly name: string }[]): string {
  const names = named.slice(0, 20).map(({ name }) => name)
  return `${names.join(', ')}${named.length > names.length ? ' and others' : ''}`
}

/**
 * A statement about a table that was replaced meanwhile: undefined table, column, schema, operator
 * or type; relations that are dropped while a statement is planned are an internal error.
 */
const replacedStates: ReadonlySet<string> = new Set(['42P01', '42703', '3F000', '42883', '42804', 'XX000'])

const maxTries = 3

/**
 * Runs again with the new declaration if the tables were replaced meanwhile.
 *
 * @throws ApiError 404; RetryableError if the tables are being replaced all the time
 */
export async function withTable<Result>(
  database: DatabasePool,
  { workerName, tableName }: { readonly workerName: string; readonly tableName: string },
  run: (table: ServedTable) => Promise<Result>,
): Promise<Result> {
  let workers = await readWorkers(database)
  for (let tries = 1; ; tries++) {
    try {
      return await run(findTable(findWorker(workers, workerName), tableName))
    } catch (error) {
      const isUnknown = error instanceof ApiError && error.status === 404
      if (!isUnknown && !isReplaced(error)) throw error
      if (isUnknown && tries > 1) throw error
      if (tries === maxTries) {
        const message = `Table ${workerName}.${tableName} is being replaced. Try again.`
        throw new RetryableError('own-table-replaced', message, { cause: error })
      }
      workers = await queryWorkers(database)
    }
  }
}

export function isReplaced(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string' && replacedStates.has(one.code)) return true
  }
  return false
}
