import { z } from 'zod'
import { ApiError, asError } from '../../base/errors.ts'

export interface KeyCheckOptions {
  /** The indexer backend, e.g. http://127.0.0.1:8080 (BACKEND_URL); asked for anew at every look-up. */
  readonly backendUrl: () => string
  /** How long a good key is not asked for again; a revoked one is refused after so long. Default 60,000 ms. */
  readonly goodForMs?: number
  /** How long a key that is not good is refused without asking. Default 30,000 ms. */
  readonly badForMs?: number
  /** How long a good key is still taken when the backend does not answer. Default 300,000 ms. */
  readonly graceMs?: number
  /** Default 5,000 ms. */
  readonly timeoutMs?: number
  readonly clock?: () => number
}

interface Known {
  readonly isGood: boolean
  readonly at: number
}

/** Keys that are remembered; beyond that those that were looked up first are forgotten. */
const mostRemembered = 10_000

const answerSchema = z.object({ valid: z.boolean() })

/**
 * Whether developer keys are good, as the indexer backend knows it (`POST /auth/verify-key`). Answers are remembered, both
 * ways, by the digest of the key; who asks for a key that is being looked up waits for the same answer.
 */
export class KeyCheck {
  readonly #options: Required<KeyCheckOptions>
  readonly #known = new Map<string, Known>()
  readonly #underWay = new Map<string, Promise<boolean>>()

  constructor(options: KeyCheckOptions) {
    this.#options = { goodForMs: 60_000, badForMs: 30_000, graceMs: 300_000, timeoutMs: 5000, clock: () => performance.now(), ...options }
  }

  /** What is known without asking; undefined: nothing, or nothing of late. @param digest of the key */
  remembered(digest: string): boolean | undefined {
    const { goodForMs, badForMs, clock } = this.#options
    const known = this.#known.get(digest)
    if (known === undefined) return undefined
    return clock() - known.at < (known.isGood ? goodForMs : badForMs) ? known.isGood : undefined
  }

  /**
   * Asks the backend.
   * @throws ApiError 503 `keys-unavailable` when it gives no answer and the key was not good a short while ago
   */
  lookUp(digest: string, key: string): Promise<boolean> {
    const current = this.#underWay.get(digest)
    if (current !== undefined) return current
    const look = this.#lookUp(digest, key).finally(() => this.#underWay.delete(digest))
    this.#underWay.set(digest, look)
    return look
  }

  async #lookUp(digest: string, key: string): Promise<boolean> {
    const { clock, graceMs } = this.#options
    try {
      const isGood = await this.#ask(key)
      this.#remember(digest, { isGood, at: clock() })
      return isGood
    } catch (error) {
      const known = this.#known.get(digest)
      if (known?.isGood === true && clock() - known.at < graceMs) return true
      throw new ApiError(503, 'keys-unavailable', 'Keys cannot be checked at the moment; try again.', { cause: asError(error) })
    }
  }

  async #ask(key: string): Promise<boolean> {
    const { backendUrl, timeoutMs } = this.#options
    const response = await fetch(new URL('/auth/verify-key', backendUrl()), {
      method: 'POST', headers: { 'X-API-Key': key }, redirect: 'error', signal: AbortSignal.timeout(timeoutMs),
    })
    const body = await response.text()
    if (response.status === 401 || response.status === 403) return false
    if (response.status !== 200) throw new Error(`the backend answered ${response.status}`)
    // Some backends send no content type, so the text is read whatever it says.
    return answerSchema.parse(JSON.parse(body)).valid
  }

  #remember(digest: string, known: Known): void {
    const [oldest] = this.#known.keys()
    this.#known.delete(digest)
    if (this.#known.size >= mostRemembered && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(digest, known)
  }
}
