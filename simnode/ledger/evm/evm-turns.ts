import {
  codeOf,
  coas,
  evmUsers,
  nativeAccounts,
  contractMaker,
  erc20Contracts,
  evmContracts,
  firstOwner,
  genesisHoldings,
} from './evm-world.ts'
import type { Coa, EvmUser } from './evm-world.ts'
import { rotation } from '../world/cycle.ts'
import type { Rotation } from '../world/cycle.ts'
import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import type { EvmStart } from './evm-state.ts'

export type Direction = 'there' | 'back'

/** All values follow from the ordinals of turns, so that nonces and fees follow from their number. */
interface SignedTurns {
  readonly signers: Readonly<Record<Direction, Rotation>>
  readonly relayers: Rotation
  readonly gasUsed: number
  readonly gasLimit: number
  /** Attoflow per gas. */
  readonly gasPrice: bigint
  readonly directions: readonly Direction[]
}

const gasPrice = 100_000_000n

function signedTurns(
  first: number,
  gasUsed: number,
  gasLimit: number,
  directions: readonly Direction[] = ['there', 'back'],
): SignedTurns {
  return {
    signers: { there: rotation(evmUsers.length, 1, first), back: rotation(evmUsers.length, 29, first + 7) },
    relayers: rotation(coas.length, 1, first % coas.length),
    gasUsed,
    gasLimit,
    gasPrice,
    directions,
  }
}

/** As recorded for the same calls. */
export const signedTurnsOf = {
  transfer: signedTurns(0, 21_000, 31_000),
  erc20: signedTurns(11, 34_515, 60_000),
  erc721: signedTurns(23, 48_204, 90_000),
  erc1155: signedTurns(37, 52_117, 90_000),
  failure: signedTurns(53, 24_430, 120_000, ['there']),
  coaCall: signedTurns(71, 34_515, 60_000, ['back']),
} as const

export type SignedKind = keyof typeof signedTurnsOf

const coaTurns = { deposit: rotation(coas.length, 5, 3), call: rotation(coas.length, 3, 8) } as const

export function signerOf(kind: SignedKind, direction: Direction, ordinal: number): EvmUser {
  return evmUsers[signedTurnsOf[kind].signers[direction].placeOf(ordinal)] as EvmUser
}

export function relayerOf(kind: SignedKind, ordinal: number): Coa {
  return coas[signedTurnsOf[kind].relayers.placeOf(ordinal)] as Coa
}

export function coaOf(kind: keyof typeof coaTurns, ordinal: number): Coa {
  return coas[coaTurns[kind].placeOf(ordinal)] as Coa
}

type EvmTurns = Readonly<Record<SignedKind | 'deposit' | 'coaCreation', number>>

const kinds = Object.keys(signedTurnsOf) as SignedKind[]
const hexOf = (address: Buffer): string => address.toString('hex')
const userPlaces = new Map(evmUsers.map(({ address }, place) => [hexOf(address), place]))
const coaPlaces = new Map(coas.map(({ address }, place) => [hexOf(address), place]))
const tokenContracts = new Set(erc20Contracts.map(hexOf))
const native = {
  bridge: hexOf(nativeAccounts.bridge),
  coaFactory: hexOf(nativeAccounts.coaFactory),
  coinbase: hexOf(nativeAccounts.coinbase),
} as const

/** EIP-161. */
const firstContractNonce = 1

/** A function of the number of turns before the cycle. */
export function evmAtStart(turns: EvmTurns, cycle: number): EvmStart {
  return {
    nonce(address) {
      const user = userPlaces.get(address)
      if (user !== undefined) return signedBy(user, turns, () => 1)
      if (address === native.bridge) return turns.deposit
      if (address === native.coaFactory) return firstContractNonce + coas.length + turns.coaCreation
      if (address === native.coinbase) return signedTimes(turns)
      if (address === hexOf(contractMaker)) return cycle === 0 ? 0 : Object.keys(evmContracts).length
      const coa = coaPlaces.get(address)
      if (coa !== undefined) return firstContractNonce + callsOf(coa, turns)
      return codeOf(address).length > 0 ? firstContractNonce : 0
    },
    balance(address) {
      const user = userPlaces.get(address)
      if (user !== undefined) return genesisHoldings.attoFlow - BigInt(signedBy(user, turns, gasOf)) * price
      const coa = coaPlaces.get(address)
      return coa === undefined ? 0n : genesisHoldings.attoFlow + feesOf(coa, turns)
    },
    tokens: (contract, holder) => (tokenContracts.has(contract) && isKnown(holder) ? genesisHoldings.erc20 : 0n),
    owner: (_contract, id) => hexOf(firstOwner(id)),
    items: (contract, _id, holder) =>
      contract === hexOf(evmContracts.items) && userPlaces.has(holder) ? genesisHoldings.items : 0n,
    totalSupply: BigInt(evmUsers.length + coas.length) * genesisHoldings.attoFlow,
    lastHash: () => hashBefore(cycle),
  }
}

/** Not computed from the block's content: every hash would need all blocks below. */
export function hashBefore(cycle: number): Buffer {
  return keccak256(Buffer.from(`the last block of the simulated EVM before tide ${cycle}`))
}

const price = signedTurnsOf.transfer.gasPrice
const gasOf = (kind: SignedKind): number => signedTurnsOf[kind].gasUsed

function signedBy(user: number, turns: EvmTurns, weight: (kind: SignedKind) => number): number {
  let sum = 0
  for (const kind of kinds) {
    const { signers, directions } = signedTurnsOf[kind]
    for (const direction of directions) sum += signers[direction].turnsOf(user, turns[kind]) * weight(kind)
  }
  return sum
}

function signedTimes(turns: EvmTurns): number {
  return kinds.reduce((sum, kind) => sum + signedTurnsOf[kind].directions.length * turns[kind], 0)
}

function feesOf(coa: number, turns: EvmTurns): bigint {
  return kinds.reduce((sum, kind) => {
    const { relayers, directions, gasUsed, gasPrice } = signedTurnsOf[kind]
    return sum + BigInt(relayers.turnsOf(coa, turns[kind]) * directions.length * gasUsed) * gasPrice
  }, 0n)
}

/** Including withdrawals that reverse deposits. */
function callsOf(coa: number, turns: EvmTurns): number {
  return coaTurns.call.turnsOf(coa, turns.coaCall) + coaTurns.deposit.turnsOf(coa, turns.deposit)
}

function isKnown(holder: string): boolean {
  return userPlaces.has(holder) || coaPlaces.has(holder)
}
