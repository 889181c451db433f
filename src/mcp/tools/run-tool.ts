import type { CallToolResult } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { ApiError, asError } from '../../base/errors.ts'
import { parseBody } from '../../base/parse-input.ts'
import type { QueryFailure } from '../../ask/query-service.ts'
import type { CallContext } from './call-context.ts'
import { failed, tellable } from './tool-result.ts'

export interface ToolCall<Schema extends z.ZodType> {
  readonly tool: string
  readonly context: CallContext
  /** Aborted when who called has left. */
  readonly signal: AbortSignal
  /** Of the arguments. */
  readonly schema: Schema
  /** The arguments as they came. */
  readonly args: unknown
  readonly run: (input: z.output<Schema>) => Promise<CallToolResult>
  /** The structure of a result that tells a failure, with all the fields of a good one. */
  readonly tell: (failure: QueryFailure) => Record<string, unknown>
}

/**
 * Checks the arguments of a tool, runs it, tells its failure as a result that the model can read, and logs the call: its name, its time and what became
 * of it, not what was asked.
 */
export async function runTool<Schema extends z.ZodType>(
  { tool, context: { caller, log }, signal, schema, args, run, tell }: ToolCall<Schema>,
): Promise<CallToolResult> {
  const begin = performance.now()
  const seconds = (): number => (performance.now() - begin) / 1000
  try {
    const result = await run(parseBody(schema, args ?? {}))
    log.debug({ tool, caller, seconds: seconds() }, 'a tool was called')
    return result
  } catch (error) {
    const failure = tellable(error)
    const isExpected = signal.aborted || (error instanceof ApiError && error.status < 500)
    if (isExpected) log.debug({ tool, caller, seconds: seconds(), code: failure.code }, 'a tool call was refused')
    else log.error({ err: asError(error), tool, caller, seconds: seconds() }, 'a tool call failed')
    return failed(failure, tell(failure))
  }
}

/** An argument, to be told in a failure; '' where it is no text. */
export function textIn(args: unknown, name: string): string {
  const value: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, name) : undefined
  return typeof value === 'string' ? value : ''
}
