import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import type { EventKey } from '../paging/event-pages.ts'
import { accountKeyRow, accountRow, labelRow, coaRow } from './schema.ts'
import type { IndexedAccount, Label, CoaRow } from './schema.ts'

/** FLOW, as tables of tokens name it. */
export function flowTokenOf(network: Network): string {
  return `A.${coreContracts(network).flowToken}.FlowToken`
}

const nameRow = z.object({ name: z.string() })
const transactionRow = z.object({ id: z.string() })
const heightRow = z.object({ height: z.number().nullable() })

/**
 * All that is indexed of an account.
 * @param address in text form
 * @returns undefined where no table knows it
 */
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
      select key_index, encode(public_key, 'hex') as public_key, signing_algorithm, hashing_algorithm, weight, is_revoked
      from app.account_keys where address = ${address} order by key_index
    `),
    database.any(sql.type(nameRow)`
      select name from app.smart_contracts where address = ${address} and not is_removed order by name
    `),
    listLabels(database, address),
  ])
  const isKnown = row.first_seen_height !== null || row.flow_balance !== null || keys.length + contracts.length > 0
  if (!isKnown) return undefined
  const { first_seen_height: first, last_seen_height: last, created_height: created } = row
  const [times, creation] = await Promise.all([
    readBlockTimes(database, [first, last, created]),
    readCreation(database, created, row.created_tx_index),
  ])
  return { row, keys, contracts: contracts.map(({ name }) => name), labels, times, creation }
}

/** Id of the transaction that created an account. */
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

/** What an account is known as, by tag. */
export async function listLabels(database: DatabasePool, address: string): Promise<readonly Label[]> {
  return database.any(sql.type(labelRow)`
    select tag, label, category from app.account_labels where address = ${address} order by tag
  `)
}

/** The highest height that a worker has done; undefined before its first. */
export async function readReach(database: DatabasePool, worker: string): Promise<number | undefined> {
  const row = await database.maybeOne(sql.type(heightRow)`
    select upper(covered) - 1 as height from app.coverage where service_name = ${worker}
  `)
  return row?.height ?? undefined
}

/** The creations of an EVM account by Cadence, or those whose resource an account got: up to `count` after a place. */
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
