import type { ChainAccount } from '../../chain/chain-reader.ts'

/** As the access API numbers them: ECDSA_P256, SHA2_256. Passkeys sign with nothing else. */
const passkeyAlgorithms = { signature: 2, hash: 1 } as const
/** What an account needs to be signed for. */
export const fullWeight = 1000

/** The key of an account by which a passkey signs for it alone. @param publicKey hex, 128 digits @returns its index; undefined where there is none */
export function signingKeyIndex({ keys }: ChainAccount, publicKey: string): number | undefined {
  return keys.find(
    (key) =>
      key.publicKey.toLowerCase() === publicKey &&
      !key.isRevoked &&
      key.weight >= fullWeight &&
      key.signatureAlgorithm === passkeyAlgorithms.signature &&
      key.hashAlgorithm === passkeyAlgorithms.hash,
  )?.index
}
