import { Readable } from 'node:stream'
import { z } from 'zod'
import { csvLine } from '../../platform/csv.ts'
import type { CsvValue } from '../../platform/csv.ts'
import { ApiError } from '../../platform/errors.ts'
import { describeApi } from '../../platform/http/openapi.ts'
import { AnswerStream } from '../../platform/http/route.ts'
import type { CsvLimits } from '../accounts/tax-report.ts'
import { apiInfo } from '../api-info.ts'
import { readBoundsOfDays } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { listOf, pageUpTo, singleOf, wholeList } from '../paging/pages.ts'
import { cursorParameter, dayFilters, heightParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Route, Services } from '../route.ts'
import { invalid, parseFilters } from './filters.ts'
import {
  cursorForm,
  estimateRows,
  maxDayRows,
  readOwnDays,
  readOwnPage,
  readProgress,
  readViewPage,
} from './queries.ts'
import type { OwnPage, OwnRow, OwnSelection } from './queries.ts'
import {
  columnSchemaOf,
  filterShapeOf,
  ownDaysSchema,
  ownWorkerDetailSchema,
  ownWorkerSchema,
  presentOwnWorker,
  presentOwnWorkerDetail,
} from './schema.ts'
import { findWorker, readWorkers, withTable } from './tables.ts'
import type { ServedColumn, ServedTable, ServedWorker } from './tables.ts'

const tag = 'Own tables'

/** Names of the registry: others are unknown, so their form is not checked. */
const nameParameter = z.string().max(200, 'must have at most 200 characters')
const workerParams = z.object({ workerName: nameParameter.describe('Worker, without `own_`.') })
const tableParams = z.object({
  ...workerParams.shape,
  tableName: nameParameter.describe('Table, fold or view of the worker.'),
})

const exampleWorker = {
  name: 'top_shot',
  schema: 'own_top_shot',
  contract: 'A.0b2a3299cc857e29.TopShot',
  description: 'Moments of NBA Top Shot',
  version: 1,
  start_height: 7_641_063,
  from_height: 7_641_063,
  to_height: 118_542_743,
  derived_height: 118_542_743,
  stored_blocks: 110_901_681,
  derived_blocks: 110_901_681,
  is_caught_up: true,
  flagged_ranges: 0,
  error: null,
  updated_at: '2025-07-01T12:00:00.250Z',
}

const exampleTable = {
  name: 'moment_purchased',
  kind: 'events' as const,
  comment: 'Sales of moments',
  row_estimate: 21_402_117,
}

const workerList = defineRoute({
  path: '/own',
  operationId: 'listOwnWorkers',
  tag,
  summary: 'Workers of this server with own tables',
  description: 'Tables that the operator of this server derives from the events of a contract.',
  response: listOf(ownWorkerSchema, 'OwnWorker'),
  example: {
    data: [{ ...exampleWorker, tables: [exampleTable] }],
    has_more: false,
    cursor: '',
    _meta: { count: 1 },
  },
  handler: async (_input, { database }) => {
    const workers = await readWorkers(database)
    const [progress, estimates] = await Promise.all([readProgress(database, workers), estimateRows(database, workers)])
    return {
      body: wholeList(workers.map((worker) => presentOwnWorker(worker, progress.get(worker.worker), estimates))),
    }
  },
})

const unknownWorker = { 404: 'The worker is unknown.' }
const unknownTable = { 404: 'The worker or table is unknown.' }

const workerDetail = defineRoute({
  path: '/own/{workerName}',
  operationId: 'getOwnWorker',
  tag,
  summary: 'Declaration and progress of a worker',
  params: workerParams,
  response: singleOf(ownWorkerDetailSchema, 'OwnWorker'),
  problems: unknownWorker,
  example: {
    data: [
      {
        ...exampleWorker,
        tables: [
          {
            ...exampleTable,
            of: null,
            path: '/own/top_shot/moment_purchased',
            columns: [
              {
                name: 'moment_id',
                type: 'numeric' as const,
                comment: 'id of the event',
                is_optional: false,
                is_key: false,
                filter: 'moment_id',
                can_sort: false,
              },
            ],
          },
        ],
      },
    ],
  },
  handler: async ({ params: { workerName } }, { database }) => {
    const worker = findWorker(await readWorkers(database), workerName)
    const [progress, estimates] = await Promise.all([
      readProgress(database, [worker]),
      estimateRows(database, [worker]),
    ])
    return { body: { data: [presentOwnWorkerDetail(worker, progress.get(worker.worker), estimates)] } }
  },
})

const rowsQuery = z.object({
  limit: limitParameter({ default: 20, max: 100 }),
  cursor: cursorParameter(cursorForm, '<position>'),
  sort: z.string().max(200).optional().describe('Of folds: `key` (default), or a column with `can_sort`.'),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc')
    .optional()
    .describe('Default: desc (newest or highest first); asc for folds by key. Views have an order of their own.'),
  from_height: heightParameter().optional().describe('Lowest block height.'),
  to_height: heightParameter().optional().describe('Highest block height.'),
  ...dayFilters,
  format: z.enum(['json', 'csv']).optional().describe('csv: all rows, without pages.'),
})

type RowsQuery = z.output<typeof rowsQuery>

const csvType = 'text/csv'

const rowsDescription =
  'All other query parameters filter by equality: names of columns whose `filter` in `/own/{workerName}` is ' +
  'not null. ' +
  'Rows of events are filtered by `from_height`, `to_height`, `from` and `to` too. `format=csv` returns all rows as ' +
  'a file, up to the limits of the tax report. Views return their first 1,000 rows, at most a second old.'

const rowList = defineRoute({
  path: '/own/{workerName}/{tableName}',
  operationId: 'listOwnRows',
  cost: ['format'],
  tag,
  summary: 'Rows of an own table, fold or view',
  description: `${rowsDescription} \`/own/{workerName}/openapi.json\` describes the columns.`,
  params: tableParams,
  query: rowsQuery,
  response: listOf(z.record(z.string(), z.unknown()), 'OwnRow'),
  otherTypes: { [csvType]: 'All rows after a header line, with `format=csv`.' },
  problems: unknownTable,
  example: {
    data: [
      {
        block_height: 118_542_743,
        tx_index: 2,
        event_index: 12,
        row_index: 0,
        block_timestamp: '2025-07-01T12:00:00.250Z',
        transaction_id: '3f1c9b8e27d64a05c8f2e1b79d3a604f5e8c27b1906fd4a38e5b2c7d10f9a6e4',
        moment_id: '48113952',
        price: '12.00000000',
        seller: '0x18eb4ee6b3c026d2',
      },
    ],
    has_more: true,
    cursor: 'WyIxMTg1NDI3NDMiLCIyIiwiMTIiLCIwIl0',
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ params, query, allParameters }, services) => {
    const { database } = services
    const { limit, format } = query
    if (format === 'csv') {
      const { table, select } = await withTable(database, params, async (served) => ({
        table: served,
        select: await selectionOf(services, served, query, allParameters),
      }))
      return {
        body: new AnswerStream(`${csvType}; charset=utf-8`, streamCsv(services, table, select)),
        caching: 'never',
        headers: { 'Content-Disposition': `attachment; filename="${params.workerName}-${params.tableName}.csv"` },
      }
    }
    const { rows, cursor } = await withTable(database, params, async (served) => {
      const selection = await selectionOf(services, served, query, allParameters)
      return readRows(services, served, selection)
    })
    return { body: pageUpTo(rows, limit, cursor) }
  },
})

async function readRows(
  { database, expensiveReads }: Services,
  table: ServedTable,
  selection: OwnSelection | undefined,
): Promise<OwnPage> {
  if (selection === undefined) return { rows: [], cursor: '' }
  if (table.kind === 'view') return readViewPage(expensiveReads, table, selection)
  return readOwnPage(database, table, selection)
}

/** Undefined if no height can match. */
async function selectionOf(
  { database }: Services,
  table: ServedTable,
  query: RowsQuery,
  parameters: URLSearchParams,
): Promise<OwnSelection | undefined> {
  const filters = parseFilters(table, parameters)
  const sort = sortOf(table, query.sort)
  if (table.kind === 'view' && query.order !== undefined) throw invalid('order', 'cannot be set for a view.')
  const heights = await heightsOf(database, table, query)
  if (heights === undefined && hasHeights(query)) return undefined
  const isAscending = query.order === undefined ? table.kind !== 'events' && sort === undefined : query.order === 'asc'
  return { filters, sort, isAscending, heights, cursor: query.cursor, limit: query.limit }
}

function sortOf(table: ServedTable, name: string | undefined): ServedColumn | undefined {
  if (name === undefined || name === '' || name === 'key') return undefined
  const column = table.sorts.find((one) => one.name === name)
  if (column !== undefined) return column
  const names = ['key', ...table.sorts.map((one) => one.name)]
  throw invalid('sort', names.length === 1 ? 'can only be key for this table.' : `must be one of ${names.join(', ')}.`)
}

const heightNames = ['from_height', 'to_height', 'from', 'to'] as const

function hasHeights(query: RowsQuery): boolean {
  return heightNames.some((name) => query[name] !== undefined)
}

async function heightsOf(
  database: Services['database'],
  { kind }: ServedTable,
  query: RowsQuery,
): Promise<Bounds | undefined> {
  const given = heightNames.find((name) => query[name] !== undefined)
  if (given === undefined) return undefined
  if (kind !== 'events') throw invalid(given, 'selects rows of events: folds and views have the current state only.')
  const { from_height: low = 0, to_height: high = Number.MAX_SAFE_INTEGER, from, to } = query
  if (low > high) throw invalid('from_height', `must not be above "to_height" (${high}).`)
  if (from === undefined && to === undefined) return { min: low, max: high }
  const days = await readBoundsOfDays(database, { from, to })
  if (days === undefined) return undefined
  const bounds = { min: Math.max(low, days.min), max: Math.min(high, days.max) }
  return bounds.min > bounds.max ? undefined : bounds
}

const batchSize = 500

/** Each batch is a separate query, so that a slow client holds no connection. */
function streamCsv(services: Services, table: ServedTable, selection: OwnSelection | undefined): Readable {
  const { csvLimits } = services
  const read = async (cursor: string, limit: number): Promise<OwnPage> =>
    readRows(services, table, selection === undefined ? undefined : { ...selection, cursor, limit })
  return Readable.from(csvLines(table, selection?.cursor ?? '', csvLimits, read), {
    objectMode: false,
    highWaterMark: 1,
  })
}

async function* csvLines(
  { columns }: ServedTable,
  first: string,
  { maxRows, maxMs }: CsvLimits,
  read: (cursor: string, limit: number) => Promise<{ rows: OwnRow[]; cursor: string }>,
): AsyncGenerator<string, void, undefined> {
  const end = performance.now() + maxMs
  yield csvLine(columns.map(({ name }) => name))
  let cursor = first
  for (let left = maxRows; ;) {
    const page = await read(cursor, Math.min(batchSize, left))
    yield page.rows.map((row) => csvLine(columns.map(({ name }) => csvValue(row[name])))).join('')
    left -= page.rows.length
    cursor = page.cursor
    if (cursor === '') return
    const why = left <= 0 ? `it has more than ${maxRows} rows` : `it took longer than ${maxMs / 1000} s`
    if (left > 0 && performance.now() <= end) continue
    yield csvLine(['#incomplete', `This file is incomplete: ${why}. Request the rest with cursor=${cursor}`])
    return
  }
}

function csvValue(value: unknown): CsvValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  return JSON.stringify(value)
}

const dayList = defineRoute({
  path: '/own/{workerName}/{tableName}/daily',
  operationId: 'getOwnDays',
  cost: 'high',
  tag,
  summary: 'Rows by day, and the sum of a numeric column',
  description: `Covers the newest ${maxDayRows} rows of events, without a day that they do not cover completely.`,
  params: tableParams,
  query: z.object({ column: z.string().max(200).optional().describe('Numeric column to sum.') }),
  response: singleOf(ownDaysSchema, 'OwnDays'),
  problems: unknownTable,
  example: {
    data: [
      {
        days: [{ day: '2025-07-01', count: 3120, sum: '81231.00000000' }],
        column: 'price',
        rows: 3120,
        is_cut: false,
      },
    ],
  },
  handler: async ({ params, query }, { database }) => {
    const days = await withTable(database, params, (table) => {
      if (table.kind !== 'events') {
        const remedy = table.of === null ? '' : ` Read ${table.of} instead.`
        const detail = `${table.name} has no days: it is not a table of events.${remedy}`
        throw new ApiError(400, 'invalid-parameter', detail, { field: 'tableName' })
      }
      return readOwnDays(database, table, summedColumn(table, query.column))
    })
    return {
      body: { data: [{ days: [...days.days], column: query.column ?? null, rows: days.rows, is_cut: days.isCut }] },
    }
  },
})

const summedTypes: ReadonlySet<string> = new Set(['integer', 'bigint', 'numeric'])

function summedColumn({ columns, key }: ServedTable, name: string | undefined): ServedColumn | undefined {
  if (name === undefined) return undefined
  const possible = columns.filter((column) => summedTypes.has(column.type) && !key.includes(column.name))
  const column = possible.find((one) => one.name === name)
  if (column !== undefined) return column
  const names = possible.map((one) => one.name)
  throw invalid(
    'column',
    names.length === 0 ? 'is unknown: no column is numeric.' : `must be one of ${names.join(', ')}.`,
  )
}

const documentSchema = z.looseObject({ openapi: z.string() })

const workerDocument = defineRoute({
  path: '/own/{workerName}/openapi.json',
  operationId: 'getOwnOpenApi',
  tag,
  summary: 'OpenAPI 3.1 description of the tables of a worker',
  params: workerParams,
  response: documentSchema,
  problems: unknownWorker,
  example: { openapi: '3.1.0' },
  handler: async ({ params: { workerName } }, { database }) => ({
    body: describeWorker(findWorker(await readWorkers(database), workerName)),
  }),
})

function describeWorker(worker: ServedWorker): z.output<typeof documentSchema> {
  const { name, declaration } = worker
  return describeApi(
    worker.tables.map((table) => routeOf(worker, table)),
    {
      ...apiInfo,
      title: `${name}: tables of ${declaration.contract}`,
      description: declaration.description,
      changelog: [],
    },
  )
}

/** The generic route with the parameters and the response of one table. */
function routeOf({ name }: ServedWorker, table: ServedTable): Route {
  const { example: _example, otherTypes: _types, description: _description, ...generic } = rowList
  const { from_height, to_height, from, to, sort: _sort, order, ...shape } = rowsQuery.shape
  const sorts = ['key', ...table.sorts.map((column) => column.name)] as const
  const parametersOf = {
    events: { order, from_height, to_height, from, to },
    fold: { order, sort: z.enum(sorts).optional().describe('Order. Default: key.') },
    view: {},
  }
  const row = z.strictObject(Object.fromEntries(table.columns.map((column) => [column.name, columnSchemaOf(column)])))
  return {
    ...generic,
    path: `/own/${name}/${table.name}`,
    operationId: `list_${table.name}`,
    summary: table.comment === '' ? `Rows of ${table.name}` : table.comment,
    params: z.object({}),
    query: z.object({
      ...shape,
      ...parametersOf[table.kind === 'events' || table.kind === 'view' ? table.kind : 'fold'],
      ...filterShapeOf(table),
    }),
    response: z.strictObject({
      data: z.array(row),
      has_more: z.boolean(),
      cursor: z.string(),
      _meta: z.strictObject({ limit: z.int(), count: z.int(), has_more: z.boolean() }),
    }),
  }
}

export const ownRoutes = [workerList, workerDetail, workerDocument, rowList, dayList]
