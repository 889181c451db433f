import type { EditorNetwork } from '../editor-network.ts'
import type { ChainReader } from '../../flow/chain-reader.ts'
import { asError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'

export interface ContractSource {
  /**
   * Code by name. @param address 16 hex digits. @returns undefined if the account does not exist.
   * @throws RetryableError if no node is available; the signal's reason
   */
  contractsOf(
    network: EditorNetwork,
    address: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string> | undefined>
}

interface AccountCacheOptions {
  readonly source: ContractSource
  /** Default 600,000 ms. */
  readonly freshMs?: number
  /**
   * For missing contracts, and after a failure while stale contracts are served. Default 30,000 ms.
   */
  readonly absentMs?: number
  readonly maxBytes?: number
  readonly now?: () => number
}

interface KnownAccount {
  readonly contracts: ReadonlyMap<string, string> | undefined
  readonly bytes: number
  askAgainAt: number
}

interface OpenCall {
  readonly answer: Promise<ReadonlyMap<string, string> | undefined>
  readonly abort: AbortController
  waiting: number
}

const minute = 60_000

/**
 * Shared by all connections. Concurrent requests share one call, which is aborted when all callers
 * have left.
 */
export class AccountCache {
  readonly #options: Required<AccountCacheOptions>
  readonly #known = new Map<string, KnownAccount>()
  readonly #calls = new Map<string, OpenCall>()
  #bytes = 0

  constructor({
    source,
    freshMs = 10 * minute,
    absentMs = minute / 2,
    maxBytes = 64_000_000,
    now = Date.now,
  }: AccountCacheOptions) {
    this.#options = { source, freshMs, absentMs, maxBytes, now }
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Returns stale contracts while no node is available. @throws RetryableError, the signal's reason
   */
  async contractsOf(
    network: EditorNetwork,
    address: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    signal.throwIfAborted()
    const key = `${network} ${address}`
    const known = this.#known.get(key)
    if (known !== undefined) {
      this.#known.delete(key)
      this.#known.set(key, known)
      if (this.#options.now() < known.askAgainAt) return known.contracts
    }
    try {
      return await this.#ask(key, network, address, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (known?.contracts === undefined) throw error
      known.askAgainAt = this.#options.now() + this.#options.absentMs
      return known.contracts
    }
  }

  /** Shortens the cache time. */
  expectMore(network: EditorNetwork, address: string): void {
    const known = this.#known.get(`${network} ${address}`)
    if (known !== undefined) known.askAgainAt = Math.min(known.askAgainAt, this.#options.now() + this.#options.absentMs)
  }

  async #ask(
    key: string,
    network: EditorNetwork,
    address: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const call = this.#calls.get(key) ?? this.#call(key, network, address)
    call.waiting++
    const { promise, reject } = Promise.withResolvers<never>()
    const leave = (): void => reject(asError(signal.reason))
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([call.answer, promise])
    } finally {
      signal.removeEventListener('abort', leave)
      call.waiting--
      if (call.waiting === 0) {
        call.abort.abort()
        if (this.#calls.get(key) === call) this.#calls.delete(key)
      }
    }
  }

  #call(key: string, network: EditorNetwork, address: string): OpenCall {
    const abort = new AbortController()
    const answer = this.#options.source.contractsOf(network, address, abort.signal).then((contracts) => {
      if (!abort.signal.aborted) this.#keep(key, contracts)
      return contracts
    })
    // Callers handle the rejection.
    answer.catch(() => undefined)
    const call = { answer, abort, waiting: 0 }
    this.#calls.set(key, call)
    return call
  }

  #keep(key: string, contracts: ReadonlyMap<string, string> | undefined): void {
    this.#bytes -= this.#known.get(key)?.bytes ?? 0
    this.#known.delete(key)
    // The overhead counts, so that empty accounts cannot fill the memory.
    const bytes = 500 + [...(contracts ?? [])].reduce((sum, [name, code]) => sum + name.length + code.length, 0)
    const { now, freshMs, absentMs, maxBytes } = this.#options
    this.#known.set(key, { contracts, bytes, askAgainAt: now() + (contracts === undefined ? absentMs : freshMs) })
    this.#bytes += bytes
    for (const [oldest, account] of this.#known) {
      if (this.#bytes <= maxBytes || oldest === key) break
      this.#known.delete(oldest)
      this.#bytes -= account.bytes
    }
  }
}

interface NodeContractsOptions {
  /** Networks may become known later. */
  readonly nodes: Readonly<Partial<Record<EditorNetwork, Pick<ChainReader, 'getAccount'>>>>
  readonly log: Logger
}

export function createNodeContracts({ nodes, log }: NodeContractsOptions): ContractSource {
  return {
    async contractsOf(network, address, signal) {
      const node = nodes[network]
      if (node === undefined) {
        throw new RetryableError(
          'no-access-node',
          `no access node of ${network} for imports. Set ` +
            `EDITOR_${network.toUpperCase()}_NODE or CHAIN_ACCESS_NODE`,
        )
      }
      try {
        const account = await node.getAccount(`0x${address}`, { signal })
        return account === undefined
          ? undefined
          : new Map([...account.contracts].map(([name, code]) => [name, code.toString('utf8')]))
      } catch (thrown) {
        signal.throwIfAborted()
        if (thrown instanceof RetryableError) throw thrown
        const error = asError(thrown)
        log.warn({ err: error, network, address }, 'Could not read the contracts of an account')
        throw new RetryableError(
          'contracts-not-read',
          `could not read the contracts of 0x${address} on ${network}: ${error.message}`,
          { cause: error },
        )
      }
    },
  }
}
