import { mapLimited } from '../../access/fetch-node-block.ts'
import type { EditorNetwork } from '../editor-network.ts'
import type { AccountCache } from './account-cache.ts'
import { hashOf } from './file-store.ts'
import { firstOf, importStatements, sourceTokens } from './import-statements.ts'
import type { ImportStatement } from './import-statements.ts'
import type { ResolvedContract, ContractName } from './import-workspace.ts'

export interface ChainContract extends ResolvedContract {
  readonly id: string
  readonly statements: readonly ImportStatement[]
  /** It has `access(account)` members. */
  readonly hasAccountAccess: boolean
}

export function contractId({ address, name }: { readonly address: string; readonly name: string }): string {
  return `${address}.${name}`
}

export function readChainContract({ address, name, code }: ResolvedContract): ChainContract {
  return {
    address,
    name,
    code,
    id: contractId({ address, name }),
    statements: firstOf(importStatements(sourceTokens(code))),
    hasAccountAccess: /\baccess\s*\(\s*account\s*\)/.test(code),
  }
}

/** Returns none for other locations. */
export function namedContracts({ names, location: { kind, value } }: ImportStatement): string[] {
  return kind === 'address' ? names.map(({ name }) => contractId({ address: value, name })) : []
}

interface KnownContract extends ChainContract {
  readonly hash: string
}

interface ContractLibraryOptions {
  readonly accounts: AccountCache
  /** Default 600,000 ms. */
  readonly freshMs?: number
  /** For missing contracts. Default 30,000 ms. */
  readonly absentMs?: number
  readonly now?: () => number
}

interface Entry {
  readonly contract: KnownContract | undefined
  staleAt: number
}

/** Hostile contracts import without end. */
const maxContracts = 150
const maxDepth = 24
const maxAtOnce = 6
const maxCharacters = 8_000_000
const maxEntries = 3000
const maxCharactersInAll = 50_000_000

export class ContractLibrary {
  readonly #options: Required<ContractLibraryOptions>
  readonly #entries = new Map<string, Entry>()
  #characters = 0

  constructor({ accounts, freshMs = 600_000, absentMs = 30_000, now = Date.now }: ContractLibraryOptions) {
    this.#options = { accounts, freshMs, absentMs, now }
  }

  isWanted(network: EditorNetwork, name: ContractName): boolean {
    const entry = this.#entries.get(`${network} ${contractId(name)}`)
    return entry === undefined || this.#options.now() >= entry.staleAt
  }

  /**
   * With its imports, within limits. @throws RetryableError if no node is available for the
   * contract itself; the signal's reason
   */
  async resolve(
    network: EditorNetwork,
    wanted: ContractName,
    signal: AbortSignal,
  ): Promise<ResolvedContract | undefined> {
    const first = await this.#lookUp(network, wanted, signal)
    if (first === undefined) return undefined
    const seen = new Map([[first.id, first]])
    let characters = first.code.length
    let level = [first]
    for (let depth = 1; depth < maxDepth && level.length > 0; depth++) {
      const names = importedBy(level).filter((name) => !seen.has(contractId(name)))
      const distinct = [...new Map(names.map((name) => [contractId(name), name])).values()].slice(
        0,
        maxContracts - seen.size,
      )
      // A missing import is reported where it is imported.
      const found = await mapLimited(distinct, maxAtOnce, (name) =>
        this.#lookUp(network, name, signal).catch((error: unknown) => {
          signal.throwIfAborted()
          return this.#absentFor(network, name, error)
        }),
      )
      level = []
      for (const contract of found) {
        if (contract === undefined || characters + contract.code.length > maxCharacters) continue
        characters += contract.code.length
        seen.set(contract.id, contract)
        level.push(contract)
      }
    }
    const { address, name, code } = first
    return { address, name, code }
  }

  known(network: EditorNetwork, wanted: Iterable<ContractName>): Map<string, KnownContract> {
    const found = new Map<string, KnownContract>()
    let level = [...wanted]
    for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
      const next: KnownContract[] = []
      for (const name of level) {
        if (found.size >= 2 * maxContracts) return found
        const key = `${network} ${contractId(name)}`
        const entry = this.#entries.get(key)
        if (entry?.contract === undefined || found.has(entry.contract.id)) continue
        this.#entries.delete(key)
        this.#entries.set(key, entry)
        found.set(entry.contract.id, entry.contract)
        next.push(entry.contract)
      }
      level = importedBy(next)
    }
    return found
  }

  async #lookUp(network: EditorNetwork, name: ContractName, signal: AbortSignal): Promise<KnownContract | undefined> {
    const key = `${network} ${contractId(name)}`
    const old = this.#entries.get(key)
    if (old !== undefined && this.#options.now() < old.staleAt) return old.contract
    const { accounts, now, freshMs, absentMs } = this.#options
    const code = (await accounts.contractsOf(network, name.address, signal))?.get(name.name)
    if (code === undefined) accounts.expectMore(network, name.address)
    const hash = code === undefined ? '' : hashOf(code)
    const contract =
      code === undefined
        ? undefined
        : old?.contract?.hash === hash
          ? old.contract
          : { ...readChainContract({ ...name, code }), hash }
    this.#keep(key, { contract, staleAt: now() + (contract === undefined ? absentMs : freshMs) })
    return contract
  }

  /** A failed import is retried later and does not block the rest. */
  #absentFor(network: EditorNetwork, name: ContractName, error: unknown): undefined {
    if (!(error instanceof Error)) throw error
    const key = `${network} ${contractId(name)}`
    if (!this.#entries.has(key))
      this.#keep(key, { contract: undefined, staleAt: this.#options.now() + this.#options.absentMs })
    return undefined
  }

  #keep(key: string, entry: Entry): void {
    this.#drop(key)
    this.#entries.set(key, entry)
    this.#characters += entry.contract?.code.length ?? 0
    for (const oldest of this.#entries.keys()) {
      if ((this.#entries.size <= maxEntries && this.#characters <= maxCharactersInAll) || oldest === key) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#entries.get(key)?.contract?.code.length ?? 0
    this.#entries.delete(key)
  }
}

function importedBy(contracts: readonly ChainContract[]): ContractName[] {
  return contracts.flatMap(({ statements }) =>
    statements.flatMap((statement) =>
      namedContracts(statement).map((id) => ({ address: id.slice(0, 16), name: id.slice(17) })),
    ),
  )
}
