import type pg from 'pg'
import type { EventDerivation, Worker } from '../../jobs/worker.ts'
import { addOwnWorker } from '../../src/farm/leases/coverage.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'

/**
 * A worker as WORKERS_DIR gives them, of any contract: a row for each event, and a fold of each kind.
 * `amount` is the event's own, else its index.
 */
export function ownWorker(name: string, contract: string, more: Partial<EventDerivation> = {}): Worker {
  const table = `${name}.events`
  const [low, high] = ['block_height >= $1', 'block_height < $2']
  return {
    name,
    description: `Events of ${contract}`,
    phase: 2,
    follows: ['tx_contracts_worker'],
    tables: [{ name: table, columns, heightColumn: 'block_height', partitionHeights: undefined }],
    folds: [
      {
        kind: 'sum',
        name: `${name}.totals`,
        of: table,
        key: [{ column: 'name', type: 'text' }],
        sums: [
          { column: 'events', type: 'bigint' },
          { column: 'volume', type: 'numeric' },
        ],
        presence: 'events',
        touched: `select distinct name from ${table} where ${low} and ${high}`,
        counted: `select name, 1::bigint as events, amount as volume from ${table} where ${low} and ${high}`,
      },
      {
        kind: 'state',
        name: `${name}.latest`,
        reads: [table],
        key: [{ column: 'name', type: 'text' }],
        touched: `select distinct name from ${table} where ${low} and ${high}`,
        fold: `
          with keys as (select unnest($1::text[]) as name), latest as (
            select k.name, e.amount, e.block_height from keys k cross join lateral (
              select * from ${table} e where e.name = k.name
              order by block_height desc, tx_index desc, event_index desc, row_index desc limit 1
            ) e
          ), gone as (
            delete from ${name}.latest l using keys k
            where l.name = k.name and not exists (select from latest n where n.name = k.name)
          )
          insert into ${name}.latest as l select * from latest
          on conflict (name) do update set amount = excluded.amount, block_height = excluded.block_height`,
      },
    ],
    deriveEvents: {
      contract,
      startHeight: 0,
      derive: async (events, output) => {
        const rows = output.rows(table)
        for (const { height, txIndex, index, timestampUs, transactionId, type, fields } of events) {
          rows.row(columns.length)
          rows.int8(height)
          rows.int4(txIndex)
          rows.int4(index)
          rows.int4(0)
          rows.timestamptzUs(timestampUs)
          rows.bytea(transactionId)
          rows.text(type.slice(contract.length + 1))
          const { amount } = fields
          rows.numeric(typeof amount === 'string' && /^\d+(\.\d+)?$/.test(amount) ? amount : `${index}.00000000`)
        }
        return Promise.resolve()
      },
      ...more,
    },
  }
}

const columns = [
  'block_height',
  'tx_index',
  'event_index',
  'row_index',
  'block_timestamp',
  'transaction_id',
  'name',
  'amount',
]

/** Its tables and its checkpoint. */
export async function registerOwnWorker(pool: pg.Pool, { name, deriveEvents }: Worker): Promise<void> {
  await pool.query(`
    create schema ${name};
    create table ${name}.events (
      block_height bigint, tx_index integer, event_index integer, row_index integer, block_timestamp timestamptz not null,
      transaction_id bytea not null, name text not null, amount numeric not null,
      primary key (block_height, tx_index, event_index, row_index)
    );
    create index on ${name}.events (name, block_height, tx_index, event_index, row_index);
    create table ${name}.totals (name text primary key, events bigint not null, volume numeric not null);
    create table ${name}.latest (name text primary key, amount numeric not null, block_height bigint not null)`)
  await withTransaction(pool, (client) => addOwnWorker(client, name, deriveEvents?.startHeight ?? 0))
}

/** Rows that differ from raw.events and their folds, one line each. */
export async function ownDifferences(pool: pg.Pool, { name, deriveEvents }: Worker): Promise<string[]> {
  const { contract = '', startHeight = 0 } = deriveEvents ?? {}
  const { rows } = await pool.query<{ line: string }>(
    `with expected as (
       select block_height, tx_index, event_index, 0 as row_index, timestamp, transaction_id,
         substr(type, length($1) + 2) as name,
         case when payload ->> 'amount' ~ '^\\d+(\\.\\d+)?$' then (payload ->> 'amount')::numeric
           else (event_index || '.00000000')::numeric end as amount
       from raw.events_with_id where type like $1 || '.%' and payload is not null and block_height >= $2
     ), sides (part, ours, truth) as (
       values ('events', array(select e::text from ${name}.events e), array(select e::text from expected e)),
         ('totals', array(select t::text from ${name}.totals t),
           array(select (name, count(*), sum(amount))::text from expected group by name)),
         ('latest', array(select l::text from ${name}.latest l), array(
           select (name, amount, block_height)::text from (
             select distinct on (name) * from expected order by name, block_height desc, tx_index desc, event_index desc
           ) e))
     )
     select part || ' too much ' || line as line
     from sides cross join lateral (select unnest(ours) except all select unnest(truth)) d (line)
     union all
     select part || ' missing ' || line
     from sides cross join lateral (select unnest(truth) except all select unnest(ours)) d (line)
     order by 1 limit 20`,
    [contract, startHeight],
  )
  return rows.map(({ line }) => line)
}
