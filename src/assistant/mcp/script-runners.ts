import { z } from 'zod'
import type { ScriptCaller } from '../../access/create-chain-reader.ts'
import { GrpcError } from '../../access/errors.ts'
import {
  ChainCallFailedError,
  ChainUnavailableError,
  ScriptFailedError,
  StateNotServedError,
} from '../../flow/chain-reader.ts'
import { ApiError } from '../../platform/errors.ts'
import { isShallow } from '../../platform/json-depth.ts'
import { jsonOrNothing, responseText } from '../../platform/response-text.ts'

/** A node of JSON-CDC: `{"type": "UFix64", "value": "1.00000000"}`. `Void` has no value. Source: Cadence, JSON-Cadence specification. */
export const jsonCdcSchema = z.looseObject(
  { type: z.string('must be the name of a Cadence type') },
  'must be an object with type and value',
)
export type JsonCdc = z.infer<typeof jsonCdcSchema>

/** Which block's state a script sees; without either that of the latest sealed block. */
export interface ScriptBlock {
  readonly height?: number | undefined
  /** 64 hex digits. */
  readonly id?: string | undefined
}

/** Runs Cadence scripts, which read the chain and cannot change it. */
export interface ScriptRunner {
  /**
   * @returns the result as JSON-CDC, as the node gave it
   * @throws the errors of `script-errors.ts`; the signal's reason
   */
  run(script: string, args: readonly JsonCdc[], block: ScriptBlock, signal: AbortSignal): Promise<JsonCdc>
}

/** What nodes say is told to the caller, up to so many characters: Cadence errors quote the script. */
const mostReasonCharacters = 4000

/** The script is no Cadence, has other arguments, or ended with an error. Nodes say which, and where. */
export function scriptFailed(reason: string, cause?: unknown): ApiError {
  return new ApiError(400, 'script-failed', `The access node refused the script: ${cut(reason)}`, {
    field: 'script',
    cause,
  })
}

/** No node has the state that was asked for. */
export function stateNotServed(reason: string, cause?: unknown): ApiError {
  return new ApiError(
    404,
    'state-not-served',
    `No access node has the state after that block, of those that are asked here: ${cut(reason)}`,
    { cause },
  )
}

/** A node answered, and not as it should: the fault may lie in it, or in what the script does. */
export function chainFailed(reason: string, cause?: unknown): ApiError {
  return new ApiError(502, 'chain-failed', `The access node could not run the script: ${cut(reason)}`, { cause })
}

/** No node answers, or all refuse for the pace. */
export function chainUnavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError(503, 'chain-unavailable', `No access node runs the script at the moment: ${cut(reason)}`, {
    cause,
  })
}

/** No answer in time. */
export function scriptTimedOut(seconds: number, cause?: unknown): ApiError {
  return new ApiError(
    504,
    'script-timeout',
    `The access node gave no answer in ${seconds} s: have the script do less.`,
    { cause },
  )
}

/** Too many run at the same time. */
export function scriptsBusy(): ApiError {
  return new ApiError(503, 'scripts-busy', 'Too many scripts are running. Try again shortly.', {
    details: { retryAfterSeconds: 1 },
  })
}

function cut(reason: string): string {
  return reason.length > mostReasonCharacters ? `${reason.slice(0, mostReasonCharacters)}…` : reason
}

export interface ScriptBounds {
  /** Default 30,000 ms, for all nodes that are tried together; nodes give up a script sooner. */
  readonly timeoutMs?: number
  /** Scripts that run at the same time; further ones are refused. Default 64: each holds its result in memory. */
  readonly mostAtOnce?: number
}

/** Bounds a runner in time and in how many scripts it runs at once. @throws ApiError 504 `script-timeout`, 503 `scripts-busy` */
export function boundScripts(
  runner: ScriptRunner,
  { timeoutMs = 30_000, mostAtOnce = 64 }: ScriptBounds = {},
): ScriptRunner {
  let running = 0
  return {
    async run(script, args, block, signal) {
      if (running >= mostAtOnce) throw scriptsBusy()
      const timeout = AbortSignal.timeout(timeoutMs)
      running++
      try {
        return await runner.run(script, args, block, AbortSignal.any([signal, timeout]))
      } catch (error) {
        signal.throwIfAborted()
        throw timeout.aborted ? scriptTimedOut(timeoutMs / 1000, error) : error
      } finally {
        running--
      }
    },
  }
}

/** Results beyond this are of no use to a model; and a node may send anything. */
export const mostResultBytes = 8 * 1024 * 1024

/** The result of a script, as nodes write it. @throws ApiError 502 `chain-failed` */
export function readResult(bytes: Uint8Array): JsonCdc {
  if (bytes.length > mostResultBytes) throw resultTooLong()
  try {
    const result = jsonCdcSchema.parse(
      JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')),
    )
    if (!isShallow(result)) throw chainFailed('the result is nested too deep.')
    return result
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw chainFailed('its answer is no JSON-CDC value.', error)
    throw error
  }
}

export function resultTooLong(): Error {
  return chainFailed(`the result is longer than ${mostResultBytes} bytes; have the script return less.`)
}

/** Runs scripts on the access nodes that the program follows the chain with, over gRPC. */
export function createNodeScriptRunner(nodes: ScriptCaller): ScriptRunner {
  return {
    async run(script, args, { height, id }, signal) {
      const blockId = id === undefined ? undefined : Buffer.from(id, 'hex')
      const encoded = args.map((arg) => Buffer.from(JSON.stringify(arg)))
      const result = await nodes
        .runScript(Buffer.from(script), encoded, { height, blockId, signal })
        .catch((error: unknown) => {
          throw toAnswer(error)
        })
      return readResult(result)
    },
  }
}

function toAnswer(error: unknown): unknown {
  if (error instanceof ScriptFailedError) return scriptFailed(wordsOf(error), error)
  if (error instanceof StateNotServedError) return stateNotServed(wordsOf(error), error)
  if (error instanceof ChainCallFailedError) return chainFailed(wordsOf(error), error)
  if (error instanceof ChainUnavailableError) return chainUnavailable(wordsOf(error), error)
  return error
}

/** What the node said. The message of an error of the call names the node, whose address may have a key in it. */
function wordsOf({ cause, message }: Error): string {
  if (cause === undefined) return message
  return cause instanceof GrpcError ? cause.reason : 'its answer cannot be read.'
}

/** An answer holds the result in base64, with quotes and a line end. */
const mostAnswerBytes = Math.ceil(mostResultBytes / 3) * 4 + 16

/** Source of the shapes: onflow/flow, openapi/access.yaml, `/scripts`. */
const failureSchema = z.object({ message: z.string() })
const resultSchema = z.base64()

/** Runs scripts by the REST API of an access node. @param baseUrl without `/v1`, e.g. https://rest-mainnet.onflow.org (CHAIN_REST_URL) */
export function createRestScriptRunner(baseUrl: string): ScriptRunner {
  const scripts = new URL('v1/scripts', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  return {
    async run(script, args, block, signal) {
      const url = new URL(scripts)
      if (block.id !== undefined) url.searchParams.set('block_id', block.id)
      else url.searchParams.set('block_height', block.height?.toString() ?? 'sealed')
      const body = JSON.stringify({
        script: toBase64(script),
        arguments: args.map((arg) => toBase64(JSON.stringify(arg))),
      })
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
          body,
          signal,
          redirect: 'error',
        })
        const text = await responseText(response, mostAnswerBytes, resultTooLong)
        if (!response.ok) throw refusalOf(response.status, text)
        return resultOf(text)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ApiError) throw error
        // The words of the fault would name the address, which may have a key in it.
        throw chainUnavailable('the one of CHAIN_REST_URL cannot be reached.', error)
      }
    },
  }
}

/** Twice wrapped: the body is a JSON text of base64, and in that is JSON-CDC. */
function resultOf(text: string): JsonCdc {
  const encoded = resultSchema.safeParse(jsonOrNothing(text))
  if (!encoded.success) throw chainFailed('its answer is no JSON text of base64.', encoded.error)
  return readResult(Buffer.from(encoded.data, 'base64'))
}

/** Source of the statuses: onflow/flow-go `engine/access/rest/common/http_request_handler.go`. */
function refusalOf(status: number, text: string): ApiError {
  const failure = failureSchema.safeParse(jsonOrNothing(text))
  const reason = failure.success ? failure.data.message : text
  if (status === 400) return scriptFailed(reason)
  if (status === 404) return stateNotServed(reason)
  if (status === 429 || status === 503) return chainUnavailable(`it answered ${status}: ${reason}`)
  return chainFailed(`it answered ${status}: ${reason}`)
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}
