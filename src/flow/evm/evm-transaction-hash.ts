import { decodePayload } from '../payload.ts'

/**
 * The hash (32 bytes) of the EVM transaction that an `EVM.TransactionExecuted` event tells of; undefined where the
 * event has none that makes sense. The field has been `[UInt8; 32]` and, before Crescendo, hex text with or without 0x.
 * @throws PayloadError where the payload cannot be decoded
 */
export function evmTransactionHash(type: string, payload: Uint8Array): Buffer | undefined {
  const { hash } = decodePayload(type, payload)
  if (typeof hash !== 'string') return undefined
  const match = /^(?:0x)?([0-9a-f]{64})$/i.exec(hash)
  return match?.[1] === undefined ? undefined : Buffer.from(match[1], 'hex')
}
