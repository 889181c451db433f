import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ApiError } from '../../platform/errors.ts'
import { advertised, callsModel, readingClosedWorld, registerTool, toolResult } from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'
import {
  answerFields,
  failureFields,
  generatedFields,
  presentAnswer,
  presentFailure,
  presentGenerated,
  questionField,
  sqlField,
} from '../query/dto.ts'
import { failureOf } from '../query/query-service.ts'
import type { QueryService, QueryTarget } from '../query/query-service.ts'

type Names = Readonly<Record<QueryTarget, string>>
export const sqlToolNames = { indexer: 'run_indexer_sql', evm: 'run_evm_sql' } as const satisfies Names
export const askToolNames = { indexer: 'ask_indexer', evm: 'ask_evm' } as const satisfies Names
const generateToolNames = { indexer: 'generate_indexer_sql', evm: 'generate_evm_sql' } as const satisfies Names
const databaseNames = { indexer: 'Flow indexer database', evm: 'Flow EVM explorer database' } as const satisfies Names

const sqlSchema = z.strictObject({ sql: sqlField })
const questionSchema = z.strictObject({ question: questionField })

const sqlOutput = advertised(
  z.object({
    target: z.string().describe('The queried database.'),
    sql: z.string(),
    ...answerFields,
    ...failureFields,
    duration_ms: z.number().describe('Time in the database.'),
  }),
)
const generatedOutput = advertised(z.object({ ...generatedFields, ...failureFields }))
const askOutput = advertised(z.object({ ...generatedFields, ...answerFields, ...failureFields }))

/**
 * @param content all fields of a successful result: old clients validate failures against the same
 * schema
 */
export function failedQuery(failure: ApiError, content: Record<string, unknown>): CallToolResult {
  const shown = Object.entries(presentFailure(failureOf(failure))).filter(([, value]) => value !== null)
  return { ...toolResult(content, JSON.stringify(Object.fromEntries(shown))), isError: true }
}

export function registerSqlTool(
  server: McpServer,
  queries: QueryService,
  target: QueryTarget,
  context: CallContext,
): void {
  registerTool(server, context, {
    name: sqlToolNames[target],
    title: `Run SQL on the ${databaseNames[target]}`,
    description:
      `Runs one read-only SELECT on the ${databaseNames[target]} and returns its rows. Find tables and ` +
      'columns first, with list_tables and describe_table. ' +
      'Values are exact: int8 and numeric are strings, bytea is 0x-prefixed hex, times are UTC. `truncated` is true ' +
      'if there were more rows: aggregate, or narrow the query.',
    schema: sqlSchema,
    output: sqlOutput,
    annotations: readingClosedWorld,
    run: async ({ sql }, signal) => {
      const { durationMs, ...answer } = await queries.runSql(target, sql, { signal, client: context.client })
      const rows = presentAnswer({ ...answer, durationMs })
      const { columns, results, row_count, truncated } = rows
      return toolResult(
        { target, sql, ...rows, ...presentFailure(undefined), duration_ms: durationMs },
        JSON.stringify({ columns, results, row_count, truncated }),
      )
    },
    failed: (failure, args) =>
      failedQuery(failure, {
        target,
        sql: textIn(args, 'sql'),
        ...presentAnswer(undefined),
        ...presentFailure(failureOf(failure)),
        duration_ms: 0,
      }),
  })
}

export function registerAskTool(
  server: McpServer,
  queries: QueryService,
  target: QueryTarget,
  context: CallContext,
): void {
  registerTool(server, context, {
    name: askToolNames[target],
    title: `Ask the ${databaseNames[target]}`,
    description:
      `Has a language model write SQL for a question about the ${databaseNames[target]}, runs it ` +
      'read-only, and returns the statement and its rows. If you can write SQL, prefer ' +
      `${sqlToolNames[target]}: it needs no second model.${unavailable(queries)}`,
    schema: questionSchema,
    output: askOutput,
    annotations: callsModel,
    run: async ({ question }, signal) => {
      const reply = await queries.ask(target, question, { signal, client: context.client })
      const answer = presentAnswer(reply.answer)
      const { sql, ...generated } = presentGenerated(reply)
      const failure = presentFailure(reply.failure)
      const { columns, results, row_count, truncated } = answer
      const result = toolResult(
        { ...generated, sql, ...answer, ...failure },
        JSON.stringify({ sql, columns, results, row_count, truncated, error: failure.error }),
      )
      return reply.failure === undefined ? result : { ...result, isError: true }
    },
    failed: (failure, args) =>
      failedQuery(failure, {
        ...nothingGenerated(target, args),
        ...presentAnswer(undefined),
        ...presentFailure(failureOf(failure)),
      }),
  })
}

export function registerGenerateTool(
  server: McpServer,
  queries: QueryService,
  target: QueryTarget,
  context: CallContext,
): void {
  registerTool(server, context, {
    name: generateToolNames[target],
    title: `Write SQL for the ${databaseNames[target]}`,
    description:
      `Has a language model write SQL for a question about the ${databaseNames[target]}. The statement is checked ` +
      `and planned but not run; run it with ${sqlToolNames[target]}.${unavailable(queries)}`,
    schema: questionSchema,
    output: generatedOutput,
    annotations: callsModel,
    run: async ({ question }, signal) => {
      const generated = await queries.generateSql(target, question, { signal, client: context.client })
      const failure = presentFailure(generated.failure)
      const statement = presentGenerated(generated)
      const result = toolResult(
        { ...statement, ...failure },
        JSON.stringify({ sql: statement.sql, error: failure.error }),
      )
      return generated.failure === undefined ? result : { ...result, isError: true }
    },
    failed: (failure, args) =>
      failedQuery(failure, { ...nothingGenerated(target, args), ...presentFailure(failureOf(failure)) }),
  })
}

function nothingGenerated(target: QueryTarget, args: unknown): Record<string, unknown> {
  const question = textIn(args, 'question')
  return { target, question, sql: '', attempts: [], model: '', prompt_version: '', duration_ms: 0 }
}

function textIn(args: unknown, name: string): string {
  const value: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, name) : undefined
  return typeof value === 'string' ? value : ''
}

function unavailable({ remedy }: QueryService): string {
  return remedy === undefined ? '' : ` Not available here: ${remedy}`
}
