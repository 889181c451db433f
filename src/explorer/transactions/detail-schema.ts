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
import { presentTransaction, presentWithEvents, transactionSchema, partyFormat } from './schema.ts'
import type { EventRow, CompleteTransaction, AssetNames } from './schema.ts'

const party = partyFormat.nullable().describe('Null: no account.')
const coaOwner = addressFormat.nullable().describe('The Flow account that owns this EVM account, where that is known.')

const moveFields = {
  from_address: party,
  to_address: party,
  event_index: countFormat,
  leg: countFormat.describe('Counts from 0 the movements that one event tells of.'),
  is_cross_vm: z.boolean().describe('Whether it went into EVM or out of it.'),
  from_coa_flow_address: coaOwner,
  to_coa_flow_address: coaOwner,
}

/** A movement of tokens within one transaction. */
const fungibleMoveSchema = z
  .strictObject({
    token: z.string().describe('A.<address>.<name>'),
    amount: amountFormat.describe('In whole tokens.'),
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
    approx_usd_price: amountFormat.nullable().describe('Latest price of one whole token; null where none is known.'),
    usd_value: amountFormat.nullable(),
  })
  .meta({ id: 'FungibleMove' })
type FungibleMove = z.output<typeof fungibleMoveSchema>

/** A movement of an item within one transaction. */
const nonFungibleMoveSchema = z
  .strictObject({
    token: z.string().nullable().describe('Collection, A.<address>.<name>; null where no event tells.'),
    token_id: z.string().describe('Id of the item within its collection.'),
    ...moveFields,
    transfer_type: z.enum(['transfer', 'mint', 'burn', 'bridge', 'escrow', 'deposit', 'withdrawal']),
    collection_name: z.string().nullable(),
    collection_logo: z.string().nullable(),
  })
  .meta({ id: 'NonFungibleMove' })
type NonFungibleMove = z.output<typeof nonFungibleMoveSchema>

const moveRow = z.object({
  event_index: z.number(),
  leg: z.number(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
})

/** As they are read from the database. */
export const fungibleMoveRow = moveRow.extend({
  token: z.string(),
  amount: z.string(),
  transfer_type: fungibleMoveSchema.shape.transfer_type,
})
type FungibleMoveRow = z.output<typeof fungibleMoveRow>

export const nonFungibleMoveRow = moveRow.extend({
  token: z.string().nullable(),
  nft_id: z.string(),
  transfer_type: nonFungibleMoveSchema.shape.transfer_type,
})
type NonFungibleMoveRow = z.output<typeof nonFungibleMoveRow>

/** Flow accounts by the EVM account that they own. */
export type CoaOwners = ReadonlyMap<string, string>

export function presentFungibleMove(row: FungibleMoveRow, names: AssetNames, owners: CoaOwners): FungibleMove {
  const known = names.tokens.get(row.token)
  const price = known?.price ?? null
  return {
    token: row.token,
    amount: row.amount,
    ...presentMove(row, owners),
    transfer_type: row.transfer_type,
    token_name: known?.name ?? null,
    token_symbol: known?.symbol ?? null,
    token_logo: known?.logo ?? null,
    token_decimals: known?.decimals ?? null,
    approx_usd_price: price,
    usd_value: price === null ? null : multiplyDecimals(row.amount, price),
  }
}

export function presentNonFungibleMove(row: NonFungibleMoveRow, names: AssetNames, owners: CoaOwners): NonFungibleMove {
  const known = row.token === null ? undefined : names.collections.get(row.token)
  return {
    token: row.token,
    token_id: row.nft_id,
    ...presentMove(row, owners),
    transfer_type: row.transfer_type,
    collection_name: known?.name ?? null,
    collection_logo: known?.logo ?? null,
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

const asset = z.string().nullable().describe('Token, A.<address>.<name>; null where nothing tells.')
const amount = amountFormat.nullable()

/** What happened to a pair of tokens within one transaction. */
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
    asset0_in: amount.describe('Whole tokens that went into the pair.'),
    asset0_out: amount.describe('Whole tokens that went out of the pair.'),
    asset1_in: amount,
    asset1_out: amount,
  })
  .meta({ id: 'TransactionDefiEvent' })
type TransactionDefiEvent = z.output<typeof defiEventSchema>

/** As it is read from the database. */
export const defiEventRow = z.object({
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
      .describe('coa: owned by a Flow account; token: a contract that moved tokens; account: all others.'),
    flow_address: addressFormat.nullable().describe('The Flow account that owns it, where that is known.'),
  })
  .meta({ id: 'EvmParty' })
type EvmParty = z.output<typeof partySchema>

/** An EVM transaction within one transaction of the chain. Integers that may be large are decimal text. */
const evmExecutionSchema = z
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
type EvmExecutionRow = z.output<typeof evmExecutionRow>

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

const scheduledSchema = z
  .strictObject({
    scheduled_id: z.string().describe('The number that the scheduler gave it.'),
    matched_by: z
      .enum(['scheduled', 'pending', 'executed', 'failed', 'canceled'])
      .describe('What this transaction did: scheduled or cancelled it, found it due (pending), or was its run.'),
    status: z.enum(['scheduled', 'pending', 'executed', 'failed', 'canceled']).describe('As it stands now.'),
    handler_owner: z.string().nullable(),
    handler_type: z.string().nullable(),
    due_at: timestampFormat.nullable(),
    scheduled_height: heightFormat.nullable(),
    ended_height: heightFormat.nullable(),
  })
  .meta({ id: 'ScheduledMention' })

/** A scheduled transaction that another one mentions, as it is read from the database. */
export const scheduledRow = z.object({
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

/** A single transaction. */
export const transactionDetailSchema = transactionSchema
  .extend({
    block_id: idFormat,
    collection: z
      .strictObject({ id: idFormat, index: countFormat })
      .nullable()
      .describe('Null for system transactions.'),
    script: z.string().nullable().describe('Cadence source; null with `lite`.'),
    arguments: z.unknown().describe('The arguments as JSON-Cadence values, in order; none with `lite`.'),
    ft_transfers: z.array(fungibleMoveSchema).describe('Without the fee.'),
    nft_transfers: z.array(nonFungibleMoveSchema),
    defi_events: z.array(defiEventSchema),
    evm_executions: z.array(evmExecutionSchema),
    scheduled_txs: z.array(scheduledSchema),
    other_heights: z
      .array(heightFormat)
      .describe(
        'The nearest other blocks that have a transaction with this id, at most 10. ' +
          'Only system transactions have any: request one with `height`.',
      ),
    lite: z.boolean().describe('Whether the lists of this object, script and arguments were left out on request.'),
  })
  .meta({ id: 'TransactionDetail' })
export type TransactionDetail = z.output<typeof transactionDetailSchema>

/** What only the detail of a transaction shows of the transaction itself. */
export const transactionExtras = z.object({
  block_id: z.string(),
  collection_id: z.string().nullable(),
  script: z.string().nullable(),
  arguments: z.unknown(),
})
export type TransactionExtras = z.output<typeof transactionExtras>

/** All that happened in a transaction. */
export interface TransactionContent {
  readonly events: readonly EventRow[]
  readonly fungible: FungibleMove[]
  readonly nonFungible: NonFungibleMove[]
  readonly defi: TransactionDefiEvent[]
  readonly evm: EvmExecution[]
  readonly scheduled: ScheduledRow[]
}

/** @param content undefined: it was asked to leave all that out */
export function presentTransactionDetail(
  complete: CompleteTransaction,
  extras: TransactionExtras,
  content: TransactionContent | undefined,
  otherHeights: readonly number[],
): TransactionDetail {
  const { collection_index: index } = complete.row
  return {
    ...(content === undefined ? presentTransaction(complete) : presentWithEvents(complete, content.events)),
    block_id: extras.block_id,
    collection: index === null || extras.collection_id === null ? null : { id: extras.collection_id, index },
    script: content === undefined ? null : extras.script,
    arguments: content === undefined ? [] : (extras.arguments ?? []),
    ft_transfers: content?.fungible ?? [],
    nft_transfers: content?.nonFungible ?? [],
    defi_events: content?.defi ?? [],
    evm_executions: content?.evm ?? [],
    scheduled_txs: content?.scheduled ?? [],
    other_heights: [...otherHeights],
    lite: content === undefined,
  }
}
