import { query } from '../../platform/db/pool.ts'
import { accountRoles } from '../events.ts'
import { placeOf } from './event-source.ts'
import type { EventSource, PlacedRow } from './event-source.ts'

interface ActivityRow extends PlacedRow {
  readonly leg: number
  readonly address: string
  readonly is_payer: boolean
  readonly is_proposer: boolean
  readonly is_authorizer: boolean
  readonly is_created: boolean
  readonly transaction_id: string
  readonly is_failed: boolean
}

const activityText = `
  select a.block_height, a.tx_index, -1 as event_index, a.address, a.is_payer, a.is_proposer, a.is_authorizer,
    a.is_created,
    (row_number() over (partition by a.block_height, a.tx_index order by a.address) - 1)::int as leg,
    encode(x.id, 'hex') as transaction_id, x.status_code is not distinct from 1 as is_failed
  from app.address_transactions a join raw.transactions x using (block_height, tx_index)
  where a.block_height >= $1 and a.block_height < $2 and x.block_height >= $1 and x.block_height < $2`

export const activitySource: EventSource = {
  types: ['address.activity'],
  workers: ['accounts_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<ActivityRow>(client, activityText, [from, to])
    return rows.map((row) => ({
      types: ['address.activity'],
      place: placeOf(row, row.leg),
      data: {
        transaction_id: row.transaction_id,
        address: row.address,
        is_payer: row.is_payer,
        is_proposer: row.is_proposer,
        is_authorizer: row.is_authorizer,
        is_created: row.is_created,
        is_failed: row.is_failed,
      },
      facets: { addresses: [row.address], roles: accountRoles.filter((role) => row[`is_${role}`]) },
    }))
  },
}

export const newAccountSource: EventSource = {
  types: ['account.created', 'account.event'],
  workers: ['accounts_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<ActivityRow>(client, `${activityText} and a.is_created`, [from, to])
    return rows.map((row) => ({
      types: ['account.created', 'account.event'],
      place: placeOf(row, row.leg),
      data: { transaction_id: row.transaction_id, address: row.address },
      facets: { addresses: [row.address] },
    }))
  },
}

interface KeyRow extends PlacedRow {
  readonly address: string
  readonly key_index: number | null
  readonly weight: number | null
  readonly is_removed: boolean
  readonly public_key: string | null
  readonly transaction_id: string
}

export const accountKeySource: EventSource = {
  types: ['account.key.added', 'account.key.removed', 'account.key_change', 'account.event'],
  workers: ['meta_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<KeyRow>(
      client,
      `select k.block_height, k.tx_index, k.event_index, k.address, k.key_index, k.weight, k.is_removed,
         encode(k.public_key, 'hex') as public_key, encode(x.id, 'hex') as transaction_id
       from app.account_key_changes k join raw.transactions x using (block_height, tx_index)
       where k.block_height >= $1 and k.block_height < $2 and x.block_height >= $1 and x.block_height < $2`,
      [from, to],
    )
    return rows.map((row) => ({
      types: [row.is_removed ? 'account.key.removed' : 'account.key.added', 'account.key_change', 'account.event'],
      place: placeOf(row),
      data: {
        transaction_id: row.transaction_id,
        event_index: row.event_index,
        address: row.address,
        key_index: row.key_index,
        public_key: row.public_key,
        weight: row.weight,
        is_removed: row.is_removed,
      },
      facets: { addresses: [row.address] },
    }))
  },
}

interface ContractRow extends PlacedRow {
  readonly change: 'added' | 'updated' | 'removed'
  readonly address: string
  readonly name: string
  readonly code_hash: string
  readonly transaction_id: string
}

export const contractChangeSource: EventSource = {
  types: ['account.contract.added', 'account.contract.updated', 'account.contract.removed', 'account.event'],
  workers: ['meta_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<ContractRow>(
      client,
      `select c.block_height, c.tx_index, c.event_index, c.change, c.address, c.name, encode(c.code_hash, 'hex') as
        code_hash,
         encode(x.id, 'hex') as transaction_id
       from app.contract_versions c join raw.transactions x using (block_height, tx_index)
       where c.block_height >= $1 and c.block_height < $2 and x.block_height >= $1 and x.block_height < $2`,
      [from, to],
    )
    return rows.map((row) => {
      const contract = `A.${row.address.slice(2)}.${row.name}`
      return {
        types: [`account.contract.${row.change}`, 'account.event'],
        place: placeOf(row),
        data: {
          transaction_id: row.transaction_id,
          event_index: row.event_index,
          address: row.address,
          contract,
          change: row.change,
          code_hash: row.code_hash,
        },
        facets: { addresses: [row.address], contracts: [contract] },
      }
    })
  },
}
