import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { parseAddress } from '../../flow/address.ts'
import { parsePublicKey, publicKeyBytes, listKeysByPublicKeys, withKeysOfChain } from '../accounts/queries.ts'
import { findBlockHeight, readBlock } from '../blocks/queries.ts'
import { contractKinds } from '../contracts/schema.ts'
import { readEvmAddressSpan, findEvmTransaction } from '../evm/queries.ts'
import { hashPattern, contractParts, addressFormat, countFormat, heightFormat, pickFields } from '../formats.ts'
import { nftTypeFormat } from '../nfts/schema.ts'
import type { NftCollectionRow } from '../nfts/schema.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Services } from '../route.ts'
import type { FungibleTokenRow } from '../tokens/schema.ts'
import { partyFormat } from '../tokens/transfer-lists.ts'
import { findSystemTransaction, findTransaction, findTransactionInBlock } from '../transactions/queries.ts'

/** Exact matches, by key lookups. */
export async function findHits(services: Services, text: string): Promise<SearchHit[]> {
  const { database } = services
  const publicKey = parsePublicKey(text)
  const finders = [
    ...(publicKey === undefined ? [] : [findPublicKey(services, publicKey)]),
    ...(/^\d{1,15}$/.test(text)
      ? [findBlock(database, Number(text)), findScheduled(database, String(Number(text)))]
      : []),
    ...(hashPattern.test(text) ? hashFinders(database, text.slice(-64).toLowerCase()) : []),
    ...(/^(?:0x[0-9a-f]{1,16}|[0-9a-f]{16})$/i.test(text) ? [findAccount(database, parseAddress(text) ?? text)] : []),
    ...(/^(?:0x)?[0-9a-f]{40}$/i.test(text) ? [findEvmAddress(database, text.slice(-40).toLowerCase())] : []),
  ]
  return (await Promise.all(finders)).filter((hit) => hit !== undefined)
}

type Finding = Promise<SearchHit | undefined>

function hashFinders(database: DatabasePool, hash: string): readonly Finding[] {
  return [
    findBlockHeight(database, hash).then((height) => (height === undefined ? undefined : findBlock(database, height))),
    findFlowTransaction(database, hash),
    findTransactionOfEvm(database, hash),
  ]
}

async function findBlock(database: DatabasePool, height: number): Finding {
  const block = await readBlock(database, height)
  return block && { type: 'block', id: block.id, block_height: height, path: `/flow/block/${height}` }
}

/** System transactions occur in every block; returns the newest. */
async function findFlowTransaction(database: DatabasePool, id: string): Finding {
  const place = await findTransactionWithId(database, id)
  if (place !== undefined)
    return { type: 'transaction', id, block_height: place.height, path: `/flow/transaction/${id}` }
  const system = await findSystemTransaction(database, id, await readBounds(database))
  if (system === undefined) return undefined
  const { height } = system
  return { type: 'transaction', id, block_height: height, path: `/flow/transaction/${id}?height=${height}` }
}

async function findPublicKey(services: Services, digits: string): Finding {
  const keys = publicKeyBytes(digits)
  const indexed = await listKeysByPublicKeys(services.database, keys, undefined, 1)
  const [row] = await withKeysOfChain(services, keys, indexed, 1)
  return (
    row && {
      type: 'public_key',
      id: row.public_key,
      block_height: row.added_height,
      path: `/flow/key/${row.public_key}`,
    }
  )
}

const foundRow = z.object({ is_found: z.boolean() })

/** The hash of an EVM transaction is a separate hit. */
async function findTransactionWithId(database: DatabasePool, id: string): Promise<{ height: number } | undefined> {
  const place = await findTransaction(database, id)
  if (place === undefined) return undefined
  return findTransactionInBlock(database, id, place.height)
}

async function findTransactionOfEvm(database: DatabasePool, hash: string): Finding {
  const place = await findEvmTransaction(database, hash)
  return (
    place && {
      type: 'evm_transaction',
      id: `0x${hash}`,
      block_height: place.block_height,
      path: `/flow/evm/transaction/0x${hash}`,
    }
  )
}

const scheduledRow = z.object({ scheduled_height: z.number().nullable() })

async function findScheduled(database: DatabasePool, id: string): Finding {
  const row = await database.maybeOne(sql.type(scheduledRow)`
    select scheduled_height from app.scheduled_transactions where scheduled_id = ${id}::bigint
  `)
  if (row === null) return undefined
  return {
    type: 'scheduled_transaction',
    id,
    block_height: row.scheduled_height,
    path: `/flow/scheduled-transaction/${id}`,
  }
}

async function findAccount(database: DatabasePool, address: string): Finding {
  const { is_found } = await database.one(sql.type(foundRow)`
    select exists (select from app.accounts where address = ${address})
      or exists (select from app.ft_holdings where address = ${address})
      or exists (select from app.smart_contracts where address = ${address})
      or exists (select from app.account_labels where address = ${address}) as is_found
  `)
  return is_found ? { type: 'account', id: address, block_height: null, path: `/flow/account/${address}` } : undefined
}

async function findEvmAddress(database: DatabasePool, digits: string): Finding {
  const { first_height: height } = await readEvmAddressSpan(database, digits)
  if (height === null) return undefined
  return { type: 'evm_address', id: `0x${digits}`, block_height: null, path: `/flow/evm/address/0x${digits}` }
}

const searchHitSchema = z
  .strictObject({
    type: z.enum([
      'block',
      'transaction',
      'evm_transaction',
      'account',
      'evm_address',
      'scheduled_transaction',
      'public_key',
    ]),
    id: z.string().describe('Id, hash, address or number, as in the path.'),
    block_height: heightFormat.nullable().describe('Null if the match does not belong to a block.'),
    path: z.string().describe('API path of the resource.'),
  })
  .meta({ id: 'SearchHit' })
export type SearchHit = z.output<typeof searchHitSchema>

const foundContractSchema = z
  .strictObject({
    id: z.string().describe('`A.<address>.<name>`'),
    address: addressFormat,
    name: z.string(),
    kind: z.enum(contractKinds).nullable().describe('Null if the code is unknown.'),
    dependent_count: countFormat.describe('Contracts that import it.'),
  })
  .meta({ id: 'FoundContract' })
export type FoundContract = z.output<typeof foundContractSchema>

const foundTokenSchema = z
  .strictObject({
    id: z.string().describe('`A.<address>.<name>`'),
    address: addressFormat,
    contract_name: z.string(),
    name: z.string().describe('Published name, else contract_name.'),
    symbol: z.string().nullable(),
    market_symbol: z.string().nullable().describe('Null without a price from the last 48 hours.'),
    logo: z.string().nullable().describe('Image URL.'),
    holder_count: countFormat,
    is_verified: z.boolean().describe('Whether the contract account has a label.'),
  })
  .meta({ id: 'FoundToken' })
type FoundToken = z.output<typeof foundTokenSchema>

const foundCollectionSchema = z
  .strictObject({
    id: nftTypeFormat,
    address: addressFormat,
    contract_name: z.string(),
    name: z.string().describe('Published name, else contract_name.'),
    item_count: countFormat.describe('Items with an owner.'),
    square_image: z.string().nullable(),
    is_verified: z.boolean().describe('Whether the contract account has a label.'),
  })
  .meta({ id: 'FoundNftCollection' })
type FoundCollection = z.output<typeof foundCollectionSchema>

export const foundAccountSchema = z
  .strictObject({
    address: partyFormat,
    tag: z.string(),
    label: z.string(),
    category: z.string(),
  })
  .meta({ id: 'FoundAccount' })
export type FoundAccount = z.output<typeof foundAccountSchema>

export const searchResultSchema = z
  .strictObject({
    hits: z.array(searchHitSchema).describe('Exact matches.'),
    contracts: z.array(foundContractSchema).describe('Sorted by dependent contracts.'),
    tokens: z.array(foundTokenSchema).describe('Fungible tokens, sorted by holders.'),
    nft_collections: z.array(foundCollectionSchema).describe('Sorted by holders.'),
    accounts: z.array(foundAccountSchema).describe('Accounts with a matching label.'),
  })
  .meta({ id: 'SearchResult' })

export function presentFoundToken(row: FungibleTokenRow): FoundToken {
  return pickFields(foundTokenSchema, { ...row, ...contractIdentity(row) })
}

export function presentFoundCollection(row: NftCollectionRow): FoundCollection {
  return pickFields(foundCollectionSchema, { ...row, ...contractIdentity(row), item_count: row.number_of_tokens })
}

function contractIdentity({ token, name }: { token: string; name: string | null }) {
  const { address, name: contractName } = contractParts(token)
  return { id: token, address, contract_name: contractName, name: name ?? contractName }
}
