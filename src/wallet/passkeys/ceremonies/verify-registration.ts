import { requireAuthenticatorData } from './authenticator-data.ts'
import type { BackupFlags } from './authenticator-data.ts'
import { readClientData } from './client-data.ts'
import type { Expected } from './client-data.ts'
import type { RegistrationResponse } from './responses.ts'
import { es256, sec1KeyOf } from './sec1-key.ts'
import { VerificationFailure } from './verification-failure.ts'
import { webAuthn, webAuthnHelpers } from './webauthn-library.ts'

/** A passkey that was just made. */
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

/**
 * Checks the answer to the options of a registration: made now, for us, by a verified user, with a key that accounts on the chain can have.
 * @throws VerificationFailure
 */
export async function verifyRegistration(response: RegistrationResponse, expected: Expected): Promise<NewPasskey> {
  const { relyingParty } = expected
  const { challenge, origin } = readClientData(response.response.clientDataJSON, 'webauthn.create', expected)
  const { credential, flags, aaguid } = await readAttestation(response, expected)
  const publicKeySec1 = sec1KeyOf(credential.key)
  if (credential.id !== response.id || response.id !== response.rawId) throw new VerificationFailure('credential-id')
  // Nothing else would find it again when its user wants to sign in.
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
  // None was asked for, and then browsers send none, or one that the passkey itself has signed. Certificates of strangers are not looked at:
  // they name addresses from which it would have to be fetched whether they were revoked.
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
