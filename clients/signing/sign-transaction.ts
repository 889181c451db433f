import { argumentText, encodeEnvelope, encodePayload, partSignedBy } from './encode-transaction.ts'
import type { FlowTransaction, Signer, TransactionSignature } from './encode-transaction.ts'
import { signWithPasskey } from './passkey.ts'
import type { Passkey, PasskeyOptions } from './passkey.ts'
import { SigningError } from './signing-error.ts'
import { verifyPasskeySignature } from './verify-signature.ts'

/**
 * The transaction with the signature of an account by its passkey: at the envelope where the account pays, at the payload else.
 * @throws SigningError for an account that has no part in it, or whose key has signed already; and what `signWithPasskey` throws
 */
export async function signTransaction(
  transaction: FlowTransaction,
  signer: Signer & Passkey,
  options?: PasskeyOptions,
): Promise<FlowTransaction> {
  const { address, keyIndex } = signer
  const isEnvelope = partSignedBy(transaction, signer) === 'envelope'
  const list = isEnvelope ? 'envelopeSignatures' : 'payloadSignatures'
  // A signature of the payload that came later would make all of the envelope void.
  if (!isEnvelope && transaction.envelopeSignatures.length > 0)
    throw new SigningError('envelopeSignatures', 'have to be empty until everybody has signed the payload')
  const same = (other: string): boolean => partAddress(other) === partAddress(address)
  if (transaction[list].some((one) => one.keyIndex === keyIndex && same(one.address)))
    throw new SigningError(list, `has a signature of key ${keyIndex} of ${address} already`)
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
