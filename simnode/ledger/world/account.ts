import { createECDH, hash } from 'node:crypto'
import { addressAtIndex, addressBytes } from '../../../src/flow/address.ts'

/** An account by its place in the order in which accounts are made; the address follows from it. */
export interface Account {
  readonly index: number
  /** 8 bytes. */
  readonly address: Buffer
  /** 16 hex digits without `0x`: the form in which event types name it. */
  readonly hex: string
}

const addressLength = 8
const known = new Map<number, Account>()
const maxKnown = 100_000
/** Those below are the same objects for ever, so that they can be told by identity. */
const firstForgotten = 8192

/** The account of an index, on the emulator's network. */
export function accountAt(index: number): Account {
  const found = known.get(index)
  if (found !== undefined) return found
  const text = addressAtIndex(index, 'emulator')
  // Memory of its own: a slice would keep all of the piece that Node shares out to small buffers.
  const address = Buffer.alloc(addressLength)
  addressBytes(text).copy(address)
  const account = { index, address, hex: text.slice(2) }
  if (index >= firstForgotten && known.size >= maxKnown) {
    for (const other of known.keys()) if (other >= firstForgotten) known.delete(other)
  }
  known.set(index, account)
  return account
}

/** @param address 8 bytes @returns undefined for what is no address of the emulator's network */
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

/** The code's rows, each with one bit that no later row has, and with the index whose word it is. */
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

/**
 * Accounts from here on belong to somebody outside of the simulated chain, who has their keys. They are so far off that those which the chain's own
 * transactions create never come near: the formula of its state does not know of them.
 */
const firstExternal = 2 ** 39

/** An account of somebody outside, in the order in which transactions that were sent create them; 0 is the published payer's. */
export function externalAccount(ordinal: number): Account {
  return accountAt(firstExternal + ordinal)
}

export function isExternal({ index }: Account): boolean {
  return index >= firstExternal
}

/** So many lanes for transactions that are to go at the same time: each key counts its own. All have the same secret. */
const payerKeys = 10

const secret = '5f10a7fa42d15e0f0f1a9b6c3d7e8a214b5c6d7e8f90a1b2c3d4e5f607182939'

/**
 * An account of simulated chains that has FLOW, where a node was told to have it. Everybody knows its key: it is there so that what pays for accounts
 * can be tried without the internet, and good for nothing else.
 */
export const publishedPayer = {
  account: externalAccount(0),
  /** With 0x. */
  address: `0x${externalAccount(0).hex}`,
  /** 32 bytes, hex, of P-256. */
  privateKey: secret,
  keyCount: payerKeys,
  /** In units of 10^-8 FLOW. */
  funds: 1_000_000n * 100_000_000n,
  signatureAlgorithm: 'ECDSA_P256',
  hashAlgorithm: 'SHA3_256',
} as const

/** It as the wallet is told who pays, with all its keys: <address>/<key indexes>/<algorithm>/<hash>/<private key>. */
export const publishedPayerSetting = `${publishedPayer.address}/0-${payerKeys - 1}/${publishedPayer.signatureAlgorithm}/${publishedPayer.hashAlgorithm}/${secret}`

/** The key that belongs to it: 64 bytes. */
export function publishedPayerKey(): Buffer {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret, 'hex')
  return pair.getPublicKey().subarray(1)
}

/** The algorithms of account keys, as the access API (`api`) and as Cadence (`cadence`) number them. */
export const signatureAlgorithms = {
  ECDSA_P256: { api: 2, cadence: 1 },
  ECDSA_secp256k1: { api: 3, cadence: 2 },
} as const
export const hashAlgorithms = { SHA2_256: { api: 1, cadence: 1 }, SHA3_256: { api: 3, cadence: 3 } } as const

/** What is said of a key when it is added. */
export interface NewAccountKey {
  /** 64 bytes. */
  readonly publicKey: Buffer
  readonly signatureAlgorithm: keyof typeof signatureAlgorithms
  readonly hashAlgorithm: keyof typeof hashAlgorithms
  /** In units of 10^-8: 1000.0 signs for an account alone. */
  readonly weight: bigint
}

/** A key of an account. */
export interface AccountKey extends NewAccountKey {
  /** What the next transaction that it proposes has to say. */
  readonly sequenceNumber: number
  readonly isRevoked: boolean
}

export const fullWeight = 100_000_000_000n

/** What all keys have that the chain's own people use. The bytes are no point of any curve: nobody can sign with it. */
export function inventedKey(account: Account, keyIndex: number): NewAccountKey {
  return {
    publicKey: hash('sha512', `key ${keyIndex} of ${account.hex}`, 'buffer'),
    signatureAlgorithm: 'ECDSA_P256',
    hashAlgorithm: 'SHA3_256',
    weight: fullWeight,
  }
}
