import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'

/** A node of JSON-CDC: `{"type": "UFix64", "value": "1.00000000"}`. `Void` has no value. Source: Cadence, JSON-Cadence specification. */
export const jsonCdcSchema = z.looseObject({ type: z.string('must be the name of a Cadence type') }, 'must be an object with type and value')
export type JsonCdc = z.infer<typeof jsonCdcSchema>

/** Which block's state a script sees; without either that of the latest sealed block. */
export interface ScriptBlock {
  readonly height?: string | undefined
  /** 64 hex digits. */
  readonly id?: string | undefined
}

/** Runs Cadence scripts, which read the chain and cannot change it. */
export interface ScriptRunner {
  /**
   * @returns the result as JSON-CDC, as the node gave it
   * @throws ApiError 400 `script-failed` with what the node says, 502 `chain-failed`, 504 `script-timeout`; the signal's reason
   */
  run(script: string, args: readonly JsonCdc[], block: ScriptBlock, signal?: AbortSignal): Promise<JsonCdc>
}

export interface RestScriptRunnerOptions {
  /** The access node's REST API without `/v1`, e.g. https://rest-mainnet.onflow.org (CHAIN_REST_URL). */
  readonly baseUrl: string
  /** Default 30,000 ms; nodes give up a script sooner. */
  readonly timeoutMs?: number
}

/** Results beyond this are of no use to a model; and a node may send anything. */
const mostResultBytes = 8 * 1024 * 1024

/** What the node says is told to the caller, up to so many characters: Cadence errors quote the script. */
const mostReasonCharacters = 4000

/** Source of the shapes: onflow/flow, openapi/access.yaml, `/scripts`. */
const failureSchema = z.object({ message: z.string() })

/** Runs scripts by the REST API of an access node. */
export function createRestScriptRunner({ baseUrl, timeoutMs = 30_000 }: RestScriptRunnerOptions): ScriptRunner {
  const scripts = new URL('v1/scripts', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  return {
    async run(script, args, block, signal) {
      const url = new URL(scripts)
      if (block.id !== undefined) url.searchParams.set('block_id', block.id)
      else url.searchParams.set('block_height', block.height ?? 'sealed')
      const body = JSON.stringify({ script: toBase64(script), arguments: args.map((arg) => toBase64(JSON.stringify(arg))) })
      const timeout = AbortSignal.timeout(timeoutMs)
      const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      try {
        const response = await fetch(url, {
          method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json' }, body, signal: either, redirect: 'error',
        })
        const text = await textOf(response)
        return response.ok ? resultOf(text) : refuse(response.status, text)
      } catch (error) {
        signal?.throwIfAborted()
        if (timeout.aborted) throw new ApiError(504, 'script-timeout', `The access node gave no answer in ${timeoutMs / 1000} s.`, { cause: error })
        if (error instanceof ApiError) throw error
        throw new ApiError(502, 'chain-failed', 'The access node cannot be reached, or gave no answer that can be read; CHAIN_REST_URL says where it is.', { cause: error })
      }
    },
  }
}

/** Twice wrapped: the body is a JSON text of base64, and in that is JSON-CDC. */
function resultOf(text: string): JsonCdc {
  const encoded = z.base64().parse(JSON.parse(text))
  return jsonCdcSchema.parse(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')))
}

function refuse(status: number, text: string): never {
  const reason = reasonOf(text).slice(0, mostReasonCharacters)
  if (status === 400 || status === 404) throw new ApiError(400, 'script-failed', `The access node refused the script: ${reason}`)
  throw new ApiError(502, 'chain-failed', `The access node answered ${status}: ${reason}`)
}

function reasonOf(text: string): string {
  try {
    const failure = failureSchema.safeParse(JSON.parse(text))
    return failure.success ? failure.data.message : text
  } catch (error) {
    // Proxies before nodes answer with pages.
    if (error instanceof SyntaxError) return text
    throw error
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > mostResultBytes) {
      throw new ApiError(502, 'chain-failed', `The result is longer than ${mostResultBytes} bytes: have the script return less.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}
