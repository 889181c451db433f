import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { questionField } from '../../query/wire/input-fields.ts'
import { answerFields, presentAnswer } from '../../query/wire/present-answer.ts'
import { failureFields, presentFailure } from '../../query/wire/present-failure.ts'
import { generatedFields, presentGenerated } from '../../query/wire/present-generated.ts'
import type { QueryService, QueryTarget } from '../../query/query-service.ts'
import { advertised, advertisedInput } from '../../../platform/mcp/advertised-schema.ts'
import { askingModel } from '../../../platform/mcp/annotations.ts'
import type { CallContext } from '../../../platform/mcp/call-context.ts'
import { runTool, textIn } from './run-tool.ts'
import { askToolNames, databaseNames, generateToolNames, sqlToolNames } from './tool-names.ts'
import { success } from './tool-result.ts'

const schema = z.strictObject({ question: questionField })
const input = advertisedInput(schema)

const generatedOutput = advertised(z.object({ ...generatedFields, ...failureFields }))
const askOutput = advertised(z.object({ ...generatedFields, ...answerFields, ...failureFields }))

/** What a result has when no model answered. */
const nothingGenerated = (target: QueryTarget, question: string): Record<string, unknown> => ({
  target,
  question,
  sql: '',
  attempts: [],
  model: '',
  prompt_version: '',
  duration_ms: 0,
})

/** `ask_indexer`, `ask_evm`: a question in, statement and rows out. */
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
        `Has a language model write the SQL for a question about the ${databaseNames[target]}, runs it read-only and gives statement and rows. ` +
        `Who can write SQL gets further with ${sqlToolNames[target]}: it needs no second model.${unavailable(queries)}`,
      inputSchema: input,
      outputSchema: askOutput,
      annotations: askingModel,
    },
    (args, { mcpReq: { signal } }) =>
      runTool({
        tool,
        context,
        signal,
        schema,
        args,
        run: async ({ question }) => {
          const asked = await queries.ask(target, question, { signal, client: context.client })
          const answer = presentAnswer(asked.answer)
          const { sql, ...generated } = presentGenerated(asked)
          const failure = presentFailure(asked.failure)
          // As text, rows are there under one name, and how the statement came about is left out.
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

/** `generate_indexer_sql`, `generate_evm_sql`: a question in, a statement out that was checked and not run. */
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
        `Has a language model write the SQL for a question about the ${databaseNames[target]}. The statement is checked and planned, and not run: ` +
        `${sqlToolNames[target]} runs it.${unavailable(queries)}`,
      inputSchema: input,
      outputSchema: generatedOutput,
      annotations: askingModel,
    },
    (args, { mcpReq: { signal } }) =>
      runTool({
        tool,
        context,
        signal,
        schema,
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

/** A model that reads the list should not try what cannot work. */
function unavailable({ remedy }: QueryService): string {
  return remedy === undefined ? '' : ` Not available here: ${remedy}`
}
