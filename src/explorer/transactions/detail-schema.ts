import { z } from 'zod'
import type { EvmTransaction } from '../../flow/evm/evm-transaction.ts'
import {
  countFormat,
  heightFormat,
  idFormat,
  timestampFormat,
  addressFormat,
  amountFormat,
  multiplyDecimals,
} from '../formats.ts'
import { jsonChunk } from './events.ts'
import type { PastPrice } from './prices.ts'
import { presentTransaction, presentWithEvents, transactionRow, transactionSchema, partyFormat } from './schema.ts'
import type { EventRow, CompleteTransaction, AssetNames } from './schema.ts'

const party = partyFormat.nullable().describe('Null for mints, burns and unknown accounts.')
const coaOwner = addressFormat.nullable().describe('Flow account that owns this EVM account; null if unknown.')

const moveFields = {
  from_address: party,
  to_address: party,
  event_index: countFormat,
  leg: countFormat.describe('Index among the movements of the same event.'),
  is_cross_vm: z.boolean().describe('Whether it moved into or out of EVM.'),
  from_coa_flow_address: coaOwner,
  to_coa_flow_address: coaOwner,
}

const fungibleMoveSchema = z
  .strictObject({
    token: z.string().describe('A.<address>.<name>'),
    amount: amountFormat.describe('Tokens.'),
    ...moveFields,
    transfer_type: z.enum([
      'transfer',
      'mint',
      'burn',
      'bridge',
      'escrow',
      'stake',
      'unstake',
      'reward',
      'deposit',
      'withdrawal',
    ]),
    token_name: z.string().nullable(),
    token_symbol: z.string().nullable(),
    token_logo: z.string().nullable(),
    token_decimals: z.int().nullable(),
    approx_usd_price: amountFormat
      .nullable()
      .describe('Price in US dollars at the time. Null without a price from the 48 hours before it.'),
    usd_value: amountFormat.nullable().describe('Value in US dollars at approx_usd_price.'),
    usd_as_of: timestampFormat.nullable().describe('Time of approx_usd_price.'),
  })
  .meta({ id: 'FungibleMove' })
type FungibleMove = z.output<typeof fungibleMoveSchema>

/** Images may be large data URIs. */
export const maxItems = 50

const nonFungibleMoveSchema = z
  .strictObject({
    token: z.string().nullable().describe('Collection, A.<address>.<name>; null if unknown.'),
    token_id: z.string().describe('Id within the collection.'),
    ...moveFields,
    transfer_type: z.enum(['transfer', 'mint', 'burn', 'bridge', 'escrow', 'deposit', 'withdrawal']),
    collection_name: z.string().nullable(),
    collection_logo: z.string().nullable(),
    name: z.string().nullable().describe('Published name of the item; null if unknown.'),
    thumbnail: z
      .string()
      .nullable()
      .describe(`Image URI, possibly a data: URI; null if unknown. Only for the first ${maxItems} items.`),
  })
  .meta({ id: 'NonFungibleMove' })
type NonFungibleMove = z.output<typeof nonFungibleMoveSchema>

const moveRow = z.object({
  event_index: z.number(),
  leg: z.number(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
})

const fungibleMoveRow = moveRow.extend({
  token: z.string(),
  amount: z.string(),
  transfer_type: fungibleMoveSchema.shape.transfer_type,
})
type FungibleMoveRow = z.output<typeof fungibleMoveRow>

const nonFungibleMoveRow = moveRow.extend({
  token: z.string().nullable(),
  nft_id: z.string(),
  transfer_type: nonFungibleMoveSchema.shape.transfer_type,
})
type NonFungibleMoveRow = z.output<typeof nonFungibleMoveRow>

/** By EVM address. */
export type CoaOwners = ReadonlyMap<string, string>

export function presentFungibleMove(
  row: FungibleMoveRow,
  names: AssetNames,
  owners: CoaOwners,
  price: PastPrice | undefined,
): FungibleMove {
  const known = names.tokens.get(row.token)
  return {
    token: row.token,
    amount: row.amount,
    ...presentMove(row, owners),
    transfer_type: row.transfer_type,
    token_name: known?.name ?? null,
    token_symbol: known?.symbol ?? null,
    token_logo: known?.logo ?? null,
    token_decimals: known?.decimals ?? null,
    approx_usd_price: price?.price ?? null,
    usd_value: price === undefined ? null : multiplyDecimals(row.amount, price.price),
    usd_as_of: price?.as_of ?? null,
  }
}

export const itemRow = z.object({
  token: z.string(),
  nft_id: z.string(),
  name: z.string().nullable(),
  thumbnail: z.string().nullable(),
})

export function presentNonFungibleMove(
  row: NonFungibleMoveRow,
  names: AssetNames,
  owners: CoaOwners,
  item: z.output<typeof itemRow> | undefined,
): NonFungibleMove {
  const known = row.token === null ? undefined : names.collections.get(row.token)
  return {
    token: row.token,
    token_id: row.nft_id,
    ...presentMove(row, owners),
    transfer_type: row.transfer_type,
    collection_name: known?.name ?? null,
    collection_logo: known?.logo ?? null,
    name: item?.name ?? null,
    thumbnail: item?.thumbnail ?? null,
  }
}

function presentMove(
  { event_index, leg, from_address: from, to_address: to }: z.output<typeof moveRow>,
  owners: CoaOwners,
): Pick<FungibleMove, keyof typeof moveFields> {
  return {
    from_address: from,
    to_address: to,
    event_index,
    leg,
    is_cross_vm: isEvmAccount(from) !== isEvmAccount(to),
    from_coa_flow_address: ownerOf(from, owners),
    to_coa_flow_address: ownerOf(to, owners),
  }
}

function isEvmAccount(address: string | null): boolean {
  return address !== null && address.length === 42
}

function ownerOf(address: string | null, owners: CoaOwners): string | null {
  return address === null ? null : (owners.get(address) ?? null)
}

const asset = z.string().nullable().describe('Token, A.<address>.<name>; null if unknown.')
const amount = amountFormat.nullable()

const defiEventSchema = z
  .strictObject({
    event_type: z.string().describe('Swap, AddLiquidity, RemoveLiquidity, Flashloan, ProtocolFee.'),
    event_index: countFormat,
    pair_id: z.string(),
    dex: z.string().nullable(),
    maker: z.string().nullable(),
    asset0_id: asset,
    asset1_id: asset,
    asset0_symbol: z.string().nullable(),
    asset1_symbol: z.string().nullable(),
    asset0_name: z.string().nullable(),
    asset1_name: z.string().nullable(),
    asset0_logo: z.string().nullable(),
    asset1_logo: z.string().nullable(),
    asset0_in: amount.describe('Tokens into the pair.'),
    asset0_out: amount.describe('Tokens out of the pair.'),
    asset1_in: amount,
    asset1_out: amount,
  })
  .meta({ id: 'TransactionDefiEvent' })
type TransactionDefiEvent = z.output<typeof defiEventSchema>

const defiEventRow = z.object({
  event_type: z.string(),
  event_index: z.number(),
  pair: z.string(),
  dex: z.string().nullable(),
  maker: z.string().nullable(),
  asset0: z.string().nullable(),
  asset1: z.string().nullable(),
  asset0_in: z.string().nullable(),
  asset0_out: z.string().nullable(),
  asset1_in: z.string().nullable(),
  asset1_out: z.string().nullable(),
})
type DefiEventRow = z.output<typeof defiEventRow>

export function presentDefiEvent(row: DefiEventRow, { tokens }: AssetNames): TransactionDefiEvent {
  const [first, second] = [row.asset0, row.asset1].map((token) => (token === null ? undefined : tokens.get(token)))
  return {
    event_type: row.event_type,
    event_index: row.event_index,
    pair_id: row.pair,
    dex: row.dex,
    maker: row.maker,
    asset0_id: row.asset0,
    asset1_id: row.asset1,
    asset0_symbol: first?.symbol ?? null,
    asset1_symbol: second?.symbol ?? null,
    asset0_name: first?.name ?? null,
    asset1_name: second?.name ?? null,
    asset0_logo: first?.logo ?? null,
    asset1_logo: second?.logo ?? null,
    asset0_in: row.asset0_in,
    asset0_out: row.asset0_out,
    asset1_in: row.asset1_in,
    asset1_out: row.asset1_out,
  }
}

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
      .describe('coa: owned by a Flow account; token: contract with token transfers; account: other.'),
    flow_address: addressFormat.nullable().describe('Flow account that owns it; null if unknown.'),
  })
  .meta({ id: 'EvmParty' })
type EvmParty = z.output<typeof partySchema>

/** Large integers are decimal strings. */
const evmExecutionSchema = z
  .strictObject({
    hash: idFormat,
    block_number: countFormat.describe('EVM block number.'),
    position: countFormat.describe('Index in the EVM block.'),
    event_index: countFormat.describe('Index of the TransactionExecuted event.'),
    timestamp: timestampFormat,
    from: evmAddress,
    to: evmAddress,
    from_meta: partySchema.nullable(),
    to_meta: partySchema.nullable(),
    contract_address: evmAddress.describe('Created contract.'),
    status: z.enum(['SUCCESS', 'FAILURE']),
    error_message: z.string().nullable(),
    type: countFormat.describe(
      '0 legacy, 1 access list, 2 dynamic fee, 4 set code, 255 direct call without signature.',
    ),
    call_type: z.string().nullable().describe('For type 255: deposit, withdraw, transfer, deploy or call.'),
    nonce: amountFormat.nullable(),
    gas_used: amountFormat,
    gas_limit: amountFormat.nullable(),
    gas_price: amountFormat.nullable().describe('Paid price in attoflow; for dynamic fees the lower of both caps.'),
    value: amountFormat.nullable().describe('In attoflow, 10^-18 FLOW.'),
    data: hex.nullable().describe('Call data; null if it could not be decoded.'),
    logs: z.array(z.strictObject({ address: z.string(), topics: z.array(z.string()), data: hex })),
  })
  .meta({ id: 'EvmExecution' })
export type EvmExecution = z.output<typeof evmExecutionSchema>

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
type EvmExecutionRow = z.output<typeof evmExecutionRow>

/** Addresses without `0x`. */
export interface EvmParties {
  /** Null if unknown. */
  readonly coas: ReadonlyMap<string, string | null>
  readonly tokens: ReadonlySet<string>
}

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

const scheduledSchema = z
  .strictObject({
    scheduled_id: z.string().describe('Id assigned by the scheduler.'),
    matched_by: z
      .enum(['scheduled', 'pending', 'executed', 'failed', 'canceled'])
      .describe('Action of this transaction: scheduled, canceled, marked as due (pending), or executed it.'),
    status: z.enum(['scheduled', 'pending', 'executed', 'failed', 'canceled']).describe('Current status.'),
    handler_owner: z.string().nullable(),
    handler_type: z.string().nullable(),
    due_at: timestampFormat.nullable(),
    scheduled_height: heightFormat.nullable(),
    ended_height: heightFormat.nullable(),
  })
  .meta({ id: 'ScheduledMention' })

const scheduledRow = z.object({
  scheduled_id: z.string(),
  matched_by: scheduledSchema.shape.matched_by,
  status: scheduledSchema.shape.status,
  handler_owner: z.string().nullable(),
  handler_type: z.string().nullable(),
  due_at: z.string().nullable(),
  scheduled_height: z.number().nullable(),
  ended_height: z.number().nullable(),
})
type ScheduledRow = z.output<typeof scheduledRow>

export const transactionDetailSchema = transactionSchema
  .extend({
    block_id: idFormat,
    collection: z
      .strictObject({ id: idFormat, index: countFormat })
      .nullable()
      .describe('Null for system transactions.'),
    script: z.string().nullable().describe('Cadence source; null with `lite`.'),
    arguments: z.unknown().describe('Arguments as JSON-Cadence values; empty with `lite`.'),
    ft_transfers: z.array(fungibleMoveSchema).describe('Excludes the fee.'),
    nft_transfers: z.array(nonFungibleMoveSchema),
    defi_events: z.array(defiEventSchema),
    evm_executions: z.array(evmExecutionSchema),
    scheduled_txs: z.array(scheduledSchema),
    other_heights: z
      .array(heightFormat)
      .describe(
        'Up to 10 nearest other blocks with a transaction of this id. Only system transactions repeat; request one ' +
          'with `height`.',
      ),
    fee_usd_as_of: timestampFormat.nullable().describe('Time of the price of fee_usd.'),
    lite: z.boolean().describe('Whether lists, script and arguments were omitted by `lite`.'),
  })
  .meta({ id: 'TransactionDetail' })
export type TransactionDetail = z.output<typeof transactionDetailSchema>

const contentRow = z.object({
  database: z.string(),
  events: z.array(jsonChunk).nullable(),
  fungible: z.array(fungibleMoveRow).nullable(),
  nonFungible: z.array(nonFungibleMoveRow).nullable(),
  defi: z.array(defiEventRow).nullable(),
  scheduled: z.array(scheduledRow).nullable(),
})

export const transactionDetailRow = transactionRow.extend({
  block_id: z.string(),
  collection_id: z.string().nullable(),
  arguments: z.unknown(),
  content: contentRow.nullable(),
})
export type TransactionDetailRow = z.output<typeof transactionDetailRow>

export interface TransactionContent {
  readonly events: readonly EventRow[]
  readonly fungible: FungibleMove[]
  readonly nonFungible: NonFungibleMove[]
  readonly defi: TransactionDefiEvent[]
  readonly evm: EvmExecution[]
  readonly scheduled: ScheduledRow[]
}

export function presentTransactionDetail(
  complete: CompleteTransaction,
  extras: Pick<TransactionDetailRow, 'block_id' | 'collection_id' | 'arguments'>,
  content: TransactionContent | undefined,
  otherHeights: readonly number[],
): TransactionDetail {
  const { collection_index: index } = complete.row
  return {
    ...(content === undefined ? presentTransaction(complete) : presentWithEvents(complete, content.events)),
    block_id: extras.block_id,
    collection: index === null || extras.collection_id === null ? null : { id: extras.collection_id, index },
    script: content === undefined ? null : (complete.script ?? null),
    arguments: content === undefined ? [] : (extras.arguments ?? []),
    ft_transfers: content?.fungible ?? [],
    nft_transfers: content?.nonFungible ?? [],
    defi_events: content?.defi ?? [],
    evm_executions: content?.evm ?? [],
    scheduled_txs: content?.scheduled ?? [],
    other_heights: [...otherHeights],
    fee_usd_as_of: complete.flowPrice?.as_of ?? null,
    lite: content === undefined,
  }
}
