import { hash } from 'node:crypto'

const evmImport = Buffer.from('import EVM')

/** The key of a script in `raw.scripts`: SHA-256 of its exact bytes, 32 bytes. */
export function scriptHash(script: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', script, 'hex'), 'hex')
}

/** Whether a script's text contains `import EVM`, which is what marks a transaction as one of the EVM. */
export function importsEvm(script: Buffer): boolean {
  return script.includes(evmImport)
}
