import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { z } from 'zod'
import { StateNotServedError, ScriptFailedError } from '../flow/chain-reader.ts'
import type { ChainAccount, ChainReader, StateAt } from '../flow/chain-reader.ts'
import { inNetwork } from '../flow/core-contracts.ts'
import type { CadenceArgument } from '../flow/json-cdc/cadence-argument.ts'
import type { Network } from '../flow/network.ts'
import { PayloadError } from '../flow/payload-value.ts'
import type { PayloadValue } from '../flow/payload-value.ts'
import { RetryableError, ApiError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'

/** Short timeouts, for interactive requests. */
export interface PresentChain {
  /**
   * @returns undefined if the account does not exist
   *
   * @throws ChainUnavailableError
   */
  account(address: string): Promise<ChainAccount | undefined>
  /** Lower-case hex. Query the accounts to check whether they still have the key. */
  accountsSeenWithKey(publicKey: string): readonly string[]
  /**
   * Reads the keys of accounts that no event announces, each account once, in the background.
   * Resolves when done, or after `timeLimitMs`. Called again within a minute, it only waits.
   */
  readUnindexedKeys(listAddresses: () => Promise<readonly string[]>): Promise<void>
  /** @throws ChainUnavailableError; ScriptFailedError */
  run(script: PresentScript, args: readonly CadenceArgument[]): Promise<PayloadValue>
}

/**
 * No access node responded in time, or too many queries are running. Callers fall back to indexed
 * data. The message does not contain node addresses.
 */
export class ChainUnavailableError extends RetryableError {
  constructor(reason: string, cause?: unknown) {
    super('chain-silent', reason, { cause })
  }
}

export interface PresentChainOptions {
  readonly reader: ChainReader
  readonly network: () => Network
  /** Only availability changes are logged. */
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Default 2,500. */
  readonly timeLimitMs?: number
  /** About three blocks. Default 2,500. */
  readonly maxAgeMs?: number
  /** Default 64. */
  readonly maxInFlight?: number
  /** Monotonic, milliseconds. */
  readonly now?: () => number
}

const maxFailureAgeMs = 1000
/** Accounts with many contracts have megabytes of code. */
const maxCacheBytes = 32 * 1024 * 1024
/**
 * Identical concurrent queries share one call. One circuit breaker for accounts and one for
 * scripts, as some nodes run no scripts.
 */
export function createPresentChain(options: PresentChainOptions): PresentChain {
  return new CachedPresentChain(options)
}

class CachedPresentChain implements PresentChain {
  readonly #reader: ChainReader
  readonly #network: () => Network
  readonly #timeLimitMs: number
  readonly #maxInFlight: number
  readonly #answers: ShortCache
  readonly #seenKeys = new ObservedKeys()
  readonly #unindexed: UnindexedKeys
  readonly #scripts = loadPresentScripts()
  readonly #accounts: CircuitBreaker
  readonly #runs: CircuitBreaker

  constructor({
    reader,
    network,
    log,
    timeLimitMs = 2500,
    maxAgeMs = 2500,
    maxInFlight = 64,
    now = () => performance.now(),
  }: PresentChainOptions) {
    this.#reader = reader
    this.#network = network
    this.#timeLimitMs = timeLimitMs
    this.#maxInFlight = maxInFlight
    const logChange =
      (what: string) =>
      (isSilent: boolean): void => {
        if (isSilent) log.warn({ what }, 'Access nodes do not respond to API queries. Serving indexed data instead.')
        else log.info({ what }, 'Access nodes respond to API queries again')
      }
    this.#accounts = new CircuitBreaker(now, logChange('accounts'))
    this.#runs = new CircuitBreaker(now, logChange('scripts'))
    this.#answers = new ShortCache({ maxAgeMs, maxFailureAgeMs, maxBytes: maxCacheBytes, now })
    this.#unindexed = new UnindexedKeys({
      read: (address) => this.#ask(this.#accounts, (at) => this.#reader.getAccount(address, at)),
      now,
    })
  }

  account(address: string): Promise<ChainAccount | undefined> {
    return this.#answers.get(
      `account ${address}`,
      async () => {
        const account = await this.#ask(this.#accounts, (at) => this.#reader.getAccount(address, at))
        if (account !== undefined) this.#seenKeys.add(account)
        return account
      },
      accountBytes,
    )
  }

  accountsSeenWithKey(publicKey: string): readonly string[] {
    return [...new Set([...this.#seenKeys.accountsOf(publicKey), ...this.#unindexed.keys.accountsOf(publicKey)])]
  }

  async readUnindexedKeys(listAddresses: () => Promise<readonly string[]>): Promise<void> {
    await Promise.race([this.#unindexed.update(listAddresses), pause(this.#timeLimitMs, undefined, { ref: false })])
  }

  run(script: PresentScript, args: readonly CadenceArgument[]): Promise<PayloadValue> {
    const source = inNetwork(this.#scripts(script), this.#network())
    const ask = (at: StateAt): Promise<PayloadValue> => this.#reader.executeScript(source, args, at)
    return this.#answers.get(
      `${script} ${JSON.stringify(args)}`,
      () => this.#ask(this.#runs, ask),
      (answer) => JSON.stringify(answer).length,
    )
  }

  async #ask<T>(breaker: CircuitBreaker, question: (at: StateAt) => Promise<T>): Promise<T> {
    if (this.#answers.inFlight >= this.#maxInFlight)
      throw new ChainUnavailableError('too many concurrent chain queries')
    if (!breaker.allows()) throw new ChainUnavailableError('no access node responds')
    const signal = AbortSignal.timeout(this.#timeLimitMs)
    try {
      const answer = await question({ signal })
      breaker.recordSuccess()
      return answer
    } catch (error) {
      const reason = signal.aborted ? 'no access node responded in time' : unavailability(error)
      if (reason === undefined) {
        breaker.recordSuccess()
        throw error
      }
      breaker.recordFailure()
      throw new ChainUnavailableError(reason, error)
    }
  }
}

/** Undefined for a failed script, which is a result, and for errors that no node caused. */
function unavailability(error: unknown): string | undefined {
  if (error instanceof RetryableError) return 'no access node responds'
  if (error instanceof StateNotServedError) return 'no access node has the newest state'
  if (error instanceof PayloadError) return 'an access node returned an invalid response'
  return undefined
}

function accountBytes(account: ChainAccount | undefined): number {
  if (account === undefined) return 0
  let bytes = account.keys.length * 400
  for (const code of account.contracts.values()) bytes += code.length
  return bytes
}

const maxFailures = 3
const openMs = 3000

/**
 * Half-open: one query passes as a trial and the others are rejected for another `openMs`, until
 * the trial succeeds.
 */
class CircuitBreaker {
  readonly #now: () => number
  readonly #onChange: (isSilent: boolean) => void
  #failures = 0
  #openUntil = -Infinity

  /** @param now monotonic, milliseconds */
  constructor(now: () => number, onChange: (isSilent: boolean) => void) {
    this.#now = now
    this.#onChange = onChange
  }

  /** If true, the caller must run its query and record the result. */
  allows(): boolean {
    const now = this.#now()
    if (now < this.#openUntil) return false
    if (this.#failures >= maxFailures) this.#openUntil = now + openMs
    return true
  }

  recordSuccess(): void {
    const wasSilent = this.#failures >= maxFailures
    this.#failures = 0
    this.#openUntil = -Infinity
    if (wasSilent) this.#onChange(false)
  }

  recordFailure(): void {
    if (++this.#failures >= maxFailures) this.#openUntil = this.#now() + openMs
    if (this.#failures === maxFailures) this.#onChange(true)
  }
}

export const chainProblems = {
  502: 'The script that reads this data failed on the chain.',
  503: 'No access node responds.',
} as const

/** @throws ApiError 503 if no node responds, 502 if the script fails */
export async function fromChain<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ChainUnavailableError) throw chainUnavailableProblem(error)
    if (error instanceof ScriptFailedError)
      throw new ApiError(502, 'script-failed', chainProblems[502], { cause: error })
    throw error
  }
}

export function chainUnavailableProblem(error: ChainUnavailableError): ApiError {
  return new ApiError(503, 'chain-silent', `The chain could not be queried: ${error.message}. Retry later.`, {
    cause: error,
  })
}

export async function resultOrUnavailable<T>(
  answer: Promise<T>,
): Promise<{ readonly value: T } | ChainUnavailableError> {
  try {
    return { value: await answer }
  } catch (error) {
    if (error instanceof ChainUnavailableError) return error
    throw error
  }
}

/** The scripts are fixed, so another shape is a node error. */
export function readAnswer<Schema extends z.ZodType>(schema: Schema, answer: PayloadValue): z.output<Schema> {
  const result = schema.safeParse(answer)
  if (result.success) return result.data
  throw new ChainUnavailableError('an access node returned an invalid response', result.error)
}

/** File names. Imports are core contracts. */
export const presentScriptNames = [
  'account_storage',
  'public_paths',
  'storage_item',
  'evm_account',
  'evm_call',
  'coa_addresses',
] as const
type PresentScript = (typeof presentScriptNames)[number]

export const presentScriptsFolder = join(import.meta.dirname, 'chain/scripts')

export function loadPresentScripts(): (name: PresentScript) => string {
  const scripts = new Map(
    presentScriptNames.map((name) => {
      return [name, readFileSync(join(presentScriptsFolder, `${name}.cdc`), 'utf8')]
    }),
  )
  return (name) => scripts.get(name) ?? ''
}

interface ShortCacheOptions {
  readonly maxAgeMs: number
  /** Keeps slow failures from being repeated by every caller. */
  readonly maxFailureAgeMs: number
  /** By `sizeOf`. */
  readonly maxBytes: number
  /** Monotonic, milliseconds. */
  readonly now?: () => number
}

interface CacheEntry {
  readonly answer: Promise<unknown>
  readonly bytes: number
  readonly until: number
}

const entryBytes = 500

/** Evicts the oldest entries first. Concurrent calls with the same key share one promise. */
export class ShortCache {
  readonly #options: ShortCacheOptions
  readonly #now: () => number
  readonly #inFlight = new Map<string, Promise<unknown>>()
  readonly #entries = new Map<string, CacheEntry>()
  #bytes = 0

  constructor(options: ShortCacheOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @param key identifies the query and its result type */
  async get<T>(key: string, ask: () => Promise<T>, sizeOf: (answer: T) => number): Promise<T> {
    const cached = this.#entries.get(key)
    if (cached !== undefined && cached.until > this.#now()) return await (cached.answer as Promise<T>)
    const answer = this.#inFlight.get(key) ?? this.#begin(key, ask, sizeOf)
    return await (answer as Promise<T>)
  }

  #begin<T>(key: string, ask: () => Promise<T>, sizeOf: (answer: T) => number): Promise<T> {
    const answer = ask()
    const { maxAgeMs, maxFailureAgeMs } = this.#options
    this.#inFlight.set(key, answer)
    answer
      .then(
        (value) => this.#store(key, { answer, bytes: entryBytes + sizeOf(value), until: this.#now() + maxAgeMs }),
        () => this.#store(key, { answer, bytes: entryBytes, until: this.#now() + maxFailureAgeMs }),
      )
      .finally(() => this.#inFlight.delete(key))
    return answer
  }

  #store(key: string, entry: CacheEntry): void {
    this.#drop(key)
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes
    const now = this.#now()
    for (const [oldest, { until }] of this.#entries) {
      if (until > now && this.#bytes <= this.#options.maxBytes) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

/** About 5 MB. */
export const maxObservedKeys = 20_000

export const maxAccountsOfKey = 20

/**
 * The index only has keys added by indexed transactions, and access nodes cannot look up accounts
 * by key. Evicts the least recently seen keys.
 */
export class ObservedKeys {
  readonly #accounts = new Map<string, Set<string>>()

  add({ address, keys }: ChainAccount): void {
    for (const { publicKey } of keys) {
      const accounts = this.#accounts.get(publicKey) ?? new Set<string>()
      this.#accounts.delete(publicKey)
      this.#accounts.set(publicKey, accounts)
      if (accounts.size < maxAccountsOfKey) accounts.add(address)
      const [oldest] = this.#accounts.keys()
      if (this.#accounts.size > maxObservedKeys && oldest !== undefined) this.#accounts.delete(oldest)
    }
  }

  accountsOf(publicKey: string): readonly string[] {
    return [...(this.#accounts.get(publicKey) ?? [])]
  }
}

/** The keys of these accounts must fit into `ObservedKeys`: most accounts have one or two. */
export const maxUnindexedAccounts = 10_000
const maxConcurrentReads = 4
const unindexedPauseMs = 60_000

interface UnindexedKeysOptions {
  /** @throws ChainUnavailableError */
  readonly read: (address: string) => Promise<ChainAccount | undefined>
  /** Monotonic, milliseconds. */
  readonly now: () => number
}

/** Keys of accounts created before the first indexed block. Separate, so that requests evict none. */
export class UnindexedKeys {
  readonly keys = new ObservedKeys()
  readonly #options: UnindexedKeysOptions
  readonly #read = new Set<string>()
  #updating = Promise.resolve()
  #nextAt = -Infinity

  constructor(options: UnindexedKeysOptions) {
    this.#options = options
  }

  /** Accounts that no node returned are left for the next update. */
  update(listAddresses: () => Promise<readonly string[]>): Promise<void> {
    const now = this.#options.now()
    if (now < this.#nextAt || this.#read.size >= maxUnindexedAccounts) return this.#updating
    this.#nextAt = Infinity
    this.#updating = this.#readAll(listAddresses).then(
      () => void (this.#nextAt = this.#options.now() + unindexedPauseMs),
      (error: unknown) => {
        this.#nextAt = -Infinity
        throw error
      },
    )
    return this.#updating
  }

  async #readAll(listAddresses: () => Promise<readonly string[]>): Promise<void> {
    const listed = (await listAddresses()).filter((address) => !this.#read.has(address))
    const left = listed.slice(0, maxUnindexedAccounts - this.#read.size)
    let failures = 0
    const readNext = async (): Promise<void> => {
      for (let address = left.shift(); address !== undefined && failures < maxFailures; address = left.shift()) {
        try {
          const account = await this.#options.read(address)
          if (account !== undefined) this.keys.add(account)
          this.#read.add(address)
          failures = 0
        } catch (error) {
          if (!(error instanceof ChainUnavailableError)) throw error
          failures++
        }
      }
    }
    await Promise.all(Array.from({ length: maxConcurrentReads }, readNext))
  }
}
