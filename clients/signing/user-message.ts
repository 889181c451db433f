import { signWithPasskey } from './passkey.ts'
import type { Passkey, PasskeyOptions } from './passkey.ts'
import type { Signer, TransactionSignature } from './flow-transaction.ts'
import { verifyPasskeySignature } from './verify-signature.ts'

/**
 * Has the user sign a message that is no transaction. Nothing on the chain can check it: Flow knows passkeys in transactions alone, so whoever is
 * shown the signature has to check it as `verifyUserMessage` does, with the extension data.
 * @throws as `signWithPasskey`
 */
export async function signUserMessage(
  message: Uint8Array,
  { address, keyIndex, ...passkey }: Signer & Passkey,
  options?: PasskeyOptions,
): Promise<TransactionSignature> {
  return { address, keyIndex, ...(await signWithPasskey('user', message, passkey, options)) }
}

/** @param publicKey of the account's key. @throws SigningError that says what is wrong */
export async function verifyUserMessage(
  message: Uint8Array,
  { signature, extensionData = new Uint8Array() }: TransactionSignature,
  publicKey: Uint8Array,
): Promise<void> {
  await verifyPasskeySignature({ domain: 'user', message, signature, extensionData, publicKey })
}
