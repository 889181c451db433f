import type { ChainAccount } from '../flow/chain-reader.ts'

interface ShortCacheOptions {
  /** Milliseconds for which an answer is kept. */
  readonly keepMs: number
  /** Milliseconds for which a failure is kept, so that a question that fails slowly is not asked by everybody. */
  readonly keepFailureMs: number
  /** Bytes that the kept answers may have together, as `sizeOf` tells them. */
  readonly maxBytes: number
  /** Milliseconds from any fixed moment. Default: the clock of the process. */
  readonly now?: () => number
}

interface Kept {
  readonly answer: Promise<unknown>
  readonly bytes: number
  readonly until: number
}

/** What a kept answer costs beside its content. */
const entryBytes = 500

/**
 * Answers for a short while, bounded in size, the oldest go first. Questions with one key that come while one is under
 * way share its answer, whoever asked first and whether they still wait for it.
 */
export class ShortCache {
  readonly #options: ShortCacheOptions
  readonly #now: () => number
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(options: ShortCacheOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Questions that nobody has answered yet. */
  get underWay(): number {
    return this.#underWay.size
  }

  /** Bytes of what is kept. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * The answer to a question: a kept one, that of the same question under way, or a new one.
   * @param key names the question and with it the type of its answer
   * @throws what `ask` rejects with, also while that is kept
   */
  async get<T>(key: string, ask: () => Promise<T>, sizeOf: (answer: T) => number): Promise<T> {
    const kept = this.#kept.get(key)
    if (kept !== undefined && kept.until > this.#now()) return await (kept.answer as Promise<T>)
    const underWay = this.#underWay.get(key) ?? this.#begin(key, ask, sizeOf)
    return await (underWay as Promise<T>)
  }

  #begin<T>(key: string, ask: () => Promise<T>, sizeOf: (answer: T) => number): Promise<T> {
    const answer = ask()
    const { keepMs, keepFailureMs } = this.#options
    this.#underWay.set(key, answer)
    answer
      .then(
        (value) => this.#keep(key, { answer, bytes: entryBytes + sizeOf(value), until: this.#now() + keepMs }),
        () => this.#keep(key, { answer, bytes: entryBytes, until: this.#now() + keepFailureMs }),
      )
      .finally(() => this.#underWay.delete(key))
    return answer
  }

  #keep(key: string, kept: Kept): void {
    this.#drop(key)
    this.#kept.set(key, kept)
    this.#bytes += kept.bytes
    const now = this.#now()
    for (const [oldest, { until }] of this.#kept) {
      if (until > now && this.#bytes <= this.#options.maxBytes) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }
}

/** Keys that are remembered: some 5 MB. */
export const maxSeenKeys = 20_000

/** Accounts that are remembered of one key. */
export const maxAccountsOfKey = 20

/**
 * Which accounts had a key when the chain was asked about them. The index knows the keys that indexed transactions added; those that
 * accounts had before are known to nodes alone, which find no account by its key. The keys seen longest ago are dropped first.
 */
export class SeenKeys {
  readonly #accounts = new Map<string, Set<string>>()

  add({ address, keys }: ChainAccount): void {
    for (const { publicKey } of keys) {
      const accounts = this.#accounts.get(publicKey) ?? new Set<string>()
      this.#accounts.delete(publicKey)
      this.#accounts.set(publicKey, accounts)
      if (accounts.size < maxAccountsOfKey) accounts.add(address)
      const [oldest] = this.#accounts.keys()
      if (this.#accounts.size > maxSeenKeys && oldest !== undefined) this.#accounts.delete(oldest)
    }
  }

  /** @param publicKey hex digits in lower case */
  accountsOf(publicKey: string): readonly string[] {
    return [...(this.#accounts.get(publicKey) ?? [])]
  }
}
