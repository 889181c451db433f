import { z } from 'zod'
import { ApiError, asError } from '../../platform/errors.ts'

export interface KeyCheckOptions {
  readonly backendUrl: () => string
  /** Cache time of a valid key, and so the longest use of a revoked one. */
  readonly goodForMs?: number
  readonly badForMs?: number
  /** How long a valid key is accepted while the backend is down. */
  readonly graceMs?: number
  readonly retryMs?: number
  readonly timeoutMs?: number
  /** Valid and invalid keys are counted separately, so that guesses evict no valid ones. */
  readonly maxCached?: number
  readonly clock?: () => number
}

interface Good {
  readonly at: number
  readonly until: number
}

const answerSchema = z.object({ valid: z.boolean() })

/** Concurrent checks of a key share one request. */
export class KeyCheck {
  readonly #options: Required<KeyCheckOptions>
  readonly #valid = new Map<string, Good>()
  readonly #invalid = new Map<string, number>()
  readonly #pending = new Map<string, Promise<boolean>>()

  constructor(options: KeyCheckOptions) {
    this.#options = {
      goodForMs: 60_000,
      badForMs: 30_000,
      graceMs: 300_000,
      retryMs: 5000,
      timeoutMs: 5000,
      maxCached: 10_000,
      clock: () => performance.now(),
      ...options,
    }
  }

  cached(digest: string): boolean | undefined {
    const { badForMs, clock } = this.#options
    if (clock() < (this.#valid.get(digest)?.until ?? 0)) return true
    const badAt = this.#invalid.get(digest)
    return badAt !== undefined && clock() - badAt < badForMs ? false : undefined
  }

  /**
   * @throws ApiError 503 `keys-unavailable` when the backend does not respond and the key was not
   *   valid recently
   */
  lookUp(digest: string, key: string): Promise<boolean> {
    const current = this.#pending.get(digest)
    if (current !== undefined) return current
    const look = this.#lookUp(digest, key).finally(() => this.#pending.delete(digest))
    this.#pending.set(digest, look)
    return look
  }

  async #lookUp(digest: string, key: string): Promise<boolean> {
    const { clock, goodForMs, graceMs, retryMs, maxCached } = this.#options
    try {
      const isGood = await this.#ask(key)
      const at = clock()
      this.#valid.delete(digest)
      this.#invalid.delete(digest)
      if (isGood) cache(this.#valid, maxCached, digest, { at, until: at + goodForMs })
      else cache(this.#invalid, maxCached, digest, at)
      return isGood
    } catch (error) {
      const known = this.#valid.get(digest)
      if (known !== undefined && clock() - known.at < graceMs) {
        this.#valid.set(digest, { at: known.at, until: Math.min(clock() + retryMs, known.at + graceMs) })
        return true
      }
      throw new ApiError(
        503,
        'keys-unavailable',
        'API keys cannot be checked: the backend does not respond. Try again later.',
        {
          cause: asError(error),
        },
      )
    }
  }

  async #ask(key: string): Promise<boolean> {
    const { backendUrl, timeoutMs } = this.#options
    const response = await fetch(new URL('/auth/verify-key', backendUrl()), {
      method: 'POST',
      headers: { 'X-API-Key': key },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const body = await response.text()
    if (response.status === 401 || response.status === 403) return false
    if (response.status !== 200) throw new Error(`the backend returned ${response.status}`)
    return answerSchema.parse(JSON.parse(body)).valid
  }
}

function cache<Value>(known: Map<string, Value>, max: number, digest: string, value: Value): void {
  const [oldest] = known.keys()
  if (known.size >= max && oldest !== undefined) known.delete(oldest)
  known.set(digest, value)
}
