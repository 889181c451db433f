import { createHash, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { decodeExtensionData } from '../../../clients/signing/assertion-signature.ts'
import { SigningError } from '../../../clients/signing/signing-error.ts'
import type { BodySignature, TransactionBody } from '../../../src/flow/transactions/transaction-id.ts'
import type { AccountKey, NewAccountKey } from '../world/account.ts'
import { transactionEnvelope, transactionPayload } from '../../../src/flow/transactions/transaction-id.ts'
import { fullWeight, accountOfAddress } from '../world/account.ts'
import type { LedgerState } from '../state/ledger-state.ts'

const tag = Buffer.concat([Buffer.from('FLOW-V0.0-transaction')], 32)

/** Bytes of RP id hash, flags, counter. */
const headLength = 37
const flags = {
  userPresent: 0x01,
  backupEligible: 0x08,
  backedUp: 0x10,
  attestedCredential: 0x40,
  extensions: 0x80,
} as const

/**
 * The tagged message, or a passkey's data (FLIP-264). Source: onflow/flow-go
 * `model/flow/webauthn.go`, `transaction.go`.
 *
 * @returns undefined for invalid extension data
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
    challenge: signedChallenge,
    origin,
  } = (read ?? {}) as Readonly<Partial<Record<'type' | 'challenge' | 'origin', unknown>>>
  // The origin is not compared.
  return (
    type === 'webauthn.get' &&
    signedChallenge === challenge.toString('base64url') &&
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

type SignatureAlgorithm = NewAccountKey['signatureAlgorithm']

/** SubjectPublicKeyInfo, before the 64 bytes of the point. */
const heads: Readonly<Record<SignatureAlgorithm, Buffer>> = {
  ECDSA_P256: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex'),
  ECDSA_secp256k1: Buffer.from('3056301006072a8648ce3d020106052b8104000a03420004', 'hex'),
}
const hashes = { SHA2_256: 'sha256', SHA3_256: 'sha3-256' } as const

/** Both halves of a signature are below. */
const orders: Readonly<Record<SignatureAlgorithm, bigint>> = {
  ECDSA_P256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ECDSA_secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
}

export function isPoint(publicKey: Buffer, algorithm: SignatureAlgorithm): boolean {
  return keyObject(publicKey, algorithm) !== undefined
}

export function canBeSignature(signature: Buffer): boolean {
  if (signature.length !== 64) return false
  const halves = [signature.subarray(0, 32), signature.subarray(32)].map((half) => BigInt(`0x${half.toString('hex')}`))
  return Object.values(orders).some((order) => halves.every((half) => half > 0n && half < order))
}

export function isSignedBy(
  { publicKey, signatureAlgorithm, hashAlgorithm }: AccountKey,
  bytes: Buffer,
  signature: Buffer,
): boolean {
  const key = keyObject(publicKey, signatureAlgorithm)
  return (
    key !== undefined &&
    signature.length === 64 &&
    verify(hashes[hashAlgorithm], bytes, { key, dsaEncoding: 'ieee-p1363' }, signature)
  )
}

function keyObject(publicKey: Buffer, algorithm: SignatureAlgorithm): KeyObject | undefined {
  if (publicKey.length !== 64) return undefined
  try {
    return createPublicKey({ key: Buffer.concat([heads[algorithm], publicKey]), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

type SignedPart = 'payload' | 'envelope'
const verification = 'transaction verification'
const codes: Readonly<Record<SignedPart, number>> = { payload: 1008, envelope: 1009 }

const threshold = Number(fullWeight / 100_000_000n)

/**
 * Source: onflow/flow-go `fvm/transactionVerifier.go`, `transactionSequenceNum.go`.
 *
 * @returns the error of a transaction that does not run and costs nothing
 */
export function preprocessingError({ accounts }: LedgerState, body: TransactionBody): string | undefined {
  const keyOf = (address: Buffer, keyIndex: number): AccountKey | undefined => {
    const account = accountOfAddress(address)
    return account === undefined || !accounts.exists(account) ? undefined : accounts.keys(account)[keyIndex]
  }
  const proposal = `public key ${body.proposerKeyId} on account ${body.proposerAddress.toString('hex')}`
  const unsigned = (code: number, reason: string): string =>
    wrapped(code, verification, 1006, `invalid proposal key: ${proposal} does not have a valid signature: ${reason}`)
  const weights = { payload: new Map<string, number>(), envelope: new Map<string, number>() }
  for (const [part, signatures, message] of [
    ['payload', body.payloadSignatures, transactionPayload(body)],
    ['envelope', body.envelopeSignatures, transactionEnvelope(body)],
  ] as const) {
    for (const signature of signatures) {
      const key = keyOf(signature.address, signature.keyId)
      const wrong = wrongOf(signature, key, message)
      const signer = `public key ${signature.keyId} on account ${signature.address.toString('hex')}`
      if (wrong !== undefined || key === undefined)
        return unsigned(
          codes[part],
          `[Error Code: ${codes[part]}] invalid ${part} key: ${signer} does not have a valid signature: ${wrong}`,
        )
      const hex = signature.address.toString('hex')
      weights[part].set(hex, (weights[part].get(hex) ?? 0) + Number(key.weight / 100_000_000n))
    }
  }
  const isProposed = [...body.payloadSignatures, ...body.envelopeSignatures].some(
    ({ address, keyId }) => address.equals(body.proposerAddress) && keyId === body.proposerKeyId,
  )
  if (!isProposed) return unsigned(1006, 'either the payload or the envelope should provide proposal signatures')
  const light = lightSigner(body, weights)
  if (light !== undefined) return errorMessage(verification, 1055, `authorization failed for account ${light}`)
  const expected = keyOf(body.proposerAddress, body.proposerKeyId)?.sequenceNumber ?? 0
  if (body.proposerSequenceNumber === BigInt(expected)) return undefined
  return errorMessage(
    'checking sequence number',
    1007,
    `invalid proposal key: ${proposal} has sequence number ${expected}, but given ${body.proposerSequenceNumber}`,
  )
}

export function errorMessage(step: string, code: number, reason: string): string {
  return wrapped(code, step, code, reason)
}

function wrapped(code: number, step: string, innerCode: number, reason: string): string {
  const inner = `${step} failed: [Error Code: ${innerCode}] ${reason}`
  return `[Error Code: ${code}] error caused by: 1 error occurred:\n\t* ${inner}\n\n`
}

function wrongOf(signature: BodySignature, key: AccountKey | undefined, message: Buffer): string | undefined {
  if (key === undefined) {
    const wanted = `address ${signature.address.toString('hex')} and key index ${signature.keyId}`
    return `[Error Code: 1202] account public key not found for ${wanted}`
  }
  if (key.isRevoked) return 'account key has been revoked'
  const bytes = signedBytes(signature, message)
  return bytes !== undefined && isSignedBy(key, bytes, signature.signature) ? undefined : 'signature is not valid'
}

/** Authorizers sign the payload, the payer the envelope. */
function lightSigner(
  { payer, authorizers }: TransactionBody,
  { payload, envelope }: Readonly<Record<SignedPart, ReadonlyMap<string, number>>>,
): string | undefined {
  const lacks = (role: string, address: Buffer, weight: number): string | undefined =>
    weight < threshold
      ? `${address.toString('hex')}: ${role} account does not have sufficient signatures (${weight} < ${threshold})`
      : undefined
  for (const authorizer of authorizers) {
    const weight = payload.get(authorizer.toString('hex')) ?? 0
    const error = authorizer.equals(payer) ? undefined : lacks('authorizer', authorizer, weight)
    if (error !== undefined) return error
  }
  return lacks('payer', payer, envelope.get(payer.toString('hex')) ?? 0)
}
