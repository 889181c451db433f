import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { ApiError } from '../../platform/errors.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import { clientHeader, isAddressedLocally } from '../../platform/mcp/origin-rules.ts'
import { Slots } from '../../platform/limits/slots.ts'
import type { SlotsOptions } from '../../platform/limits/slots.ts'
import type { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import type { KeyCheck } from './key-check.ts'

/** `local`: a program on this machine. `open`: every client while keys are not required. */
export type Caller =
  | { readonly kind: 'local' | 'open' | 'admin' }
  | { readonly kind: 'developer'; readonly keyDigest: string }

interface FailedAttempts {
  require(address: string): void
  failed(address: string): void
}

export interface AdmissionOptions {
  readonly isKeyRequired: boolean
  readonly adminKey: string | undefined
  readonly keys: KeyCheck
  readonly window: SlidingWindow
  readonly attempts: FailedAttempts
  readonly clientOf: (request: IncomingMessage) => { readonly address: string; readonly isLocal: boolean }
}

/** The number of failures that blocks a client, so parallel guesses are blocked too. */
const keyChecks: SlotsOptions = {
  what: 'key checks',
  max: 1000,
  maxPerClient: 10,
  maxWaiting: 10_000,
  maxWaitingPerClient: 1000,
  maxWaitMs: 30_000,
}

export class Admission {
  readonly #options: AdmissionOptions
  readonly #adminDigest: Buffer | undefined
  readonly #slots = new Slots(keyChecks)

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#adminDigest = options.adminKey === undefined ? undefined : sha256(options.adminKey)
  }

  /**
   * @throws ApiError 401 `key-required`, 401 `bad-key`, 429 `too-many-attempts`, 503
   *   `keys-unavailable`
   */
  async admit(request: IncomingMessage): Promise<Caller> {
    const { isKeyRequired, clientOf } = this.#options
    const client = clientOf(request)
    if (client.isLocal && isAddressedLocally(request.headers)) return { kind: 'local' }
    if (!isKeyRequired) return { kind: 'open' }
    const key = presentedKey(request.headers)
    if (key === undefined) {
      throw new ApiError(
        401,
        'key-required',
        'Send a developer key or the admin key as `Authorization: Bearer <key>` or `X-API-Key: <key>`.',
      )
    }
    const digest = sha256(key)
    if (this.#adminDigest !== undefined && timingSafeEqual(digest, this.#adminDigest)) return { kind: 'admin' }
    const keyDigest = digest.toString('hex')
    if (!(await this.#isGood(keyDigest, key, client.address)))
      throw new ApiError(401, 'bad-key', 'Invalid API key: it does not exist or was revoked.')
    return { kind: 'developer', keyDigest }
  }

  /**
   * The network by which statement slots are shared. Local programs and the administrator may name
   * the client they act for, as the chat does.
   */
  clientOf(request: IncomingMessage, { kind }: Caller): string {
    const named = request.headers[clientHeader]
    const isBelieved = kind === 'local' || kind === 'admin'
    const address = isBelieved && typeof named === 'string' ? named.replace(/\/64$/, '') : ''
    return clientNetwork(isIP(address) === 0 ? this.#options.clientOf(request).address : address)
  }

  /** @throws ApiError 429 `rate-limited` with `retryAfterSeconds`; 400 `batch-too-large` */
  count(caller: Caller, requests: number): void {
    if (caller.kind !== 'developer') return
    const { window } = this.#options
    if (!window.canFit(requests)) {
      throw new ApiError(
        400,
        'batch-too-large',
        `Batch too large: ${requests} requests exceed the limit of a key per minute. Send smaller batches.`,
      )
    }
    const { isAllowed, retryAfterSeconds } = window.take(caller.keyDigest, requests)
    if (isAllowed) return
    throw new ApiError(429, 'rate-limited', `Rate limit of this key reached. Try again in ${retryAfterSeconds} s.`, {
      details: { retryAfterSeconds },
    })
  }

  async #isGood(digest: string, key: string, address: string): Promise<boolean> {
    const { keys, attempts } = this.#options
    const cached = keys.cached(digest)
    if (cached !== undefined) return cached
    attempts.require(address)
    const slot = await this.#slots.enter(clientNetwork(address))
    try {
      attempts.require(address)
      const isGood = keys.cached(digest) ?? (await keys.lookUp(digest, key))
      if (!isGood) attempts.failed(address)
      return isGood
    } finally {
      slot.leave()
    }
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const maxCharacters = 512

/** Unchecked: `Authorization: Bearer`, else `X-API-Key`. */
function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = bearerToken(headers.authorization)
  const key = bearer ?? [headers['x-api-key'] ?? []].flat()[0]?.trim() ?? ''
  return key === '' || key.length > maxCharacters ? undefined : key
}
