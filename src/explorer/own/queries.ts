import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ShortCache } from '../present-chain.ts'
import type { ApiError } from '../../platform/errors.ts'
import { Slots } from '../../platform/limits/slots.ts'
import type { SlotsOptions } from '../../platform/limits/slots.ts'
import { parseMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import type { Bounds } from '../paging/bounds.ts'
import type { ColumnFilter } from './filters.ts'
import { invalid, parseValue } from './filters.ts'
import { labelOf } from './tables.ts'
import type { ServedColumn, ServedTable, ServedWorker } from './tables.ts'

/** Values of the columns, as presented, in their order. */
export type OwnRow = Record<string, unknown>

export interface OwnSelection {
  readonly filters: readonly ColumnFilter[]
  /** A column of `sorts`; undefined: the key. */
  readonly sort: ServedColumn | undefined
  readonly isAscending: boolean
  /** Of tables with rows of events; undefined: all heights. */
  readonly heights: Bounds | undefined
  readonly cursor: string | undefined
  readonly limit: number
}

export interface OwnPage {
  readonly rows: OwnRow[]
  /** Empty on the last page. */
  readonly cursor: string
}

/** Rows of the best index that are compared with the other filters, per page. */
const maxScanned = 10_000

/** A page ends with the row that exceeds it. */
const maxBytes = 4 * 1024 * 1024

export function qualifiedName({ worker, name }: Pick<ServedTable, 'worker' | 'name'>): FragmentSqlToken {
  return sql.fragment`${sql.identifier([worker, name])}`
}

/** Index columns with equal values, then those of the order. */
interface IndexScan {
  readonly equal: readonly ColumnFilter[]
  readonly order: readonly ServedColumn[]
  /** Filters that the index does not serve. */
  readonly others: readonly ColumnFilter[]
}

/** @throws ApiError 400 if no index serves the filters in this order */
async function chooseScan(database: DatabasePool, table: ServedTable, selection: OwnSelection): Promise<IndexScan> {
  const scans = possibleScans(table, selection)
  const most = Math.max(...scans.map(({ equal }) => equal.length))
  const best = scans.filter(({ equal }) => equal.length === most)
  const [first, ...more] = best
  if (first === undefined) {
    const names = selection.filters.map(({ column }) => column.name).join(' and ')
    const problem = `cannot be combined with the filter ${names}: no index serves both. Sort by key instead.`
    throw invalid('sort', problem)
  }
  if (more.length === 0 || first.others.length === 0) return first
  // The rarest value. Counting more rows than a page scans tells nothing.
  const counts = await Promise.all(best.map((scan) => countUpTo(database, table, scan)))
  return best[counts.indexOf(Math.min(...counts))] ?? first
}

function possibleScans(table: ServedTable, { filters, sort }: OwnSelection): IndexScan[] {
  const columnOf = new Map(table.columns.map((column) => [column.name, column]))
  return [table.key, ...table.indexes].flatMap((index) => {
    let count = 0
    while (filters.some(({ column }) => column.name === index[count])) count++
    const equal = index.slice(0, count)
    const key = table.key.filter((name) => !equal.includes(name))
    const isRanked = sort !== undefined && key.length > 0 && !equal.includes(sort.name)
    const order = isRanked ? [sort.name, ...key] : key
    const isServed = (filters.length === 0 || count > 0) && index.slice(count).join(' ') === order.join(' ')
    if (!isServed) return []
    return [
      {
        equal: equal.flatMap((name) => filters.filter(({ column }) => column.name === name)),
        order: order.flatMap((name) => columnOf.get(name) ?? []),
        others: filters.filter(({ column }) => !equal.includes(column.name)),
      },
    ]
  })
}

const countRow = z.object({ count: z.number() })

async function countUpTo(database: DatabasePool, table: ServedTable, { equal }: IndexScan): Promise<number> {
  const { count } = await database.one(sql.type(countRow)`
    select count(*) as count from (
      select from ${qualifiedName(table)} as t where ${all(equal.map(equals))} limit ${maxScanned}
    ) as some_rows
  `)
  return count
}

const pageRow = z.looseObject({
  '#cursor': z.array(z.string()),
  '#count': z.number(),
  '#nth': z.number(),
  '#is_match': z.boolean(),
})

/** @throws ApiError 400 for a cursor of another list, and if no index serves the filters in this order */
export async function readOwnPage(
  database: DatabasePool,
  table: ServedTable,
  selection: OwnSelection,
): Promise<OwnPage> {
  const { limit, cursor } = selection
  const scan = await chooseScan(database, table, selection)
  const after = cursor === undefined || cursor === '' ? undefined : parseCursor(table, scan, cursor)
  const found = await database.any(sql.type(pageRow)`${statement(table, scan, selection, after)}`)
  const matching = found.filter((row) => row['#is_match'])
  const shown = matching.slice(0, limit)
  const isCut = found.length < (found[0]?.['#count'] ?? 0) || shown.length < matching.length
  const lastScanned = scan.others.length > 0 && found.at(-1)?.['#nth'] === maxScanned ? found.at(-1) : undefined
  const last = isCut ? shown.at(-1) : lastScanned
  return {
    rows: shown.map((row) => Object.fromEntries(table.columns.map(({ name }) => [name, row[name] ?? null]))),
    cursor: last === undefined ? '' : Buffer.from(JSON.stringify(last['#cursor'])).toString('base64url'),
  }
}

/** REST serves the first rows of a view, SQL all. */
export const maxViewRows = 1000

const viewRow = z.looseObject({})
const viewReads = new WeakMap<DatabasePool, { readonly cache: ShortCache; readonly slots: Slots }>()
const viewCacheLimits = { maxAgeMs: 1000, maxFailureAgeMs: 1000, maxBytes: 64 * 1024 * 1024 }
/** Fewer than the connections, which expensive calls use too. */
const viewSlots: SlotsOptions = { what: 'views', max: 3, maxPerClient: 3, maxWaiting: 100, maxWaitMs: 5000 }

/**
 * In the order of the view. All clients share one reading a second, since it may be expensive.
 *
 * @throws ApiError 503 `busy`
 */
export async function readViewPage(
  database: DatabasePool,
  table: ServedTable,
  { limit, cursor }: OwnSelection,
): Promise<OwnPage> {
  const start = viewPosition(table, cursor)
  const reads = viewReads.get(database) ?? { cache: new ShortCache(viewCacheLimits), slots: new Slots(viewSlots) }
  viewReads.set(database, reads)
  const { cache, slots } = reads
  const read = async (): Promise<OwnRow[]> => {
    const slot = await slots.enter(undefined)
    return readViewRows(database, table).finally(slot.leave)
  }
  const key = JSON.stringify([labelOf(table), table.columns])
  const rows = await cache.get(key, read, (all) => 2 * JSON.stringify(all).length)
  const end = start + limit
  return {
    rows: rows.slice(start, end),
    cursor: end < rows.length ? Buffer.from(String(end)).toString('base64url') : '',
  }
}

function viewPosition(table: ServedTable, cursor: string | undefined): number {
  if (cursor === undefined || cursor === '') return 0
  const text = Buffer.from(cursor, 'base64url').toString()
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw badCursor(table)
}

async function readViewRows(database: DatabasePool, table: ServedTable): Promise<OwnRow[]> {
  const rows = await database.any(sql.type(viewRow)`
    with first_rows as materialized (
      select v.*, row_number() over () as "#nth"
      from (select * from ${qualifiedName(table)} limit ${maxViewRows}) as v
    ), sized as (
      select v.*, sum(octet_length(v::text)) over (
        order by "#nth" rows between unbounded preceding and 1 preceding
      ) as "#bytes" from first_rows as v
    )
    select ${presentedColumns(table)} from sized as t where coalesce("#bytes", 0) < ${maxBytes} order by "#nth"
  `)
  return rows.map((row) => Object.fromEntries(table.columns.map(({ name }) => [name, row[name] ?? null])))
}

/**
 * Row comparisons on all columns of the index, and an order that begins with constants, keep the
 * planner from scanning another index for a rare value.
 */
function statement(
  table: ServedTable,
  { equal, order, others }: IndexScan,
  { isAscending, heights, limit }: OwnSelection,
  after: readonly string[] | undefined,
): FragmentSqlToken {
  const columns = [...equal.map(({ column }) => column), ...order].map(reference)
  const direction = isAscending ? sql.fragment` asc` : sql.fragment` desc`
  const orderBy = list(columns.map((column) => sql.fragment`${column}${direction}`))
  const values = equal.map(({ column, value }) => typed(column, value))
  const compare = (operator: FragmentSqlToken, more: readonly FragmentSqlToken[]): FragmentSqlToken[] => {
    const given = [...values, ...more]
    if (given.length === 0) return []
    return [sql.fragment`(${list(columns.slice(0, given.length))}) ${operator} (${list(given)})`]
  }
  const cursor = after?.map((value, i) => positioned(order[i], value))
  const [low, high] = heights === undefined ? [[], []] : [[height(heights.min)], [height(heights.max)]]
  const conditions = [
    ...compare(sql.fragment`>=`, low),
    ...compare(sql.fragment`<=`, high),
    ...(cursor === undefined ? [] : compare(isAscending ? sql.fragment`>` : sql.fragment`<`, cursor)),
    ...order.filter(({ isOptional }) => isOptional).map((column) => sql.fragment`${reference(column)} is not null`),
  ]
  const isMatch = all(others.map(equals))
  const scanned = others.length === 0 ? limit + 1 : maxScanned
  // The last scanned row is the cursor of a page that ends early.
  const isShown = others.length === 0 ? sql.fragment`true` : sql.fragment`(${isMatch} or "#nth" = ${maxScanned})`
  return sql.fragment`
    with scanned as materialized (
      select t.*, row_number() over (order by ${orderBy}) as "#nth"
      from (
        select * from ${qualifiedName(table)} as t where ${all(conditions)} order by ${orderBy} limit ${scanned}
      ) as t
    ), found as materialized (
      select * from scanned as t where ${isShown} order by "#nth" limit ${limit + 1}
    ), sized as (
      select t.*, count(*) over () as "#count", sum(octet_length(t::text)) over (
        order by "#nth" rows between unbounded preceding and 1 preceding
      ) as "#bytes" from found as t
    )
    select ${presentedColumns(table)},
      ${order.length === 0 ? sql.fragment`'{}'` : cursorOf(order)}::text[] as "#cursor",
      "#count", "#nth", ${isMatch} as "#is_match"
    from sized as t where coalesce("#bytes", 0) < ${maxBytes} order by "#nth"
  `
}

function height(value: number): FragmentSqlToken {
  return sql.fragment`${value}::int8`
}

function list(fragments: readonly FragmentSqlToken[]): FragmentSqlToken {
  return sql.join(fragments, sql.fragment`, `) as unknown as FragmentSqlToken
}

function all(conditions: readonly FragmentSqlToken[]): FragmentSqlToken {
  if (conditions.length === 0) return sql.fragment`true`
  return sql.fragment`${sql.join(conditions, sql.fragment` and `)}`
}

function reference({ name }: Pick<ServedColumn, 'name'>): FragmentSqlToken {
  return sql.fragment`t.${sql.identifier([name])}`
}

function equals({ column, value }: ColumnFilter): FragmentSqlToken {
  return sql.fragment`${reference(column)} = ${typed(column, value)}`
}

function typed({ type }: ServedColumn, value: string): FragmentSqlToken {
  switch (type) {
    case 'boolean':
      return sql.fragment`${value}::boolean`
    case 'integer':
      return sql.fragment`${value}::int4`
    case 'bigint':
      return sql.fragment`${value}::int8`
    case 'numeric':
      return sql.fragment`${value}::numeric`
    case 'timestamptz':
      return sql.fragment`${value}::timestamptz`
    case 'date':
      return sql.fragment`${value}::date`
    default:
      return sql.fragment`${value}::text`
  }
}

/** Columns of a row `t`. */
export function presentedColumns({ columns }: ServedTable): FragmentSqlToken {
  return list(columns.map(presented))
}

/** Amounts stay exact as text. Heights and indexes are numbers, as in other lists. */
function presented(column: ServedColumn): FragmentSqlToken {
  const { name, type } = column
  const alias = sql.identifier([name])
  if (type === 'bytea') return sql.fragment`encode(${reference(column)}, 'hex') as ${alias}`
  const isText = type === 'numeric' || type === 'date' || (type === 'bigint' && name !== 'block_height')
  return isText ? sql.fragment`${reference(column)}::text as ${alias}` : sql.fragment`${reference(column)} as ${alias}`
}

/** Times in microseconds since 1970: other forms lose digits or depend on the session. */
function cursorOf(order: readonly ServedColumn[]): FragmentSqlToken {
  const values = order.map((column) =>
    column.type === 'timestamptz'
      ? sql.fragment`(extract(epoch from ${reference(column)}) * 1000000)::int8::text`
      : sql.fragment`${reference(column)}::text`,
  )
  return sql.fragment`array[${list(values)}]`
}

function positioned(column: ServedColumn | undefined, value: string): FragmentSqlToken {
  if (column === undefined) throw new TypeError('a cursor has as many values as its order has columns')
  if (column.type !== 'timestamptz') return typed(column, value)
  return sql.fragment`(timestamptz 'epoch' + ${value}::int8 * interval '1 microsecond')`
}

const maxCursorLength = 12_000

export const cursorForm = new RegExp(`^[A-Za-z0-9_-]{0,${maxCursorLength}}$`)

function isPosition(column: ServedColumn, value: unknown): value is string {
  if (typeof value !== 'string') return false
  switch (column.type) {
    case 'text':
      return !value.includes('\0')
    case 'numeric':
      return /^(-?\d{1,1000}(\.\d{1,1000})?|NaN|-?Infinity)$/.test(value)
    case 'timestamptz':
      return /^-?\d{1,17}$/.test(value)
    default:
      return parseValue(column, value) !== undefined
  }
}

/** The values of the order in the last row. */
function parseCursor(table: ServedTable, { order }: IndexScan, cursor: string): readonly string[] {
  const values = parseJson(Buffer.from(cursor, 'base64url').toString())
  const isOfOrder = Array.isArray(values) && values.length === order.length && order.length > 0
  if (isOfOrder && order.every((column, i) => isPosition(column, values[i]))) return values as readonly string[]
  throw badCursor(table)
}

function badCursor(table: ServedTable): ApiError {
  return invalid('cursor', `does not belong to this list of ${labelOf(table)}. Pass the cursor of its previous page.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const progressRow = z.object({
  name: z.string(),
  stored: z.string().nullable(),
  covered: z.string().nullable(),
  flagged: z.number(),
})

export interface OwnProgress {
  /** Stored heights from the start height on, inclusive; null before the first one. */
  readonly from: number | null
  readonly to: number | null
  readonly stored: number
  readonly derived: number
  /** The highest derived height. */
  readonly derivedTo: number | null
  readonly flagged: number
}

export async function readProgress(
  database: DatabasePool,
  workers: readonly ServedWorker[],
): Promise<ReadonlyMap<string, OwnProgress>> {
  if (workers.length === 0) return new Map()
  const names = sql.array(
    workers.map(({ worker }) => worker),
    'text',
  )
  const starts = sql.array(
    workers.map(({ startHeight }) => startHeight),
    'int8',
  )
  const rows = await database.any(sql.type(progressRow)`
    with stored as (
      select range_agg(covered) as heights from app.coverage where service_name in ('main_ingester', 'history_ingester')
    )
    select w.name, (stored.heights * w.owed)::text as stored, (c.covered * stored.heights * w.owed)::text as covered, (
      select count(*) from app.worker_leases l where l.worker_type = w.name and l.status = 'flagged'
    ) as flagged
    from (
      select name, int8multirange(int8range(start, null)) as owed from unnest(${names}, ${starts}) as of (name, start)
    ) as w cross join stored left join app.coverage c on c.service_name = w.name
  `)
  return new Map(
    rows.map(({ name, stored, covered, flagged }) => {
      const [owed, done] = [parseMultirange(stored ?? '{}'), parseMultirange(covered ?? '{}')]
      const last = owed.at(-1)?.to
      const derivedTo = done.at(-1)?.to
      return [
        name,
        {
          from: owed[0]?.from ?? null,
          to: last === undefined ? null : last - 1,
          stored: lengthOf(owed),
          derived: lengthOf(done),
          derivedTo: derivedTo === undefined ? null : derivedTo - 1,
          flagged,
        },
      ]
    }),
  )
}

function lengthOf(heights: HeightSet): number {
  return heights.reduce((sum, { from, to }) => sum + to - from, 0)
}

const estimateRow = z.object({ worker: z.string(), name: z.string(), count: z.number() })

/** By `worker.table`. */
export async function estimateRows(
  database: DatabasePool,
  workers: readonly ServedWorker[],
): Promise<ReadonlyMap<string, number>> {
  if (workers.length === 0) return new Map()
  const schemas = sql.array(
    workers.map(({ worker }) => worker),
    'text',
  )
  const rows = await database.any(sql.type(estimateRow)`
    select n.nspname::text as worker, c.relname::text as name,
      greatest(c.reltuples::int8, pg_stat_get_live_tuples(c.oid), 0) as count
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${schemas}) and c.relkind in ('r', 'p')
  `)
  return new Map(rows.map(({ worker, name, count }) => [`${worker}.${name}`, count]))
}

/** Bounds the cost of a chart. */
export const maxDayRows = 100_000

const dayRow = z.object({ day: z.string(), count: z.number(), sum: z.string().nullable(), total: z.number() })

export interface OwnDays {
  /** Ascending. */
  readonly days: readonly { readonly day: string; readonly count: number; readonly sum: string | null }[]
  readonly rows: number
  /** There are older rows. */
  readonly isCut: boolean
}

/** Covers the newest rows. A day that they do not cover completely is left out, unless it is the only one. */
export async function readOwnDays(
  database: DatabasePool,
  table: ServedTable,
  column: ServedColumn | undefined,
): Promise<OwnDays> {
  const value = column === undefined ? sql.fragment`null::numeric` : reference(column)
  const order = list(table.key.map((name) => sql.fragment`t.${sql.identifier([name])} desc`))
  const rows = await database.any(sql.type(dayRow)`
    with newest as materialized (
      select t.block_timestamp as time, ${value} as value from ${qualifiedName(table)} as t
      order by ${order} limit ${maxDayRows + 1}
    )
    select (time at time zone 'UTC')::date::text as day, count(*), sum(value)::text as sum,
      (sum(count(*)) over ())::int8 as total
    from newest group by 1 order by 1
  `)
  const total = rows[0]?.total ?? 0
  const isCut = total > maxDayRows
  const days = isCut && rows.length > 1 ? rows.slice(1) : rows
  return {
    days: days.map(({ day, count, sum }) => ({ day, count, sum })),
    rows: days.reduce((sum, { count }) => sum + count, 0),
    isCut,
  }
}
