import { FieldShapeError, int8Field, uint64Field } from '../event-fields.ts'
import type { PayloadFields } from '../payload-value.ts'
import { decodeEvmPayload, evmPayloadType } from './decode-evm-payload.ts'
import { decodeEvmLogs } from './evm-logs.ts'
import type { EvmLog } from './evm-logs.ts'
import { EvmPayloadError } from './evm-payload.ts'
import type { EvmPayload } from './evm-payload.ts'
import { recoverSender } from './recover-sender.ts'
import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import { decodePayload } from '../payload.ts'

/** Addresses and hashes are lower-case hex without `0x`, integers decimal, amounts in attoflow. */
export interface EvmTransaction {
  readonly hash: string
  /** See EvmPayload; the event can have newer types. */
  readonly type: number
  /** Undefined if the payload is unreadable or untrusted. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** As `from`. */
  readonly payload: EvmPayload | undefined
  /** 1 succeeded, 0 failed, as in Ethereum receipts. */
  readonly status: 0 | 1
  /** 0 none, 201 to 300 invalid, 301 to 400 failed during execution. */
  readonly errorCode: number
  /** Undefined if absent, as in events of early 2024. */
  readonly errorMessage: string | undefined
  readonly gasUsed: bigint
  readonly contractAddress: string | undefined
  readonly blockHeight: bigint
  readonly index: number
  readonly logs: readonly EvmLog[]
  readonly problems: readonly EvmProblem[]
}

export interface EvmProblem {
  readonly code: 'evm-payload' | 'evm-type-unknown' | 'evm-hash-mismatch' | 'evm-signature' | 'evm-logs'
  readonly message: string
}

const hashPattern = /^(?:0x)?([0-9a-f]{64})$/i
const addressPattern = /^(?:0x)?([0-9a-f]{40})$/i

/**
 * In early 2024 bytes were hex text with or without `0x`, since then [UInt8]; some fields were
 * added later. Recovering the sender takes as long as all other events of a block. The payload is
 * used only if its hash equals that of the event.
 *
 * @throws FieldShapeError for an unknown shape
 */
export function readEvmTransaction(fields: PayloadFields): EvmTransaction {
  const hash = hexField(fields, 'hash', hashPattern)
  const type = smallField(fields, 'type', 0xff)
  const errorCode = smallField(fields, 'errorCode', 0xffff)
  const problems: EvmProblem[] = []
  const payload = readPayload(bytesField(fields, 'payload'), hash, type, problems)
  return {
    hash,
    type,
    from: payload === undefined ? undefined : senderOf(payload, problems),
    to: payload?.to,
    payload,
    status: errorCode === 0 ? 1 : 0,
    errorCode,
    errorMessage: errorMessageOf(fields),
    gasUsed: int8Field(fields, 'gasConsumed'),
    contractAddress: contractAddressOf(fields),
    blockHeight: int8Field(fields, 'blockHeight'),
    index: smallField(fields, 'index', 0xffff),
    logs: readLogs(bytesField(fields, 'logs'), problems),
    problems,
  }
}

function readPayload(bytes: Buffer, hash: string, type: number, problems: EvmProblem[]): EvmPayload | undefined {
  let payload: EvmPayload | undefined
  try {
    payload = decodeEvmPayload(bytes)
  } catch (error) {
    if (!(error instanceof EvmPayloadError)) throw error
    problems.push({ code: 'evm-payload', message: `could not decode the payload: ${error.message}` })
    return undefined
  }
  if (payload === undefined) {
    problems.push({ code: 'evm-type-unknown', message: `unknown transaction type ${evmPayloadType(bytes)}` })
    return undefined
  }
  if (payload.hash !== hash) {
    problems.push({ code: 'evm-hash-mismatch', message: `the payload hash differs from the event: ${payload.hash}` })
    return undefined
  }
  if (payload.type !== type) {
    problems.push({ code: 'evm-payload', message: `the payload has type ${payload.type}, the event type ${type}` })
    return undefined
  }
  return payload
}

function senderOf({ from, signature }: EvmPayload, problems: EvmProblem[]): string | undefined {
  const sender = signature === undefined ? from : recoverSender(signature)
  if (sender === undefined) problems.push({ code: 'evm-signature', message: 'invalid signature' })
  return sender
}

function readLogs(bytes: Buffer, problems: EvmProblem[]): readonly EvmLog[] {
  try {
    return decodeEvmLogs(bytes)
  } catch (error) {
    if (!(error instanceof EvmPayloadError)) throw error
    problems.push({ code: 'evm-logs', message: `could not decode the logs: ${error.message}` })
    return []
  }
}

function errorMessageOf({ errorMessage }: PayloadFields): string | undefined {
  if (errorMessage === undefined || errorMessage === '') return undefined
  if (typeof errorMessage !== 'string') throw new FieldShapeError('field errorMessage is not a String')
  return errorMessage
}

function contractAddressOf(fields: PayloadFields): string | undefined {
  return fields['contractAddress'] === '' ? undefined : hexField(fields, 'contractAddress', addressPattern)
}

function hexField(fields: PayloadFields, name: string, pattern: RegExp): string {
  const value = fields[name]
  const digits = typeof value === 'string' ? pattern.exec(value)?.[1] : undefined
  if (digits === undefined) throw new FieldShapeError(`field ${name} has the wrong number of hex digits`)
  return digits.toLowerCase()
}

function bytesField(fields: PayloadFields, name: string): Buffer {
  const value = fields[name]
  if (typeof value !== 'string') throw new FieldShapeError(`field ${name} is not bytes`)
  const digits = value.startsWith('0x') ? value.slice(2) : value
  const bytes = Buffer.from(digits, 'hex')
  // Buffer.from stops at the first invalid digit.
  if (bytes.length * 2 !== digits.length) throw new FieldShapeError(`field ${name} is not bytes in hex digits`)
  return bytes
}

function smallField(fields: PayloadFields, name: string, max: number): number {
  const value = Number(uint64Field(fields, name))
  if (value > max) throw new FieldShapeError(`field ${name} exceeds ${max}`)
  return value
}

/** Per event object, while it is referenced. */
const known = new WeakMap<DecodedEvent, EvmTransaction>()

export function evmTransactionExecuted(network: Network): string {
  return `A.${coreContracts(network).service}.EVM.TransactionExecuted`
}

/**
 * Undefined if the payload is undecodable, which ingestion has recorded.
 *
 * @throws FieldShapeError
 */
export function evmTransactionOf(event: DecodedEvent): EvmTransaction | undefined {
  const found = known.get(event)
  if (found !== undefined || event.fields === undefined) return found
  const transaction = readEvmTransaction(event.fields)
  known.set(event, transaction)
  return transaction
}

/**
 * 32 bytes; undefined if missing or invalid. The field is `[UInt8; 32]`; before Crescendo hex text
 * with or without 0x.
 *
 * @throws PayloadError if the payload is undecodable
 */
export function evmTransactionHash(type: string, payload: Uint8Array): Buffer | undefined {
  const { hash } = decodePayload(type, payload)
  if (typeof hash !== 'string') return undefined
  const match = /^(?:0x)?([0-9a-f]{64})$/i.exec(hash)
  return match?.[1] === undefined ? undefined : Buffer.from(match[1], 'hex')
}
