import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)

/** Ethereum's Keccak-256, which differs from SHA3-256. 32 bytes. */
export function keccak256(bytes: Uint8Array): Buffer {
  const digest = hasher.init().update(bytes).digest('binary')
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength)
}
