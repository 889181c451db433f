import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { addressAtIndex } from '../../flow/address.ts'
import { coreContracts } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { readBounds } from '../paging/bounds.ts'
import type { EventKey } from '../paging/event-pages.ts'
import { accountKeyRow, accountRow, labelRow, coaRow, publicKeyRow } from './schema.ts'
import type { IndexedAccount, Label, CoaRow, PublicKeyRow } from './schema.ts'
import { ECDH } from 'node:crypto'
import { textParameter } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import { resultOrUnavailable, maxUnindexedAccounts, ChainUnavailableError } from '../present-chain.ts'
import type { Services } from '../route.ts'

export function flowTokenOf(network: Network): string {
  return `A.${coreContracts(network).flowToken}.FlowToken`
}

const nameRow = z.object({ name: z.string() })
const transactionRow = z.object({ id: z.string() })
const heightRow = z.object({ height: z.number().nullable() })

/** @returns undefined if the account is in no table */
export async function readIndexedAccount(
  database: DatabasePool,
  network: Network,
  address: string,
): Promise<IndexedAccount | undefined> {
  const [row, keys, contracts, labels] = await Promise.all([
    database.one(sql.type(accountRow)`
      select ${address} as address, '' as sort_value, a.first_seen_height, a.last_seen_height, a.created_height,
        a.created_tx_index, coalesce(s.tx_count, 0) as tx_count, h.balance::text as flow_balance
      from (select) as one
      left join app.accounts a on a.address = ${address}
      left join app.address_stats s on s.address = ${address}
      left join app.ft_holdings h on h.address = ${address} and h.token = ${flowTokenOf(network)}
    `),
    database.any(sql.type(accountKeyRow)`
      select key_index, encode(public_key, 'hex') as public_key, signing_algorithm, hashing_algorithm, weight,
      is_revoked
      from app.account_keys where address = ${address} order by key_index
    `),
    database.any(sql.type(nameRow)`
      select name from app.smart_contracts where address = ${address} and not is_removed order by name
    `),
    listLabels(database, address),
  ])
  const isKnown = row.first_seen_height !== null || row.flow_balance !== null || keys.length + contracts.length > 0
  if (!isKnown && !(await isInTransfer(database, address))) return undefined
  const { first_seen_height: first, last_seen_height: last, created_height: created } = row
  const [times, creation] = await Promise.all([
    readBlockTimes(database, [first, last, created]),
    readCreation(database, created, row.created_tx_index),
  ])
  return { row, keys, contracts: contracts.map(({ name }) => name), labels, times, creation }
}

/** Accounts may receive tokens before the first transaction of their own is indexed. */
async function isInTransfer(database: DatabasePool, address: string): Promise<boolean> {
  return database.exists(sql.type(z.object({}))`
    select from app.ft_transfers where to_address = ${address} and transfer_type <> 'fee'
    union all select from app.ft_transfers where from_address = ${address} and transfer_type <> 'fee'
    limit 1
  `)
}

async function readCreation(
  database: DatabasePool,
  height: number | null,
  index: number | null,
): Promise<string | undefined> {
  if (height === null || index === null) return undefined
  const row = await database.maybeOne(sql.type(transactionRow)`
    select encode(id, 'hex') as id from raw.transactions where block_height = ${height} and tx_index = ${index}
  `)
  return row?.id
}

export async function listLabels(database: DatabasePool, address: string): Promise<readonly Label[]> {
  return database.any(sql.type(labelRow)`
    select tag, label, category from app.account_labels where address = ${address} order by tag
  `)
}

export async function readReach(database: DatabasePool, worker: string): Promise<number | undefined> {
  const row = await database.maybeOne(sql.type(heightRow)`
    select upper(covered) - 1 as height from app.coverage where service_name = ${worker}
  `)
  return row?.height ?? undefined
}

/** By EVM address or by owner. */
export async function listCoas(
  database: DatabasePool,
  address: string,
  after: EventKey | undefined,
  count: number,
): Promise<readonly CoaRow[]> {
  const { height, txIndex, eventIndex } = after ?? { height: -1, txIndex: -1, eventIndex: -1 }
  const isEvm = address.length === 42
  const whose = isEvm ? sql.fragment`coa_address = ${address}` : sql.fragment`flow_address = ${address}`
  return database.any(sql.type(coaRow)`
    select block_height, tx_index, event_index, coa_address, flow_address, owner_evidence
    from app.coa_accounts
    where ${whose} and (block_height, tx_index, event_index) > (${height}, ${txIndex}, ${eventIndex})
    order by block_height, tx_index, event_index
    limit ${count}
  `)
}

/** SubjectPublicKeyInfo of P-256 and secp256k1 keys, before 04 and the coordinates. */
const derHeaders = [
  '3059301306072a8648ce3d020106082a8648ce3d030107034200',
  '3056301006072a8648ce3d020106052b8104000a034200',
]

const curves = ['prime256v1', 'secp256k1'] as const

const point = '(04)?[0-9a-fA-F]{128}'
const form = new RegExp(
  `^ *(0[xX])?((${derHeaders.map(inAnyCase).join('|')})?${point}|0[23][0-9a-fA-F]{64}|[0-9a-fA-F]{192}) *$`,
)

const problem = 'must be a public key: 128 hex digits, 66 for a compressed point, or 192 for BLS'

export function publicKeyParameter(): TextParameter {
  return textParameter(form, problem, normalize).describe(
    'Public key in hex: 128 digits (ECDSA), optionally after 04 or in DER (SubjectPublicKeyInfo); 66 for a ' +
      'compressed point; or 192 (BLS). 0x is optional.',
  )
}

/** Ignores white space and colons. */
export function parsePublicKey(text: string): string | undefined {
  const plain = text.replaceAll(/[\s:]/g, '')
  return form.test(plain) ? normalize(plain) : undefined
}

/** A compressed point may belong to either curve. */
export function publicKeyBytes(digits: string): readonly Buffer[] {
  if (digits.length !== compressedDigits) return [Buffer.from(digits, 'hex')]
  return curves.flatMap((curve) => {
    try {
      return [(ECDH.convertKey(digits, curve, 'hex', undefined, 'uncompressed') as Buffer).subarray(1)]
    } catch (error) {
      // Half of all x coordinates are not on the curve.
      if (error instanceof Error && 'code' in error && error.code === 'ERR_CRYPTO_OPERATION_FAILED') return []
      throw error
    }
  })
}

const compressedDigits = 66

function normalize(text: string): string {
  const digits = text.trim().replace(/^0x/i, '').toLowerCase()
  const coordinates = 128
  return digits.length > coordinates && digits.length !== 192 ? digits.slice(-coordinates) : digits
}

/** OpenAPI patterns have no flags. */
function inAnyCase(digits: string): string {
  return digits.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

interface PublicKeyPlace {
  readonly isRevoked: boolean
  readonly address: string
  readonly index: number
}

/** Active keys first, then by account. */
export async function listKeysByPublicKey(
  database: DatabasePool,
  publicKey: Buffer,
  after: PublicKeyPlace | undefined,
  count: number,
): Promise<readonly PublicKeyRow[]> {
  const { isRevoked, address, index } = after ?? { isRevoked: false, address: '', index: -1 }
  return database.any(sql.type(publicKeyRow)`
    select address, key_index, encode(public_key, 'hex') as public_key, signing_algorithm, hashing_algorithm, weight,
      is_revoked, added_height, revoked_height
    from app.account_keys
    where public_key = ${sql.binary(publicKey)} and (is_revoked, address, key_index) >
    (${isRevoked}, ${address}, ${index})
    order by is_revoked, address, key_index
    limit ${count}
  `)
}

export async function listKeysByPublicKeys(
  database: DatabasePool,
  publicKeys: readonly Buffer[],
  after: PublicKeyPlace | undefined,
  count: number,
): Promise<readonly PublicKeyRow[]> {
  const lists = await Promise.all(publicKeys.map((publicKey) => listKeysByPublicKey(database, publicKey, after, count)))
  return inOrder(lists.flat()).slice(0, count)
}

function inOrder(rows: readonly PublicKeyRow[]): PublicKeyRow[] {
  const rank = ({ is_revoked: isRevoked, address, key_index: index }: PublicKeyRow): string =>
    `${Number(isRevoked)} ${address} ${String(index).padStart(10)}`
  return rows.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** Networks create their system accounts first, at genesis. */
const systemAccountCount = 32

/** Accounts that exist without a creation event, if blocks are indexed from the first; and system accounts. */
const addressRow = z.object({ address: z.string() })

async function listUnindexedAccounts(database: DatabasePool, network: Network): Promise<readonly string[]> {
  const system = Array.from({ length: systemAccountCount }, (_, index) => addressAtIndex(index + 1, network))
  const bounds = await readBounds(database)
  if (bounds === undefined || bounds.min > 1) return system
  const rows = await database.any(sql.type(addressRow)`
    select address from app.accounts where created_height is null limit ${maxUnindexedAccounts}
  `)
  return [...rows.map(({ address }) => address), ...system]
}

/**
 * Adds accounts that the chain reported to have one of the keys. Rows of indexed accounts stay
 * unchanged.
 */
export async function withKeysOfChain(
  { chain, database, network }: Pick<Services, 'chain' | 'database' | 'network'>,
  publicKeys: readonly Buffer[],
  rows: readonly PublicKeyRow[],
  limit: number,
): Promise<readonly PublicKeyRow[]> {
  if (rows.length === 0) await chain.readUnindexedKeys(() => listUnindexedAccounts(database, network()))
  const digits = publicKeys.map((key) => key.toString('hex'))
  const addresses = new Set(digits.flatMap((key) => chain.accountsSeenWithKey(key)))
  for (const { address } of rows) addresses.delete(address)
  const found = await Promise.all(
    [...addresses].slice(0, limit - rows.length).map((address) => resultOrUnavailable(chain.account(address))),
  )
  const more = found
    .flatMap((result) => (result instanceof ChainUnavailableError ? [] : (result.value ?? [])))
    .flatMap(({ address, keys }) =>
      keys
        .filter(({ publicKey }) => digits.includes(publicKey))
        .map((key): PublicKeyRow => ({
          address,
          key_index: key.index,
          public_key: key.publicKey,
          signing_algorithm: key.signatureAlgorithm,
          hashing_algorithm: key.hashAlgorithm,
          weight: key.weight,
          is_revoked: key.isRevoked,
          added_height: null,
          revoked_height: null,
        })),
    )
  return inOrder([...rows, ...more]).slice(0, limit)
}
