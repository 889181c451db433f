import { createECDH } from 'node:crypto'
import { accountAt } from './account.ts'
import type { Account } from './account.ts'

/**
 * Accounts from here on belong to somebody outside of the simulated chain, who has their keys. They are so far off that those which the chain's own
 * transactions create never come near: the formula of its state does not know of them.
 */
const firstOutside = 2 ** 39

/** An account of somebody outside, in the order in which transactions that were sent create them; 0 is the published payer's. */
export function outsideAccount(ordinal: number): Account {
  return accountAt(firstOutside + ordinal)
}

export function isOutside({ index }: Account): boolean {
  return index >= firstOutside
}

/** So many lanes for transactions that are to go at the same time: each key counts its own. All have the same secret. */
const payerKeys = 10

const secret = '5f10a7fa42d15e0f0f1a9b6c3d7e8a214b5c6d7e8f90a1b2c3d4e5f607182939'

/**
 * An account of simulated chains that has FLOW, where a node was told to have it. Everybody knows its key: it is there so that what pays for accounts
 * can be tried without the internet, and good for nothing else.
 */
export const publishedPayer = {
  account: outsideAccount(0),
  /** With 0x. */
  address: `0x${outsideAccount(0).hex}`,
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
