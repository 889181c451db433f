import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { advertisedInput } from '../../platform/mcp/advertised-schema.ts'
import type { CallContext } from '../../platform/mcp/call-context.ts'
import { runTool } from '../../platform/mcp/run-tool.ts'
import { tellFailure } from './tool-result.ts'

/** A tool as both servers have them. */
export interface ServedTool<Schema extends z.ZodType> {
  readonly name: string
  readonly title: string
  /** For the model. */
  readonly description: string
  /** Of the arguments. */
  readonly schema: Schema
  readonly annotations: ToolAnnotations
  /** @throws ApiError that the model is told */
  readonly run: (input: z.output<Schema>, signal: AbortSignal) => Promise<CallToolResult>
}

/** Schemas as they are told, which are made once: each request has a server of its own. */
const told = new WeakMap<z.ZodType, ReturnType<typeof advertisedInput>>()

/** Adds a tool to the server of a request. */
export function registerTool<Schema extends z.ZodType>(
  server: McpServer,
  context: CallContext,
  { name, title, description, schema, annotations, run }: ServedTool<Schema>,
): void {
  const inputSchema = told.get(schema) ?? advertisedInput(schema)
  told.set(schema, inputSchema)
  server.registerTool(name, { title, description, inputSchema, annotations }, (args, { mcpReq: { signal } }) =>
    runTool({ tool: name, context, signal, schema, args, tell: tellFailure, run: (input) => run(input, signal) }),
  )
}
