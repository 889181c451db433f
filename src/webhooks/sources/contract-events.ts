import { query } from '../../db/pool.ts'
import { placeOf } from './event-source.ts'
import type { EventSource, PlacedRow } from './event-source.ts'

interface EventRow extends PlacedRow {
  readonly type: string
  readonly contract: string
  readonly payload: unknown
  readonly transaction_id: string
}

/** Only events that a subscription names are read: all together they are most of what the database holds. */
export const contractEventSource: EventSource = {
  types: ['contract.event'],
  workers: [],
  read: async (client, { from, to }, wanted) => {
    const contracts = new Set(wanted.flatMap((conditions) => conditions.contracts ?? []))
    const names = new Set(wanted.flatMap((conditions) => conditions.event_names ?? []))
    if (contracts.size === 0 && names.size === 0) return []
    const { rows } = await query<EventRow>(
      client,
      `select e.block_height, e.tx_index, e.event_index, e.type, regexp_replace(e.type, '\\.[^.]*$', '') as contract, e.payload,
         encode(x.id, 'hex') as transaction_id
       from raw.events e join raw.transactions x using (block_height, tx_index)
       where e.block_height >= $1 and e.block_height < $2 and x.block_height >= $1 and x.block_height < $2
         and (regexp_replace(e.type, '\\.[^.]*$', '') = any ($3) or e.type = any ($4))`,
      [from, to, [...contracts], [...names]],
    )
    return rows.map((row) => ({
      types: ['contract.event'],
      place: placeOf(row),
      data: { transaction_id: row.transaction_id, event_index: row.event_index, type: row.type, payload: row.payload },
      facets: { contracts: [row.contract], names: [row.type] },
    }))
  },
}
