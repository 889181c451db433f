import { query } from '../../platform/db/pool.ts'
import type { EventType } from '../events.ts'
import { placeOf, present } from './event-source.ts'
import type { EventSource, PlacedRow } from './event-source.ts'

interface DefiRow extends PlacedRow {
  readonly pair: string
  readonly event_type: string
  readonly maker: string | null
  readonly asset0: string | null
  readonly asset1: string | null
  readonly asset0_in: string | null
  readonly asset0_out: string | null
  readonly asset1_in: string | null
  readonly asset1_out: string | null
  readonly lp_amount: string | null
  readonly price: string | null
  readonly transaction_id: string
}

const specialTypes: Readonly<Record<string, EventType>> = {
  Swap: 'defi.swap',
  AddLiquidity: 'defi.liquidity',
  RemoveLiquidity: 'defi.liquidity',
}

export const defiSource: EventSource = {
  types: ['defi.swap', 'defi.liquidity', 'defi.event'],
  workers: ['defi_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<DefiRow>(
      client,
      `select d.block_height, d.tx_index, d.event_index, d.pair, d.event_type, d.maker, d.asset0, d.asset1,
        d.asset0_in::text as asset0_in,
         d.asset0_out::text as asset0_out, d.asset1_in::text as asset1_in, d.asset1_out::text as asset1_out,
           d.lp_amount::text as lp_amount,
         d.price::text as price, encode(x.id, 'hex') as transaction_id
       from app.defi_events d join raw.transactions x using (block_height, tx_index)
       where d.block_height >= $1 and d.block_height < $2 and x.block_height >= $1 and x.block_height < $2`,
      [from, to],
    )
    return rows.map((row) => {
      const { block_height: _height, tx_index: _index, ...data } = row
      const special = specialTypes[row.event_type]
      const [contract] = /^A\.[0-9a-f]{16}\.\w+/.exec(row.pair) ?? []
      const amount = row.asset0_in ?? row.asset0_out
      return {
        types: special === undefined ? ['defi.event'] : [special, 'defi.event'],
        place: placeOf(row),
        data,
        facets: {
          addresses: present(row.maker),
          tokens: present(row.asset0, row.asset1),
          contracts: present(contract ?? null),
          pairs: [row.pair],
          names: [row.event_type],
          ...(amount === null ? {} : { amount }),
        },
      }
    })
  },
}

interface StakingRow extends PlacedRow {
  readonly event_type: string
  readonly node_id: string | null
  readonly delegator_id: number | null
  readonly amount: string | null
  readonly account: string | null
  readonly transaction_id: string
}

export const stakingSource: EventSource = {
  types: ['staking.event'],
  workers: ['staking_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<StakingRow>(
      client,
      `select s.block_height, s.tx_index, s.event_index, s.event_type, s.node_id, s.delegator_id, s.amount::text as
        amount, s.account,
         encode(x.id, 'hex') as transaction_id
       from app.staking_events s join raw.transactions x using (block_height, tx_index)
       where s.block_height >= $1 and s.block_height < $2 and x.block_height >= $1 and x.block_height < $2`,
      [from, to],
    )
    return rows.map((row) => {
      const { block_height: _height, tx_index: _index, ...data } = row
      return {
        types: ['staking.event'],
        place: placeOf(row),
        data,
        facets: {
          addresses: present(row.account),
          nodes: present(row.node_id),
          names: [row.event_type],
          ...(row.amount === null ? {} : { amount: row.amount }),
        },
      }
    })
  },
}
