import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { isShallow } from '../../../platform/json-depth.ts'
import { jsonOrNothing, responseText } from '../../../platform/response-text.ts'

export interface RpcNodeOptions {
  /** EVM_RPC_URL. It may have a key in it, and so is told to nobody. */
  readonly url: string
  /** Default 15,000 ms. */
  readonly timeoutMs?: number
  /** Calls at the same time; further ones are refused. Default 32. */
  readonly mostAtOnce?: number
}

/** What a node said to a call that it did not do. */
export class NodeRefusal extends ApiError {
  /** What a contract ended with: 0x and hex, where the node tells it. */
  readonly data: string | undefined

  constructor(message: string, data: string | undefined) {
    super(400, 'node-refused', `The EVM node refused: ${message}`)
    this.data = data
  }
}

const mostAnswerBytes = 4 * 1024 * 1024
const mostReasonCharacters = 1000

/** Source: JSON-RPC 2.0, section 5. `data` is an object at some nodes. */
const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.unknown().optional() }).nullish(),
})

/** Calls the JSON-RPC of an EVM node. */
export class RpcNode {
  readonly #options: Required<RpcNodeOptions>
  #running = 0

  constructor({ url, timeoutMs = 15_000, mostAtOnce = 32 }: RpcNodeOptions) {
    this.#options = { url, timeoutMs, mostAtOnce }
  }

  /**
   * @returns the result as the node gave it
   * @throws NodeRefusal; ApiError 502 `node-failed`, 503 `node-unavailable` or `node-busy`, 504 `node-timeout`; the signal's reason
   */
  async call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const { timeoutMs, mostAtOnce } = this.#options
    if (this.#running >= mostAtOnce) throw busy('Too many calls are under way.')
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
        throw new ApiError(504, 'node-timeout', `The EVM node gave no answer in ${timeoutMs / 1000} s.`)
      // The words of the fault would name the address, which may have a key in it.
      throw new ApiError(503, 'node-unavailable', 'The EVM node of EVM_RPC_URL cannot be reached.', { cause: error })
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
    const text = await responseText(response, mostAnswerBytes, tooLong)
    const answer = answerSchema.safeParse(jsonOrNothing(text))
    // Some nodes answer 400 and more with an error in the body, which says more than the status.
    if (answer.success && answer.data.error !== undefined && answer.data.error !== null)
      throw refusalOf(answer.data.error)
    if (response.status === 429) throw busy('The EVM node refuses for the pace.')
    if (!response.ok) throw new ApiError(502, 'node-failed', `The EVM node answered ${response.status}.`)
    if (!answer.success || answer.data.result === undefined)
      throw new ApiError(502, 'node-failed', 'The EVM node answered what is no JSON-RPC.')
    if (!isShallow(answer.data.result))
      throw new ApiError(502, 'node-failed', 'The answer of the EVM node is nested too deep.')
    return answer.data.result
  }
}

function refusalOf({ message, data }: { readonly message: string; readonly data?: unknown }): NodeRefusal {
  const inner: unknown = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  const told = message.length > mostReasonCharacters ? `${message.slice(0, mostReasonCharacters)}…` : message
  return new NodeRefusal(told, typeof inner === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(inner) ? inner : undefined)
}

function busy(message: string): ApiError {
  return new ApiError(503, 'node-busy', `${message} Try again shortly.`, { details: { retryAfterSeconds: 1 } })
}

function tooLong(): ApiError {
  return new ApiError(
    502,
    'node-failed',
    `The answer of the EVM node has more than ${mostAnswerBytes} bytes: ask for less.`,
  )
}
