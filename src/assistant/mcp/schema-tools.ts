import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { advertised, readingClosedWorld, registerTool, toolResult } from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'
import { failureFields, presentFailure, targetField } from '../query/dto.ts'
import { findTable, presentTable, tableFields } from '../query/present-table.ts'
import { failureOf } from '../query/query-service.ts'
import type { QueryService } from '../query/query-service.ts'
import { failedQuery } from './query-tools.ts'

export const listTablesName = 'list_tables'
export const describeTableName = 'describe_table'

const maxTables = 300
const maxCommentCharacters = 200

const listSchema = z.strictObject({
  search: z.string().max(100).optional().describe('Words that occur in the name of the table or of a column.'),
  target: targetField.optional(),
})
const tableSchema = z.strictObject({
  table: z.string().max(200).describe('Schema and name, such as raw.blocks.'),
  target: targetField.optional(),
})

const listOutput = advertised(
  z.object({
    tables: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(['table', 'view']),
        comment: z.string().nullable(),
        approximate_rows: z.number().nullable(),
      }),
    ),
    truncated: z.boolean().describe(`True if there are more than ${maxTables}: use search.`),
    ...failureFields,
  }),
)
const tableOutput = advertised(z.object({ table: z.object(tableFields).nullable(), ...failureFields }))

export function registerSchemaTools(server: McpServer, queries: QueryService, context: CallContext): void {
  registerTool(server, context, {
    name: listTablesName,
    title: 'List tables',
    description:
      `Lists the readable tables with their comments and row estimates, own tables of this installation first. ` +
      `${describeTableName} has the columns.`,
    schema: listSchema,
    output: listOutput,
    annotations: readingClosedWorld,
    run: async ({ search = '', target = 'indexer' }) => {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const found = (await queries.catalog(target)).filter(({ schema, name, columns }) =>
        words.every(
          (word) => `${schema}.${name}`.includes(word) || columns.some((column) => column.name.includes(word)),
        ),
      )
      const tables = found.slice(0, maxTables).map(presentTable)
      return toolResult({
        tables: tables.map(({ schema, name, kind, comment, approximate_rows: rows }) => ({
          name: `${schema}.${name}`,
          kind,
          comment: comment?.slice(0, maxCommentCharacters) ?? null,
          approximate_rows: rows,
        })),
        truncated: found.length > maxTables,
        ...presentFailure(undefined),
      })
    },
    failed: (failure) => failedQuery(failure, { tables: [], truncated: false, ...presentFailure(failureOf(failure)) }),
  })
  registerTool(server, context, {
    name: describeTableName,
    title: 'Describe a table',
    description: 'Columns with types and comments, keys, indexes and row estimate of a readable table.',
    schema: tableSchema,
    output: tableOutput,
    annotations: readingClosedWorld,
    run: async ({ table, target = 'indexer' }) =>
      toolResult({
        table: presentTable(findTable(await queries.catalog(target), table)),
        ...presentFailure(undefined),
      }),
    failed: (failure) => failedQuery(failure, { table: null, ...presentFailure(failureOf(failure)) }),
  })
}
