import type { Bytes } from './bytes.ts'
import { challengeOf } from './encode-transaction.ts'
import type { Domain } from './encode-transaction.ts'
import { rawSignatureOf, encodeExtensionData } from './assertion-signature.ts'
import { SigningError } from './signing-error.ts'
import { verifyPasskeySignature } from './verify-signature.ts'

export interface Passkey {
  readonly rpId: string
  readonly credentialId: Bytes
  /** Account key in SEC1 form: 65 bytes with 0x04, or the 64 bytes after it. */
  readonly publicKey: Uint8Array
}

/** Without DOM types: these files also run outside browsers. */
export interface AssertionRequest {
  readonly publicKey: {
    readonly challenge: Bytes
    readonly rpId: string
    readonly userVerification: 'required'
    readonly allowCredentials: readonly { readonly type: 'public-key'; readonly id: Bytes }[]
  }
  readonly signal?: AbortSignal
}

export interface Assertion {
  readonly response: {
    readonly authenticatorData: ArrayBuffer | Uint8Array
    readonly clientDataJSON: ArrayBuffer | Uint8Array
    readonly signature: ArrayBuffer | Uint8Array
  }
}

export interface PasskeyOptions {
  readonly getCredential?: (request: AssertionRequest) => Promise<unknown>
  readonly signal?: AbortSignal
}

export interface SignedByPasskey {
  /** r and s, 64 bytes. */
  readonly signature: Bytes
  readonly extensionData: Bytes
}

/**
 * Signs with a passkey and verifies the signature as the chain does. @throws SigningError for an
 * invalid signature; the browser's errors (`NotAllowedError` when the user declines)
 */
export async function signWithPasskey(
  domain: Domain,
  message: Uint8Array,
  { rpId, credentialId, publicKey }: Passkey,
  options: PasskeyOptions = {},
): Promise<SignedByPasskey> {
  const { getCredential = askBrowser, signal } = options
  const credential = await getCredential({
    publicKey: {
      challenge: await challengeOf(domain, message),
      rpId,
      userVerification: 'required',
      allowCredentials: [{ type: 'public-key', id: credentialId }],
    },
    ...(signal === undefined ? {} : { signal }),
  })
  if (!isAssertion(credential)) throw new SigningError('credential', 'must be a passkey assertion')
  const { response } = credential
  const signature = rawSignatureOf(new Uint8Array(response.signature))
  const extensionData = encodeExtensionData({
    authenticatorData: new Uint8Array(response.authenticatorData),
    clientDataJson: new Uint8Array(response.clientDataJSON),
  })
  await verifyPasskeySignature({ domain, message, signature, extensionData, publicKey })
  return { signature, extensionData }
}

function askBrowser(request: AssertionRequest): Promise<unknown> {
  const { credentials } = navigator as unknown as {
    readonly credentials: { readonly get: (request: AssertionRequest) => Promise<unknown> }
  }
  return credentials.get(request)
}

function isAssertion(credential: unknown): credential is Assertion {
  const { response } = (credential ?? {}) as { readonly response?: unknown }
  return (
    typeof response === 'object' &&
    response !== null &&
    'authenticatorData' in response &&
    'clientDataJSON' in response &&
    'signature' in response
  )
}
