import { pictureSources } from '../../explorer/picture-sources.ts'
import { sanitizeName } from '../../explorer/text.ts'
import type { Vault } from '../../explorer/answers.gen.ts'
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

const evmForm = /^\s*(0x[0-9a-f]{40})\s*$/i

export function readEvmAddress(text: string): string | undefined {
  return evmForm.exec(text)?.[1]?.toLowerCase()
}
