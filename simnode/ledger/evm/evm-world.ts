import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import type { Account } from '../world/account.ts'
import { personOfTurn } from '../world/people.ts'
import { coaAddress, createdAddress, keyAddress } from './evm-address.ts'

/** Somebody with a key in the EVM. */
export interface EvmUser {
  readonly index: number
  readonly privateKey: Buffer
  /** 20 bytes. */
  readonly address: Buffer
}

/** An account in the EVM that an account of Flow owns. */
export interface Coa {
  readonly owner: Account
  readonly uuid: number
  /** 20 bytes. */
  readonly address: Buffer
}

/** The id that transactions of this network are signed for; the emulator's. */
export const evmChainId = 646

/** Primes: rotations need them. */
const userCount = 101
const coaCount = 13

export const evmUsers: readonly EvmUser[] = Array.from({ length: userCount }, (_, index) => {
  const privateKey = keccak256(Buffer.from(`a user of the simulated EVM: ${index}`))
  return { index, privateKey, address: keyAddress(privateKey) }
})

/** Those of the first block; they relay signed transactions and act themselves. */
export const coas: readonly Coa[] = Array.from({ length: coaCount }, (_, index) => {
  const uuid = 2 ** 49 + index * 2 ** 20
  return { owner: personOfTurn(index), uuid, address: coaAddress(uuid) }
})

/** Who makes the contracts, in the first block. */
export const contractMaker = keyAddress(keccak256(Buffer.from('who made the contracts of the simulated EVM')))

/** Contracts, 20 bytes each, in the order in which they are made. */
export const evmContracts = {
  stableCoin: createdAddress(contractMaker, 0),
  wrappedCoin: createdAddress(contractMaker, 1),
  pictures: createdAddress(contractMaker, 2),
  items: createdAddress(contractMaker, 3),
} as const

/** ERC-20 contracts, in the order in which turns use them. */
export const erc20Contracts: readonly Buffer[] = [evmContracts.stableCoin, evmContracts.wrappedCoin]

/** So many ERC-721 tokens there are, with ids from 1 on. */
export const pictureCount = 1009
/** Kinds of ERC-1155 tokens, with ids from 1 on. */
export const itemKinds = 7

/** What everybody has at first, in the smallest unit. */
export const genesisHoldings = {
  attoFlow: 1_000_000n * 10n ** 18n,
  erc20: 1_000_000_000n * 10n ** 6n,
  items: 1_000_000n,
} as const

/** Who has an ERC-721 token at first. */
export function firstOwner(id: number): Buffer {
  return (evmUsers[id % evmUsers.length] as EvmUser).address
}
