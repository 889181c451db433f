import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { ApiError } from '../../platform/errors.ts'
import { advertisedInput, runTool } from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'

export interface ServedTool<Schema extends z.ZodType> {
  readonly name: string
  readonly title: string
  /** For the model. */
  readonly description: string
  /** Of the arguments. */
  readonly schema: Schema
  readonly annotations: ToolAnnotations
  /** @throws ApiError, which the model sees */
  readonly run: (input: z.output<Schema>, signal: AbortSignal) => Promise<CallToolResult>
}

/** Cached JSON Schemas: each request has its own server. */
const inputSchemas = new WeakMap<z.ZodType, ReturnType<typeof advertisedInput>>()

/** Registers a tool with the server of a request. */
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

/** A result as structure and text. @param text default: the JSON of the content */
export function told(content: object, text = JSON.stringify(content)): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: content }
}

/** A failure as a result for the model. */
export function tellFailure({ message, code, field }: ApiError): CallToolResult {
  return { ...told({ error: message, error_code: code, ...(field === undefined ? {} : { field }) }), isError: true }
}
