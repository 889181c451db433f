import sodium from 'libsodium-wrappers'
import { ApiProblem } from '../../kit/api.ts'

/**
 * Libsodium's sealed box: only the repository's workflows can read it. @param privateKey 64 hex
 * digits, with or without 0x @param publicKey base64 @returns base64 @throws ApiProblem 400
 * `invalid-key`; 502 for an invalid public key
 */
export async function sealKey(privateKey: string, publicKey: string): Promise<string> {
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(privateKey)?.[1]
  if (digits === undefined) throw new ApiProblem(400, 'invalid-key', 'The private key must have 64 hex digits.')
  await sodium.ready
  let receiver: Uint8Array
  try {
    receiver = sodium.from_base64(publicKey, sodium.base64_variants.ORIGINAL)
  } catch {
    receiver = new Uint8Array()
  }
  if (receiver.length !== sodium.crypto_box_PUBLICKEYBYTES)
    throw new ApiProblem(502, 'bad-public-key', 'GitHub returned an invalid public key. Try again.')
  return sodium.to_base64(sodium.crypto_box_seal(digits, receiver), sodium.base64_variants.ORIGINAL)
}
