import type { CallToolResult, McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError, asError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { parseBody } from '../http/parse-input.ts'

export interface Tool<Schema extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly schema: Schema
  /** Made by `advertised`. */
  readonly output?: StandardSchemaWithJSON
  readonly annotations: ToolAnnotations
  /** @throws ApiError, which the model sees */
  readonly run: (input: z.output<Schema>, signal: AbortSignal) => Promise<CallToolResult>
  readonly failed?: (failure: ApiError, args: unknown) => CallToolResult
}

export function registerTool<Schema extends z.ZodType>(
  server: McpServer,
  context: CallContext,
  tool: Tool<Schema>,
): void {
  const { name, title, description, schema, output, annotations } = tool
  const inputSchema = inputSchemas.get(schema) ?? advertisedInput(schema)
  inputSchemas.set(schema, inputSchema)
  server.registerTool(
    name,
    { title, description, inputSchema, annotations, ...(output === undefined ? {} : { outputSchema: output }) },
    (args, { mcpReq: { signal } }) => runTool(tool, context, args, signal),
  )
}

/** @param text default: the JSON of the content */
export function toolResult(content: object, text = JSON.stringify(content)): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: content }
}

function failedResult({ message, code, field }: ApiError): CallToolResult {
  const content = { error: message, error_code: code, ...(field === undefined ? {} : { field }) }
  return { ...toolResult(content), isError: true }
}

export const failureFields = {
  error: z.string().nullable().describe('Error message; null on success.'),
  error_code: z.string().nullable().describe('Stable error code; null on success.'),
}
export const noFailure = { error: null, error_code: null }

/**
 * @param content all other fields of a successful result: old clients validate failures against the
 * same schema
 */
export function failedWith(content: object): (failure: ApiError) => CallToolResult {
  return (failure) => ({
    ...failedResult(failure),
    structuredContent: { ...content, error: failure.message, error_code: failure.code },
  })
}

type Outcome = 'done' | 'refused' | 'failed' | 'disconnected'

/** A failure becomes a result for the model. The log has no content. */
async function runTool<Schema extends z.ZodType>(
  { name: tool, schema, run, failed = failedResult }: Tool<Schema>,
  { caller, log, metrics }: CallContext,
  args: unknown,
  signal: AbortSignal,
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
    const result = await run(parseBody(schema, args ?? {}), signal)
    log.debug(ended(result.isError === true ? 'refused' : 'done'), 'Tool called')
    return result
  } catch (error) {
    const failure =
      error instanceof ApiError ? error : new ApiError(500, 'internal-error', 'Internal error. See the log.')
    const outcome = signal.aborted
      ? 'disconnected'
      : error instanceof ApiError && error.status < 500
        ? 'refused'
        : 'failed'
    const details = { ...ended(outcome), code: failure.code }
    // Refusals for overload have no cause and are frequent.
    const isKnown = error instanceof ApiError && (outcome !== 'failed' || error.cause === undefined)
    if (outcome === 'disconnected' || isKnown) log.debug(details, 'Tool call refused')
    else if (error instanceof ApiError) log.warn({ ...details, err: asError(error.cause) }, 'Tool call failed')
    else log.error({ ...details, err: asError(error) }, 'Tool call failed')
    return failed(failure, args)
  }
}

/** Models send null for omitted fields. */
export function isPresent<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null
}

export interface CallContext {
  /** For the log: `local`, `admin`, or the digest of a developer key. */
  readonly caller: string
  /** Client whose calls share slots. */
  readonly client?: string | undefined
  readonly log: Logger
  readonly metrics: Metrics
}

/** Read-only tools need no confirmation by clients. */
const reading = { readOnlyHint: true, destructiveHint: false } as const satisfies ToolAnnotations
export const readingClosedWorld = {
  ...reading,
  idempotentHint: true,
  openWorldHint: false,
} as const satisfies ToolAnnotations
export const readingOpenWorld = {
  ...reading,
  idempotentHint: true,
  openWorldHint: true,
} as const satisfies ToolAnnotations
export const callsModel = { ...reading, idempotentHint: false, openWorldHint: true } as const satisfies ToolAnnotations

/** Cached: each request has its own server, and converting takes longer than the rest of a call. */
export function advertised<Schema extends z.ZodType>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const standard = schema['~standard']
  const { jsonSchema } = standard
  return {
    '~standard': { ...standard, jsonSchema: { input: once(jsonSchema.input), output: once(jsonSchema.output) } },
  }
}

const inputSchemas = new WeakMap<z.ZodType, StandardSchemaWithJSON<unknown, unknown>>()

/** Does not validate: the tool itself does, to return a structured failure. */
function advertisedInput(schema: z.ZodType): StandardSchemaWithJSON<unknown, unknown> {
  const { '~standard': standard } = advertised(schema)
  return { '~standard': { ...standard, validate: (value) => ({ value }) } }
}

type Convert<Options> = (options: Options) => Record<string, unknown>

function once<Options extends { readonly target: string }>(convert: Convert<Options>): Convert<Options> {
  const converted = new Map<string, Record<string, unknown>>()
  return (options) => {
    const known = converted.get(options.target) ?? convert(options)
    converted.set(options.target, known)
    return known
  }
}
