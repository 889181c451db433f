import { joined, sha256 } from './bytes.ts'
import type { Bytes } from './bytes.ts'

/** What a signature is for, so that one for a message, or for a proof of one's account, can never be one for a transaction. */
export const domainTags = {
  transaction: 'FLOW-V0.0-transaction',
  user: 'FLOW-V0.0-user',
  accountProof: 'FCL-ACCOUNT-PROOF-V0.0',
} as const
export type Domain = keyof typeof domainTags

const tagLength = 32

/** 32 bytes: the text with zeros after it. */
export function domainTag(domain: Domain): Bytes {
  const tag = new Uint8Array(tagLength)
  tag.set(new TextEncoder().encode(domainTags[domain]))
  return tag
}

/** What a passkey is asked to sign: SHA-256 over tag and message, 32 bytes. */
export function challengeOf(domain: Domain, message: Uint8Array): Promise<Bytes> {
  return sha256(joined(domainTag(domain), message))
}
