import { decodeDirectCall, directCallType } from './direct-call.ts'
import { EvmPayloadError } from './evm-payload-error.ts'
import type { EvmPayload } from './evm-payload.ts'
import { decodeSignedTransaction, isSignedType } from './signed-transaction.ts'

/** The type by the first byte; undefined for an empty payload. */
export function evmPayloadType(payload: Buffer): number | undefined {
  const [first] = payload
  if (first === undefined) return undefined
  // A legacy transaction begins with the header of an RLP list, and none is so long that it begins with 0xff.
  return first >= 0xc0 && first !== directCallType ? 0 : first
}

/**
 * Decodes what the EVM was given to run.
 * @returns undefined for a type that is not known
 * @throws EvmPayloadError where the bytes are not of the type that they begin with
 */
export function decodeEvmPayload(payload: Buffer): EvmPayload | undefined {
  const type = evmPayloadType(payload)
  if (type === undefined) throw new EvmPayloadError('empty')
  if (type === directCallType) return decodeDirectCall(payload)
  return isSignedType(type) ? decodeSignedTransaction(type, payload) : undefined
}
