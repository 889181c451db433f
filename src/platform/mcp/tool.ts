import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { ApiError, asError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { parseBody } from '../parse-input.ts'

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
  /** The result that tells a failure. Faults of ours come as one that says nothing of itself. */
  readonly tell: (failure: ApiError) => CallToolResult
}

/** What became of a call, for the metrics. */
type Outcome = 'done' | 'refused' | 'failed' | 'left'

/**
 * Checks the arguments of a tool, runs it, tells its failure as a result that the model can read, and logs and counts the call: its name, its time and
 * what became of it, not what was asked.
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
    // What is turned away because others are before it has no cause, and comes by the thousand.
    const isKnown = error instanceof ApiError && (outcome !== 'failed' || error.cause === undefined)
    if (outcome === 'left' || isKnown) log.debug(details, 'a tool call was refused')
    else if (error instanceof ApiError) log.warn({ ...details, err: asError(error.cause) }, 'a tool call failed')
    else log.error({ ...details, err: asError(error) }, 'a tool call failed')
    return tell(failure)
  }
}

/** What a caller may know of an error; faults of ours say nothing of themselves. */
function tellable(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.')
}

/** What every tool call has besides its arguments. */
export interface CallContext {
  /** Who calls, for the log: `local`, `admin`, or the digest of a developer key. */
  readonly caller: string
  /** Network address of the client, where the server shares slots by it. */
  readonly client?: string | undefined
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * No tool changes anything, so that clients need not ask their user before a call. The databases are ours; a script asks a
 * node outside, and a question is answered by a model, which may answer differently the next time.
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

/**
 * A schema that is turned into JSON Schema once. Every request has a server of its own, and each would do it anew for the tool
 * that is called, which takes longer than the rest of a call.
 */
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
 * The schema of a tool's arguments: told to clients as it is, and checked by the tool itself, which tells what is wrong with them in the
 * structure of its failures. The SDK would tell it as text alone.
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
