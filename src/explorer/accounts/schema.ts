import { z } from 'zod'
import type { ChainAccount } from '../../flow/chain-reader.ts'
import { labelCategories } from '../../flow/core-contracts.ts'
import {
  addressFormat,
  amountFormat,
  countFormat,
  heightFormat,
  idFormat,
  pickFields,
  timestampFormat,
  timeAt,
} from '../formats.ts'
import type { StorageOverview } from './storage.ts'
import { exampleBlock, exampleTransaction } from '../transactions/schema.ts'

export const labelSchema = z
  .strictObject({
    tag: z.string().describe('Key of the label, unique per account.'),
    label: z.string().describe('Display name.'),
    category: z.enum(labelCategories),
  })
  .meta({ id: 'AccountLabel' })
export type Label = z.output<typeof labelSchema>

const seenFields = {
  address: addressFormat,
  tx_count: countFormat.describe('Transactions that the account paid for, proposed or authorized.'),
  first_seen_height: heightFormat
    .nullable()
    .describe('Block of its first transaction; null if it only received tokens.'),
  created_height: heightFormat.nullable().describe('Block that created it; null if not indexed.'),
}

export const accountSchema = z
  .strictObject({
    ...seenFields,
    height: heightFormat.nullable().describe('Block of its last transaction.'),
    timestamp: timestampFormat.nullable().describe('Time of its last transaction.'),
    flow_balance: amountFormat
      .nullable()
      .describe('FLOW in all vaults, including vaults nested in contracts and resources. Null if none is indexed.'),
    label: z.string().nullable().describe('First label, or null.'),
  })
  .meta({ id: 'Account' })
export type Account = z.output<typeof accountSchema>

const keySchema = z
  .strictObject({
    index: countFormat,
    key: z.string().nullable().describe('Public key in hex; null if added before the first indexed block.'),
    signatureAlgorithm: z.string().nullable().describe('ECDSA_P256, ECDSA_secp256k1 or BLS_BLS12_381.'),
    hashAlgorithm: z.string().nullable().describe('SHA2_256, SHA3_256, …'),
    weight: countFormat.nullable().describe('Weight, out of the 1000 that a transaction requires.'),
    revoked: z.boolean(),
    sequenceNumber: countFormat.nullable().describe('Sequence number of the next proposal; null with source index.'),
  })
  .meta({ id: 'AccountKey' })
type AccountKey = z.output<typeof keySchema>

const approximate = 'as a JSON number, possibly rounded'

export const accountDetailSchema = z
  .strictObject({
    ...seenFields,
    balance: amountFormat
      .nullable()
      .describe('FLOW. With source chain: main vault at as_of_height. With source index: same as indexed_balance.'),
    indexed_balance: amountFormat
      .nullable()
      .describe(
        'FLOW in all vaults according to indexed events, as in balance/history and the token list. Differs from ' +
          'the chain by blocks not yet indexed, by vaults other than the main one, and by balances from before the ' +
          'first indexed block.',
      ),
    available_balance: amountFormat.nullable().describe('FLOW not reserved for storage; null if unknown.'),
    flowBalance: z.number().nullable().describe(`balance ${approximate}.`),
    contracts: z.array(z.string()).describe('Contract names, sorted.'),
    contract_count: countFormat,
    keys: z.array(keySchema).describe('Sorted by index, including revoked keys.'),
    key_count: countFormat,
    labels: z.array(labelSchema),
    storage_used: amountFormat.nullable().describe('Bytes; null if no access node responded.'),
    storage_capacity: amountFormat.nullable().describe('Bytes; null if no access node responded.'),
    flowStorage: z.number().nullable().describe(`storage_capacity in MiB, ${approximate}.`),
    storageUsed: z.number().nullable().describe(`storage_used in MiB, ${approximate}.`),
    storageAvailable: z.number().nullable().describe('flowStorage minus storageUsed, at least 0.'),
    first_seen_at: timestampFormat.nullable(),
    last_seen_height: heightFormat.nullable().describe('Block of its last transaction.'),
    last_seen_at: timestampFormat.nullable(),
    created_at: timestampFormat.nullable(),
    created_by_transaction: idFormat.nullable(),
    source: z
      .enum(['chain', 'index'])
      .describe('Source of balance, keys, contracts and storage: the chain, or indexed data.'),
    as_of_height: heightFormat.nullable().describe('Height of that state; null if the access node did not report it.'),
    _rpcUnavailable: z
      .literal(true)
      .optional()
      .describe('Present if no access node responded, so all data is indexed data.'),
  })
  .meta({ id: 'AccountDetail' })
export type AccountDetail = z.output<typeof accountDetailSchema>

export const accountRow = z.object({
  address: z.string(),
  /** Decimal. */
  sort_value: z.string(),
  tx_count: z.number(),
  first_seen_height: z.number().nullable(),
  last_seen_height: z.number().nullable(),
  created_height: z.number().nullable(),
  created_tx_index: z.number().nullable(),
  flow_balance: z.string().nullable(),
})
export type AccountRow = z.output<typeof accountRow>

export const listedAccountRow = accountRow.extend({ label: z.string().nullable() })
export type ListedAccountRow = z.output<typeof listedAccountRow>

export const accountKeyRow = z.object({
  key_index: z.number(),
  public_key: z.string().nullable(),
  signing_algorithm: z.number().nullable(),
  hashing_algorithm: z.number().nullable(),
  weight: z.number().nullable(),
  is_revoked: z.boolean(),
})
type AccountKeyRow = z.output<typeof accountKeyRow>

export const labelRow = z.object(labelSchema.shape)

export interface IndexedAccount {
  readonly row: AccountRow
  readonly keys: readonly AccountKeyRow[]
  readonly contracts: readonly string[]
  readonly labels: readonly Label[]
  readonly times: ReadonlyMap<number, string>
  readonly creation: string | undefined
}

export interface LiveAccount {
  readonly account: ChainAccount
  /** Undefined if only storage could not be read. */
  readonly storage: StorageOverview | undefined
}

export function presentAccount(row: ListedAccountRow, times: ReadonlyMap<number, string>): Account {
  return pickFields(accountSchema, {
    ...row,
    height: row.last_seen_height,
    timestamp: timeAt(times, row.last_seen_height),
  })
}

export function presentLiveAccount(
  { account, storage }: LiveAccount,
  indexed: IndexedAccount | undefined,
  labels: readonly Label[],
): AccountDetail {
  const contracts = [...account.contracts.keys()].toSorted()
  return {
    ...presentHistory(account.address, indexed),
    ...presentBalance(account.balance, indexed?.row.flow_balance ?? null, storage?.availableBalance),
    ...presentHoldings(contracts, account.keys.map(presentChainKey), labels),
    ...presentStorage(storage),
    source: 'chain',
    as_of_height: storage?.height ?? null,
  }
}

/** @param isSilent whether the chain did not respond */
export function presentIndexedAccount(
  indexed: IndexedAccount,
  height: number | undefined,
  isSilent: boolean,
): AccountDetail {
  return {
    ...presentHistory(indexed.row.address, indexed),
    ...presentBalance(indexed.row.flow_balance, indexed.row.flow_balance, undefined),
    ...presentHoldings(indexed.contracts, indexed.keys.map(presentIndexedKey), indexed.labels),
    ...presentStorage(undefined),
    source: 'index',
    as_of_height: height ?? null,
    ...(isSilent ? { _rpcUnavailable: true } : {}),
  }
}

function presentHistory(address: string, indexed: IndexedAccount | undefined) {
  const { row, times = new Map<number, string>(), creation } = indexed ?? {}
  const [first, last, created] = [
    row?.first_seen_height ?? null,
    row?.last_seen_height ?? null,
    row?.created_height ?? null,
  ]
  return {
    address,
    tx_count: row?.tx_count ?? 0,
    first_seen_height: first,
    first_seen_at: timeAt(times, first),
    last_seen_height: last,
    last_seen_at: timeAt(times, last),
    created_height: created,
    created_at: timeAt(times, created),
    created_by_transaction: creation ?? null,
  }
}

function presentBalance(balance: string | null, indexedBalance: string | null, available: string | undefined) {
  return {
    balance,
    indexed_balance: indexedBalance,
    available_balance: available ?? null,
    flowBalance: balance === null ? null : Number(balance),
  }
}

function presentHoldings(contracts: readonly string[], keys: AccountKey[], labels: readonly Label[]) {
  return {
    contracts: [...contracts],
    contract_count: contracts.length,
    keys,
    key_count: keys.length,
    labels: [...labels],
  }
}

const megabyte = 2 ** 20

function presentStorage(storage: StorageOverview | undefined) {
  if (storage === undefined) {
    return { storage_used: null, storage_capacity: null, flowStorage: null, storageUsed: null, storageAvailable: null }
  }
  const { used, capacity } = storage
  const free = BigInt(capacity) - BigInt(used)
  return {
    storage_used: used,
    storage_capacity: capacity,
    flowStorage: Number(capacity) / megabyte,
    storageUsed: Number(used) / megabyte,
    storageAvailable: free < 0n ? 0 : Number(free) / megabyte,
  }
}

function presentChainKey(key: ChainAccount['keys'][number]): AccountKey {
  return {
    index: key.index,
    key: key.publicKey,
    signatureAlgorithm: signatureAlgorithmName(key.signatureAlgorithm),
    hashAlgorithm: hashAlgorithmName(key.hashAlgorithm),
    weight: key.weight,
    revoked: key.isRevoked,
    sequenceNumber: key.sequenceNumber,
  }
}

function presentIndexedKey(row: AccountKeyRow): AccountKey {
  return {
    index: row.key_index,
    key: row.public_key,
    signatureAlgorithm: signatureAlgorithmName(row.signing_algorithm),
    hashAlgorithm: hashAlgorithmName(row.hashing_algorithm),
    weight: row.weight,
    revoked: row.is_revoked,
    sequenceNumber: null,
  }
}

const signatureAlgorithms = ['UNKNOWN', 'BLS_BLS12_381', 'ECDSA_P256', 'ECDSA_secp256k1']
const hashAlgorithms = [
  'UNKNOWN',
  'SHA2_256',
  'SHA2_384',
  'SHA3_256',
  'SHA3_384',
  'KMAC128_BLS_BLS12_381',
  'KECCAK_256',
]

/** Source: onflow/crypto `sign.go` and flow-go `model/flow`. */
export function signatureAlgorithmName(number: number | null): string | null {
  return number === null ? null : (signatureAlgorithms[number] ?? 'UNKNOWN')
}

export function hashAlgorithmName(number: number | null): string | null {
  return number === null ? null : (hashAlgorithms[number] ?? 'UNKNOWN')
}

export const coaSchema = z
  .strictObject({
    coa_address: z
      .string()
      .regex(/^0x[0-9a-f]{40}$/)
      .describe('EVM address: 0x and 40 hex digits.'),
    flow_address: addressFormat.nullable().describe('Owner; null if the transaction does not identify it.'),
    owner_evidence: z
      .enum(['capability', 'only_account', 'storage'])
      .nullable()
      .describe(
        'How the owner is known: it issued a capability for the COA in the creating transaction, it was the only ' +
          'account that could store the COA, or it stores the COA at `/storage/evm` now.',
      ),
    transaction_id: idFormat.nullable().describe('Creation; null if not indexed.'),
    block_height: heightFormat.nullable(),
    timestamp: timestampFormat.nullable(),
  })
  .meta({ id: 'CoaMapping' })
export type Coa = z.output<typeof coaSchema>

export const coaRow = coaSchema
  .omit({ transaction_id: true, timestamp: true })
  .extend({ block_height: heightFormat, tx_index: z.number(), event_index: z.number() })
export type CoaRow = z.output<typeof coaRow>

export function presentCoa(row: CoaRow, transactionId: string, times: ReadonlyMap<number, string>): Coa {
  return pickFields(coaSchema, { ...row, transaction_id: transactionId, timestamp: timeAt(times, row.block_height) })
}

export const publicKeySchema = z
  .strictObject({
    address: addressFormat,
    key_index: countFormat.describe('Index of the key in the account.'),
    public_key: z.string().describe('Hex digits, no 0x.'),
    signing_algorithm: z.string().nullable().describe('ECDSA_P256, ECDSA_secp256k1 or BLS_BLS12_381.'),
    hashing_algorithm: z.string().nullable().describe('SHA2_256, SHA3_256, …; null if not indexed.'),
    weight: countFormat
      .nullable()
      .describe('Weight, out of the 1000 that a transaction requires; null if not indexed.'),
    revoked: z.boolean(),
    added_height: heightFormat.nullable().describe('Block that added it; null if not indexed.'),
    revoked_height: heightFormat.nullable().describe('Block that revoked it.'),
  })
  .meta({ id: 'PublicKey' })
export type PublicKey = z.output<typeof publicKeySchema>

export const publicKeyRow = z.object({
  address: z.string(),
  key_index: z.number(),
  public_key: z.string(),
  signing_algorithm: z.number().nullable(),
  hashing_algorithm: z.number().nullable(),
  weight: z.number().nullable(),
  is_revoked: z.boolean(),
  added_height: z.number().nullable(),
  revoked_height: z.number().nullable(),
})
export type PublicKeyRow = z.output<typeof publicKeyRow>

export function presentPublicKey(row: PublicKeyRow): PublicKey {
  return {
    address: row.address,
    key_index: row.key_index,
    public_key: row.public_key,
    signing_algorithm: signatureAlgorithmName(row.signing_algorithm),
    hashing_algorithm: hashAlgorithmName(row.hashing_algorithm),
    weight: row.weight,
    revoked: row.is_revoked,
    added_height: row.added_height,
    revoked_height: row.revoked_height,
  }
}

const seen = {
  address: '0x18eb4ee6b3c026d2',
  tx_count: 413,
  first_seen_height: 7_601_063,
  created_height: 7_601_063,
}

export const exampleAccount: Account = {
  ...seen,
  height: exampleBlock.height,
  timestamp: exampleBlock.timestamp,
  flow_balance: '35.50000000',
  label: 'Service Account',
}

const exampleKey = `${'4a1f09c7'.repeat(8)}${'d25e8b63'.repeat(8)}`

export const exampleAccountDetail: AccountDetail = {
  ...seen,
  first_seen_at: '2020-10-13T19:03:27.214Z',
  last_seen_height: exampleBlock.height,
  last_seen_at: exampleBlock.timestamp,
  created_at: '2020-10-13T19:03:27.214Z',
  created_by_transaction: exampleTransaction.id,
  balance: '35.50000000',
  indexed_balance: '35.50000000',
  available_balance: '35.49856000',
  flowBalance: 35.5,
  contracts: ['PrivateReceiverForwarder'],
  contract_count: 1,
  keys: [
    {
      index: 0,
      key: exampleKey,
      signatureAlgorithm: 'ECDSA_P256',
      hashAlgorithm: 'SHA3_256',
      weight: 1000,
      revoked: false,
      sequenceNumber: 413,
    },
  ],
  key_count: 1,
  labels: [{ tag: 'service-account', label: 'Service Account', category: 'service' }],
  storage_used: '14400',
  storage_capacity: '3550000000',
  flowStorage: 3385.54382324,
  storageUsed: 0.01373291,
  storageAvailable: 3385.53009033,
  source: 'chain',
  as_of_height: exampleBlock.height,
}

export const examplePublicKey: PublicKey = {
  address: seen.address,
  key_index: 0,
  public_key: exampleKey,
  signing_algorithm: 'ECDSA_P256',
  hashing_algorithm: 'SHA3_256',
  weight: 1000,
  revoked: false,
  added_height: seen.created_height,
  revoked_height: null,
}

export const exampleCoa: Coa = {
  coa_address: '0x000000000000000000000002f239b1ccbadc1d52',
  flow_address: seen.address,
  owner_evidence: 'capability',
  transaction_id: exampleTransaction.id,
  block_height: exampleBlock.height,
  timestamp: exampleBlock.timestamp,
}
