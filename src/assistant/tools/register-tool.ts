import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { ApiError } from '../../platform/errors.ts'
import { advertisedInput, runTool } from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'

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
const inputSchemas = new WeakMap<z.ZodType, ReturnType<typeof advertisedInput>>()

/** Adds a tool to the server of a request. */
export function registerTool<Schema extends z.ZodType>(
  server: McpServer,
  context: CallContext,
  { name, title, description, schema, annotations, run }: ServedTool<Schema>,
): void {
  const inputSchema = inputSchemas.get(schema) ?? advertisedInput(schema)
  inputSchemas.set(schema, inputSchema)
  server.registerTool(name, { title, description, inputSchema, annotations }, (args, { mcpReq: { signal } }) =>
    runTool({ tool: name, context, signal, schema, args, tell: tellFailure, run: (input) => run(input, signal) }),
  )
}

/** A result as readers of text and readers of structures have it. @param text what a model reads, where that is not the JSON of all */
export function told(content: object, text = JSON.stringify(content)): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: content }
}

/** A failure, as a result that the model can read. */
export function tellFailure({ message, code, field }: ApiError): CallToolResult {
  return { ...told({ error: message, error_code: code, ...(field === undefined ? {} : { field }) }), isError: true }
}
