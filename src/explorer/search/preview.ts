import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { Network } from '../../flow/network.ts'
import { findCoaOwner, readCoaAddress } from '../accounts/coa-owner.ts'
import { describeEvmAddresses, readEvmAddressSpan, findEvmTransaction, readEvmTransactions } from '../evm/queries.ts'
import { readEvmContext } from '../evm/context.ts'
import { presentEvmTransaction, evmTransactionSchema } from '../evm/schema.ts'
import { presentEvmParty, evmHashFormat, evmPartySchema } from '../evm/token-schema.ts'
import { addressFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import { describeTransactions } from '../transactions/descriptions.ts'
import type { Services } from '../route.ts'
import { findSystemTransaction, findTransaction, readTransaction } from '../transactions/queries.ts'
import type { TransactionPlace } from '../transactions/queries.ts'
import { presentTransactionSummary } from '../transactions/schema.ts'
import type { DescribedTransaction } from '../transactions/schema.ts'

export async function previewTransaction(
  database: DatabasePool,
  network: Network,
  query: string,
  hash: string,
): Promise<SearchPreview> {
  const [known, evmPlace] = await Promise.all([findTransaction(database, hash), findEvmTransaction(database, hash)])
  const place =
    known ??
    (evmPlace && { height: evmPlace.block_height, index: evmPlace.tx_index }) ??
    (await findSystemTransaction(database, hash, await readBounds(database)))
  const row = place === undefined ? undefined : await readTransaction(database, place)
  const [described] = await describeTransactions(database, network, row === undefined ? [] : [row])
  const executed = evmPlace ?? (row?.evm_hash ? await findEvmTransaction(database, row.evm_hash) : undefined)
  const [evm] = executed === undefined ? [] : await readEvmTransactions(database, [executed])
  const context = await readEvmContext(database, { transactions: evm === undefined ? [] : [evm] })
  return {
    query,
    type: 'tx',
    cadence: described === undefined ? null : presentPreviewedTransaction(described),
    evm: evm === undefined ? null : presentEvmTransaction(evm, context),
    link:
      described === undefined || evm === undefined
        ? null
        : { cadence_tx_id: described.row.id, evm_hash: `0x${evm.evm_hash}` },
    scheduled: place === undefined ? null : await readScheduleOf(database, place),
  }
}

async function readScheduleOf(
  database: DatabasePool,
  { height, index }: TransactionPlace,
): Promise<PreviewedSchedule | null> {
  return database.maybeOne(sql.type(previewedScheduleSchema)`
    select s.scheduled_id::text as id, s.status, s.handler_type, s.handler_owner
    from app.scheduled_transaction_changes c join app.scheduled_transactions s using (scheduled_id)
    where c.block_height = ${height} and c.tx_index = ${index} and c.kind <> 'pending'
    order by c.event_index desc
    limit 1
  `)
}

export async function previewAddress(
  { database, chain }: Pick<Services, 'database' | 'chain'>,
  query: string,
  address: string,
): Promise<SearchPreview> {
  const isEvm = address.length === 42
  const flowAddress = isEvm ? await findCoaOwner({ database, chain }, address) : address
  const evmAddress = isEvm ? address : await readCoaAddress({ database, chain }, address)
  const [cadence, evm] = await Promise.all([
    flowAddress === null ? null : readAccount(database, flowAddress),
    evmAddress === null ? null : readEvmParty(database, evmAddress.slice(2)),
  ])
  return {
    query,
    type: 'address',
    cadence,
    evm: evm === null ? null : { ...evm, address: evm.hash },
    link: flowAddress !== null && evmAddress !== null ? { flow_address: flowAddress, coa_address: evmAddress } : null,
  }
}

const accountRow = z.object({ is_known: z.boolean(), contract_count: z.number(), has_active_keys: z.boolean() })

async function readAccount(database: DatabasePool, address: string): Promise<PreviewedAccount | null> {
  const { is_known, contract_count, has_active_keys } = await database.one(sql.type(accountRow)`
    select exists (select from app.accounts where address = ${address})
        or exists (select from app.ft_holdings where address = ${address}) as is_known,
      (select count(*) from app.smart_contracts where address = ${address} and not is_removed) as contract_count,
      exists (select from app.account_keys where address = ${address} and not is_revoked) as has_active_keys
  `)
  if (!is_known && contract_count === 0 && !has_active_keys) return null
  return { address, contract_count, contracts_count: contract_count, has_active_keys, has_keys: has_active_keys }
}

async function readEvmParty(database: DatabasePool, digits: string): Promise<ReturnType<typeof presentEvmParty>> {
  const [{ first_height: height }, directory] = await Promise.all([
    readEvmAddressSpan(database, digits),
    describeEvmAddresses(database, [digits]),
  ])
  return presentEvmParty(height === null ? null : digits, directory)
}

const previewedTransactionSchema = z
  .strictObject({
    id: idFormat,
    status: z.string(),
    execution_status: z.enum(['SUCCESS', 'FAILURE', 'UNKNOWN']),
    block_height: heightFormat,
    timestamp: timestampFormat,
    authorizers: z.array(addressFormat),
    is_evm: z.boolean(),
    gas_used: z.int().nullable(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'PreviewedTransaction' })
type PreviewedTransaction = z.output<typeof previewedTransactionSchema>

const previewedScheduleSchema = z
  .strictObject({
    id: z.string().describe('Id assigned by the scheduler.'),
    status: z.enum(['scheduled', 'pending', 'executed', 'failed', 'canceled']),
    handler_type: z.string().nullable().describe('Cadence type of the handler.'),
    handler_owner: z.string().nullable().describe('Account that holds the handler.'),
  })
  .meta({ id: 'PreviewedSchedule' })
type PreviewedSchedule = z.output<typeof previewedScheduleSchema>

const transactionPreviewSchema = z
  .strictObject({
    query: z.string(),
    type: z.literal('tx'),
    cadence: previewedTransactionSchema.nullable(),
    evm: evmTransactionSchema.nullable(),
    link: z
      .strictObject({ cadence_tx_id: idFormat, evm_hash: evmHashFormat })
      .nullable()
      .describe('Link between both sides; null unless both exist.'),
    scheduled: previewedScheduleSchema
      .nullable()
      .describe('Scheduled transaction that it executed, scheduled or canceled.'),
  })
  .meta({ id: 'TransactionPreview' })

const previewedAccountSchema = z
  .strictObject({
    address: addressFormat,
    contract_count: countFormat.describe('Number of contracts.'),
    contracts_count: countFormat.describe('Alias of contract_count.'),
    has_active_keys: z.boolean().describe('Whether an indexed key is not revoked.'),
    has_keys: z.boolean().describe('Alias of has_active_keys.'),
  })
  .meta({ id: 'PreviewedAccount' })
type PreviewedAccount = z.output<typeof previewedAccountSchema>

const addressPreviewSchema = z
  .strictObject({
    query: z.string(),
    type: z.literal('address'),
    cadence: previewedAccountSchema.nullable(),
    evm: evmPartySchema.extend({ address: z.string().describe('Alias of hash.') }).nullable(),
    link: z
      .strictObject({ flow_address: addressFormat, coa_address: z.string() })
      .nullable()
      .describe('Link between both sides; null unless both exist.'),
  })
  .meta({ id: 'AddressPreview' })

export const searchPreviewSchema = z.union([transactionPreviewSchema, addressPreviewSchema])
export type SearchPreview = z.output<typeof searchPreviewSchema>

function presentPreviewedTransaction(described: DescribedTransaction): PreviewedTransaction {
  const { id, status, execution_status, block_height, timestamp, is_evm, tags } = presentTransactionSummary(described)
  const { row, gasUsed } = described
  return {
    id,
    status,
    execution_status,
    block_height,
    timestamp,
    authorizers: row.authorizers,
    is_evm,
    gas_used: gasUsed === undefined ? null : Number(gasUsed),
    tags,
  }
}
