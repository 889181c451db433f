import type { CallToolResult, JSONValue, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import {
  advertised,
  advertisedInput,
  askingModel,
  readingClosedWorld,
  runTool as runCheckedTool,
} from '../../platform/mcp/tool.ts'
import type { CallContext, ToolCall as CheckedCall } from '../../platform/mcp/tool.ts'
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
import type { AnswerFields } from '../query/dto.ts'
import { failureOf } from '../query/query-service.ts'
import type { QueryFailure, QueryService, QueryTarget } from '../query/query-service.ts'

/** Tool names; those of a target exist only where it is configured. */

export const sqlToolNames = { indexer: 'run_indexer_sql', evm: 'run_evm_sql' } as const satisfies Record<
  QueryTarget,
  string
>
export const askToolNames = { indexer: 'ask_indexer', evm: 'ask_evm' } as const satisfies Record<QueryTarget, string>
export const generateToolNames = {
  indexer: 'generate_indexer_sql',
  evm: 'generate_evm_sql',
} as const satisfies Record<QueryTarget, string>
export const scriptToolName = 'run_chain_script'

export const databaseNames = {
  indexer: 'Flow indexer database',
  evm: 'Flow EVM explorer database',
} as const satisfies Record<QueryTarget, string>

/** A result as text and structure. @param text the part of it that goes into the text */
export function success(content: Record<string, unknown>, text: Record<string, unknown> = content): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(text) }], structuredContent: asJson(content) }
}

/**
 * A failure: `isError`, and `error` in the structure.
 * @param content with all fields of a good result, since old clients validate it against the same schema
 */
export function failed(failure: QueryFailure, content: Record<string, unknown>): CallToolResult {
  const told = Object.entries(presentFailure(failure)).filter(([, value]) => value !== null)
  return {
    content: [{ type: 'text', text: JSON.stringify(Object.fromEntries(told)) }],
    structuredContent: asJson(content),
    isError: true,
  }
}

/** The content is JSON; the SDK's type has no `unknown`. */
function asJson(content: Record<string, unknown>): Record<string, JSONValue> {
  return content as Record<string, JSONValue>
}

export interface ToolCall<Schema extends z.ZodType> extends Omit<CheckedCall<Schema>, 'tell'> {
  /** The structure of a failure, with all fields of a good result. */
  readonly tell: (failure: QueryFailure) => Record<string, unknown>
}

/** Runs a tool; failures have the fields of the query service. */
export function runTool<Schema extends z.ZodType>({ tell, ...call }: ToolCall<Schema>): Promise<CallToolResult> {
  return runCheckedTool({
    ...call,
    tell: (error) => {
      const failure = failureOf(error)
      return failed(failure, tell(failure))
    },
  })
}

/** A text argument to repeat in a failure; '' where it is none. */
export function textIn(args: unknown, name: string): string {
  const value: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, name) : undefined
  return typeof value === 'string' ? value : ''
}

const sqlSchema = z.strictObject({ sql: sqlField })
const sqlInput = advertisedInput(sqlSchema)

const sqlOutput = advertised(
  z.object({
    target: z.string().describe('Which database was asked.'),
    sql: z.string(),
    ...answerFields,
    ...failureFields,
    duration_ms: z.number().describe('What the database took.'),
  }),
)

/** `run_indexer_sql`, `run_evm_sql`: runs a statement. */
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
        `Runs one read-only SELECT on the ${databaseNames[target]} and gives its rows. Read the resource ` +
        `${schemaUris[target]} first for tables and columns. ` +
        'Values are exact: int8 and numeric are strings, bytea is 0x and hex, times are UTC. `truncated` says ' +
        'that there were more rows: aggregate, or narrow the statement.',
      inputSchema: sqlInput,
      outputSchema: sqlOutput,
      annotations: readingClosedWorld,
    },
    (args, { mcpReq: { signal } }) =>
      runTool({
        tool,
        context,
        signal,
        schema: sqlSchema,
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

function rowsOnce({ columns, rows, row_count, truncated }: AnswerFields): Record<string, unknown> {
  return { columns, rows, row_count, truncated }
}

const questionSchema = z.strictObject({ question: questionField })
const questionInput = advertisedInput(questionSchema)

const generatedOutput = advertised(z.object({ ...generatedFields, ...failureFields }))
const askOutput = advertised(z.object({ ...generatedFields, ...answerFields, ...failureFields }))

/** The generated fields without a reply. */
const nothingGenerated = (target: QueryTarget, question: string): Record<string, unknown> => ({
  target,
  question,
  sql: '',
  attempts: [],
  model: '',
  prompt_version: '',
  duration_ms: 0,
})

/** `ask_indexer`, `ask_evm`: answers a question with a statement and its rows. */
export function registerAskTool(
  server: McpServer,
  queries: QueryService,
  target: QueryTarget,
  context: CallContext,
): void {
  const tool = askToolNames[target]
  server.registerTool(
    tool,
    {
      title: `Ask the ${databaseNames[target]}`,
      description:
        `Has a language model write the SQL for a question about the ${databaseNames[target]}, runs it ` +
        'read-only and gives statement and rows. ' +
        `Who can write SQL gets further with ${sqlToolNames[target]}: it needs no second model.${unavailable(queries)}`,
      inputSchema: questionInput,
      outputSchema: askOutput,
      annotations: askingModel,
    },
    (args, { mcpReq: { signal } }) =>
      runTool({
        tool,
        context,
        signal,
        schema: questionSchema,
        args,
        run: async ({ question }) => {
          const asked = await queries.ask(target, question, { signal, client: context.client })
          const answer = presentAnswer(asked.answer)
          const { sql, ...generated } = presentGenerated(asked)
          const failure = presentFailure(asked.failure)
          // The text leaves out how the statement came about.
          const { columns, results, row_count, truncated } = answer
          const result = success(
            { ...generated, sql, ...answer, ...failure },
            { sql, columns, results, row_count, truncated, error: failure.error },
          )
          return asked.failure === undefined ? result : { ...result, isError: true }
        },
        tell: (failure) => ({
          ...nothingGenerated(target, textIn(args, 'question')),
          ...presentAnswer(undefined),
          ...presentFailure(failure),
        }),
      }),
  )
}

/** `generate_indexer_sql`, `generate_evm_sql`: writes a checked statement without running it. */
export function registerGenerateTool(
  server: McpServer,
  queries: QueryService,
  target: QueryTarget,
  context: CallContext,
): void {
  const tool = generateToolNames[target]
  server.registerTool(
    tool,
    {
      title: `Write SQL for the ${databaseNames[target]}`,
      description:
        `Has a language model write the SQL for a question about the ${databaseNames[target]}. The statement ` +
        'is checked and planned, and not run: ' +
        `${sqlToolNames[target]} runs it.${unavailable(queries)}`,
      inputSchema: questionInput,
      outputSchema: generatedOutput,
      annotations: askingModel,
    },
    (args, { mcpReq: { signal } }) =>
      runTool({
        tool,
        context,
        signal,
        schema: questionSchema,
        args,
        run: async ({ question }) => {
          const generated = await queries.generateSql(target, question, { signal, client: context.client })
          const failure = presentFailure(generated.failure)
          const told = presentGenerated(generated)
          const result = success({ ...told, ...failure }, { sql: told.sql, error: failure.error })
          return generated.failure === undefined ? result : { ...result, isError: true }
        },
        tell: (failure) => ({ ...nothingGenerated(target, textIn(args, 'question')), ...presentFailure(failure) }),
      }),
  )
}

/** Tells models not to call a tool that cannot work. */
function unavailable({ remedy }: QueryService): string {
  return remedy === undefined ? '' : ` Not available here: ${remedy}`
}
