/**
 * Algorithms of account keys, by the numbers that access nodes, transactions and stored keys use. Source: onflow/crypto
 * `sign.go`, `hash/hash.go`.
 */
export const signingAlgorithms: Readonly<Record<number, string>> = {
  1: 'BLS_BLS12_381',
  2: 'ECDSA_P256',
  3: 'ECDSA_secp256k1',
}

export const hashingAlgorithms: Readonly<Record<number, string>> = {
  1: 'SHA2_256',
  2: 'SHA2_384',
  3: 'SHA3_256',
  4: 'SHA3_384',
  5: 'KMAC128_BLS_BLS12_381',
  6: 'KECCAK_256',
}

/**
 * The number of a signing algorithm by the raw value of Cadence's enum `SignatureAlgorithm`, which counts otherwise: 1
 * is ECDSA_P256 there. The raw values of `HashAlgorithm` are the numbers themselves. Source: onflow/cadence
 * `sema/crypto_algorithm_types.go`.
 */
export const signingAlgorithmByRawValue: Readonly<Record<string, number>> = { 1: 2, 2: 3, 3: 1 }
