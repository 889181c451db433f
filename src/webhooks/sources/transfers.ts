import { query } from '../../db/pool.ts'
import { placeOf, present } from './event-source.ts'
import type { EventSource, PlacedRow } from './event-source.ts'

interface TransferRow extends PlacedRow {
  readonly leg: number
  readonly token: string | null
  readonly from_address: string | null
  readonly to_address: string | null
  readonly transfer_type: string
  readonly transaction_id: string
}

/** Fungible tokens that moved, fees aside. */
export const ftTransferSource: EventSource = {
  types: ['ft.transfer', 'ft.large_transfer'],
  workers: ['token_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<TransferRow & { token: string; amount: string }>(
      client,
      `select t.block_height, t.tx_index, t.event_index, t.leg, t.token, t.from_address, t.to_address, t.amount::text as amount,
         t.transfer_type, encode(x.id, 'hex') as transaction_id
       from app.ft_transfers t join raw.transactions x using (block_height, tx_index)
       where t.block_height >= $1 and t.block_height < $2 and x.block_height >= $1 and x.block_height < $2 and t.transfer_type <> 'fee'`,
      [from, to],
    )
    return rows.map((row) => ({
      types: ['ft.large_transfer', 'ft.transfer'],
      place: placeOf(row, row.leg),
      data: {
        transaction_id: row.transaction_id,
        event_index: row.event_index,
        token: row.token,
        from: row.from_address,
        to: row.to_address,
        amount: row.amount,
        transfer_type: row.transfer_type,
      },
      facets: {
        from: present(row.from_address),
        to: present(row.to_address),
        tokens: [row.token],
        contracts: [row.token],
        amount: row.amount,
        names: [row.transfer_type],
      },
    }))
  },
}

/** Items of collections that moved. */
export const nftTransferSource: EventSource = {
  types: ['nft.transfer'],
  workers: ['token_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<TransferRow & { nft_id: string; nft_uuid: string | null }>(
      client,
      `select t.block_height, t.tx_index, t.event_index, t.leg, t.token, t.from_address, t.to_address, t.nft_id::text as nft_id,
         t.nft_uuid, t.transfer_type, encode(x.id, 'hex') as transaction_id
       from app.nft_transfers t join raw.transactions x using (block_height, tx_index)
       where t.block_height >= $1 and t.block_height < $2 and x.block_height >= $1 and x.block_height < $2`,
      [from, to],
    )
    return rows.map((row) => ({
      types: ['nft.transfer'],
      place: placeOf(row, row.leg),
      data: {
        transaction_id: row.transaction_id,
        event_index: row.event_index,
        collection: row.token,
        nft_id: row.nft_id,
        uuid: row.nft_uuid,
        from: row.from_address,
        to: row.to_address,
        transfer_type: row.transfer_type,
      },
      facets: {
        from: present(row.from_address),
        to: present(row.to_address),
        tokens: present(row.token),
        contracts: present(row.token),
        nftIds: [row.nft_id],
        names: [row.transfer_type],
      },
    }))
  },
}
