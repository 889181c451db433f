import type { CallToolResult } from '@modelcontextprotocol/server'
import { ApiError, asError } from '../../base/errors.ts'
import type { QueryFailure } from '../../ask/query-service.ts'
import type { CallContext } from './call-context.ts'
import { failed, tellable } from './tool-result.ts'

export interface ToolCall {
  readonly tool: string
  readonly context: CallContext
  /** Aborted when who called has left. */
  readonly signal: AbortSignal
  readonly run: () => Promise<CallToolResult>
  /** The structure of a result that tells a failure, with all the fields of a good one. */
  readonly tell: (failure: QueryFailure) => Record<string, unknown>
}

/**
 * Runs a tool, tells its failure as a result that the model can read, and logs the call: its name, its time and what became
 * of it, not what was asked.
 */
export async function runTool({ tool, context: { caller, log }, signal, run, tell }: ToolCall): Promise<CallToolResult> {
  const begin = performance.now()
  const seconds = (): number => (performance.now() - begin) / 1000
  try {
    const result = await run()
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
