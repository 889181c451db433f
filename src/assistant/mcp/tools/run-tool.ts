import type { CallToolResult } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { failureOf } from '../../query/query-failure.ts'
import type { QueryFailure } from '../../query/query-service.ts'
import { runTool as runCheckedTool } from '../../../platform/mcp/run-tool.ts'
import type { ToolCall as CheckedCall } from '../../../platform/mcp/run-tool.ts'
import { failed } from './tool-result.ts'

export interface ToolCall<Schema extends z.ZodType> extends Omit<CheckedCall<Schema>, 'tell'> {
  /** The structure of a result that tells a failure, with all the fields of a good one. */
  readonly tell: (failure: QueryFailure) => Record<string, unknown>
}

/** Runs a tool, and tells its failure in the fields in which the query service tells one. */
export function runTool<Schema extends z.ZodType>({ tell, ...call }: ToolCall<Schema>): Promise<CallToolResult> {
  return runCheckedTool({
    ...call,
    tell: (error) => {
      const failure = failureOf(error)
      return failed(failure, tell(failure))
    },
  })
}

/** An argument, to be told in a failure; '' where it is no text. */
export function textIn(args: unknown, name: string): string {
  const value: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, name) : undefined
  return typeof value === 'string' ? value : ''
}
