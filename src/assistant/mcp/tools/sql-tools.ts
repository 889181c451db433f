import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { sqlField } from '../../query/wire/input-fields.ts'
import { answerFields, presentAnswer } from '../../query/wire/present-answer.ts'
import type { AnswerFields } from '../../query/wire/present-answer.ts'
import { failureFields, presentFailure } from '../../query/wire/present-failure.ts'
import type { QueryService, QueryTarget } from '../../query/query-service.ts'
import { advertised, advertisedInput } from '../../../platform/mcp/advertised-schema.ts'
import type { CallContext } from '../../../platform/mcp/call-context.ts'
import { runTool, textIn } from './run-tool.ts'
import { success } from './tool-result.ts'
import { readingClosedWorld } from '../../../platform/mcp/annotations.ts'
import { databaseNames, sqlToolNames } from './tool-names.ts'

const schema = z.strictObject({ sql: sqlField })
const input = advertisedInput(schema)

const output = advertised(
  z.object({
    target: z.string().describe('Which database was asked.'),
    sql: z.string(),
    ...answerFields,
    ...failureFields,
    duration_ms: z.number().describe('What the database took.'),
  }),
)

/** `run_indexer_sql`, `run_evm_sql`: rows for a statement. */
export function registerSqlTool(
  server: McpServer,
  queries: QueryService,
  target: QueryTarget,
  context: CallContext,
): void {
  const tool = sqlToolNames[target]
  server.registerTool(
    tool,
    {
      title: `Run SQL on the ${databaseNames[target]}`,
      description:
        `Runs one read-only SELECT on the ${databaseNames[target]} and gives its rows. Read the resource ${schemaUris[target]} first for tables and columns. ` +
        'Values are exact: int8 and numeric are strings, bytea is 0x and hex, times are UTC. `truncated` says that there were more rows: aggregate, or narrow the statement.',
      inputSchema: input,
      outputSchema: output,
      annotations: readingClosedWorld,
    },
    (args, { mcpReq: { signal } }) =>
      runTool({
        tool,
        context,
        signal,
        schema,
        args,
        run: async ({ sql }) => {
          const answer = await queries.runSql(target, sql, { signal, client: context.client })
          const told = presentAnswer(answer)
          return success(
            { target, sql, ...told, ...presentFailure(undefined), duration_ms: answer.durationMs },
            rowsOnce(told),
          )
        },
        tell: (failure) => ({
          target,
          sql: textIn(args, 'sql'),
          ...presentAnswer(undefined),
          ...presentFailure(failure),
          duration_ms: 0,
        }),
      }),
  )
}

const schemaUris = { indexer: 'schema://indexer-ddl', evm: 'schema://evm-explorer-ddl' } as const satisfies Record<
  QueryTarget,
  string
>

/** As text, rows are there under one name: what a model reads should not be twice as long. */
function rowsOnce({ columns, rows, row_count, truncated }: AnswerFields): Record<string, unknown> {
  return { columns, rows, row_count, truncated }
}
