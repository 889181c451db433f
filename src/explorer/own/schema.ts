import { z } from 'zod'
import { columnTypes } from '../../own-tables/declaration.ts'
import { countFormat, heightFormat, timestampFormat } from '../formats.ts'
import { filterSchema, parameterOf } from './filters.ts'
import type { OwnProgress } from './queries.ts'
import type { ServedColumn, ServedTable, ServedWorker } from './tables.ts'

const tableSummarySchema = z
  .strictObject({
    name: z.string(),
    kind: z
      .enum(['events', 'latest', 'sum', 'view'])
      .describe(
        'events: rows of events; latest: the newest row per key; sum: counts and sums per key; view: SQL on these.',
      ),
    comment: z.string(),
    row_estimate: countFormat.nullable().describe('Estimate by the database; null for views.'),
  })
  .meta({ id: 'OwnTableSummary' })

const columnSchema = z
  .strictObject({
    name: z.string(),
    type: z.enum([...columnTypes, 'bytea']).describe('As in PostgreSQL.'),
    comment: z.string(),
    is_optional: z.boolean().describe('Can be null.'),
    is_key: z.boolean().describe('Part of the primary key.'),
    filter: z.string().nullable().describe('Query parameter that filters by equality. Null: cannot be filtered.'),
    can_sort: z.boolean().describe('Possible value of `sort`.'),
  })
  .meta({ id: 'OwnColumn' })

const tableSchema = z
  .strictObject({
    ...tableSummarySchema.shape,
    of: z.string().nullable().describe('The table whose rows a fold summarizes.'),
    path: z.string().describe('Path of its rows.'),
    columns: z.array(columnSchema),
  })
  .meta({ id: 'OwnTable' })

const workerShape = {
  name: z.string(),
  schema: z.string().describe('PostgreSQL schema of its tables.'),
  contract: z.string(),
  description: z.string(),
  version: z.int(),
  start_height: heightFormat,
  from_height: heightFormat.nullable().describe('First stored height that it derives; null before one is stored.'),
  to_height: heightFormat.nullable().describe('Highest stored height.'),
  derived_height: heightFormat.nullable().describe('Highest derived height.'),
  stored_blocks: countFormat.describe('Stored blocks from `from_height` to `to_height`.'),
  derived_blocks: countFormat.describe('Those that it has derived.'),
  is_caught_up: z.boolean().describe('At most ten stored blocks are not derived yet.'),
  flagged_ranges: countFormat.describe('Ranges that failed after all retries and need the operator.'),
  error: z.string().nullable().describe('Why its current files could not be loaded.'),
  updated_at: timestampFormat,
}

export const ownWorkerSchema = z
  .strictObject({ ...workerShape, tables: z.array(tableSummarySchema) })
  .meta({ id: 'OwnWorkerSummary' })
export const ownWorkerDetailSchema = z
  .strictObject({ ...workerShape, tables: z.array(tableSchema) })
  .meta({ id: 'OwnWorker' })

export type OwnWorkerSummary = z.output<typeof ownWorkerSchema>
export type OwnWorkerDetail = z.output<typeof ownWorkerDetailSchema>

export const ownDaysSchema = z
  .strictObject({
    days: z.array(
      z
        .strictObject({
          day: z.string().meta({ format: 'date' }),
          count: countFormat,
          sum: z.string().nullable().describe('Sum of `column`; null without values.'),
        })
        .meta({ id: 'OwnDay' }),
    ),
    column: z.string().nullable(),
    rows: countFormat.describe('Rows of these days.'),
    is_cut: z.boolean().describe('There are older rows.'),
  })
  .meta({ id: 'OwnDays' })

const maxBehind = 10

const noProgress: OwnProgress = { from: null, to: null, stored: 0, derived: 0, derivedTo: null, flagged: 0 }

function presentWorker(worker: ServedWorker, progress = noProgress): Omit<OwnWorkerSummary, 'tables'> {
  const { name, declaration } = worker
  return {
    name,
    schema: worker.worker,
    contract: declaration.contract,
    description: declaration.description,
    version: declaration.version,
    start_height: worker.startHeight,
    from_height: progress.from,
    to_height: progress.to,
    derived_height: progress.derivedTo,
    stored_blocks: progress.stored,
    derived_blocks: progress.derived,
    is_caught_up: progress.stored > 0 && progress.stored - progress.derived <= maxBehind,
    flagged_ranges: progress.flagged,
    error: worker.error,
    updated_at: worker.updatedAt,
  }
}

function presentTable(
  { worker, name, kind, comment }: ServedTable,
  estimates: ReadonlyMap<string, number>,
): OwnWorkerSummary['tables'][number] {
  return { name, kind, comment, row_estimate: kind === 'view' ? null : (estimates.get(`${worker}.${name}`) ?? 0) }
}

export function presentOwnWorker(
  worker: ServedWorker,
  progress: OwnProgress | undefined,
  estimates: ReadonlyMap<string, number>,
): OwnWorkerSummary {
  return {
    ...presentWorker(worker, progress),
    tables: worker.tables.map((table) => presentTable(table, estimates)),
  }
}

export function presentOwnWorkerDetail(
  worker: ServedWorker,
  progress: OwnProgress | undefined,
  estimates: ReadonlyMap<string, number>,
): OwnWorkerDetail {
  return {
    ...presentWorker(worker, progress),
    tables: worker.tables.map((table) => ({
      ...presentTable(table, estimates),
      of: table.of,
      path: `/own/${worker.name}/${table.name}`,
      columns: table.columns.map((column) => ({
        name: column.name,
        type: column.type,
        comment: column.comment,
        is_optional: column.isOptional,
        is_key: table.key.includes(column.name),
        filter: table.filters.includes(column) ? parameterOf(column) : null,
        can_sort: table.sorts.includes(column),
      })),
    })),
  }
}

/** As `presented` in queries.ts returns them. */
export function columnSchemaOf({ name, type, isOptional, comment }: ServedColumn): z.ZodType {
  const schemas: Record<ServedColumn['type'], z.ZodType> = {
    text: z.string(),
    boolean: z.boolean(),
    integer: z.int(),
    bigint: name === 'block_height' ? heightFormat : z.string().describe('Whole number, as a string to stay exact.'),
    numeric: z.string().describe('Decimal number, as a string to stay exact.'),
    jsonb: z.unknown(),
    timestamptz: timestampFormat,
    date: z.string().meta({ format: 'date' }),
    bytea: z.string().describe('Hex digits.'),
  }
  const schema = isOptional ? schemas[type].nullable() : schemas[type]
  return comment === '' ? schema : schema.describe(comment)
}

export function filterShapeOf({ filters }: ServedTable): Record<string, z.ZodType> {
  return Object.fromEntries(filters.map((column) => [parameterOf(column), filterSchema(column)]))
}
