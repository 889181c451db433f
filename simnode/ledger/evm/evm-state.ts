import type { StatePart } from '../world/cycle.ts'
import type { BlockTransaction } from './evm-block.ts'

/** Addresses have 40 hex digits. */
export interface EvmStart {
  nonce(address: string): number
  /** In attoflow. */
  balance(address: string): bigint
  tokens(contract: string, holder: string): bigint
  owner(contract: string, id: number): string
  items(contract: string, id: number, holder: string): bigint
  /** All FLOW in the EVM, in attoflow. */
  readonly totalSupply: bigint
  /** 32 bytes, made on demand. */
  lastHash(): Buffer
}

/** The EVM and its open block. */
export class EvmState implements StatePart {
  totalSupply: bigint
  lastHash: () => Buffer
  transactions: BlockTransaction[] = []
  readonly #start: EvmStart
  readonly #moved = new Map<string, bigint>()
  readonly #owners = new Map<string, string>()

  constructor(start: EvmStart) {
    this.#start = start
    this.totalSupply = start.totalSupply
    this.lastHash = () => start.lastHash()
  }

  nonce(address: string): number {
    return Number(this.#moved.get(`nonce ${address}`) ?? this.#start.nonce(address))
  }

  takeNonce(address: string): number {
    const nonce = this.nonce(address)
    this.#moved.set(`nonce ${address}`, BigInt(nonce + 1))
    return nonce
  }

  /** In attoflow. */
  balance(address: string): bigint {
    return this.#moved.get(`balance ${address}`) ?? this.#start.balance(address)
  }

  /** @returns the balance after @throws RangeError below 0 */
  addBalance(address: string, attoFlow: bigint): bigint {
    return this.#set(`balance ${address}`, this.balance(address) + attoFlow)
  }

  tokens(contract: string, holder: string): bigint {
    return this.#moved.get(`tokens ${contract} ${holder}`) ?? this.#start.tokens(contract, holder)
  }

  moveTokens(contract: string, from: string, to: string, amount: bigint): void {
    this.#set(`tokens ${contract} ${from}`, this.tokens(contract, from) - amount)
    this.#set(`tokens ${contract} ${to}`, this.tokens(contract, to) + amount)
  }

  owner(contract: string, id: number): string {
    return this.#owners.get(`owner ${contract} ${id}`) ?? this.#start.owner(contract, id)
  }

  setOwner(contract: string, id: number, owner: string): void {
    this.#owners.set(`owner ${contract} ${id}`, owner)
  }

  items(contract: string, id: number, holder: string): bigint {
    return this.#moved.get(`items ${contract} ${holder} ${id}`) ?? this.#start.items(contract, id, holder)
  }

  moveItems(contract: string, id: number, from: string, to: string, amount: bigint): void {
    this.#set(`items ${contract} ${from} ${id}`, this.items(contract, id, from) - amount)
    this.#set(`items ${contract} ${to} ${id}`, this.items(contract, id, to) + amount)
  }

  *touched(): Generator<string> {
    yield* ['supply', 'hash']
    yield* this.#moved.keys()
    yield* this.#owners.keys()
  }

  read(key: string): string {
    const [kind, first = '', second = '', third = ''] = key.split(' ')
    switch (kind) {
      case 'supply':
        return String(this.totalSupply)
      case 'hash':
        return this.lastHash().toString('hex')
      case 'nonce':
        return String(this.nonce(first))
      case 'balance':
        return String(this.balance(first))
      case 'tokens':
        return String(this.tokens(first, second))
      case 'owner':
        return this.owner(first, Number(second))
      case 'items':
        return String(this.items(first, Number(third), second))
      default:
        throw new RangeError(`the EVM has no ${key}`)
    }
  }

  #set(key: string, value: bigint): bigint {
    if (value < 0n) throw new RangeError(`the EVM lacks ${-value} in ${key}`)
    this.#moved.set(key, value)
    return value
  }
}
