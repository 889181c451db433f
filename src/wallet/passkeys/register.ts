import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { challengeMs, consumeChallenge } from './challenges.ts'
import { digestOfChange, confirmation, descriptorsOf, requireConfirmedOrRecent } from './confirm.ts'
import { functionError, readData, requireOwnRpId, rpId, shortName } from './endpoint.ts'
import type { AuthUser } from '../auth/auth-sessions.ts'
import type { PasskeyParts, SessionCall } from './endpoint.ts'
import { requirePasskeyQuota } from './passkey-store.ts'
import {
  registrationResponse,
  es256,
  VerificationFailure,
  verificationFailed,
  webAuthn,
  requireAuthenticatorData,
  readClientData,
  sec1KeyOf,
  webAuthnHelpers,
} from './webauthn.ts'
import type { BackupFlags, Expected, RegistrationResponse } from './webauthn.ts'

const startInput = z.object({
  rpId,
  /** Ignored, because the name is a setting. */
  rpName: z.string().max(200).optional(),
  walletName: shortName.optional(),
  confirmation,
})

const finishInput = z.object({
  rpId,
  challengeId: z.uuid(),
  response: registrationResponse,
  authenticatorName: shortName.optional(),
})

const addition = { action: 'add-passkey' } as const

export async function startRegistration(call: SessionCall): Promise<unknown> {
  const {
    data,
    signedIn: { user },
    caller,
    parts: { relyingParty, passkeys, challenges, audit },
  } = call
  const given = readData(startInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  const isConfirmed = await requireConfirmedOrRecent(call, addition, given.confirmation)
  const own = await passkeys.descriptors(user.id, relyingParty.id)
  requirePasskeyQuota(own.length)
  const challenge = await challenges.create(
    {
      kind: 'registration',
      userId: user.id,
      actionHash: isConfirmed ? digestOfChange(addition) : undefined,
    },
    relyingParty.id,
  )
  const options = await registrationOptions(user, challenge.bytes, call.parts, given.walletName)
  await audit.note(caller, { event: 'registration_started', isDone: true, userId: user.id })
  return { options, challengeId: challenge.id }
}

export async function registrationOptions(
  user: AuthUser,
  challenge: Uint8Array<ArrayBuffer>,
  { passkeys, relyingParty }: PasskeyParts,
  walletName?: string,
): Promise<unknown> {
  const [own, handle] = await Promise.all([passkeys.descriptors(user.id, relyingParty.id), passkeys.handleOf(user.id)])
  const { generateRegistrationOptions } = await webAuthn()
  return generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: relyingParty.name,
    challenge,
    timeout: challengeMs,
    userID: handle,
    userName: user.email ?? walletName ?? relyingParty.name,
    userDisplayName: walletName ?? user.email ?? relyingParty.name,
    attestationType: 'none',
    supportedAlgorithmIDs: [es256],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: descriptorsOf(own),
  })
}

export async function finishRegistration({ data, signedIn: { user }, caller, parts }: SessionCall): Promise<unknown> {
  const { relyingParty, passkeys, audit, sessions } = parts
  const given = readData(finishInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  const challenge = await consumeChallenge(
    { id: given.challengeId, kind: 'registration', userId: user.id },
    caller,
    parts,
  )
  const about = { userId: user.id, credentialId: given.response.id }
  try {
    const made = await verifyRegistration(given.response, { relyingParty, challengeHash: challenge.hash })
    const name = given.authenticatorName ?? registrationName(made.aaguid)
    const passkey = await passkeys.add(
      user.id,
      relyingParty.id,
      {
        ...made,
        name,
        isConfirmed: challenge.actionHash?.equals(digestOfChange(addition)) === true,
      },
      async (client) => {
        if (!(await sessions.lockUser(client, user.id))) throw functionError('UNAUTHORIZED', 'The account was deleted.')
        await audit.note(caller, { ...about, event: 'registration_completed', isDone: true }, client)
        await parts.notifyOwner(client, user.email, 'added', caller)
      },
    )
    parts.deliverMails()
    return { verified: true, credentialId: passkey.id, publicKeySec1Hex: made.publicKeySec1.toString('hex'), passkey }
  } catch (error) {
    const reason =
      error instanceof VerificationFailure ? error.reason : error instanceof ApiError ? error.code : undefined
    if (reason !== undefined)
      await audit.note(caller, { ...about, event: 'registration_failed', isDone: false, reason })
    throw error instanceof VerificationFailure ? verificationFailed(error, 422) : error
  }
}

const names: Readonly<Record<string, string>> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'iCloud Keychain',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
}

/** By the model of the authenticator. */
export function registrationName(aaguid: string): string {
  return names[aaguid] ?? 'Passkey'
}

export interface NewPasskey extends BackupFlags {
  /** base64url. */
  readonly credentialId: string
  /** COSE. */
  readonly publicKey: Buffer
  /** 65 bytes. */
  readonly publicKeySec1: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly aaguid: string
}

/** Must be current, user-verified, for this relying party, P-256. @throws VerificationFailure */
export async function verifyRegistration(response: RegistrationResponse, expected: Expected): Promise<NewPasskey> {
  const { relyingParty } = expected
  const { challenge, origin } = readClientData(response.response.clientDataJSON, 'webauthn.create', expected)
  const { credential, flags, aaguid } = await readAttestation(response, expected)
  const publicKeySec1 = sec1KeyOf(credential.key)
  if (credential.id !== response.id || response.id !== response.rawId) throw new VerificationFailure('credential-id')
  // A non-discoverable passkey could not be found at sign-in.
  if (response.clientExtensionResults?.credProps?.rk === false) throw new VerificationFailure('not-discoverable')
  const { verifyRegistrationResponse } = await webAuthn()
  const verified = await verifyRegistrationResponse({
    response: { ...response, response: { ...response.response, transports: [] }, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: [es256],
  }).catch((error: unknown) => {
    throw new VerificationFailure('signature', { cause: error })
  })
  if (!verified.verified) throw new VerificationFailure('signature')
  const { counter, publicKey } = verified.registrationInfo.credential
  return {
    ...flags,
    credentialId: credential.id,
    publicKey: Buffer.from(publicKey),
    publicKeySec1,
    counter,
    aaguid,
    transports: [...new Set(response.response.transports)],
  }
}

interface ReadAttestation {
  readonly credential: { readonly id: string; readonly key: ReadonlyMap<unknown, unknown> }
  readonly flags: BackupFlags
  readonly aaguid: string
}

async function readAttestation(
  { response }: RegistrationResponse,
  { relyingParty }: Expected,
): Promise<ReadAttestation> {
  const { decodeAttestationObject, parseAuthenticatorData, decodeCredentialPublicKey, convertAAGUIDToString } =
    await webAuthnHelpers()
  const attempt = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw new VerificationFailure('malformed', { cause: error })
    }
  }
  const attestation = attempt(() =>
    decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url'))),
  )
  const { format, statement, data } = attempt(() => ({
    format: attestation.get('fmt'),
    statement: attestation.get('attStmt'),
    data: attestation.get('authData'),
  }))
  if (!(data instanceof Uint8Array) || !(statement instanceof Map)) throw new VerificationFailure('malformed')
  // Checking revocation of certificates means fetching untrusted URLs.
  if (format !== 'none' && (format !== 'packed' || statement.has('x5c'))) throw new VerificationFailure('attestation')
  const flags = requireAuthenticatorData(data, relyingParty)
  const { credentialID, credentialPublicKey, aaguid } = attempt(() => parseAuthenticatorData(data))
  if (credentialID === undefined || credentialPublicKey === undefined || aaguid === undefined)
    throw new VerificationFailure('malformed')
  const key: unknown = attempt(() => decodeCredentialPublicKey(credentialPublicKey))
  if (!(key instanceof Map)) throw new VerificationFailure('malformed')
  return {
    credential: { id: Buffer.from(credentialID).toString('base64url'), key },
    flags,
    aaguid: convertAAGUIDToString(aaguid),
  }
}
