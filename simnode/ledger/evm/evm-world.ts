import { readFileSync } from 'node:fs'
import secp256k1 from 'secp256k1'
import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { rlpHash } from './evm-encoding.ts'
import type { Account } from '../world/account.ts'
import { userOfTurn } from '../world/users.ts'
import { collections } from '../world/collections.ts'
import { pebble, usdc } from '../world/tokens.ts'

export const evmAddressLength = 20

/** Source: onflow/flow-go `fvm/evm/types/address.go`. */
export const nativeAccounts = {
  /** Sender of deposits and recipient of withdrawals. */
  bridge: reserved('01'),
  coaFactory: reserved('02'),
  /** Collects gas fees, and pays them to relayers. */
  coinbase: reserved('03'),
} as const

const coaPrefix = Buffer.from('000000000000000000000002', 'hex')
/** Source: onflow/flow-go `fvm/evm/handler/addressAllocator.go`. */
const coaMultiplier = 0xffeeddccbbaa9977n

export function coaAddress(uuid: number | bigint): Buffer {
  const address = Buffer.alloc(evmAddressLength)
  coaPrefix.copy(address)
  address.writeBigUInt64BE(BigInt.asUintN(64, BigInt(uuid) * coaMultiplier), coaPrefix.length)
  return address
}

export function keyAddress(privateKey: Uint8Array): Buffer {
  return keccak256(secp256k1.publicKeyCreate(privateKey, false).subarray(1)).subarray(12)
}

export function createdAddress(creator: Uint8Array, nonce: number | bigint): Buffer {
  return rlpHash([creator, nonce]).subarray(12)
}

/** EIP-55. */
export function checksumAddress(address: Buffer): string {
  const digits = address.toString('hex')
  const hash = keccak256(Buffer.from(digits)).toString('hex')
  let text = '0x'
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i] as string
    text += Number.parseInt(hash[i] as string, 16) >= 8 ? digit.toUpperCase() : digit
  }
  return text
}

function reserved(kind: string): Buffer {
  return Buffer.from(`0000000000000000000000${kind}0000000000000000`, 'hex')
}

export interface EvmUser {
  readonly index: number
  readonly privateKey: Buffer
  /** 20 bytes. */
  readonly address: Buffer
}

export interface Coa {
  readonly owner: Account
  readonly uuid: number
  /** 20 bytes. */
  readonly address: Buffer
}

/** The emulator's. */
export const evmChainId = 646

/** Primes, for rotations. */
const userCount = 101
const coaCount = 13

export const evmUsers: readonly EvmUser[] = Array.from({ length: userCount }, (_, index) => {
  const privateKey = keccak256(Buffer.from(`a user of the simulated EVM: ${index}`))
  return { index, privateKey, address: keyAddress(privateKey) }
})

/** They exist from the first block. */
export const coas: readonly Coa[] = Array.from({ length: coaCount }, (_, index) => {
  const uuid = 2 ** 49 + index * 2 ** 20
  return { owner: userOfTurn(index), uuid, address: coaAddress(uuid) }
})

export const contractMaker = keyAddress(keccak256(Buffer.from('who made the contracts of the simulated EVM')))

/** In the order of deployment. */
export const evmContracts = {
  stableCoin: createdAddress(contractMaker, 0),
  wrappedCoin: createdAddress(contractMaker, 1),
  pictures: createdAddress(contractMaker, 2),
  items: createdAddress(contractMaker, 3),
} as const

/** Compiled from `contracts/stable-coin.sol` with 200 optimizer runs: creation code and code. */
const [stableCoinCreation = '', stableCoinCode = ''] = readFileSync(
  new URL('contracts/stable-coin.hex', import.meta.url),
  'utf8',
).split('\n')

/** Placeholders: contracts are never run. */
const placeholderCode = Buffer.from('608060405234801561001057600080fd5b5060be8061001f6000396000f3fe', 'hex')
export const coaCode = Buffer.from('608060405234801561001057600080fd5b50610dd6806100206000396000f3fe', 'hex')

const codes: ReadonlyMap<string, Buffer> = new Map(
  Object.values(evmContracts).map((contract) => [
    contract.toString('hex'),
    contract === evmContracts.stableCoin ? Buffer.from(stableCoinCode, 'hex') : placeholderCode,
  ]),
)

/** @param address 40 hex digits */
export function codeOf(address: string): Buffer {
  const code = codes.get(address)
  if (code !== undefined) return code
  return address.startsWith(coaPrefix.toString('hex')) ? coaCode : Buffer.alloc(0)
}

/** Input of the creation, with the arguments of the constructor. */
export function creationInputOf(contract: Buffer): Buffer {
  if (contract !== evmContracts.stableCoin) return placeholderCode
  const holders = [...evmUsers, ...coas].map(({ address }) => address.toString('hex'))
  const words = [64n, genesisHoldings.erc20, BigInt(holders.length)].map((word) => word.toString(16))
  const encoded = [...words, ...holders].map((word) => word.padStart(64, '0')).join('')
  return Buffer.from(stableCoinCreation + encoded, 'hex')
}

/** In the order in which turns draw them. */
export const erc20Contracts: readonly Buffer[] = [evmContracts.stableCoin, evmContracts.wrappedCoin]

/** ERC-721 tokens, with ids from 1. */
export const pictureCount = 1009
/** ERC-1155 tokens, with ids from 1. */
export const itemKinds = 7

/** First holdings of each account, in the smallest unit. */
export const genesisHoldings = {
  attoFlow: 1_000_000n * 10n ** 18n,
  erc20: 1_000_000_000n * 10n ** 6n,
  items: 1_000_000n,
} as const

export function firstOwner(id: number): Buffer {
  return (evmUsers[id % evmUsers.length] as EvmUser).address
}

const [herons] = collections

/** 40 hex digits. */
export const bridgedContracts: ReadonlyMap<string, string> = new Map([
  [usdc.vaultType, evmContracts.stableCoin.toString('hex')],
  [pebble.vaultType, evmContracts.wrappedCoin.toString('hex')],
  ...(herons === undefined ? [] : [[herons.itemType, evmContracts.pictures.toString('hex')] as const]),
])
