import type { CallToolResult } from '@modelcontextprotocol/server'
import { ApiError, asError } from '../../base/errors.ts'
import type { CallContext } from './call-context.ts'
import { failure, tellable } from './tool-result.ts'

/**
 * Runs a tool, tells its failure as a result that the model can read, and logs the call: its name, its time and what became
 * of it, not what was asked.
 * @param blank the fields of the structure when there is nothing to tell
 */
export async function runTool(
  { caller, log }: CallContext, tool: string, signal: AbortSignal, run: () => Promise<CallToolResult>, blank: () => Record<string, unknown>,
): Promise<CallToolResult> {
  const begin = performance.now()
  const seconds = (): number => (performance.now() - begin) / 1000
  try {
    const result = await run()
    log.debug({ tool, caller, seconds: seconds() }, 'a tool was called')
    return result
  } catch (error) {
    // Who went away reads no answer.
    if (!signal.aborted && !(error instanceof ApiError && error.status < 500)) log.error({ err: asError(error), tool, caller }, 'a tool failed')
    log.debug({ tool, caller, seconds: seconds(), code: tellable(error).code }, 'a tool call was answered with an error')
    return failure(error, blank())
  }
}
