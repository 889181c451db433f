import { z } from 'zod'
import { parseEventType } from '../../flow/type-id.ts'
import type { PayloadFields } from '../../flow/payload-value.ts'
import type { ScriptTemplate } from '../../flow/code/template-rules.ts'
import { transactionTags } from '../../flow/transactions/transaction-tags.ts'
import type { TransactionTag } from '../../flow/transactions/transaction-tags.ts'
import {
  multiplyDecimals,
  addressDigitsFormat,
  addressFormat,
  amountFormat,
  countFormat,
  heightFormat,
  idFormat,
  timestampFormat,
  zeroAddress,
} from '../formats.ts'
import { derivedTagsTuple, derivedTuple } from './derived-details.ts'
import type { DerivedTuple } from './derived-details.ts'
import type { TransactionDetail } from './detail-schema.ts'
import type { PastPrice } from './prices.ts'

const direction = z
  .enum(['in', 'out', 'transfer'])
  .describe('in or out, relative to the account of the list. Without an account: transfer.')
export const partyFormat = z
  .string()
  .regex(/^0x([0-9a-f]{16}|[0-9a-f]{40})$/)
  .describe('0x and 16 hex digits (Flow) or 40 (EVM).')
const counterparty = partyFormat
  .nullable()
  .describe('Other party; without an account, the final receiver. Null unless there is exactly one.')

const fungibleSummarySchema = z
  .strictObject({
    token: z.string().describe('A.<address>.<name>'),
    amount: amountFormat.describe(
      'Tokens received or sent. Without an account: the net amount that changed hands, or the largest movement if ' +
        'everything was returned.',
    ),
    direction,
    counterparty,
    symbol: z.string().nullable(),
    name: z.string().nullable(),
    logo: z.string().nullable(),
    usd_price: amountFormat.nullable().describe('Current price in US dollars; null if unknown.'),
  })
  .meta({ id: 'FungibleSummary' })

const nonFungibleSummarySchema = z
  .strictObject({
    collection: z.string().nullable().describe('A.<address>.<name>; null for burned items of unknown collection.'),
    count: countFormat.describe('Number of items.'),
    direction,
    counterparty,
    name: z.string().nullable(),
    logo: z.string().nullable(),
    banner_image: z.string().nullable(),
  })
  .meta({ id: 'NonFungibleSummary' })

/** Excludes fees and bridge escrow. */
const transferSummarySchema = z
  .strictObject({
    ft: z.array(fungibleSummarySchema),
    nft: z.array(nonFungibleSummarySchema),
  })
  .meta({ id: 'TransferSummary' })
type TransferSummary = z.output<typeof transferSummarySchema>

/** Null until the metadata is read. */
interface TokenName {
  readonly name: string | null
  readonly symbol: string | null
  readonly logo: string | null
  readonly decimals: number | null
  /** US dollars. */
  readonly price: string | null
}

interface CollectionName {
  readonly name: string | null
  readonly logo: string | null
  readonly banner: string | null
}

export interface AssetNames {
  readonly tokens: ReadonlyMap<string, TokenName>
  readonly collections: ReadonlyMap<string, CollectionName>
}

export function presentTransferSummary(
  ft: NonNullable<DerivedTuple[3]>,
  nft: NonNullable<DerivedTuple[4]>,
  names: AssetNames,
): TransferSummary {
  return {
    ft: ft.map(([token, way, amount, other]) => {
      const known = names.tokens.get(token)
      return {
        token,
        amount,
        direction: way,
        counterparty: other,
        symbol: known?.symbol ?? null,
        name: known?.name ?? null,
        logo: known?.logo ?? null,
        usd_price: known?.price ?? null,
      }
    }),
    nft: nft.map(([token, way, count, other]) => {
      const known = token === null ? undefined : names.collections.get(token)
      return {
        collection: token,
        count,
        direction: way,
        counterparty: other,
        name: known?.name ?? null,
        logo: known?.logo ?? null,
        banner_image: known?.banner ?? null,
      }
    }),
  }
}

const payloadFormat = z
  .unknown()
  .describe(
    'Fields by name: numbers as decimal strings, addresses as 0x and 16 hex digits, bytes as 0x hex. Null if the ' +
      'payload could not be decoded.',
  )

export const eventSchema = z
  .strictObject({
    type: z.string(),
    transaction: idFormat.describe('Id of the transaction.'),
    event_index: countFormat.describe('Index in the transaction.'),
    block_height: heightFormat,
    timestamp: timestampFormat,
    contract_address: addressFormat.nullable().describe('Null for protocol events.'),
    contract_name: z.string().nullable(),
    event_name: z.string(),
    payload: payloadFormat,
  })
  .meta({ id: 'Event' })
export type Event = z.output<typeof eventSchema>

export const serviceEventSchema = z
  .strictObject({
    block_height: heightFormat,
    name: z.string(),
    type: z.string(),
    timestamp: timestampFormat,
    fields: payloadFormat,
  })
  .meta({ id: 'ServiceEvent' })
export type ServiceEvent = z.output<typeof serviceEventSchema>

export interface EventRow {
  readonly tx_index: number
  readonly event_index: number
  readonly type: string
  /** Null if undecodable. */
  readonly payload: PayloadFields | null
}

interface EventPlace {
  readonly height: number
  readonly timestamp: string
}

export function presentEvent(row: EventRow, transactionId: string, place: EventPlace): Event {
  const { address, contract, name } = parseEventType(row.type)
  return {
    type: row.type,
    transaction: transactionId,
    event_index: row.event_index,
    block_height: place.height,
    timestamp: place.timestamp,
    contract_address: address === undefined ? null : `0x${address}`,
    contract_name: contract ?? null,
    event_name: name,
    payload: row.payload,
  }
}

export function presentServiceEvent(row: EventRow, place: EventPlace): ServiceEvent {
  const { name } = parseEventType(row.type)
  return { block_height: place.height, name, type: row.type, timestamp: place.timestamp, fields: row.payload }
}

const zeroForSystem = 'Zero address for system transactions.'

const templateCategory =
  'Kind of script: upper case for known templates or recognised calls (FT_TRANSFER, NFT_LISTING, STAKING, …); lower ' +
  'case by imported contracts (marketplace, defi, token_transfer, … or contract_call); empty if unknown.'

const summaryFields = {
  id: idFormat,
  block_height: heightFormat,
  status: z.string().describe('SEALED, or UNKNOWN if no access node serves the result.'),
  payer_address: addressDigitsFormat.describe(`16 hex digits, no 0x. ${zeroForSystem}`),
  proposer_address: addressDigitsFormat.describe(`16 hex digits, no 0x. ${zeroForSystem}`),
  timestamp: timestampFormat.describe('Block time.'),
  execution_status: z.enum(['SUCCESS', 'FAILURE', 'UNKNOWN']),
  is_evm: z.boolean().describe('Whether the script imports EVM or executed an EVM transaction.'),
  script_hash: idFormat.describe('SHA-256 of the script.'),
  template_category: z.string().describe(templateCategory),
  template_label: z.string().describe('Name of the template; empty if unknown.'),
  tags: z.array(z.enum(transactionTags)),
  error_message: z.string().describe('Empty if the transaction succeeded.'),
}

export const transactionSummarySchema = z.strictObject(summaryFields).meta({ id: 'TransactionSummary' })
export type TransactionSummary = z.output<typeof transactionSummarySchema>

export const transactionSchema = z
  .strictObject({
    ...summaryFields,
    transaction_index: countFormat.describe('Index in the block. User transactions precede system transactions.'),
    payer: addressFormat.describe(zeroForSystem),
    proposer: addressFormat.describe(zeroForSystem),
    proposer_key_index: z.int().nullable(),
    proposer_sequence_number: z.int().nullable(),
    authorizers: z.array(addressFormat),
    error: z.string().describe('Alias of error_message.'),
    fee: amountFormat
      .nullable()
      .describe('Fee in FLOW; 0 if none was deducted. Null if no access node serves the result.'),
    fee_usd: amountFormat
      .nullable()
      .describe(
        'Fee in US dollars at the price of FLOW at the time. Null without a price from the 48 hours before it.',
      ),
    gas_limit: z.int().describe('Computation limit.'),
    gas_used: z
      .int()
      .nullable()
      .describe(
        'Computation used. If the access node reports 0, derived from the fee. Null if no access node serves the ' +
          'result.',
      ),
    event_count: countFormat,
    evm_hash: idFormat.nullable().describe('Hash of the first executed EVM transaction.'),
    reference_block_id: idFormat
      .nullable()
      .describe('Reference block, which determines expiry; null for system transactions.'),
    contract_imports: z
      .array(z.string())
      .describe('Imported contracts, A.<address>.<name>; empty for system transactions.'),
    transfer_summary: transferSummarySchema.nullable().describe('Null until the transfers of the block are derived.'),
    events: z.array(eventSchema).describe('Empty in lists without `include_events`.'),
  })
  .meta({ id: 'Transaction' })
export type Transaction = z.output<typeof transactionSchema>

export const rawTransactionRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  id: z.string(),
  timestamp: z.string(),
  collection_index: z.number().nullable(),
  is_system: z.boolean(),
  status: z.string(),
  status_code: z.number().nullable(),
  is_evm: z.boolean(),
  payer_address: z.string().nullable(),
  proposer_address: z.string().nullable(),
  proposer_key_index: z.number().nullable(),
  proposer_sequence_number: z.number().nullable(),
  authorizers: z.array(z.string()),
  reference_block_id: z.string().nullable(),
  script_hash: z.string(),
  gas_limit: z.number(),
  gas_used: z.number().nullable(),
  event_count: z.number(),
  error_message: z.string().nullable(),
  evm_hash: z.string().nullable(),
})
export type RawTransactionRow = z.output<typeof rawTransactionRow>

export const transactionRow = rawTransactionRow.extend({ derived: derivedTuple })
export type TransactionRow = z.output<typeof transactionRow>

export const summaryRow = rawTransactionRow
  .pick({
    block_height: true,
    id: true,
    collection_index: true,
    status: true,
    status_code: true,
    payer_address: true,
    proposer_address: true,
    script_hash: true,
    error_message: true,
  })
  .extend({ derived: derivedTagsTuple })
export type SummaryRow = z.output<typeof summaryRow>

export interface DescribedTransaction {
  readonly row: TransactionRow
  readonly tags: readonly TransactionTag[]
  readonly template: ScriptTemplate
  /** Undefined if the script is not stored. */
  readonly script: string | undefined
  /** In FLOW; undefined if unreadable. */
  readonly fee: string | undefined
  /** Undefined if no access node serves the result. */
  readonly gasUsed: bigint | undefined
  /** `A.<address>.<name>`. */
  readonly imports: readonly string[]
}

export interface CompleteTransaction extends DescribedTransaction {
  readonly summary: TransferSummary | undefined
  /** At the time of the block. */
  readonly flowPrice: PastPrice | undefined
}

export function presentTransactionSummary({
  row,
  tags,
  template,
}: Pick<DescribedTransaction, 'tags' | 'template'> & {
  readonly row: Omit<SummaryRow, 'derived'> & { readonly timestamp: string }
}): TransactionSummary {
  return {
    id: row.id,
    block_height: row.block_height,
    status: row.status,
    payer_address: (row.payer_address ?? zeroAddress).slice(2),
    proposer_address: (row.proposer_address ?? zeroAddress).slice(2),
    timestamp: row.timestamp,
    execution_status: executionStatus(row.status_code),
    is_evm: tags.includes('EVM'),
    script_hash: row.script_hash,
    template_category: template.category,
    template_label: template.label,
    tags: [...tags],
    error_message: row.error_message ?? '',
  }
}

export function presentTransaction(complete: CompleteTransaction): Transaction {
  const { row, fee, gasUsed, imports, summary, flowPrice } = complete
  return {
    ...presentTransactionSummary(complete),
    transaction_index: row.tx_index,
    payer: row.payer_address ?? zeroAddress,
    proposer: row.proposer_address ?? zeroAddress,
    proposer_key_index: row.proposer_key_index,
    proposer_sequence_number: row.proposer_sequence_number,
    authorizers: row.authorizers,
    error: row.error_message ?? '',
    fee: fee === undefined ? null : isZero(fee) ? '0' : fee,
    fee_usd: fee === undefined || flowPrice === undefined ? null : multiplyDecimals(fee, flowPrice.price),
    gas_limit: row.gas_limit,
    gas_used: gasUsed === undefined ? null : Number(gasUsed),
    event_count: row.event_count,
    evm_hash: row.evm_hash,
    reference_block_id: row.reference_block_id,
    contract_imports: [...imports],
    transfer_summary: summary ?? null,
    events: [],
  }
}

export function presentWithEvents(complete: CompleteTransaction, events: readonly EventRow[]): Transaction {
  const { id, block_height: height, timestamp } = complete.row
  const place = { height, timestamp }
  return { ...presentTransaction(complete), events: events.map((event) => presentEvent(event, id, place)) }
}

function executionStatus(code: number | null): 'SUCCESS' | 'FAILURE' | 'UNKNOWN' {
  if (code === null) return 'UNKNOWN'
  return code === 0 ? 'SUCCESS' : 'FAILURE'
}

function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount)
}

export const exampleNewBlock = {
  height: 118542743,
  id: '0b7c4d1f6a3e92d85c10f7e4b86a2d93c5e1f0487ab96d3c2e5f18a7904b6d3e',
  parent_id: '7d2e9f04c1b85a63e0f49d8712cb6a5390fe41d7826bc3a5941e0d7f68b2c5a9',
  timestamp: '2025-07-01T12:00:00.250Z',
  tx_count: 2,
  event_count: 9,
}

export const exampleCollectionId = '91e0d5b7c3a2f4686d1c09e7b8f5a3240c6e9d71b5f8a2c3e40d7b96a1f58c23'

export const exampleBlock = {
  ...exampleNewBlock,
  parent_hash: exampleNewBlock.parent_id,
  total_gas_used: 14,
  evm_tx_count: 0,
  fees: '0.00000570',
}

export const exampleSummary: TransactionSummary = {
  id: '3f1c9b8e27d64a05c8f2e1b79d3a604f5e8c27b1906fd4a38e5b2c7d10f9a6e4',
  block_height: exampleBlock.height,
  status: 'SEALED',
  payer_address: '18eb4ee6b3c026d2',
  proposer_address: '18eb4ee6b3c026d2',
  timestamp: exampleBlock.timestamp,
  execution_status: 'SUCCESS',
  is_evm: false,
  script_hash: 'c2b7f04e9d1a6835e4f0927bd81c3a56f79e20b4d8c615a3907ef1d26b84c5a0',
  template_category: 'FT_TRANSFER',
  template_label: 'Transfer FLOW',
  tags: ['FT_TRANSFER'],
  error_message: '',
}

export const exampleTransaction: Transaction = {
  ...exampleSummary,
  transaction_index: 0,
  payer: '0x18eb4ee6b3c026d2',
  proposer: '0x18eb4ee6b3c026d2',
  proposer_key_index: 0,
  proposer_sequence_number: 412,
  authorizers: ['0x18eb4ee6b3c026d2'],
  error: '',
  fee: '0.00000570',
  fee_usd: '0.00000220077',
  gas_limit: 9999,
  gas_used: 14,
  event_count: 7,
  evm_hash: null,
  reference_block_id: '5a90c3e8b1d7f2645e09a8c7d3b6f1240e9d58b7c2a4f3619d70e8b5c4a1f236',
  contract_imports: ['A.f233dcee88fe0abe.FungibleToken'],
  transfer_summary: {
    ft: [
      {
        token: 'A.1654653399040a61.FlowToken',
        amount: '10.00000000',
        direction: 'transfer',
        counterparty: '0xe467b9dd11fa00df',
        symbol: 'FLOW',
        name: 'Flow Token',
        logo: 'https://cdn.example/flow.svg',
        usd_price: '0.3861',
      },
    ],
    nft: [],
  },
  events: [],
}

export const exampleEvent: Event = {
  type: 'A.f233dcee88fe0abe.FungibleToken.Deposited',
  transaction: exampleTransaction.id,
  event_index: 3,
  block_height: exampleBlock.height,
  timestamp: exampleBlock.timestamp,
  contract_address: '0xf233dcee88fe0abe',
  contract_name: 'FungibleToken',
  event_name: 'Deposited',
  payload: {
    type: 'A.1654653399040a61.FlowToken.Vault',
    amount: '10.00000000',
    to: '0xe467b9dd11fa00df',
    toUUID: '102',
    depositedUUID: '5921',
    balanceAfter: '35.50000000',
  },
}

export const exampleTransactionDetail: TransactionDetail = {
  ...exampleTransaction,
  events: [exampleEvent],
  block_id: exampleBlock.id,
  collection: { id: exampleCollectionId, index: 0 },
  script: 'import "FungibleToken"\n\ntransaction(amount: UFix64, to: Address) {}\n',
  arguments: [
    { type: 'UFix64', value: '10.00000000' },
    { type: 'Address', value: '0xe467b9dd11fa00df' },
  ],
  ft_transfers: [
    {
      token: 'A.1654653399040a61.FlowToken',
      amount: '10.00000000',
      from_address: '0x18eb4ee6b3c026d2',
      to_address: '0xe467b9dd11fa00df',
      event_index: 3,
      leg: 0,
      is_cross_vm: false,
      from_coa_flow_address: null,
      to_coa_flow_address: null,
      transfer_type: 'transfer',
      token_name: 'Flow Token',
      token_symbol: 'FLOW',
      token_logo: 'https://cdn.example/flow.svg',
      token_decimals: 8,
      approx_usd_price: '0.3861',
      usd_value: '3.861',
      usd_as_of: '2025-07-01T11:55:00.000Z',
    },
  ],
  nft_transfers: [],
  defi_events: [],
  evm_executions: [],
  scheduled_txs: [],
  other_heights: [],
  fee_usd_as_of: '2025-07-01T11:55:00.000Z',
  lite: false,
}
