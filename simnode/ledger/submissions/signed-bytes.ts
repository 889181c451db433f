import { createHash } from 'node:crypto'
import { decodeExtensionData } from '../../../clients/signing/extension-data.ts'
import { SigningError } from '../../../clients/signing/signing-error.ts'
import type { BodySignature } from '../../../src/flow/transaction-body.ts'

/** What is in front of every message that is signed as part of a transaction. */
const tag = Buffer.concat([Buffer.from('FLOW-V0.0-transaction')], 32)

/** Hash of the RP id, flags, counter. */
const headLength = 37
const flags = {
  userPresent: 0x01,
  backupEligible: 0x08,
  backedUp: 0x10,
  attestedCredential: 0x40,
  extensions: 0x80,
} as const

/**
 * The very bytes that a signature has to be over: the tagged message, or what a passkey signs in its place (FLIP-264).
 * Source: onflow/flow-go `model/flow/webauthn.go`, `transaction.go`.
 * @param message payload or envelope
 * @returns undefined for extension data that no node takes
 */
export function signedBytes({ extensionData }: BodySignature, message: Buffer): Buffer | undefined {
  const tagged = Buffer.concat([tag, message])
  if (extensionData.length === 0 || (extensionData.length === 1 && extensionData[0] === 0)) return tagged
  try {
    const { authenticatorData, clientDataJson } = decodeExtensionData(extensionData)
    const challenge = createHash('sha256').update(tagged).digest()
    if (!isAbout(Buffer.from(clientDataJson), challenge) || !isWhole(Buffer.from(authenticatorData))) return undefined
    return Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJson).digest()])
  } catch (error) {
    if (error instanceof SigningError) return undefined
    throw error
  }
}

function isAbout(clientData: Buffer, challenge: Buffer): boolean {
  let read: unknown
  try {
    read = JSON.parse(clientData.toString('utf8'))
  } catch {
    return false
  }
  const {
    type,
    challenge: told,
    origin,
  } = (read ?? {}) as Readonly<Partial<Record<'type' | 'challenge' | 'origin', unknown>>>
  // Whose page it was is nobody's business here, but it is read as a text.
  return (
    type === 'webauthn.get' &&
    told === challenge.toString('base64url') &&
    ['string', 'undefined'].includes(typeof (origin ?? undefined))
  )
}

function isWhole(data: Buffer): boolean {
  const set = data[32] ?? 0
  const has = (flag: number): boolean => (set & flag) !== 0
  if (data.length < headLength || data.subarray(0, tag.length).equals(tag) || !has(flags.userPresent)) return false
  if (has(flags.backedUp) && !has(flags.backupEligible)) return false
  return data.length > headLength === (has(flags.attestedCredential) || has(flags.extensions))
}
