import { encode } from 'rlp'
import { EvmPayloadError } from './evm-payload-error.ts'
import type { EvmPayload } from './evm-payload.ts'
import { keccak256 } from './keccak256.ts'
import { decodeRlpList, RlpFields, uintText } from './rlp-fields.ts'
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

/** The type of direct calls, and the first byte of their payload. */
const directCallType = 0xff

const fieldNames = ['type', 'subtype', 'from', 'to', 'data', 'value', 'gasLimit', 'nonce']

/** By subtype. Source: onflow/flow-go `fvm/evm/types/call.go`. */
const subtypes: Readonly<Record<string, string>> = {
  1: 'deposit',
  2: 'withdraw',
  3: 'transfer',
  4: 'deploy',
  5: 'call',
}

const zeroAddress = '0'.repeat(40)

/**
 * A call that no key signed: Cadence made it, for an account that it owns (COA), for the bridge of FLOW, or to give
 * fees to a coinbase. Its payload is the byte 0xff and an RLP list of type, subtype, from, to, data, value, gas limit
 * and nonce. Its hash is that of a legacy transaction that would cost nothing and whose signature is R = from,
 * S = subtype, V = 255.
 * Source: onflow/flow-go `fvm/evm/types/call.go`.
 * @throws EvmPayloadError
 */
function decodeDirectCall(payload: Buffer): EvmPayload {
  const fields = new RlpFields(decodeRlpList(payload.subarray(1)), fieldNames)
  if (fields.uint(1) !== String(directCallType)) throw new EvmPayloadError('field type is not that of a direct call')
  const subtype = fields.uintBytes(1)
  const from = fields.address()
  const to = nobodyAsUndefined(fields.address())
  const input = fields.bytes()
  const value = fields.uintBytes()
  const gasLimit = fields.uintBytes(8)
  const nonce = fields.uintBytes(8)
  const toBytes = to === undefined ? '' : `0x${to}`
  const legacy = encode([nonce, '', gasLimit, toBytes, value, input, directCallType, withoutZeros(from), subtype])
  const subtypeText = uintText(subtype)
  return {
    type: directCallType,
    hash: keccak256(legacy).toString('hex'),
    callType: subtypes[subtypeText] ?? subtypeText,
    chainId: undefined,
    from,
    to,
    value: uintText(value),
    input,
    gasLimit: uintText(gasLimit),
    nonce: uintText(nonce),
    gasPrice: undefined,
    maxFeePerGas: undefined,
    maxPriorityFeePerGas: undefined,
    accessList: [],
    authorizations: [],
    signature: undefined,
  }
}

function nobodyAsUndefined(address: string): string | undefined {
  return address === zeroAddress ? undefined : address
}

/** An address as the integer that its bytes are. */
function withoutZeros(address: string): Uint8Array {
  const bytes = Buffer.from(address, 'hex')
  const first = bytes.findIndex((byte) => byte !== 0)
  return first < 0 ? Buffer.alloc(0) : bytes.subarray(first)
}
