import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { questionField } from '../../ask/http/inputs.ts'
import { answerFields, presentAnswer } from '../../ask/http/present-answer.ts'
import { failureFields, presentFailure } from '../../ask/http/present-failure.ts'
import { generatedFields, presentGenerated } from '../../ask/http/present-generated.ts'
import type { QueryService, QueryTarget } from '../../ask/query-service.ts'
import { advertised } from './advertised-schema.ts'
import { askingModel } from './annotations.ts'
import type { CallContext } from './call-context.ts'
import { runTool } from './run-tool.ts'
import { askToolNames, databaseNames, generateToolNames, sqlToolNames } from './tool-names.ts'
import { success } from './tool-result.ts'

const input = advertised(z.strictObject({ question: questionField }))

const generatedOutput = advertised(z.object({ ...generatedFields, ...failureFields }))
const askOutput = advertised(z.object({ ...generatedFields, ...answerFields, ...failureFields }))

/** What a result has when no model answered. */
const nothingGenerated = (target: QueryTarget, question: string): Record<string, unknown> => ({
  target, question, sql: '', attempts: [], model: '', prompt_version: '', duration_ms: 0, ...presentFailure(undefined),
})

/** `ask_indexer`, `ask_evm`: a question in, statement and rows out. */
export function registerAskTool(server: McpServer, queries: QueryService, target: QueryTarget, context: CallContext): void {
  const name = askToolNames[target]
  server.registerTool(name, {
    title: `Ask the ${databaseNames[target]}`,
    description:
      `Has a language model write the SQL for a question about the ${databaseNames[target]}, runs it read-only and gives statement and rows. ` +
      `Who can write SQL gets further with ${sqlToolNames[target]}: it needs no second model.${unavailable(queries)}`,
    inputSchema: input,
    outputSchema: askOutput,
    annotations: askingModel,
  }, ({ question }, { mcpReq: { signal } }) => runTool(context, name, signal, async () => {
    const asked = await queries.ask(target, question, { signal })
    const { rows, ...once } = presentAnswer(asked.answer)
    const generated = presentGenerated(asked)
    const failed = presentFailure(asked.failure)
    const result = success(
      { ...generated, ...once, rows, ...failed },
      { sql: generated.sql, columns: once.columns, results: once.results, row_count: once.row_count, truncated: once.truncated, error: failed.error },
    )
    return asked.failure === undefined ? result : { ...result, isError: true }
  }, () => ({ ...nothingGenerated(target, question), ...presentAnswer(undefined) })))
}

/** `generate_indexer_sql`, `generate_evm_sql`: a question in, a statement out that was checked and not run. */
export function registerGenerateTool(server: McpServer, queries: QueryService, target: QueryTarget, context: CallContext): void {
  const name = generateToolNames[target]
  server.registerTool(name, {
    title: `Write SQL for the ${databaseNames[target]}`,
    description:
      `Has a language model write the SQL for a question about the ${databaseNames[target]}. The statement is checked and planned, and not run: ` +
      `${sqlToolNames[target]} runs it.${unavailable(queries)}`,
    inputSchema: input,
    outputSchema: generatedOutput,
    annotations: askingModel,
  }, ({ question }, { mcpReq: { signal } }) => runTool(context, name, signal, async () => {
    const generated = await queries.generateSql(target, question, { signal })
    const failed = presentFailure(generated.failure)
    const told = presentGenerated(generated)
    const result = success({ ...told, ...failed }, { sql: told.sql, error: failed.error })
    return generated.failure === undefined ? result : { ...result, isError: true }
  }, () => nothingGenerated(target, question)))
}

/** A model that reads the list should not try what cannot work. */
function unavailable({ remedy }: QueryService): string {
  return remedy === undefined ? '' : ` Not available here: ${remedy}`
}
