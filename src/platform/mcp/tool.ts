import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { ApiError, asError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { parseBody } from '../parse-input.ts'

export interface ToolCall<Schema extends z.ZodType> {
  readonly tool: string
  readonly context: CallContext
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly schema: Schema
  /** Unchecked arguments. */
  readonly args: unknown
  readonly run: (input: z.output<Schema>) => Promise<CallToolResult>
  /** The result for a failure. Internal errors come without details. */
  readonly tell: (failure: ApiError) => CallToolResult
}

/** For metrics. */
type Outcome = 'done' | 'refused' | 'failed' | 'left'

/**
 * Checks the arguments of a tool, runs it, and turns a failure into a result for the model. Logs and counts the call
 * by name, time and outcome, without content.
 */
export async function runTool<Schema extends z.ZodType>({
  tool,
  context: { caller, log, metrics },
  signal,
  schema,
  args,
  run,
  tell,
}: ToolCall<Schema>): Promise<CallToolResult> {
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
    // Refusals for overload have no cause and are frequent.
    const isKnown = error instanceof ApiError && (outcome !== 'failed' || error.cause === undefined)
    if (outcome === 'left' || isKnown) log.debug(details, 'a tool call was refused')
    else if (error instanceof ApiError) log.warn({ ...details, err: asError(error.cause) }, 'a tool call failed')
    else log.error({ ...details, err: asError(error) }, 'a tool call failed')
    return tell(failure)
  }
}

/** Internal errors are reported without details. */
function tellable(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.')
}

/** The context of a tool call. */
export interface CallContext {
  /** For the log: `local`, `admin`, or the digest of a developer key. */
  readonly caller: string
  /** Network address of the client, for sharing slots. */
  readonly client?: string | undefined
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * All tools are read-only, so clients need no confirmation. The databases are ours; scripts run on external nodes; a
 * model may answer the same question differently.
 */
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
export const askingModel = { ...reading, idempotentHint: false, openWorldHint: true } as const satisfies ToolAnnotations

/** Caches the JSON Schema: each request has its own server, and converting takes longer than the rest of a call. */
export function advertised<Schema extends z.ZodType>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const standard = schema['~standard']
  const { jsonSchema } = standard
  return {
    '~standard': { ...standard, jsonSchema: { input: once(jsonSchema.input), output: once(jsonSchema.output) } },
  }
}

/**
 * The schema of a tool's arguments for clients. The tool itself checks them, to return a structured failure; the SDK
 * would return text only.
 */
export function advertisedInput(schema: z.ZodType): StandardSchemaWithJSON<unknown, unknown> {
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
