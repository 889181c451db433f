import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { parseAddress } from '../../flow/address.ts'
import { parsePublicKey, publicKeyBytes, listKeysByPublicKeys, withKeysOfChain } from '../accounts/queries.ts'
import { findBlockHeight, readBlock } from '../blocks/queries.ts'
import { contractKinds } from '../contracts/schema.ts'
import { readEvmAddressSpan, findEvmTransaction } from '../evm/queries.ts'
import { hashPattern, contractParts, addressFormat, countFormat, heightFormat } from '../formats.ts'
import { nftTypeFormat } from '../nfts/schema.ts'
import type { NftCollectionRow } from '../nfts/schema.ts'
import { readBounds } from '../paging/bounds.ts'
import type { PresentChain } from '../present-chain.ts'
import type { FungibleTokenRow } from '../tokens/schema.ts'
import { partyFormat } from '../tokens/transfer-lists.ts'
import { findSystemTransaction, findTransaction, findTransactionInBlock } from '../transactions/queries.ts'

/**
 * What a text names exactly: a height, a number, an id, a hash, an address or a public key. Each is looked up by its
 * key.
 */
export async function findHits(database: DatabasePool, chain: PresentChain, text: string): Promise<SearchHit[]> {
  const publicKey = parsePublicKey(text)
  const finders = [
    ...(publicKey === undefined ? [] : [findPublicKey(database, chain, publicKey)]),
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

/** The system transactions that end every block are found in the newest one. */
async function findFlowTransaction(database: DatabasePool, id: string): Finding {
  const place = await findTransactionWithId(database, id)
  if (place !== undefined)
    return { type: 'transaction', id, block_height: place.height, path: `/flow/transaction/${id}` }
  const system = await findSystemTransaction(database, id, await readBounds(database))
  if (system === undefined) return undefined
  const { height } = system
  return { type: 'transaction', id, block_height: height, path: `/flow/transaction/${id}?height=${height}` }
}

async function findPublicKey(database: DatabasePool, chain: PresentChain, digits: string): Finding {
  const keys = publicKeyBytes(digits)
  const [row] = await withKeysOfChain(chain, keys, await listKeysByPublicKeys(database, keys, undefined, 1), 1)
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

/** Not one that executed an EVM transaction with this hash: that is a hit of its own. */
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

async function findScheduled(database: DatabasePool, id: string): Finding {
  const row = await database.maybeOne(sql.type(z.object({ scheduled_height: z.number().nullable() }))`
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

/** What a search names by its id, height or address. */
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
    id: z.string().describe('Id, hash, address or number, as the path wants it.'),
    block_height: heightFormat.nullable().describe('Block of what lies in one.'),
    path: z.string().describe('Where the API tells all of it.'),
  })
  .meta({ id: 'SearchHit' })
export type SearchHit = z.output<typeof searchHitSchema>

const foundContractSchema = z
  .strictObject({
    id: z.string().describe('`A.<address>.<name>`'),
    address: addressFormat,
    name: z.string(),
    kind: z.enum(contractKinds).nullable().describe('Null while its code is not known.'),
    dependent_count: countFormat.describe('Contracts that import it.'),
  })
  .meta({ id: 'FoundContract' })
export type FoundContract = z.output<typeof foundContractSchema>

const foundTokenSchema = z
  .strictObject({
    id: z.string().describe('`A.<address>.<name>`'),
    address: addressFormat,
    contract_name: z.string(),
    name: z.string().describe('What the contract calls it, else contract_name.'),
    symbol: z.string().nullable(),
    market_symbol: z.string().nullable().describe('Null where no price of the last two days is known.'),
    logo: z.string().nullable().describe('Address of an image.'),
    holder_count: countFormat,
    is_verified: z.boolean().describe('Whether the account of the contract is a known one: it has a label.'),
  })
  .meta({ id: 'FoundToken' })
type FoundToken = z.output<typeof foundTokenSchema>

const foundCollectionSchema = z
  .strictObject({
    id: nftTypeFormat,
    address: addressFormat,
    contract_name: z.string(),
    name: z.string().describe('What the contract calls it, else contract_name.'),
    item_count: countFormat.describe("Items that are in somebody's collection."),
    square_image: z.string().nullable(),
    is_verified: z.boolean().describe('Whether the account of the contract is a known one: it has a label.'),
  })
  .meta({ id: 'FoundNftCollection' })
type FoundCollection = z.output<typeof foundCollectionSchema>

/** An account that is known by a name. */
export const foundAccountSchema = z
  .strictObject({
    address: partyFormat,
    tag: z.string(),
    label: z.string(),
    category: z.string(),
  })
  .meta({ id: 'FoundAccount' })
export type FoundAccount = z.output<typeof foundAccountSchema>

/** What a search found, each kind by its weight. */
export const searchResultSchema = z
  .strictObject({
    hits: z.array(searchHitSchema).describe('What the text names exactly.'),
    contracts: z.array(foundContractSchema).describe('By the number of contracts that import them.'),
    tokens: z.array(foundTokenSchema).describe('Fungible tokens, by holders.'),
    nft_collections: z.array(foundCollectionSchema).describe('By holders.'),
    accounts: z.array(foundAccountSchema).describe('Accounts that are known by such a name.'),
  })
  .meta({ id: 'SearchResult' })

export function presentFoundToken({ token, name, symbol, market_symbol, logo, ...row }: FungibleTokenRow): FoundToken {
  const contractName = contractParts(token).name
  return {
    id: token,
    address: contractParts(token).address,
    contract_name: contractName,
    name: name ?? contractName,
    symbol,
    market_symbol,
    logo,
    holder_count: row.holder_count,
    is_verified: row.is_verified,
  }
}

export function presentFoundCollection(row: NftCollectionRow): FoundCollection {
  const { token, name, item_count, square_image, is_verified } = row
  const contractName = contractParts(token).name
  return {
    id: token,
    address: contractParts(token).address,
    contract_name: contractName,
    name: name ?? contractName,
    item_count,
    square_image,
    is_verified,
  }
}
