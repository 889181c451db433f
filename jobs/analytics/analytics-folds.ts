import type { SqlColumn, SumFold } from '../worker.ts'

const inRange = 'block_height >= $1 and block_height < $2'
const day: SqlColumn = { column: 'day', type: 'date' }
const hour: SqlColumn = { column: 'hour', type: 'smallint' }

const dayCounters = [
  'evm_execution_count',
  'evm_failed_count',
  'evm_gas_used',
  'swap_count',
  'bridge_to_evm_tx_count',
  'bridge_from_evm_tx_count',
  'epoch_payout',
] as const

/** The arrays of blocks as rows. */
const actorsOfRange = `
    select day, 'evm' as kind, address
    from app.block_analytics cross join lateral unnest(evm_addresses) as address where ${inRange}
    union all
    select day, 'trader', address
    from app.block_analytics cross join lateral unnest(traders) as address where ${inRange}`

const activityOfRange = `
    select 'contract' as kind, day, hour, e.name, e.count::bigint as activity_count, 0.00000000 as amount
    from app.block_analytics cross join lateral unnest(contracts, contract_tx_counts) as e (name, count) where ${inRange}
    union all
    select 'token', day, hour, e.name, e.count, e.amount
    from app.block_analytics
    cross join lateral unnest(tokens, token_transfer_counts, token_amounts) as e (name, count, amount) where ${inRange}
    union all
    select 'collection', day, hour, e.name, e.count, 0.00000000
    from app.block_analytics
    cross join lateral unnest(collections, collection_transfer_counts) as e (name, count) where ${inRange}`

/**
 * What app.block_analytics adds up to. In this order: the count of actors looks at the actors.
 * @param of its name
 */
export function analyticsFolds(of: string): readonly SumFold[] {
  return [
    {
      kind: 'sum',
      name: 'app.daily_analytics',
      key: [day],
      presence: 'block_count',
      of,
      sums: [
        { column: 'block_count', type: 'bigint' },
        ...dayCounters.map((column) => ({ column, type: column === 'epoch_payout' ? 'numeric' : 'bigint' })),
      ],
      touched: `select distinct day from app.block_analytics where ${inRange}`,
      counted: `
        select day, 1::bigint as block_count, ${dayCounters.join(', ')} from app.block_analytics where ${inRange}`,
    },
    {
      kind: 'sum',
      name: 'app.daily_actors',
      presence: 'block_count',
      of,
      key: [day, { column: 'kind', type: 'text' }, { column: 'address', type: 'text' }],
      sums: [{ column: 'block_count', type: 'bigint' }],
      touched: `select distinct day, kind, address from (${actorsOfRange}) as seen`,
      counted: `select day, kind, address, 1::bigint as block_count from (${actorsOfRange}) as seen`,
    },
    // How many a day has only because of the heights of a range: those known from no blocks but the range's.
    {
      kind: 'sum',
      name: 'app.daily_actor_counts',
      presence: 'actor_count',
      of,
      key: [day, { column: 'kind', type: 'text' }],
      sums: [{ column: 'actor_count', type: 'bigint' }],
      touched: `select distinct day, kind from (${actorsOfRange}) as seen`,
      counted: `
        select a.day, a.kind, 1::bigint as actor_count
        from (
          select day, kind, address, count(*) as block_count from (${actorsOfRange}) as seen group by day, kind, address
        ) as r
        join app.daily_actors a
          on a.day = r.day and a.kind = r.kind and a.address = r.address and a.block_count = r.block_count`,
    },
    {
      kind: 'sum',
      name: 'app.hourly_activity',
      presence: 'activity_count',
      of,
      key: [{ column: 'kind', type: 'text' }, day, hour, { column: 'name', type: 'text' }],
      sums: [
        { column: 'activity_count', type: 'bigint' },
        { column: 'amount', type: 'numeric' },
      ],
      touched: `select distinct kind, day, hour, name from (${activityOfRange}) as seen`,
      counted: activityOfRange,
    },
  ]
}
