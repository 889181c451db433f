import { z } from 'zod'
import type { EvmTransaction } from '../../chain/evm/evm-transaction.ts'
import { addressFormat, amountFormat, countFormat, idFormat, timestampFormat } from '../formats/formats.ts'

const hex = z
  .string()
  .regex(/^([0-9a-f]{2})*$/)
  .describe('Hex digits, no 0x.')
const evmAddress = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .describe('40 hex digits, no 0x.')
  .nullable()

const partySchema = z
  .strictObject({
    address: z.string().regex(/^[0-9a-f]{40}$/),
    kind: z
      .enum(['coa', 'token', 'account'])
      .describe('coa: owned by a Flow account; token: a contract that moved tokens; account: all others.'),
    flow_address: addressFormat.nullable().describe('The Flow account that owns it, where that is known.'),
  })
  .meta({ id: 'EvmParty' })
type EvmParty = z.output<typeof partySchema>

/** An EVM transaction within one transaction of the chain. Integers that may be large are decimal text. */
export const evmExecutionSchema = z
  .strictObject({
    hash: idFormat,
    block_number: countFormat.describe('Block of the EVM.'),
    position: countFormat.describe('Position in the block of the EVM.'),
    event_index: countFormat.describe('Event of the transaction that tells of it.'),
    timestamp: timestampFormat,
    from: evmAddress,
    to: evmAddress,
    from_meta: partySchema.nullable(),
    to_meta: partySchema.nullable(),
    contract_address: evmAddress.describe('Contract that it created.'),
    status: z.enum(['SUCCESS', 'FAILURE']),
    error_message: z.string().nullable(),
    type: countFormat.describe(
      '0 legacy, 1 with access list, 2 with fee caps, 4 with delegations, 255 a call that no key signed.',
    ),
    call_type: z.string().nullable().describe('Of type 255: deposit, withdraw, transfer, deploy, call.'),
    nonce: amountFormat.nullable(),
    gas_used: amountFormat,
    gas_limit: amountFormat.nullable(),
    gas_price: amountFormat.nullable().describe('In attoflow; of types with fee caps the highest.'),
    value: amountFormat.nullable().describe('In attoflow, 10^-18 FLOW.'),
    data: hex.nullable().describe('What was given to run; null where it could not be read.'),
    logs: z.array(z.strictObject({ address: z.string(), topics: z.array(z.string()), data: hex })),
  })
  .meta({ id: 'EvmExecution' })
export type EvmExecution = z.output<typeof evmExecutionSchema>

/** As it is read from the database. */
export const evmExecutionRow = z.object({
  event_index: z.number(),
  evm_hash: z.string(),
  evm_from: z.string().nullable(),
  evm_to: z.string().nullable(),
  evm_value: z.string().nullable(),
  evm_gas_used: z.string(),
  evm_status: z.number(),
  evm_block_height: z.number(),
  evm_tx_index: z.number(),
  tx_type: z.number(),
  call_type: z.string().nullable(),
  nonce: z.string().nullable(),
  gas_limit: z.string().nullable(),
  gas_price: z.string().nullable(),
  contract_address: z.string().nullable(),
  error_message: z.string().nullable(),
})
export type EvmExecutionRow = z.output<typeof evmExecutionRow>

/** What is known of addresses of the EVM, these without `0x`. */
export interface EvmParties {
  /** Owners of accounts that Cadence owns; null where the owner is not known. */
  readonly coas: ReadonlyMap<string, string | null>
  readonly tokens: ReadonlySet<string>
}

/** @param decoded the event that tells of it; undefined where it could not be read */
export function presentEvmExecution(
  row: EvmExecutionRow,
  decoded: EvmTransaction | undefined,
  timestamp: string,
  parties: EvmParties,
): EvmExecution {
  return {
    hash: row.evm_hash,
    block_number: row.evm_block_height,
    position: row.evm_tx_index,
    event_index: row.event_index,
    timestamp,
    from: row.evm_from,
    to: row.evm_to,
    from_meta: partyOf(row.evm_from, parties),
    to_meta: partyOf(row.evm_to, parties),
    contract_address: row.contract_address,
    status: row.evm_status === 1 ? 'SUCCESS' : 'FAILURE',
    error_message: row.error_message,
    type: row.tx_type,
    call_type: row.call_type,
    nonce: row.nonce,
    gas_used: row.evm_gas_used,
    gas_limit: row.gas_limit,
    gas_price: row.gas_price,
    value: row.evm_value,
    data: decoded?.payload === undefined ? null : Buffer.from(decoded.payload.input).toString('hex'),
    logs: (decoded?.logs ?? []).map(({ address, topics, data }) => {
      return { address, topics: [...topics], data: Buffer.from(data).toString('hex') }
    }),
  }
}

function partyOf(address: string | null, { coas, tokens }: EvmParties): EvmParty | null {
  if (address === null) return null
  const owner = coas.get(address)
  const kind = owner !== undefined ? 'coa' : tokens.has(address) ? 'token' : 'account'
  return { address, kind, flow_address: owner ?? null }
}
