import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { isValidAddress } from '../../flow/address.ts'
import { listKeysByPublicKeys, publicKeyBytes, withKeysOfChain } from '../accounts/queries.ts'
import { findBlockHeight, readBlock } from '../blocks/queries.ts'
import { findEvmBlock } from '../evm/blocks.ts'
import { findEvmTransaction, readEvmAddressSpan } from '../evm/queries.ts'
import { readBounds, readHeightsOf } from '../paging/bounds.ts'
import { resultOrUnavailable } from '../present-chain.ts'
import type { Services } from '../route.ts'
import { findSystemTransaction, findTransaction, findTransactionInBlock } from '../transactions/queries.ts'
import type { SearchHit } from './schema.ts'
import type { HitType, Reference, SearchText } from './search-text.ts'
import { findShortIds } from './short-ids.ts'

type Found = Promise<readonly SearchHit[]>

/** By key. */
export async function findHits(services: Services, { kind, references }: SearchText): Found {
  const found = references.map((one) =>
    one.form === 'number' ? findNumber(services, one.value, kind) : findReference(services, one),
  )
  const hits = (await Promise.all(found)).flat()
  return hits.filter(({ path }, i) => hits.findIndex((other) => other.path === path) === i)
}

async function findReference(services: Services, reference: Exclude<Reference, { form: 'number' }>): Found {
  const { database } = services
  switch (reference.form) {
    case 'hash':
      return findHash(database, reference.digits)
    case 'account':
      return all(findAccount(services, reference.address))
    case 'evm_address':
      return findEvmAddress(database, reference.digits)
    case 'public_key':
      return all(findPublicKey(services, reference.digits))
    case 'shortened':
      return findShortened(database, reference)
    case 'time':
      return findTime(database, reference)
    default:
      return reference satisfies never
  }
}

/** EVM blocks only if the text names them or nothing else has the number: finding one takes many reads. */
async function findNumber(services: Services, value: number, kind: SearchText['kind']): Found {
  const { database } = services
  const hits = kind === 'evm_block' ? [] : await all(findBlock(database, value), findScheduled(database, String(value)))
  if (hits.length > 0) return hits
  const block = await findEvmBlock(services, value)
  return block === undefined ? [] : [hitOf('evm_block', String(value), block.place.height)]
}

async function all(...finders: ReadonlyArray<Promise<SearchHit | undefined>>): Found {
  return (await Promise.all(finders)).filter((hit) => hit !== undefined)
}

const pathsOf: Readonly<Record<HitType, (id: string) => string>> = {
  day: (day) => `/flow/block?from=${day}&to=${day}`,
  block: (height) => `/flow/block/${height}`,
  transaction: (id) => `/flow/transaction/${id}`,
  evm_block: (number) => `/flow/evm/block/${number}`,
  evm_transaction: (hash) => `/flow/evm/transaction/${hash}`,
  account: (address) => `/flow/account/${address}`,
  evm_address: (address) => `/flow/evm/address/${address}`,
  evm_token: (address) => `/flow/evm/token/${address}`,
  scheduled_transaction: (id) => `/flow/scheduled-transaction/${id}`,
  public_key: (digits) => `/flow/key/${digits}`,
  node: (id) => `/flow/node/${id}`,
}

function hitOf(type: HitType, id: string, height: number | null = null): SearchHit {
  const key = type === 'block' && height !== null ? String(height) : id
  return { type, id, block_height: height, path: pathsOf[type](key) }
}

async function findBlock(database: DatabasePool, height: number): Promise<SearchHit | undefined> {
  const block = await readBlock(database, height)
  return block && hitOf('block', block.id, height)
}

async function findHash(database: DatabasePool, digits: string): Found {
  return all(
    findBlockHeight(database, digits).then((height) =>
      height === undefined ? undefined : findBlock(database, height),
    ),
    findFlowTransaction(database, digits),
    findEvmTransaction(database, digits).then(
      (place) => place && hitOf('evm_transaction', `0x${digits}`, place.block_height),
    ),
    findNode(database, digits),
  )
}

/** System transactions occur in every block; returns the newest. */
async function findFlowTransaction(database: DatabasePool, id: string): Promise<SearchHit | undefined> {
  const place = await findTransactionWithId(database, id)
  if (place !== undefined) return hitOf('transaction', id, place.height)
  const system = await findSystemTransaction(database, id, await readBounds(database))
  if (system === undefined) return undefined
  const hit = hitOf('transaction', id, system.height)
  return { ...hit, path: `${hit.path}?height=${system.height}` }
}

/** The hash of an EVM transaction is a separate hit. */
async function findTransactionWithId(database: DatabasePool, id: string): Promise<{ height: number } | undefined> {
  const place = await findTransaction(database, id)
  return place && findTransactionInBlock(database, id, place.height)
}

async function findPublicKey(services: Services, digits: string): Promise<SearchHit | undefined> {
  const keys = publicKeyBytes(digits)
  const indexed = await listKeysByPublicKeys(services.database, keys, undefined, 1)
  const [row] = await withKeysOfChain(services, keys, indexed, 1)
  return row && hitOf('public_key', row.public_key, row.added_height)
}

const scheduledRow = z.object({ scheduled_height: z.number().nullable() })

async function findScheduled(database: DatabasePool, id: string): Promise<SearchHit | undefined> {
  const row = await database.maybeOne(sql.type(scheduledRow)`
    select scheduled_height from app.scheduled_transactions where scheduled_id = ${id}::bigint
  `)
  return row === null ? undefined : hitOf('scheduled_transaction', id, row.scheduled_height)
}

const emptyRow = z.object({})

/** Accounts that are not indexed are read from the chain, as on their page. */
async function findAccount({ database, network, chain }: Services, address: string): Promise<SearchHit | undefined> {
  const isFound = await database.exists(sql.type(emptyRow)`
    select from app.accounts where address = ${address}
    union all (select from app.ft_holdings where address = ${address} limit 1)
    union all (select from app.smart_contracts where address = ${address} limit 1)
    union all (select from app.account_labels where address = ${address} limit 1)
    limit 1
  `)
  if (isFound) return hitOf('account', address)
  const onChain = isValidAddress(address, network()) ? await resultOrUnavailable(chain.account(address)) : undefined
  return onChain !== undefined && 'value' in onChain && onChain.value !== undefined
    ? hitOf('account', address)
    : undefined
}

async function findNode(database: DatabasePool, id: string): Promise<SearchHit | undefined> {
  const isFound = await database.exists(sql.type(emptyRow)`
    select from app.staking_nodes where node_id = ${id}
    union all select from app.staking_node_info where node_id = ${id} and tokens_staked is not null
    limit 1
  `)
  return isFound ? hitOf('node', id) : undefined
}

async function findEvmAddress(database: DatabasePool, digits: string): Found {
  const [{ first_height: height }, isToken] = await Promise.all([
    readEvmAddressSpan(database, digits),
    database.exists(sql.type(emptyRow)`select from app.evm_tokens where token = ${digits} limit 1`),
  ])
  const types = [...(height === null ? [] : ['evm_address' as const]), ...(isToken ? ['evm_token' as const] : [])]
  return types.map((type) => hitOf(type, `0x${digits}`))
}

async function findShortened(database: DatabasePool, part: { readonly start: string; readonly end: string }): Found {
  const rows = await findShortIds(database, part, await readBounds(database))
  return rows.map(({ type, id, block_height: height }) => {
    const hasPrefix = type === 'account' || type.startsWith('evm')
    return hitOf(type, hasPrefix ? `0x${id}` : id, height)
  })
}

async function findTime(database: DatabasePool, { from, to }: { readonly from: string; readonly to?: string }): Found {
  const bounds = await readBounds(database)
  const heights = bounds && (await readHeightsOf(database, bounds, { from, to }))
  if (heights === undefined) return []
  const { min, max } = heights
  const [first, last] = await Promise.all([findBlock(database, min), findBlock(database, max)])
  if (first === undefined || last === undefined) return []
  if (to === undefined) return [{ ...first, note: `first block at or after ${from}` }]
  const day = from.slice(0, 10)
  const ends = [
    { ...first, note: `first block of ${day}, UTC` },
    { ...last, note: `${max === bounds?.max ? 'newest' : 'last'} block of ${day}, UTC` },
  ]
  return [
    { ...hitOf('day', day), note: `blocks ${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}` },
    ...ends,
  ]
}
