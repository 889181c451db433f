import { encode } from 'rlp'
import { bytesOfHex } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { accountOf } from './encode-transaction.ts'
import type { Signer, TransactionSignature } from './encode-transaction.ts'
import { signWithPasskey } from './passkey.ts'
import type { Passkey, PasskeyOptions } from './passkey.ts'
import { SigningError } from './signing-error.ts'
import { verifyPasskeySignature } from './verify-signature.ts'

const minNonce = 32
const maxNonce = 1024
const maxIdentifier = 2048

/** What an application wants to have proved: that who is there has the account. */
export interface AccountProof {
  /** Of the application: its origin, as FCL fills it in by itself, or a name of its own. */
  readonly appIdentifier: string
  /** Up to 16 hex digits, with or without 0x. */
  readonly address: string
  /** Hex of at least 32 bytes, made by the application's server for one sign-in. */
  readonly nonce: string
}

/** The bytes that `encodeAccountProof` of `@onflow/fcl-core` signs, without the domain tag. @throws SigningError */
export function encodeAccountProof({ appIdentifier, address, nonce }: AccountProof): Bytes {
  const bytes = bytesOfHex(nonce, 'nonce')
  if (bytes.length < minNonce || bytes.length > maxNonce)
    throw new SigningError('nonce', `has to be hex of ${minNonce} to ${maxNonce} bytes`)
  if (appIdentifier === '' || appIdentifier.length > maxIdentifier)
    throw new SigningError('appIdentifier', `has to be a text of 1 to ${maxIdentifier} characters`)
  // FCL's encoder takes such a text for hex, so that nobody could check the proof.
  if (/^0x/i.test(appIdentifier))
    throw new SigningError('appIdentifier', 'has to be a name or an address of the web, and begins with 0x')
  return new Uint8Array(encode([new TextEncoder().encode(appIdentifier), accountOf(address, 'address'), bytes]))
}

/**
 * Proves ownership of an account by a passkey. Verify it off chain with `verifyAccountProof` and the extension data.
 * @throws SigningError; the browser's errors (`NotAllowedError` when the user declines)
 */
export async function signAccountProof(
  proof: Omit<AccountProof, 'address'>,
  { address, keyIndex, ...passkey }: Signer & Passkey,
  options?: PasskeyOptions,
): Promise<TransactionSignature> {
  return {
    address,
    keyIndex,
    ...(await signWithPasskey('accountProof', encodeAccountProof({ ...proof, address }), passkey, options)),
  }
}

/** @param publicKey of the account's key. @throws SigningError that says what is wrong */
export async function verifyAccountProof(
  proof: AccountProof,
  { signature, extensionData = new Uint8Array() }: TransactionSignature,
  publicKey: Uint8Array,
): Promise<void> {
  await verifyPasskeySignature({
    domain: 'accountProof',
    message: encodeAccountProof(proof),
    signature,
    extensionData,
    publicKey,
  })
}
