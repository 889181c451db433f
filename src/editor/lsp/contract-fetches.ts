import pLimit from 'p-limit'
import { asError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { retryWhile } from '../../platform/retry.ts'
import type { ContractName, ImportWorkspace, ResolvedContract } from '../imports/import-workspace.ts'

interface ContractFetchesOptions {
  readonly workspace: Pick<ImportWorkspace, 'fetch'>
  /** Contracts that may be asked for, in all. */
  readonly max: number
  /** Whether the client, which may have other connections, may have another one fetched. */
  readonly mayFetch: () => boolean
  /** Ends fetching. */
  readonly signal: AbortSignal
  readonly log: Logger
  readonly onResolved: (contract: ResolvedContract) => void
  /** There is no such contract, or no node tells. */
  readonly onUnresolved: (contract: ContractName, why: string) => void
  /** Documents that name a contract which is there now, by their paths. */
  readonly onNeeded: (paths: readonly string[]) => void
}

interface Fetch {
  readonly paths: Set<string>
  /** Undefined while it is fetched; else when it may be asked for again, ms of the process. */
  until: number | undefined
}

/** At the same time, for one connection. */
const atOnce = 4

/** Tries of one contract, while nodes do not answer. */
const maxTries = 5

/** How long it is believed that a contract could not be had, ms. */
const believedMs = 30_000

/**
 * Fetches missing contracts of a connection's documents, each once, and reports the documents to send again.
 *
 *     unknown ──want──► fetching ──there──► forgotten (the workspace has it)
 *        ▲                 └──not there──► refused for a while ──┐
 *        └──────────────────────────────────────────────────────┘
 */
export class ContractFetches {
  readonly #options: ContractFetchesOptions
  readonly #fetches = new Map<string, Fetch>()
  readonly #limit = pLimit(atOnce)
  #asked = 0
  #isToldFull = false

  constructor(options: ContractFetchesOptions) {
    this.#options = options
  }

  /** A document lacks contracts. @param path of the document */
  want(path: string, missing: readonly ContractName[]): void {
    for (const contract of missing) {
      const key = `${contract.address}.${contract.name}`
      const known = this.#fetches.get(key)
      if (known !== undefined && (known.until === undefined || performance.now() < known.until)) known.paths.add(path)
      else this.#fetch(key, contract, new Set([...(known?.paths ?? []), path]))
    }
  }

  #fetch(key: string, contract: ContractName, paths: Set<string>): void {
    const { max, mayFetch, log, onUnresolved } = this.#options
    if (this.#asked >= max) return
    if (!mayFetch()) {
      if (!this.#isToldFull)
        onUnresolved(
          contract,
          'your address has had as many contracts fetched as it may for now; it is tried again after a change',
        )
      this.#isToldFull = true
      return
    }
    this.#isToldFull = false
    this.#asked++
    if (this.#asked === max)
      onUnresolved(contract, `a connection may have ${max} contracts fetched; connect again for more`)
    const fetch: Fetch = { paths, until: undefined }
    this.#fetches.set(key, fetch)
    this.#limit(() => this.#run(key, contract, fetch)).catch((error: unknown) => {
      log.error({ err: asError(error), contract }, 'what a fetched contract is needed for failed')
    })
  }

  async #run(key: string, contract: ContractName, fetch: Fetch): Promise<void> {
    const { workspace, signal, log, onResolved, onUnresolved, onNeeded } = this.#options
    if (signal.aborted) return
    try {
      const resolved = await retryWhile((attempt) => this.#try(workspace, contract, attempt), { signal, baseMs: 500 })
      if (signal.aborted) return
      if (resolved === undefined) {
        fetch.until = performance.now() + believedMs
        onUnresolved(contract, 'there is no such contract at this address')
        return
      }
      this.#fetches.delete(key)
      onResolved(resolved)
      onNeeded([...fetch.paths])
    } catch (error) {
      if (signal.aborted) return
      fetch.until = performance.now() + believedMs
      log.warn({ err: asError(error), contract }, 'a contract could not be fetched')
      onUnresolved(contract, 'no access node gave it; it is tried again after a change')
    }
  }

  async #try(
    workspace: Pick<ImportWorkspace, 'fetch'>,
    contract: ContractName,
    attempt: number,
  ): Promise<ResolvedContract | undefined> {
    try {
      return await workspace.fetch(contract, this.#options.signal)
    } catch (error) {
      if (error instanceof RetryableError && attempt >= maxTries)
        throw new Error(`gave up after ${attempt} tries`, { cause: error })
      throw error
    }
  }
}
