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

/** What became of a call, for the metrics. */
type Outcome = 'done' | 'refused' | 'failed' | 'left'

/**
 * Checks the arguments of a tool, runs it, tells its failure as a result that the model can read, and logs and counts the call: its name, its time and
 * what became of it, not what was asked.
 */
export async function runTool<Schema extends z.ZodType>(
  { tool, context: { caller, log, metrics }, signal, schema, args, run, tell }: ToolCall<Schema>,
): Promise<CallToolResult> {
  const begin = performance.now()
  const ended = (outcome: Outcome): { tool: string; caller: string; seconds: number } => {
    const seconds = (performance.now() - begin) / 1000
    metrics.mcpCallSeconds.observe({ tool, outcome }, seconds)
    metrics.mcpCallsRunning.dec({ tool })
    return { tool, caller, seconds }
  }
  metrics.mcpCallsRunning.inc({ tool })
  try {
    const result = await run(parseBody(schema, args ?? {}))
    log.debug(ended(result.isError === true ? 'refused' : 'done'), 'a tool was called')
    return result
  } catch (error) {
    const failure = tellable(error)
    const outcome = signal.aborted ? 'left' : error instanceof ApiError && error.status < 500 ? 'refused' : 'failed'
    const details = { ...ended(outcome), code: failure.code }
    // What is turned away because others are before it has no cause, and comes by the thousand.
    const isKnown = error instanceof ApiError && (outcome !== 'failed' || error.cause === undefined)
    if (outcome === 'left' || isKnown) log.debug(details, 'a tool call was refused')
    else if (error instanceof ApiError) log.warn({ ...details, err: asError(error.cause) }, 'a tool call failed')
    else log.error({ ...details, err: asError(error) }, 'a tool call failed')
    return failed(failure, tell(failure))
  }
}

/** An argument, to be told in a failure; '' where it is no text. */
export function textIn(args: unknown, name: string): string {
  const value: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, name) : undefined
  return typeof value === 'string' ? value : ''
}
