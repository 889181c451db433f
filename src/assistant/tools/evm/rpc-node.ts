import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { isShallow } from '../../../platform/http/read-json.ts'
import { jsonOrNothing, responseText } from '../../../platform/outbound/response-text.ts'

export interface RpcNodeOptions {
  /** It may contain a key, so it is never shown. */
  readonly url: string
  readonly timeoutMs?: number
  readonly maxConcurrent?: number
}

export class NodeRefusal extends ApiError {
  /** Revert data in 0x-prefixed hex, if the node reports it. */
  readonly data: string | undefined

  constructor(message: string, data: string | undefined) {
    super(400, 'node-refused', `The EVM node refused the call: ${message}`)
    this.data = data
  }
}

const maxAnswerBytes = 4 * 1024 * 1024
const maxReasonCharacters = 1000

/** JSON-RPC 2.0, section 5. Some nodes send an object in `data`. */
const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.unknown().optional() }).nullish(),
})

export class RpcNode {
  readonly #options: Required<RpcNodeOptions>
  #running = 0

  constructor({ url, timeoutMs = 15_000, maxConcurrent = 32 }: RpcNodeOptions) {
    this.#options = { url, timeoutMs, maxConcurrent }
  }

  /**
   * @throws NodeRefusal; ApiError 502 `node-failed`, 503 `node-unavailable` or `node-busy`, 504
   *   `node-timeout`; the signal's reason
   */
  async call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const { timeoutMs, maxConcurrent } = this.#options
    if (this.#running >= maxConcurrent) throw busy('Too many concurrent calls.')
    const timeout = AbortSignal.timeout(timeoutMs)
    this.#running++
    try {
      return await this.#post(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        AbortSignal.any([signal, timeout]),
      )
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ApiError) throw error
      if (timeout.aborted)
        throw new ApiError(504, 'node-timeout', `The EVM node did not respond within ${timeoutMs / 1000} s.`)
      // The error message contains the address, which may include a key.
      throw new ApiError(503, 'node-unavailable', 'The EVM node (EVM_RPC_URL) cannot be reached.', { cause: error })
    } finally {
      this.#running--
    }
  }

  async #post(body: string, signal: AbortSignal): Promise<unknown> {
    const response = await fetch(this.#options.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body,
      signal,
      redirect: 'error',
    })
    const text = await responseText(response, maxAnswerBytes, tooLong)
    const answer = answerSchema.safeParse(jsonOrNothing(text))
    // Some nodes return 4xx with a more precise error in the body.
    if (answer.success && answer.data.error !== undefined && answer.data.error !== null)
      throw refusalOf(answer.data.error)
    if (response.status === 429) throw busy('The EVM node limits the request rate.')
    if (!response.ok) throw new ApiError(502, 'node-failed', `The EVM node returned HTTP ${response.status}.`)
    if (!answer.success || answer.data.result === undefined)
      throw new ApiError(502, 'node-failed', 'The EVM node returned an invalid JSON-RPC response.')
    if (!isShallow(answer.data.result))
      throw new ApiError(502, 'node-failed', 'The response of the EVM node is nested too deeply.')
    return answer.data.result
  }
}

function refusalOf({ message, data }: { readonly message: string; readonly data?: unknown }): NodeRefusal {
  const inner: unknown = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  const shown = message.length > maxReasonCharacters ? `${message.slice(0, maxReasonCharacters)}…` : message
  return new NodeRefusal(shown, typeof inner === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(inner) ? inner : undefined)
}

function busy(message: string): ApiError {
  return new ApiError(503, 'node-busy', `${message} Try again shortly.`, { details: { retryAfterSeconds: 1 } })
}

function tooLong(): ApiError {
  return new ApiError(502, 'node-failed', `The response of the EVM node exceeds ${maxAnswerBytes} bytes. Request less.`)
}

const methods = {
  eth_blockNumber: 0,
  eth_chainId: 0,
  eth_gasPrice: 0,
  net_version: 0,
  web3_clientVersion: 0,
  eth_getBalance: 2,
  eth_getCode: 2,
  eth_getTransactionCount: 2,
  eth_getStorageAt: 3,
  eth_call: 2,
  eth_estimateGas: 2,
  eth_getTransactionByHash: 1,
  eth_getTransactionReceipt: 1,
  eth_getBlockByNumber: 2,
  eth_getBlockByHash: 2,
  eth_getLogs: 1,
  eth_feeHistory: 3,
} as const satisfies Record<string, number>

const quantities: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_chainId',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_estimateGas',
])

const maxFeeBlocks = 1024

export const readMethods: readonly string[] = Object.keys(methods)

/** @throws ApiError 400 `method-not-allowed`, `bad-params` */
export function requireReading(method: string, params: readonly unknown[]): void {
  const max = Object.hasOwn(methods, method) ? methods[method as keyof typeof methods] : undefined
  if (max === undefined)
    throw new ApiError(400, 'method-not-allowed', `Method not allowed. Allowed: ${readMethods.join(', ')}.`, {
      field: 'method',
    })
  if (params.length > max)
    throw new ApiError(400, 'bad-params', `Invalid params: ${method} takes at most ${max} parameters.`, {
      field: 'params',
    })
  if (method === 'eth_feeHistory' && !(Number(params[0]) <= maxFeeBlocks)) {
    throw new ApiError(
      400,
      'bad-params',
      `Invalid params: the first parameter of eth_feeHistory is a number of blocks, at most ${maxFeeBlocks}.`,
      { field: 'params' },
    )
  }
}

export function isQuantity(method: string): boolean {
  return quantities.has(method)
}

const decimals = 18

/** @throws ApiError 502 `node-failed` */
export function quantityOf(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new ApiError(502, 'node-failed', 'The EVM node returned an invalid number.')
  return BigInt(value)
}

/** Exact decimal FLOW, such as `1.5`. */
export function flowText(wei: bigint): string {
  const digits = wei.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`
}

export const addressField = z
  .string('must be a string')
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address: 0x and 40 hex digits (Flow addresses have 16)')

export const hexField = z
  .string('must be a string')
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be 0x-prefixed hex')
  .max(131_074, 'must have at most 64 KB')

const badBlock = 'must be a block number, or latest, finalized, safe, earliest or pending'
export const blockField = z.union(
  [
    z.int().nonnegative(),
    z.string().regex(/^(latest|finalized|safe|earliest|pending|\d{1,15}|0x[0-9a-fA-F]{1,13})$/, badBlock),
  ],
  badBlock,
)
export type BlockWord = z.output<typeof blockField>

export function blockParameter(block: BlockWord | null | undefined): string {
  if (block === null || block === undefined) return 'latest'
  const number = blockNumber(block)
  return number === undefined ? String(block) : toHex(number)
}

export function blockNumber(block: BlockWord): number | undefined {
  return typeof block === 'number' || /^\d|^0x/.test(block) ? Number(block) : undefined
}

export function toHex(number: number | bigint): string {
  return `0x${number.toString(16)}`
}
