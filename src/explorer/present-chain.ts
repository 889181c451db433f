import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StateNotServedError, ScriptFailedError } from '../flow/chain-reader.ts'
import type { ChainAccount, ChainReader, StateAt } from '../flow/chain-reader.ts'
import type { CadenceArgument } from '../flow/json-cdc/cadence-argument.ts'
import { PayloadError } from '../flow/payload-value.ts'
import type { PayloadValue } from '../flow/payload-value.ts'
import { RetryableError, ApiError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'

/** The chain as it is now, asked for people who wait: soon, or not at all. */
export interface PresentChain {
  /**
   * @param address in text form
   * @returns undefined where the chain has no such account
   * @throws ChainSilentError
   */
  account(address: string): Promise<ChainAccount | undefined>
  /**
   * Accounts that had a key when they were asked for lately; hex digits in lower case. Ask for them to see whether
   * they still have it.
   */
  accountsSeenWithKey(publicKey: string): readonly string[]
  /**
   * Runs one of the API's own scripts at the newest state.
   * @throws ChainSilentError; ScriptFailedError where the script itself failed, which is an answer too
   */
  run(script: PresentScript, args: readonly CadenceArgument[]): Promise<PayloadValue>
}

/**
 * The chain cannot answer at present: no node does, none did in time, or too much is asked already. What is asked may
 * well be there, so whoever gets it falls back to what is indexed, and says so. The message names no node.
 */
export class ChainSilentError extends RetryableError {
  constructor(reason: string, cause?: unknown) {
    super('chain-silent', reason, { cause })
  }
}

export interface PresentChainOptions {
  readonly reader: ChainReader
  /** Is told when the chain falls silent and when it answers again, not of each question. */
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Milliseconds after which nobody waits for an answer any more. Default 2,500. */
  readonly timeLimitMs?: number
  /** Milliseconds for which an answer is taken for the present: some three blocks. Default 2,500. */
  readonly keepMs?: number
  /** Questions that may be under way at the same time; further ones are not asked. Default 64. */
  readonly maxUnderWay?: number
  /** Milliseconds from any fixed moment, for what is kept and for pauses. Default: the clock of the process. */
  readonly now?: () => number
}

/** Milliseconds for which a question that failed is not asked again. */
const keepFailureMs = 1000
/** Accounts with many contracts have megabytes of code. */
const maxKeptBytes = 32 * 1024 * 1024
/**
 * A present chain on a reader. One question is asked once, however many people want its answer at the same time, and
 * its answer is kept for moments. While no node answers, most are told so at once instead of after the time limit
 * (`SilencePause`); accounts and scripts by themselves, since there are nodes that run no scripts.
 */
export function createPresentChain(options: PresentChainOptions): PresentChain {
  return new CachedPresentChain(options)
}

class CachedPresentChain implements PresentChain {
  readonly #reader: ChainReader
  readonly #timeLimitMs: number
  readonly #maxUnderWay: number
  readonly #answers: ShortCache
  readonly #seenKeys = new SeenKeys()
  readonly #scripts = loadPresentScripts()
  readonly #accounts: SilencePause
  readonly #runs: SilencePause

  constructor({
    reader,
    log,
    timeLimitMs = 2500,
    keepMs = 2500,
    maxUnderWay = 64,
    now = () => performance.now(),
  }: PresentChainOptions) {
    this.#reader = reader
    this.#timeLimitMs = timeLimitMs
    this.#maxUnderWay = maxUnderWay
    const tell =
      (what: string) =>
      (isSilent: boolean): void => {
        if (isSilent) log.warn({ what }, 'no access node answers for people; what is indexed is shown in its place')
        else log.info({ what }, 'access nodes answer for people again')
      }
    this.#accounts = new SilencePause(now, tell('accounts'))
    this.#runs = new SilencePause(now, tell('scripts'))
    this.#answers = new ShortCache({ keepMs, keepFailureMs, maxBytes: maxKeptBytes, now })
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
    return this.#seenKeys.accountsOf(publicKey)
  }

  run(script: PresentScript, args: readonly CadenceArgument[]): Promise<PayloadValue> {
    const source = this.#scripts(script)
    const ask = (at: StateAt): Promise<PayloadValue> => this.#reader.executeScript(source, args, at)
    return this.#answers.get(
      `${script} ${JSON.stringify(args)}`,
      () => this.#ask(this.#runs, ask),
      (answer) => JSON.stringify(answer).length,
    )
  }

  async #ask<T>(pause: SilencePause, question: (at: StateAt) => Promise<T>): Promise<T> {
    if (this.#answers.underWay >= this.#maxUnderWay)
      throw new ChainSilentError('too many questions to the chain are under way')
    if (!pause.mayAsk()) throw new ChainSilentError('no access node answers')
    const signal = AbortSignal.timeout(this.#timeLimitMs)
    try {
      const answer = await question({ signal })
      pause.heard()
      return answer
    } catch (error) {
      const reason = signal.aborted ? 'the chain did not answer in time' : silenceOf(error)
      if (reason === undefined) {
        pause.heard()
        throw error
      }
      pause.silent()
      throw new ChainSilentError(reason, error)
    }
  }
}

/**
 * Why nothing was heard; undefined for a script that failed, which is an answer, and for an error that is no node's.
 */
function silenceOf(error: unknown): string | undefined {
  if (error instanceof RetryableError) return 'no access node answers'
  if (error instanceof StateNotServedError) return 'no access node has the newest state'
  if (error instanceof PayloadError) return 'an access node gave an answer that cannot be read'
  return undefined
}

function accountBytes(account: ChainAccount | undefined): number {
  if (account === undefined) return 0
  let bytes = account.keys.length * 400
  for (const code of account.contracts.values()) bytes += code.length
  return bytes
}

/** After so many silences in a row nobody is kept waiting for a while. */
const silencesUntilPause = 3
/** How long that is, in milliseconds. */
const pauseMs = 3000

/**
 * Keeps people from waiting for nodes that are silent. States: open, any question may be asked; after three silences
 * in a row closed for 3 s; then one question may be asked, and is the trial: until it is answered others are kept
 * back for another 3 s.
 */
class SilencePause {
  readonly #now: () => number
  readonly #onChange: (isSilent: boolean) => void
  #silences = 0
  #closedUntil = -Infinity

  /**
   * @param now milliseconds from any fixed moment
   * @param onChange is told when it closes, and when an answer opens it again
   */
  constructor(now: () => number, onChange: (isSilent: boolean) => void) {
    this.#now = now
    this.#onChange = onChange
  }

  /** Whether a question may be asked now; whoever is told so asks it. */
  mayAsk(): boolean {
    const now = this.#now()
    if (now < this.#closedUntil) return false
    if (this.#silences >= silencesUntilPause) this.#closedUntil = now + pauseMs
    return true
  }

  /** A question was answered. */
  heard(): void {
    const wasSilent = this.#silences >= silencesUntilPause
    this.#silences = 0
    this.#closedUntil = -Infinity
    if (wasSilent) this.#onChange(false)
  }

  /** A question was not answered. */
  silent(): void {
    if (++this.#silences >= silencesUntilPause) this.#closedUntil = this.#now() + pauseMs
    if (this.#silences === silencesUntilPause) this.#onChange(true)
  }
}

/** What routes say that have nothing but the chain to answer from. */
export const chainProblems = {
  502: 'The chain ran the script that this is asked with, and the script failed.',
  503: 'The chain cannot be asked at the moment.',
} as const

/**
 * An answer of the chain that a client waits for.
 * @throws ApiError 503 where the chain is silent, 502 where its script fails; any other error as it is
 */
export async function fromChain<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ChainSilentError) throw chainSilentProblem(error)
    if (error instanceof ScriptFailedError)
      throw new ApiError(502, 'script-failed', chainProblems[502], { cause: error })
    throw error
  }
}

/** The answer to a client where only the chain could have told. */
export function chainSilentProblem(error: ChainSilentError): ApiError {
  return new ApiError(503, 'chain-silent', `The chain cannot be asked at the moment: ${error.message}.`, {
    cause: error,
  })
}

/** The answer of the chain, or why it is silent, for whoever can do without. */
export async function ifHeard<T>(answer: Promise<T>): Promise<{ readonly value: T } | ChainSilentError> {
  try {
    return { value: await answer }
  } catch (error) {
    if (error instanceof ChainSilentError) return error
    throw error
  }
}

/** The scripts that the API runs, by the names of their files. They import nothing, so every network can run them. */
export const presentScriptNames = ['account_storage', 'public_paths', 'storage_item'] as const
type PresentScript = (typeof presentScriptNames)[number]

/** Where the scripts are. */
export const presentScriptsFolder = join(import.meta.dirname, 'chain/scripts')

/** The source of each script. */
export function loadPresentScripts(): (name: PresentScript) => string {
  const scripts = new Map(
    presentScriptNames.map((name) => {
      return [name, readFileSync(join(presentScriptsFolder, `${name}.cdc`), 'utf8')]
    }),
  )
  return (name) => scripts.get(name) ?? ''
}

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
 * Which accounts had a key when the chain was asked about them. The index knows the keys that indexed transactions
 * added; those that accounts had before are known to nodes alone, which find no account by its key. The keys seen
 * longest ago are dropped first.
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
