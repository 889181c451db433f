import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { nativeAccounts } from './evm-address.ts'
import type { EvmStart } from './evm-state.ts'
import { coaTurns, signedTurnsOf } from './evm-turns.ts'
import type { SignedKind } from './evm-turns.ts'
import {
  coas,
  contractMaker,
  erc20Contracts,
  evmContracts,
  evmUsers,
  firstOwner,
  genesisHoldings,
} from './evm-world.ts'

/** How many turns the activities in the EVM have had. */
export type EvmTurns = Readonly<Record<SignedKind | 'deposit' | 'coaCreation', number>>

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

/** A contract's own first transaction has this nonce (EIP-161). */
const firstContractNonce = 1

/** The EVM at the start of a tide, which follows from how often everything was done before it. */
export function evmAtStart(turns: EvmTurns, tide: number): EvmStart {
  return {
    nonce(address) {
      const user = userPlaces.get(address)
      if (user !== undefined) return signedBy(user, turns, () => 1)
      if (address === native.bridge) return turns.deposit
      if (address === native.coaFactory) return firstContractNonce + coas.length + turns.coaCreation
      if (address === native.coinbase) return signedTimes(turns)
      if (address === hexOf(contractMaker)) return tide === 0 ? 0 : Object.keys(evmContracts).length
      const coa = coaPlaces.get(address)
      return firstContractNonce + (coa === undefined ? 0 : callsOf(coa, turns))
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
    lastHash: () => hashBefore(tide),
  }
}

/**
 * The hash of the last block before a tide. It is the one of two hundred that does not follow from the block's content:
 * with it no block's hash would be known without all the blocks below.
 */
export function hashBefore(tide: number): Buffer {
  return keccak256(Buffer.from(`the last block of the simulated EVM before tide ${tide}`))
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

/** Direct calls of a Cadence-owned account: those in the flood, and the withdrawals that give deposits back. */
function callsOf(coa: number, turns: EvmTurns): number {
  return coaTurns.call.turnsOf(coa, turns.coaCall) + coaTurns.deposit.turnsOf(coa, turns.deposit)
}

function isKnown(holder: string): boolean {
  return userPlaces.has(holder) || coaPlaces.has(holder)
}
