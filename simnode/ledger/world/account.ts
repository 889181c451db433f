import { createECDH, hash } from 'node:crypto'
import { addressAtIndex, addressBytes } from '../../../src/flow/address.ts'

/** The address follows from the index. */
export interface Account {
  readonly index: number
  /** 8 bytes. */
  readonly address: Buffer
  /** 16 hex digits without `0x`, as in event types. */
  readonly hex: string
}

const addressLength = 8
const known = new Map<number, Account>()
const maxKnown = 100_000
/** Accounts below are always the same objects, comparable by identity. */
const firstForgotten = 8192

export function accountAt(index: number): Account {
  const found = known.get(index)
  if (found !== undefined) return found
  const text = addressAtIndex(index, 'emulator')
  // Unpooled: a slice would keep Node's shared buffer alive.
  const address = Buffer.alloc(addressLength)
  addressBytes(text).copy(address)
  const account = { index, address, hex: text.slice(2) }
  if (index >= firstForgotten && known.size >= maxKnown) {
    for (const other of known.keys()) if (other >= firstForgotten) known.delete(other)
  }
  known.set(index, account)
  return account
}

/** @param address 8 bytes @returns undefined for an address of another network */
export function accountOfAddress(address: Uint8Array): Account | undefined {
  if (address.length !== addressLength) return undefined
  let rest = BigInt(`0x${Buffer.from(address).toString('hex')}`) ^ networkWord
  let index = 0n
  for (const row of reducedRows) {
    if ((rest & row.pivot) === 0n) continue
    rest ^= row.word
    index ^= row.index
  }
  return rest === 0n && index > 0n ? accountAt(Number(index)) : undefined
}

const networkWord = BigInt(addressAtIndex(0, 'emulator'))
const indexBits = 45

/** The address code's rows in echelon form, with the index of each word. */
const reducedRows = reduceRows()

function reduceRows(): Array<{ word: bigint; index: bigint; pivot: bigint }> {
  const rows = Array.from({ length: indexBits }, (_, bit) => ({
    word: BigInt(addressAtIndex(2 ** bit, 'emulator')) ^ networkWord,
    index: 1n << BigInt(bit),
    pivot: 0n,
  }))
  rows.forEach((row, at) => {
    row.pivot = row.word & -row.word
    for (const later of rows.slice(at + 1)) {
      if ((later.word & row.pivot) === 0n) continue
      later.word ^= row.word
      later.index ^= row.index
    }
  })
  return rows
}

/** Far above the accounts that the chain creates: the formula of its state includes only those. */
const firstExternal = 2 ** 39

/** @param ordinal 0 is the published payer */
export function externalAccount(ordinal: number): Account {
  return accountAt(firstExternal + ordinal)
}

export function isExternal({ index }: Account): boolean {
  return index >= firstExternal
}

/** Each key has its own sequence number. All share one secret. */
const payerKeys = 10

const secret = '5f10a7fa42d15e0f0f1a9b6c3d7e8a214b5c6d7e8f90a1b2c3d4e5f607182939'

/** Optional, to try account creation offline. */
export const publishedPayer = {
  account: externalAccount(0),
  address: `0x${externalAccount(0).hex}`,
  /** 32 bytes, hex, of P-256. */
  privateKey: secret,
  keyCount: payerKeys,
  /** In units of 10^-8 FLOW. */
  funds: 1_000_000n * 100_000_000n,
  signatureAlgorithm: 'ECDSA_P256',
  hashAlgorithm: 'SHA3_256',
} as const

/** <address>/<key indexes>/<algorithm>/<hash>/<private key> */
export const publishedPayerSetting = [
  publishedPayer.address,
  `0-${payerKeys - 1}`,
  publishedPayer.signatureAlgorithm,
  publishedPayer.hashAlgorithm,
  secret,
].join('/')

/** 64 bytes. */
export function publishedPayerKey(): Buffer {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret, 'hex')
  return pair.getPublicKey().subarray(1)
}

/** As numbered by the access API (`api`) and by Cadence (`cadence`). */
export const signatureAlgorithms = {
  ECDSA_P256: { api: 2, cadence: 1 },
  ECDSA_secp256k1: { api: 3, cadence: 2 },
} as const
export const hashAlgorithms = { SHA2_256: { api: 1, cadence: 1 }, SHA3_256: { api: 3, cadence: 3 } } as const

export interface NewAccountKey {
  /** 64 bytes. */
  readonly publicKey: Buffer
  readonly signatureAlgorithm: keyof typeof signatureAlgorithms
  readonly hashAlgorithm: keyof typeof hashAlgorithms
  /** In units of 10^-8: 1000.0 is enough to sign alone. */
  readonly weight: bigint
}

export interface AccountKey extends NewAccountKey {
  readonly sequenceNumber: number
  readonly isRevoked: boolean
}

export const fullWeight = 100_000_000_000n

/** Not on any curve: no private key exists. */
export function inventedKey(account: Account, keyIndex: number): NewAccountKey {
  return {
    publicKey: hash('sha512', `key ${keyIndex} of ${account.hex}`, 'buffer'),
    signatureAlgorithm: 'ECDSA_P256',
    hashAlgorithm: 'SHA3_256',
    weight: fullWeight,
  }
}
