import { FieldShapeError, uint64Field } from '../event-fields.ts'
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

/**
 * A transaction of the EVM as an `EVM.TransactionExecuted` event tells of it. Addresses and hashes are lower-case hex
 * digits without `0x`, integers are decimal, amounts are in attoflow.
 */
export interface EvmTransaction {
  readonly hash: string
  /** As the event says, for which see EvmPayload; others may come. */
  readonly type: number
  /** Undefined where it is not known: the payload tells it, and that could not be read or trusted. */
  readonly from: string | undefined
  /** Undefined where it creates a contract, and as with `from`. */
  readonly to: string | undefined
  /** What was given to run; undefined where that could not be read or trusted. */
  readonly payload: EvmPayload | undefined
  /** 1 succeeded, 0 failed, as in an Ethereum receipt. */
  readonly status: 0 | 1
  /** 0 none; 201 to 300: it was not valid; 301 to 400: it was run and failed. */
  readonly errorCode: number
  /** Undefined where there is none; events of early 2024 have none. */
  readonly errorMessage: string | undefined
  readonly gasUsed: bigint
  /** Of the contract that it created. */
  readonly contractAddress: string | undefined
  /** Of the EVM's own chain of blocks. */
  readonly blockHeight: bigint
  /** Position in the block of the EVM. */
  readonly index: number
  readonly logs: readonly EvmLog[]
  /** What about it could not be read or is not as it should be. */
  readonly problems: readonly EvmProblem[]
}

/** Code: stable, lower case, dashes. */
export interface EvmProblem {
  readonly code: 'evm-payload' | 'evm-type-unknown' | 'evm-hash-mismatch' | 'evm-signature' | 'evm-logs'
  readonly message: string
}

const maxInt8 = 2n ** 63n - 1n
const hashPattern = /^(?:0x)?([0-9a-f]{64})$/i
const addressPattern = /^(?:0x)?([0-9a-f]{40})$/i

/**
 * Reads an `EVM.TransactionExecuted` event of any version: bytes were hex text, with or without `0x`, in early 2024 and
 * are [UInt8] since; `errorMessage`, `returnedData`, `precompiledCalls` and `stateUpdateChecksum` came one after the
 * other.
 *
 * The sender of a signed transaction is computed, which takes as long as all the rest of a block's events. The payload
 * counts only if the hash that follows from it is that of the event.
 * @throws FieldShapeError where the event is of no known shape
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
    problems.push({ code: 'evm-payload', message: `the payload cannot be read: ${error.message}` })
    return undefined
  }
  if (payload === undefined) {
    problems.push({ code: 'evm-type-unknown', message: `transactions of type ${evmPayloadType(bytes)} are not known` })
    return undefined
  }
  if (payload.hash !== hash) {
    problems.push({ code: 'evm-hash-mismatch', message: `the payload has the hash ${payload.hash}` })
    return undefined
  }
  if (payload.type !== type) {
    problems.push({ code: 'evm-payload', message: `the payload is of type ${payload.type}, the event of type ${type}` })
    return undefined
  }
  return payload
}

function senderOf({ from, signature }: EvmPayload, problems: EvmProblem[]): string | undefined {
  const sender = signature === undefined ? from : recoverSender(signature)
  if (sender === undefined) problems.push({ code: 'evm-signature', message: 'the signature is not valid' })
  return sender
}

function readLogs(bytes: Buffer, problems: EvmProblem[]): readonly EvmLog[] {
  try {
    return decodeEvmLogs(bytes)
  } catch (error) {
    if (!(error instanceof EvmPayloadError)) throw error
    problems.push({ code: 'evm-logs', message: `the logs cannot be read: ${error.message}` })
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
  if (digits === undefined) throw new FieldShapeError(`field ${name} is not hex digits of its length`)
  return digits.toLowerCase()
}

/** Bytes as they are stored, `0x` and hex digits, or hex digits alone. */
function bytesField(fields: PayloadFields, name: string): Buffer {
  const value = fields[name]
  if (typeof value !== 'string') throw new FieldShapeError(`field ${name} is not bytes`)
  const digits = value.startsWith('0x') ? value.slice(2) : value
  const bytes = Buffer.from(digits, 'hex')
  // It stops at what is no hex digit.
  if (bytes.length * 2 !== digits.length) throw new FieldShapeError(`field ${name} is not bytes in hex digits`)
  return bytes
}

function smallField(fields: PayloadFields, name: string, max: number): number {
  const value = Number(uint64Field(fields, name))
  if (value > max) throw new FieldShapeError(`field ${name} is over ${max}`)
  return value
}

/** A UInt64 that PostgreSQL's bigint holds. */
function int8Field(fields: PayloadFields, name: string): bigint {
  const value = BigInt(uint64Field(fields, name))
  if (value > maxInt8) throw new FieldShapeError(`field ${name} is over ${maxInt8}`)
  return value
}

/** Of events that somebody still holds. */
const known = new WeakMap<DecodedEvent, EvmTransaction>()

/** The type of the events that tell of EVM transactions. Contracts of that name in other accounts tell of nothing. */
export function evmTransactionExecuted(network: Network): string {
  return `A.${coreContracts(network).service}.EVM.TransactionExecuted`
}

/**
 * `readEvmTransaction` of an event of that type, once for all the workers of a process that look at the same event.
 * Undefined where its payload could not be decoded, which ingest has logged.
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
