import { z } from 'zod'
import type { AbiSignature } from '../../flow/evm/abi-signature.ts'
import type { AbiElement } from '../../flow/evm/abi-values.ts'
import { decodeEvmPayload } from '../../flow/evm/decode-evm-payload.ts'
import { decodeEvmLogs } from '../../flow/evm/evm-logs.ts'
import type { EvmLog } from '../../flow/evm/evm-logs.ts'
import { EvmPayloadError } from '../../flow/evm/evm-payload.ts'
import { decodePrecompiledCalls } from '../../flow/evm/precompiled-calls.ts'
import type { PrecompiledCall } from '../../flow/evm/precompiled-calls.ts'
import { decodeCall, decodeLog, selectorOfInput } from '../../flow/evm/known-abi.ts'
import type { DecodedAbi } from '../../flow/evm/known-abi.ts'
import { amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import { transactionSummarySchema, exampleSummary } from '../transactions/schema.ts'
import type { TransactionSummary } from '../transactions/schema.ts'
import {
  evmDigitsFormat,
  evmHashFormat,
  evmPartySchema,
  presentEvmParty,
  evmTokenTransferSchema,
} from './token-schema.ts'
import type { EvmDirectory, EvmTokenTransferItem, EvmParty, EvmToken, EvmTokenRef } from './token-schema.ts'

const elementFormat: z.ZodType<AbiElement> = z
  .lazy(() => z.union([z.string(), z.array(elementFormat)]))
  .meta({ id: 'EvmValueElement' })

export const valueFormat = z
  .union([z.string(), z.boolean(), z.array(elementFormat)])
  .describe('Integers are decimal strings; addresses and bytes are 0x and hex digits.')

const decodedCallSchema = z
  .strictObject({
    method_call: z.string().describe('Function signature: transfer(address,uint256).'),
    method_id: z.string().regex(/^0x[0-9a-f]{8}$/),
    parameters: z.array(z.strictObject({ name: z.string(), type: z.string(), value: valueFormat })),
  })
  .meta({ id: 'EvmDecodedCall' })
type DecodedCallItem = z.output<typeof decodedCallSchema>

const decodedLogSchema = z
  .strictObject({
    name: z.string(),
    method_call: z.string().describe('Event signature: Transfer(address,address,uint256).'),
    parameters: z.array(
      z.strictObject({ name: z.string(), type: z.string(), indexed: z.boolean(), value: valueFormat }),
    ),
  })
  .meta({ id: 'EvmDecodedLog' })
type DecodedLogItem = z.output<typeof decodedLogSchema>

type Value = z.output<typeof valueFormat>

/** Arguments of a function or constructor. */
export const decodedParametersSchema = decodedCallSchema.shape.parameters

export function presentParameters(parameters: DecodedAbi['parameters']): DecodedCallItem['parameters'] {
  return parameters.map(({ name, type, value }) => ({ name, type, value: presentValue(value) }))
}

function presentDecodedCall({ signature, parameters }: DecodedAbi, selector: string): DecodedCallItem {
  return {
    method_call: signature,
    method_id: selector,
    parameters: presentParameters(parameters),
  }
}

function presentDecodedLog({ name, signature, parameters }: DecodedAbi): DecodedLogItem {
  return {
    name,
    method_call: signature,
    parameters: parameters.map(({ name: parameter, type, isIndexed, value }) => {
      return { name: parameter, type, indexed: isIndexed, value: presentValue(value) }
    }),
  }
}

export function presentValue(value: DecodedAbi['parameters'][number]['value']): Value {
  return typeof value === 'object' ? [...value] : value
}

export const evmLogSchema = z
  .strictObject({
    index: countFormat.describe('Index in the transaction.'),
    address: evmPartySchema.describe('Contract that emitted the log.'),
    topics: z.array(evmHashFormat),
    data: z.string().regex(/^0x([0-9a-f]{2})*$/),
    decoded: decodedLogSchema.nullable().describe('Set for events of verified contracts and common ones.'),
  })
  .meta({ id: 'EvmLog' })
export type EvmLogItem = z.output<typeof evmLogSchema>

/** Keyed by `<address> <selector>`, without 0x. */
export type VerifiedSignatures = ReadonlyMap<string, AbiSignature>

export interface EvmContext {
  readonly directory: EvmDirectory
  readonly signatures: VerifiedSignatures
}

/** Empty if undecodable; the worker has recorded the error. */
export function readStoredLogs(hex: string | null): readonly EvmLog[] {
  return decodedOrEmpty(hex, decodeEvmLogs)
}

export function readStoredCalls(hex: string | null): readonly PrecompiledCall[] {
  return decodedOrEmpty(hex, decodePrecompiledCalls)
}

function decodedOrEmpty<Item>(hex: string | null, decode: (bytes: Buffer) => readonly Item[]): readonly Item[] {
  if (hex === null) return []
  try {
    return decode(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
  } catch (error) {
    if (!(error instanceof EvmPayloadError)) throw error
    return []
  }
}

/** In `VerifiedSignatures`. */
export function logKeyOf({ address, topics: [topic] }: EvmLog): string | undefined {
  return topic === undefined ? undefined : `${address} ${topic}`
}

export function presentEvmLog(log: EvmLog, index: number, { directory, signatures }: EvmContext): EvmLogItem {
  const known = decodeLog(log, signatures.get(logKeyOf(log) ?? ''))
  return {
    index,
    address: presentEvmParty(log.address, directory),
    topics: log.topics.map((topic) => `0x${topic}`),
    data: `0x${Buffer.from(log.data).toString('hex')}`,
    decoded: known === undefined ? null : presentDecodedLog(known),
  }
}

export const evmInternalTransactionSchema = z
  .strictObject({
    transaction_hash: evmHashFormat,
    block_number: heightFormat.describe('EVM block number.'),
    index: countFormat,
    type: z.literal('call'),
    from: z.null().describe('Always null: the event does not record the caller.'),
    to: evmPartySchema.describe('Contract that is built into Flow.'),
    success: z.boolean(),
    error: z.string().nullable(),
    output: z.string().regex(/^0x([0-9a-f]{2})*$/),
  })
  .meta({ id: 'EvmInternalTransaction' })
export type EvmInternalTransaction = z.output<typeof evmInternalTransactionSchema>

const untrusted = 'Null if the event payload could not be decoded.'

export const evmTransactionSchema = z
  .strictObject({
    hash: evmHashFormat,
    evm_hash: idFormat,
    transaction_id: idFormat.describe('Flow transaction that executed it.'),
    block_height: heightFormat.describe('Flow block.'),
    transaction_index: countFormat.describe('Index of the Flow transaction in its block.'),
    event_index: countFormat.describe('Index of its EVM.TransactionExecuted event.'),
    timestamp: timestampFormat.describe('Block time.'),
    block_number: heightFormat.describe('EVM block number.'),
    position: countFormat.describe('Index in the EVM block.'),
    from: evmPartySchema.nullable().describe(untrusted),
    to: evmPartySchema.nullable().describe(`Null for contract creations. ${untrusted}`),
    created_contract: evmPartySchema.nullable(),
    evm_from: evmDigitsFormat.nullable(),
    evm_to: evmDigitsFormat.nullable(),
    evm_value: amountFormat.nullable().describe('In attoflow, 10^-18 FLOW.'),
    evm_gas_used: z.int(),
    evm_status: z.int().min(0).max(1).describe('1 succeeded, 0 failed.'),
    value: amountFormat.nullable().describe('Alias of evm_value.'),
    gas_limit: amountFormat.nullable().describe(untrusted),
    gas_used: amountFormat,
    gas_price: amountFormat.nullable().describe('In attoflow; null for dynamic fees: see max_fee_per_gas.'),
    max_fee_per_gas: amountFormat.nullable(),
    max_priority_fee_per_gas: amountFormat.nullable(),
    effective_gas_price: amountFormat
      .nullable()
      .describe('Paid price in attoflow: gas_price, or the lower of both caps; null for direct calls.'),
    fee: z
      .strictObject({ type: z.literal('actual'), value: amountFormat })
      .nullable()
      .describe('gas_used × effective_gas_price in attoflow; 0 if the transaction was invalid; null for direct calls.'),
    nonce: amountFormat.nullable().describe(`Any 64-bit number if the transaction was invalid. ${untrusted}`),
    type: z.int().describe('0 legacy, 1 access list, 2 dynamic fee, 4 set code, 255 direct call without signature.'),
    call_type: z.string().nullable().describe('For type 255: deposit, withdraw, transfer, deploy or call.'),
    status: z.enum(['ok', 'error']),
    result: z.string().describe('success, or the error.'),
    error_code: z.int().describe('0: none; 201 to 300: invalid; 301 to 400: execution failed.'),
    method: z
      .string()
      .nullable()
      .describe(
        'Name of a function that is verified or common, or selector (0x and 8 hex digits); null without input.',
      ),
    raw_input: z
      .string()
      .regex(/^0x([0-9a-f]{2})*$/)
      .nullable()
      .describe(untrusted),
    decoded_input: decodedCallSchema.nullable().describe('Set for functions of verified contracts and common ones.'),
    tx_types: z.array(z.enum(['coin_transfer', 'contract_call', 'contract_creation', 'token_transfer'])),
  })
  .meta({ id: 'EvmTransaction' })
export type EvmTransactionItem = z.output<typeof evmTransactionSchema>

export const evmTransactionDetailSchema = evmTransactionSchema
  .extend({
    logs: z.array(evmLogSchema),
    token_transfers: z.array(evmTokenTransferSchema),
    transaction: transactionSummarySchema.describe('Flow transaction that executed it.'),
  })
  .meta({ id: 'EvmTransactionDetail' })
export type EvmTransactionDetail = z.output<typeof evmTransactionDetailSchema>

/** Hashes and addresses lack `0x`. */
export const derivedEvmRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  tx_id: z.string(),
  evm_hash: z.string(),
  evm_from: z.string().nullable(),
  evm_to: z.string().nullable(),
  evm_value: z.string().nullable(),
  evm_gas_used: z.number(),
  evm_status: z.number(),
  timestamp: z.string(),
  evm_block_height: z.number(),
  evm_tx_index: z.number(),
  error_code: z.number(),
  tx_type: z.number(),
  call_type: z.string().nullable(),
  nonce: z.string().nullable(),
  gas_limit: z.string().nullable(),
  gas_price: z.string().nullable(),
  max_fee_per_gas: z.string().nullable(),
  max_priority_fee_per_gas: z.string().nullable(),
  contract_address: z.string().nullable(),
  error_message: z.string().nullable(),
  moves_tokens: z.boolean(),
})

/** `payload`: the encoded transaction in hex. */
export interface EvmTransactionRow extends z.output<typeof derivedEvmRow> {
  readonly payload: string | null
  /** Bytes of the event in hex. */
  readonly precompiled_calls: string | null
}

/** In `VerifiedSignatures`. */
export function callKeyOf(row: EvmTransactionRow): string | undefined {
  const input = inputOf(row)
  const selector = input === undefined ? undefined : selectorOfInput(input)
  return selector === undefined || row.evm_to === null ? undefined : `${row.evm_to} ${selector}`
}

export function presentEvmTransaction(
  row: EvmTransactionRow,
  { directory, signatures }: EvmContext,
): EvmTransactionItem {
  const input = inputOf(row)
  const selector = selectorOf(row, input)
  const call =
    input === undefined || selector === null ? undefined : decodeCall(input, signatures.get(callKeyOf(row) ?? ''))
  const price = effectivePriceOf(row)
  const isInvalid = row.error_code > 200 && row.error_code <= 300
  return {
    hash: `0x${row.evm_hash}`,
    evm_hash: row.evm_hash,
    transaction_id: row.tx_id,
    block_height: row.block_height,
    transaction_index: row.tx_index,
    event_index: row.event_index,
    timestamp: row.timestamp,
    block_number: row.evm_block_height,
    position: row.evm_tx_index,
    from: presentEvmParty(row.evm_from, directory),
    to: presentEvmParty(row.evm_to, directory),
    created_contract: row.error_code === 0 ? presentEvmParty(row.contract_address, directory) : null,
    evm_from: row.evm_from,
    evm_to: row.evm_to,
    evm_value: row.evm_value,
    evm_gas_used: row.evm_gas_used,
    evm_status: row.evm_status,
    value: row.evm_value,
    gas_limit: row.gas_limit,
    gas_used: String(row.evm_gas_used),
    gas_price: row.gas_price,
    max_fee_per_gas: row.max_fee_per_gas,
    max_priority_fee_per_gas: row.max_priority_fee_per_gas,
    effective_gas_price: price === null ? null : String(price),
    fee: price === null ? null : { type: 'actual', value: isInvalid ? '0' : String(price * BigInt(row.evm_gas_used)) },
    nonce: row.nonce,
    type: row.tx_type,
    call_type: row.call_type,
    status: row.evm_status === 1 ? 'ok' : 'error',
    result: row.evm_status === 1 ? 'success' : (row.error_message ?? `error ${row.error_code}`),
    error_code: row.error_code,
    method: call?.name ?? selector,
    raw_input: input === undefined ? null : `0x${Buffer.from(input).toString('hex')}`,
    decoded_input: call === undefined ? null : presentDecodedCall(call, selector ?? ''),
    tx_types: kindsOf(row, input),
  }
}

/**
 * The base fee is zero, so the caps of dynamic fees are compared only with each other. Invalid
 * transactions change no balance. Source: onflow/flow-go `fvm/evm/emulator` (`DefaultBaseFee`,
 * `RunTransaction`).
 */
function effectivePriceOf(row: EvmTransactionRow): bigint | null {
  if (row.gas_price !== null) return BigInt(row.gas_price)
  if (row.max_fee_per_gas === null || row.max_priority_fee_per_gas === null) return null
  const [cap, tip] = [BigInt(row.max_fee_per_gas), BigInt(row.max_priority_fee_per_gas)]
  return cap < tip ? cap : tip
}

export function presentEvmTransactionDetail(
  row: EvmTransactionRow,
  context: EvmContext,
  parts: { logs: EvmLogItem[]; transfers: EvmTokenTransferItem[]; transaction: TransactionSummary },
): EvmTransactionDetail {
  return {
    ...presentEvmTransaction(row, context),
    logs: parts.logs,
    token_transfers: parts.transfers,
    transaction: parts.transaction,
  }
}

export function partiesOf(row: EvmTransactionRow): Array<string | null> {
  return [row.evm_from, row.evm_to, row.contract_address]
}

/** The worker stores no nonce if it could not verify the payload. */
export function inputOf({ payload, nonce }: EvmTransactionRow): Uint8Array | undefined {
  if (payload === null || nonce === null) return undefined
  try {
    return decodeEvmPayload(Buffer.from(payload.replace(/^0x/, ''), 'hex'))?.input
  } catch (error) {
    if (!(error instanceof EvmPayloadError)) throw error
    return undefined
  }
}

function selectorOf(row: EvmTransactionRow, input: Uint8Array | undefined): string | null {
  if (input === undefined || input.length < 4 || row.evm_to === null || row.call_type === 'deploy') return null
  return `0x${Buffer.from(input.subarray(0, 4)).toString('hex')}`
}

function kindsOf(row: EvmTransactionRow, input: Uint8Array | undefined): EvmTransactionItem['tx_types'] {
  const kinds: EvmTransactionItem['tx_types'] = []
  if (row.evm_value !== null && row.evm_value !== '0') kinds.push('coin_transfer')
  if (row.contract_address !== null) kinds.push('contract_creation')
  else if (input !== undefined && input.length > 0) kinds.push('contract_call')
  if (row.moves_tokens) kinds.push('token_transfer')
  return kinds
}

const holder: EvmParty = {
  hash: '0x000000000000000000000002a793620000000000',
  name: null,
  is_contract: true,
  flow_address: '0x18eb4ee6b3c026d2',
}
export const exampleEvmReceiver: EvmParty = {
  hash: '0x4e730b5a217368a61083e5cb57b01eac43a19dfa',
  name: null,
  is_contract: false,
  flow_address: null,
}

export const exampleEvmTokenRef: EvmTokenRef = {
  address: '0xd3bf53dac106a0290b0483ecbc89d40fcc961f3e',
  type: 'ERC-20',
  name: 'Wrapped Flow',
  symbol: 'WFLOW',
  decimals: 18,
  icon_url: null,
  flow_token: null,
}

export const exampleEvmToken: EvmToken = {
  ...exampleEvmTokenRef,
  holders: 2451,
  transfer_count: 981_244,
  first_height: 88_412_006,
  is_complete: true,
  total_supply: '2811904500000000000000000',
  detected_type: 'ERC-20',
  exchange_rate: null,
}

const party: EvmParty = {
  hash: exampleEvmTokenRef.address,
  name: 'Wrapped Flow',
  is_contract: true,
  flow_address: null,
}
const input = ['a9059cbb', exampleEvmReceiver.hash.slice(2), (5n * 10n ** 17n).toString(16)]
  .map((word, i) => (i === 0 ? word : word.padStart(64, '0')))
  .join('')

export const exampleEvmTransaction: EvmTransactionItem = {
  hash: '0xe60a0c24cdeea0c3c97a6fcd27ed1d1b5f2f2f3ab7a9a6f57d7d0c8c1e6d2b43',
  evm_hash: 'e60a0c24cdeea0c3c97a6fcd27ed1d1b5f2f2f3ab7a9a6f57d7d0c8c1e6d2b43',
  transaction_id: exampleSummary.id,
  block_height: exampleSummary.block_height,
  transaction_index: 0,
  event_index: 2,
  timestamp: exampleSummary.timestamp,
  block_number: 41_203_388,
  position: 0,
  from: holder,
  to: party,
  created_contract: null,
  evm_from: holder.hash.slice(2),
  evm_to: party.hash.slice(2),
  evm_value: '0',
  evm_gas_used: 51_204,
  evm_status: 1,
  value: '0',
  gas_limit: '400000',
  gas_used: '51204',
  gas_price: null,
  max_fee_per_gas: null,
  max_priority_fee_per_gas: null,
  effective_gas_price: null,
  fee: null,
  nonce: '3',
  type: 255,
  call_type: 'call',
  status: 'ok',
  result: 'success',
  error_code: 0,
  method: 'transfer',
  raw_input: `0x${input}`,
  decoded_input: {
    method_call: 'transfer(address,uint256)',
    method_id: '0xa9059cbb',
    parameters: [
      { name: 'to', type: 'address', value: exampleEvmReceiver.hash },
      { name: 'amount', type: 'uint256', value: '500000000000000000' },
    ],
  },
  tx_types: ['contract_call', 'token_transfer'],
}

export const exampleEvmLog: EvmLogItem = {
  index: 0,
  address: party,
  topics: [
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    `0x${holder.hash.slice(2).padStart(64, '0')}`,
    `0x${exampleEvmReceiver.hash.slice(2).padStart(64, '0')}`,
  ],
  data: `0x${(5n * 10n ** 17n).toString(16).padStart(64, '0')}`,
  decoded: {
    name: 'Transfer',
    method_call: 'Transfer(address,address,uint256)',
    parameters: [
      { name: 'from', type: 'address', indexed: true, value: holder.hash },
      { name: 'to', type: 'address', indexed: true, value: exampleEvmReceiver.hash },
      { name: 'value', type: 'uint256', indexed: false, value: '500000000000000000' },
    ],
  },
}

export const exampleEvmTransfer: EvmTokenTransferItem = {
  transaction_hash: exampleEvmTransaction.hash,
  transaction_id: exampleSummary.id,
  block_height: exampleSummary.block_height,
  transaction_index: 0,
  event_index: 2,
  log_index: 0,
  batch_index: 0,
  timestamp: exampleSummary.timestamp,
  type: 'token_transfer',
  from: holder,
  to: exampleEvmReceiver,
  token: exampleEvmTokenRef,
  total: { value: '500000000000000000', decimals: 18, amount: '0.5', token_id: null },
}

export const exampleInternalTransaction: EvmInternalTransaction = {
  transaction_hash: exampleEvmTransaction.hash,
  block_number: exampleEvmTransaction.block_number,
  index: 0,
  type: 'call',
  from: null,
  to: { hash: '0x0000000000000000000000010000000000000001', name: null, is_contract: true, flow_address: null },
  success: true,
  error: null,
  output: `0x${(118_542_743).toString(16).padStart(64, '0')}`,
}
