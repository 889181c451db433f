import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { parseAddress } from '../../chain/address.ts'
import type { PresentChain } from '../chain/present-chain.ts'
import { parsePublicKey, publicKeyBytes } from '../parameters/public-key.ts'
import { listKeysByPublicKeys, withKeysOfChain } from '../queries/account-keys.ts'
import { readBounds } from '../paging/bounds.ts'
import { hashPattern } from '../formats/formats.ts'
import type { SearchHit } from '../presenters/search.ts'
import { findBlockHeight, readBlock } from '../queries/blocks.ts'
import { readEvmAddressSpan } from '../queries/evm-addresses.ts'
import { findEvmTransaction } from '../queries/evm-transactions.ts'
import { findSystemTransaction, findTransaction, findTransactionInBlock } from '../queries/transactions.ts'

/** What a text names exactly: a height, a number, an id, a hash, an address or a public key. Each is looked up by its key. */
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
