import pLimit from 'p-limit'
import { asError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { retryWhile } from '../../platform/retry.ts'
import type { ContractName, ImportWorkspace, ResolvedContract } from '../imports/import-workspace.ts'

interface ContractFetchesOptions {
  readonly workspace: Pick<ImportWorkspace, 'fetch'>
  readonly max: number
  readonly mayFetch: () => boolean
  readonly signal: AbortSignal
  readonly log: Logger
  readonly onResolved: (contract: ResolvedContract) => void
  readonly onUnresolved: (contract: ContractName, why: string) => void
  /** Called with the documents whose import arrived. */
  readonly onNeeded: (paths: readonly string[]) => void
}

interface Fetch {
  readonly paths: Set<string>
  /** Undefined while fetching; else the time of the next try. */
  until: number | undefined
}

const atOnce = 4

const maxTries = 5

const believedMs = 30_000

/**
 * Fetches each missing contract once, and reports the documents to send again.
 *
 *     unknown ──request──► fetching ──found──► removed (the workspace has it)
 *        ▲                 └──not found──► cached for a while ──┐
 *        └──────────────────────────────────────────────────────┘
 */
export class ContractFetches {
  readonly #options: ContractFetchesOptions
  readonly #fetches = new Map<string, Fetch>()
  readonly #limit = pLimit(atOnce)
  #requested = 0
  #hasReportedLimit = false

  constructor(options: ContractFetchesOptions) {
    this.#options = options
  }

  request(path: string, missing: readonly ContractName[]): void {
    for (const contract of missing) {
      const key = `${contract.address}.${contract.name}`
      const known = this.#fetches.get(key)
      if (known !== undefined && (known.until === undefined || performance.now() < known.until)) known.paths.add(path)
      else this.#fetch(key, contract, new Set([...(known?.paths ?? []), path]))
    }
  }

  #fetch(key: string, contract: ContractName, paths: Set<string>): void {
    const { max, mayFetch, log, onUnresolved } = this.#options
    if (this.#requested >= max) return
    if (!mayFetch()) {
      if (!this.#hasReportedLimit)
        onUnresolved(contract, 'your address has reached its limit of contracts for now; it is retried after a change')
      this.#hasReportedLimit = true
      return
    }
    this.#hasReportedLimit = false
    this.#requested++
    if (this.#requested === max) onUnresolved(contract, `limit of ${max} contracts per connection; reconnect for more`)
    const fetch: Fetch = { paths, until: undefined }
    this.#fetches.set(key, fetch)
    this.#limit(() => this.#run(key, contract, fetch)).catch((error: unknown) => {
      log.error({ err: asError(error), contract }, 'Could not handle a fetched contract')
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
        onUnresolved(contract, 'the account has no such contract')
        return
      }
      this.#fetches.delete(key)
      onResolved(resolved)
      onNeeded([...fetch.paths])
    } catch (error) {
      if (signal.aborted) return
      fetch.until = performance.now() + believedMs
      log.warn({ err: asError(error), contract }, 'Could not fetch a contract')
      onUnresolved(contract, 'no access node is available; it is retried after a change')
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
