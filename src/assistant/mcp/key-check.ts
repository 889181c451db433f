import { z } from 'zod'
import { ApiError, asError } from '../../platform/errors.ts'

export interface KeyCheckOptions {
  /** The indexer backend, e.g. http://127.0.0.1:8080 (BACKEND_URL); asked for anew at every look-up. */
  readonly backendUrl: () => string
  /** How long a good key is not asked for again; a revoked one is refused after so long. Default 60,000 ms. */
  readonly goodForMs?: number
  /** How long a key that is not good is refused without asking. Default 30,000 ms. */
  readonly badForMs?: number
  /** How long a good key is still taken when the backend does not answer. Default 300,000 ms. */
  readonly graceMs?: number
  /** How long such a key is taken without asking once more. Default 5,000 ms. */
  readonly askAgainMs?: number
  /** Default 5,000 ms. */
  readonly timeoutMs?: number
  /**
   * Keys that are remembered, so many good ones and so many others, so that guesses drive out no good ones; beyond that those that were looked up first
   * are forgotten. Default 10,000.
   */
  readonly mostRemembered?: number
  readonly clock?: () => number
}

/** A key that is good: when the backend said so, and until when it is not asked again. */
interface Good {
  readonly at: number
  readonly until: number
}

const answerSchema = z.object({ valid: z.boolean() })

/**
 * Whether developer keys are good, as the indexer backend knows it (`POST /auth/verify-key`). Answers are remembered, both
 * ways, by the digest of the key; who asks for a key that is being looked up waits for the same answer.
 */
export class KeyCheck {
  readonly #options: Required<KeyCheckOptions>
  readonly #good = new Map<string, Good>()
  /** When it was said of a key that it is not good. */
  readonly #bad = new Map<string, number>()
  readonly #underWay = new Map<string, Promise<boolean>>()

  constructor(options: KeyCheckOptions) {
    this.#options = {
      goodForMs: 60_000,
      badForMs: 30_000,
      graceMs: 300_000,
      askAgainMs: 5000,
      timeoutMs: 5000,
      mostRemembered: 10_000,
      clock: () => performance.now(),
      ...options,
    }
  }

  /** What is known without asking; undefined: nothing, or nothing of late. @param digest of the key */
  remembered(digest: string): boolean | undefined {
    const { badForMs, clock } = this.#options
    if (clock() < (this.#good.get(digest)?.until ?? 0)) return true
    const badAt = this.#bad.get(digest)
    return badAt !== undefined && clock() - badAt < badForMs ? false : undefined
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
    const { clock, goodForMs, graceMs, askAgainMs, mostRemembered } = this.#options
    try {
      const isGood = await this.#ask(key)
      const at = clock()
      this.#good.delete(digest)
      this.#bad.delete(digest)
      if (isGood) remember(this.#good, mostRemembered, digest, { at, until: at + goodForMs })
      else remember(this.#bad, mostRemembered, digest, at)
      return isGood
    } catch (error) {
      const known = this.#good.get(digest)
      if (known !== undefined && clock() - known.at < graceMs) {
        this.#good.set(digest, { at: known.at, until: Math.min(clock() + askAgainMs, known.at + graceMs) })
        return true
      }
      throw new ApiError(503, 'keys-unavailable', 'Keys cannot be checked at the moment; try again.', {
        cause: asError(error),
      })
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
    if (response.status !== 200) throw new Error(`the backend answered ${response.status}`)
    // Some backends send no content type, so the text is read whatever it says.
    return answerSchema.parse(JSON.parse(body)).valid
  }
}

function remember<Value>(known: Map<string, Value>, most: number, digest: string, value: Value): void {
  const [oldest] = known.keys()
  if (known.size >= most && oldest !== undefined) known.delete(oldest)
  known.set(digest, value)
}
