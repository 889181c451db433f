import { z } from 'zod'
import type { ScriptCaller } from '../../access/create-chain-reader.ts'
import { GrpcError } from '../../access/transport/grpc-status.ts'
import {
  ChainCallFailedError,
  ChainUnavailableError,
  ScriptFailedError,
  StateNotServedError,
} from '../../flow/chain-reader.ts'
import { ApiError } from '../../platform/errors.ts'
import { isShallow } from '../../platform/http/read-json.ts'
import { Slots } from '../../platform/limits/slots.ts'
import { jsonOrNothing, responseText } from '../../platform/outbound/response-text.ts'

/** `{"type": "UFix64", "value": "1.00000000"}`; `Void` has no value. */
export const jsonCdcSchema = z.looseObject(
  { type: z.string('must be the name of a Cadence type') },
  'must be an object with "type" and "value"',
)
export type JsonCdc = z.infer<typeof jsonCdcSchema>

export interface ScriptBlock {
  readonly height?: number | undefined
  /** 64 hex digits. */
  readonly id?: string | undefined
}

export interface ScriptRunner {
  run(script: string, args: readonly JsonCdc[], block: ScriptBlock, signal: AbortSignal): Promise<JsonCdc>
}

const maxReasonCharacters = 4000

export function scriptFailed(reason: string, cause?: unknown): ApiError {
  return new ApiError(400, 'script-failed', `Script failed: ${cut(reason)}`, {
    field: 'script',
    cause,
  })
}

export function stateNotServed(reason: string, cause?: unknown): ApiError {
  return new ApiError(
    404,
    'state-not-served',
    `State not available: no configured access node has the state after that block. ${cut(reason)}`,
    { cause },
  )
}

export function chainFailed(reason: string, cause?: unknown): ApiError {
  return new ApiError(502, 'chain-failed', `The access node could not run the script: ${cut(reason)}`, { cause })
}

export function chainUnavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError(503, 'chain-unavailable', `No access node can run the script now: ${cut(reason)}`, {
    cause,
  })
}

export function scriptTimedOut(seconds: number, cause?: unknown): ApiError {
  return new ApiError(504, 'script-timeout', `The script timed out after ${seconds} s. Reduce the work it does.`, {
    cause,
  })
}

export function scriptsBusy(): ApiError {
  return new ApiError(503, 'scripts-busy', 'Too many scripts are running. Try again shortly.', {
    details: { retryAfterSeconds: 1 },
  })
}

function cut(reason: string): string {
  return reason.length > maxReasonCharacters ? `${reason.slice(0, maxReasonCharacters)}…` : reason
}

export interface ScriptLimits {
  readonly timeoutMs?: number
  readonly max?: number
  readonly maxPerClient?: number
}

export interface ScriptCall {
  readonly signal: AbortSignal
  /** As in `CallContext`. */
  readonly client: string | undefined
}

export interface LimitedScripts {
  /** @throws ApiError 504 `script-timeout`, 503 `scripts-busy`, 429 `too-many-calls`, and those of the runner */
  run(script: string, args: readonly JsonCdc[], block: ScriptBlock, call: ScriptCall): Promise<JsonCdc>
}

export function limitScripts(
  runner: ScriptRunner,
  { timeoutMs = 30_000, max = 64, maxPerClient = 16 }: ScriptLimits = {},
): LimitedScripts {
  const slots = new Slots({ what: 'scripts', max, maxPerClient, refusals: { busy: scriptsBusy } })
  return {
    async run(script, args, block, { signal, client }) {
      const slot = await slots.enter(client, { signal })
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        return await runner.run(script, args, block, AbortSignal.any([signal, timeout]))
      } catch (error) {
        signal.throwIfAborted()
        throw timeout.aborted ? scriptTimedOut(timeoutMs / 1000, error) : error
      } finally {
        slot.leave()
      }
    },
  }
}

export const maxResultBytes = 8 * 1024 * 1024

export function readResult(bytes: Uint8Array): JsonCdc {
  if (bytes.length > maxResultBytes) throw resultTooLong()
  try {
    const result = jsonCdcSchema.parse(
      JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')),
    )
    if (!isShallow(result)) throw chainFailed('its result is nested too deeply.')
    return result
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw chainFailed('it returned an invalid JSON-CDC value.', error)
    throw error
  }
}

export function resultTooLong(): Error {
  return chainFailed(`its result exceeds ${maxResultBytes} bytes. Return less.`)
}

export function createNodeScriptRunner(nodes: ScriptCaller): ScriptRunner {
  return {
    async run(script, args, { height, id }, signal) {
      const blockId = id === undefined ? undefined : Buffer.from(id, 'hex')
      const encoded = args.map((arg) => Buffer.from(JSON.stringify(arg)))
      const result = await nodes
        .runScript(Buffer.from(script), encoded, { height, blockId, signal })
        .catch((error: unknown) => {
          throw toApiError(error)
        })
      return readResult(result)
    },
  }
}

function toApiError(error: unknown): unknown {
  if (error instanceof ScriptFailedError) return scriptFailed(nodeMessage(error), error)
  if (error instanceof StateNotServedError) return stateNotServed(nodeMessage(error), error)
  if (error instanceof ChainCallFailedError) return chainFailed(nodeMessage(error), error)
  if (error instanceof ChainUnavailableError) return chainUnavailable(nodeMessage(error), error)
  return error
}

/** The error's own message contains the node's address, which may include a key. */
function nodeMessage({ cause, message }: Error): string {
  if (cause === undefined) return message
  return cause instanceof GrpcError ? cause.reason : 'its response is invalid.'
}

const maxAnswerBytes = Math.ceil(maxResultBytes / 3) * 4 + 16

/** Source: onflow/flow, openapi/access.yaml, `/scripts`. */
const failureSchema = z.object({ message: z.string() })
const resultSchema = z.base64()

/** @param baseUrl without `/v1` */
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
        const text = await responseText(response, maxAnswerBytes, resultTooLong)
        if (!response.ok) throw refusalOf(response.status, text)
        return resultOf(text)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ApiError) throw error
        // The error message contains the address, which may include a key.
        throw chainUnavailable('CHAIN_REST_URL cannot be reached.', error)
      }
    },
  }
}

function resultOf(text: string): JsonCdc {
  const encoded = resultSchema.safeParse(jsonOrNothing(text))
  if (!encoded.success) throw chainFailed('it returned an invalid base64 JSON string.', encoded.error)
  return readResult(Buffer.from(encoded.data, 'base64'))
}

/** Source: onflow/flow-go `engine/access/rest/common/http_request_handler.go`. */
function refusalOf(status: number, text: string): ApiError {
  const failure = failureSchema.safeParse(jsonOrNothing(text))
  const reason = failure.success ? failure.data.message : text
  if (status === 400) return scriptFailed(reason)
  if (status === 404) return stateNotServed(reason)
  if (status === 429 || status === 503) return chainUnavailable(`HTTP ${status}: ${reason}`)
  return chainFailed(`HTTP ${status}: ${reason}`)
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}
