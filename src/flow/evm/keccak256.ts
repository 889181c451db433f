import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)

/** Keccak-256 as Ethereum uses it, which is not SHA3-256: 32 bytes. */
export function keccak256(bytes: Uint8Array): Buffer {
  const digest = hasher.init().update(bytes).digest('binary')
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength)
}
