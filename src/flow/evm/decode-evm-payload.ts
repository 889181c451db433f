import { encode } from 'rlp'
import { EvmPayloadError } from './evm-payload.ts'
import type { EvmPayload, AccessListEntry, Authorization } from './evm-payload.ts'
import { keccak256 } from './keccak256.ts'
import { decodeRlpList, RlpFields, uintText, hexOf } from './rlp-fields.ts'
import type { RlpList } from './rlp-fields.ts'
import type { EvmSignature } from './recover-sender.ts'

/** Undefined for an empty payload. */
export function evmPayloadType(payload: Buffer): number | undefined {
  const [first] = payload
  if (first === undefined) return undefined
  // A legacy transaction starts with an RLP list header, which is never 0xff.
  return first >= 0xc0 && first !== directCallType ? 0 : first
}

/** @returns undefined for an unknown type @throws EvmPayloadError */
export function decodeEvmPayload(payload: Buffer): EvmPayload | undefined {
  const type = evmPayloadType(payload)
  if (type === undefined) throw new EvmPayloadError('empty')
  if (type === directCallType) return decodeDirectCall(payload)
  return isSignedType(type) ? decodeSignedTransaction(type, payload) : undefined
}

/** Also the first byte of the payload. */
const directCallType = 0xff

const fieldNames = ['type', 'subtype', 'from', 'to', 'data', 'value', 'gasLimit', 'nonce']

/** Source: onflow/flow-go `fvm/evm/types/call.go`. */
const subtypes: Readonly<Record<string, string>> = {
  1: 'deposit',
  2: 'withdraw',
  3: 'transfer',
  4: 'deploy',
  5: 'call',
}

const zeroAddress = '0'.repeat(40)

/**
 * A call by Cadence without a signature: the byte 0xff and an RLP list of type, subtype, from, to,
 * data, value, gas limit and nonce. The hash is that of a legacy transaction with price 0 and the
 * signature R = from, S = subtype, V = 255. Source: onflow/flow-go `fvm/evm/types/call.go`.
 *
 * @throws EvmPayloadError
 */
function decodeDirectCall(payload: Buffer): EvmPayload {
  const fields = new RlpFields(decodeRlpList(payload.subarray(1)), fieldNames)
  if (fields.uint(1) !== String(directCallType))
    throw new EvmPayloadError('field type is not the type of a direct call')
  const subtype = fields.uintBytes(1)
  const from = fields.address()
  const to = undefinedIfZero(fields.address())
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

function undefinedIfZero(address: string): string | undefined {
  return address === zeroAddress ? undefined : address
}

function withoutZeros(address: string): Uint8Array {
  const bytes = Buffer.from(address, 'hex')
  const first = bytes.findIndex((byte) => byte !== 0)
  return first < 0 ? Buffer.alloc(0) : bytes.subarray(first)
}

const signedFieldNames = {
  0: ['nonce', 'gasPrice', 'gasLimit', 'to', 'value', 'data', 'v', 'r', 's'],
  1: ['chainId', 'nonce', 'gasPrice', 'gasLimit', 'to', 'value', 'data', 'accessList', 'yParity', 'r', 's'],
  2: [
    'chainId',
    'nonce',
    'maxPriorityFeePerGas',
    'maxFeePerGas',
    'gasLimit',
    'to',
    'value',
    'data',
    'accessList',
    'yParity',
    'r',
    's',
  ],
  4: [
    'chainId',
    'nonce',
    'maxPriorityFeePerGas',
    'maxFeePerGas',
    'gasLimit',
    'to',
    'value',
    'data',
    'accessList',
    'authorizationList',
    'yParity',
    'r',
    's',
  ],
} as const

export type SignedType = keyof typeof signedFieldNames

/** v of legacy signatures is 27 or 28 without a chain id (EIP-155). */
const firstReplayProtectedV = 35n

export function isSignedType(type: number): type is SignedType {
  return Object.hasOwn(signedFieldNames, type)
}

/**
 * Does not verify the signature. Source: EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-7702.
 *
 * @param payload RLP list, after the type byte unless the type is 0
 *
 * @throws EvmPayloadError
 */
export function decodeSignedTransaction(type: SignedType, payload: Buffer): EvmPayload {
  const list = decodeRlpList(type === 0 ? payload : payload.subarray(1))
  const fields = new RlpFields(list, signedFieldNames[type])
  const typedChainId = type === 0 ? undefined : fields.uint()
  const nonce = fields.uint64()
  const gasPrice = type <= 1 ? fields.uint() : undefined
  const maxPriorityFeePerGas = type <= 1 ? undefined : fields.uint()
  const maxFeePerGas = type <= 1 ? undefined : fields.uint()
  const gasLimit = fields.uint64()
  const to = type === 4 ? fields.address() : fields.optionalAddress()
  const value = fields.uint()
  const input = fields.bytes()
  const accessList = type === 0 ? [] : fields.list().map(readAccessListEntry)
  const authorizations = type === 4 ? fields.list().map(readAuthorization) : []
  const v = BigInt(fields.uint())
  const [r, s] = [fields.uintBytes(), fields.uintBytes()]
  const { chainId, signature } =
    type === 0 ? legacySignature(list, v) : { chainId: typedChainId, signature: typedSignature(type, list, v) }
  return {
    type,
    hash: keccak256(payload).toString('hex'),
    callType: undefined,
    chainId,
    from: undefined,
    to,
    value,
    input,
    nonce,
    gasLimit,
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList,
    authorizations,
    signature: { ...signature, r, s },
  }
}

type SignedBy = Pick<EvmSignature, 'signingHash' | 'parity'>

/** Since EIP-155 the chain id replaces the signature in the signed list. */
function legacySignature(list: RlpList, v: bigint): { chainId: string | undefined; signature: SignedBy } {
  const unsigned = list.slice(0, 6)
  if (v === 27n || v === 28n) {
    return { chainId: undefined, signature: { signingHash: keccak256(encode(unsigned)), parity: parityOf(v - 27n) } }
  }
  if (v < firstReplayProtectedV) throw new EvmPayloadError('field v is not a valid signature value')
  const chainId = (v - firstReplayProtectedV) / 2n
  const signingHash = keccak256(encode([...unsigned, chainId, '', '']))
  return { chainId: chainId.toString(), signature: { signingHash, parity: parityOf((v - firstReplayProtectedV) % 2n) } }
}

function typedSignature(type: SignedType, list: RlpList, yParity: bigint): SignedBy {
  const unsigned = encode(list.slice(0, -3))
  return { signingHash: keccak256(Buffer.concat([Buffer.of(type), unsigned])), parity: parityOf(yParity) }
}

function parityOf(value: bigint): 0 | 1 {
  if (value > 1n) throw new EvmPayloadError('field yParity is not 0 or 1')
  return value === 0n ? 0 : 1
}

function readAccessListEntry(entry: RlpList | Uint8Array): AccessListEntry {
  const fields = new RlpFields(listOf(entry), ['address', 'storageKeys'])
  return { address: fields.address(), storageKeys: fields.list().map(readStorageKey) }
}

function readStorageKey(key: RlpList | Uint8Array): string {
  if (Array.isArray(key) || key.length !== 32) throw new EvmPayloadError('a storage key does not have 32 bytes')
  return hexOf(key)
}

function readAuthorization(authorization: RlpList | Uint8Array): Authorization {
  const fields = new RlpFields(listOf(authorization), ['chainId', 'address', 'nonce', 'yParity', 'r', 's'])
  const [chainId, address, nonce] = [fields.uint(), fields.address(), fields.uint64()]
  fields.uint(1)
  fields.uint()
  fields.uint()
  return { chainId, address, nonce }
}

function listOf(item: RlpList | Uint8Array): RlpList {
  if (!Array.isArray(item)) throw new EvmPayloadError('found a byte string, expected a list')
  return item
}
