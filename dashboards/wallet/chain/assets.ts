import { evmAddressOf } from '../../../clients/signing/transactions/evm-address.ts'
import { pictureSources } from '../../explorer/picture-sources.ts'
import { sanitizeName } from '../../explorer/text.ts'
import type { EvmHolding, Vault } from '../../explorer/answers.gen.ts'
import { contractName } from './balance-changes.ts'

const gateways = ['https://ipfs.io/ipfs/', 'https://dweb.link/ipfs/']

/** Names come from contracts of anyone. */
export function tokenSymbol({ token, symbol }: Pick<Vault, 'token' | 'symbol'>): string {
  return sanitizeName(symbol ?? '', contractName(token)).slice(0, 24)
}

export function pictureOf(source: string | null): string | undefined {
  return pictureSources(source, gateways)[0]
}

/** `A.1654653399040a61.FlowToken` or its vault type → its vault type. */
export function vaultTypeOf(token: string): string {
  return token.split('.').length === 3 ? `${token}.Vault` : token
}

/** A collection's identifier → the type of its items. */
export function itemTypeOf(collection: string): string {
  return collection.split('.').length === 3 ? `${collection}.NFT` : collection
}

export function isFlowToken(token: string): boolean {
  return /^A\.(?:1654653399040a61|7e60df042a9c0868|0ae53cb6e3f42a79)\.FlowToken(?:\.Vault)?$/.test(token)
}

/** Lower case; undefined if its checksum is wrong. */
export function readEvmAddress(text: string): string | undefined {
  try {
    return evmAddressOf(text.trim(), 'address')
  } catch {
    return undefined
  }
}

export interface Erc20 {
  readonly address: string
  readonly symbol: string
  readonly decimals: number
  /** In the smallest unit. */
  readonly value: bigint
  readonly price: string | null
}

/** Undefined for other tokens, and without decimals. */
export function erc20Of({ token, value, usd_value: usd }: EvmHolding): Erc20 | undefined {
  const { address, type, decimals } = token
  if (type !== 'ERC-20' || decimals === null || decimals > 255 || BigInt(value) <= 0n) return undefined
  const held = Number(value) / 10 ** decimals
  return {
    address: address.toLowerCase(),
    symbol: sanitizeName(token.symbol ?? token.name ?? '', 'ERC-20').slice(0, 24),
    decimals,
    value: BigInt(value),
    price: usd === null || held === 0 ? null : String(Number(usd) / held),
  }
}
