import { escapeIdentifier } from 'pg'
import { z } from 'zod'
import { measureNames, measureOf } from '../../../measures/measures.ts'
import { seriesSql } from '../../../measures/series.ts'
import type { Route } from '../../../platform/http/route.ts'
import { answerFields, presentAnswer, targetField } from '../dto.ts'
import { findTable, presentTable, tableFields } from '../present-table.ts'
import { queryOptions, route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const table = z.strictObject(tableFields).meta({ id: 'SchemaTable' })

const metric = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    definition: z.string(),
    unit: z.string().describe('`count`, `FLOW` and so on.'),
    sql: z.string().describe('Statement for the newest 30 days.'),
  })
  .meta({ id: 'SchemaMetric' })

/** Without those of one token or collection. */
const metrics: readonly z.output<typeof metric>[] = measureNames.flatMap((name) => {
  const { title, definition, unit, dimension } = measureOf(name)
  return dimension === undefined
    ? [{ name, title, definition, unit, sql: seriesSql([name], { days: { last: 30 } }) }]
    : []
})

const sample = z.strictObject({ sql: z.string(), ...answerFields }).meta({ id: 'TableSample' })

const sampleRows = 5

const query = z.object({ target: targetField.default('indexer') })
const tag = 'Schema'

export const schemaRoutes: readonly Route<AskServices>[] = [
  route({
    method: 'GET',
    path: '/api/v1/schema',
    operationId: 'getSchema',
    tag,
    access: 'token',
    summary: 'List readable tables and allowed functions',
    query,
    response: z.strictObject({
      data: z.array(table),
      functions: z.array(z.string()).describe('Names of functions that statements may call.'),
      metrics: z.array(metric).describe('Named metrics of the chain; none for the EVM explorer.'),
    }),
    example: {
      data: [
        {
          schema: 'raw',
          name: 'blocks',
          kind: 'table',
          comment: 'Sealed blocks.',
          approximate_rows: 137_390_146,
          columns: [{ name: 'height', type: 'bigint', is_nullable: false, comment: 'Block height.' }],
          keys: ['PRIMARY KEY (height)'],
          indexes: [],
        },
      ],
      functions: ['count', 'sum'],
      metrics: [
        {
          name: 'fees',
          title: 'Fees',
          definition: 'Deducted transaction fees.',
          unit: 'FLOW',
          sql: seriesSql(['fees'], { days: { last: 30 } }),
        },
      ],
    },
    problems: { 404: 'The database is not configured.', 503: 'The database is unavailable.' },
    handler: async ({ query: { target } }, { service }) => ({
      body: {
        data: (await service.catalog(target)).map(presentTable),
        functions: [...service.functions(target)],
        metrics: target === 'indexer' ? [...metrics] : [],
      },
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/schema/{table}/rows',
    operationId: 'sampleTable',
    tag,
    access: 'token',
    summary: `Get up to ${sampleRows} rows of a table`,
    params: z.object({ table: z.string().describe('Schema and name, such as `raw.blocks`.') }),
    query,
    response: sample,
    example: {
      sql: 'SELECT * FROM "raw"."blocks" LIMIT 5',
      columns: ['height'],
      column_types: ['int8'],
      results: [{ height: '137390146' }],
      row_count: 1,
      truncated: false,
      truncated_by: null,
    },
    problems: {
      404: 'The table does not exist or is not readable.',
      429: 'Too many queued statements of this client; see `Retry-After`.',
      503: 'The database is unavailable, or too many statements are queued; see `Retry-After`.',
      504: 'The statement took longer than QUERY_TIMEOUT_S.',
    },
    handler: async ({ params, query: { target }, call }, { service }) => {
      const found = findTable(await service.catalog(target), params.table)
      const sql = `SELECT * FROM ${escapeIdentifier(found.schema)}.${escapeIdentifier(found.name)} LIMIT ${sampleRows}`
      const answer = await service.runSql(target, sql, { ...queryOptions(call), maxRows: sampleRows })
      return { body: { sql, ...presentAnswer(answer) } }
    },
  }),
]
