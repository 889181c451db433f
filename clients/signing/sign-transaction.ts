import { argumentText, encodeEnvelope, encodePayload, partSignedBy } from './encode-transaction.ts'
import type { FlowTransaction, Signer, TransactionSignature } from './encode-transaction.ts'
import { signWithPasskey } from './passkey.ts'
import type { Passkey, PasskeyOptions } from './passkey.ts'
import { SigningError } from './signing-error.ts'
import { verifyPasskeySignature } from './verify-signature.ts'

/**
 * Signs the envelope for the payer, else the payload. @throws SigningError if the account has no
 * role or its key has already signed; as `signWithPasskey`
 */
export async function signTransaction(
  transaction: FlowTransaction,
  signer: Signer & Passkey,
  options?: PasskeyOptions,
): Promise<FlowTransaction> {
  const { address, keyIndex } = signer
  const isEnvelope = partSignedBy(transaction, signer) === 'envelope'
  const list = isEnvelope ? 'envelopeSignatures' : 'payloadSignatures'
  // A later payload signature would invalidate the envelope.
  if (!isEnvelope && transaction.envelopeSignatures.length > 0)
    throw new SigningError('envelopeSignatures', 'must be empty until the payload is fully signed')
  const same = (other: string): boolean => partAddress(other) === partAddress(address)
  if (transaction[list].some((one) => one.keyIndex === keyIndex && same(one.address)))
    throw new SigningError(list, `already has a signature of key ${keyIndex} of ${address}`)
  const message = isEnvelope ? encodeEnvelope(transaction) : encodePayload(transaction)
  const signed = await signWithPasskey('transaction', message, signer, options)
  return {
    ...transaction,
    arguments: transaction.arguments.map(argumentText),
    [list]: [...transaction[list], { address, keyIndex, ...signed }],
  }
}

function partAddress(address: string): string {
  return address.replace(/^0x/i, '').toLowerCase().padStart(16, '0')
}

/**
 * Verify it off chain with `verifyUserMessage`: Flow supports passkeys for transactions only.
 * @throws as `signWithPasskey`
 */
export async function signUserMessage(
  message: Uint8Array,
  { address, keyIndex, ...passkey }: Signer & Passkey,
  options?: PasskeyOptions,
): Promise<TransactionSignature> {
  return { address, keyIndex, ...(await signWithPasskey('user', message, passkey, options)) }
}

/** @param publicKey of the account's key @throws SigningError */
export async function verifyUserMessage(
  message: Uint8Array,
  { signature, extensionData = new Uint8Array() }: TransactionSignature,
  publicKey: Uint8Array,
): Promise<void> {
  await verifyPasskeySignature({ domain: 'user', message, signature, extensionData, publicKey })
}
