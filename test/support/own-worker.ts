import type pg from 'pg'
import type { EventDerivation, Worker } from '../../jobs/worker.ts'
import type { OwnDeclaration } from '../../src/own-tables/declaration.ts'
import { farmWorkerOf } from '../../src/own-tables/own-worker.ts'
import { registerOwnWorker as register } from '../../src/own-tables/registry.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'

function declarationOf({ contract, startHeight }: Pick<EventDerivation, 'contract' | 'startHeight'>): OwnDeclaration {
  const column = { isOptional: false, isIndexed: true, comment: '' }
  return {
    contract,
    events: [],
    version: 1,
    description: `Events of ${contract}`,
    startHeight,
    tables: [
      {
        name: 'events',
        comment: '',
        columns: [
          { ...column, name: 'name', type: 'text' },
          { ...column, name: 'amount', type: 'numeric' },
        ],
      },
    ],
    folds: [
      {
        kind: 'sum',
        name: 'totals',
        comment: '',
        of: 'events',
        key: ['name'],
        count: 'events',
        sums: [{ name: 'volume', of: 'amount' }],
      },
      { kind: 'latest', name: 'latest', comment: '', of: 'events', key: ['name'], columns: ['amount', 'block_height'] },
    ],
  }
}

/**
 * A worker as WORKERS_DIR gives them, of any contract: a row for each event, and a fold of each kind.
 * `amount` is the event's own, else its index.
 */
export function ownWorker(name: string, contract: string, more: Partial<EventDerivation> = {}): Worker {
  const { startHeight = 0, derive = rowsOf(`${name}.events`) } = more
  const declaration = declarationOf({ contract, startHeight })
  return farmWorkerOf({ name, declaration, startHeight, replaces: undefined }, derive)
}

function rowsOf(table: string): EventDerivation['derive'] {
  return async (events, output) => {
    const rows = output.rows(table)
    for (const { height, txIndex, index, timestampUs, transactionId, type, fields } of events) {
      rows.row(8)
      rows.int8(height)
      rows.int4(txIndex)
      rows.int4(index)
      rows.int4(0)
      rows.timestamptzUs(timestampUs)
      rows.bytea(transactionId)
      rows.text(type.slice(type.lastIndexOf('.') + 1))
      const { amount } = fields
      rows.numeric(typeof amount === 'string' && /^\d+(\.\d+)?$/.test(amount) ? amount : `${index}.00000000`)
    }
    return Promise.resolve()
  }
}

/** Its schema, its checkpoint and its entry in the registry. */
export async function registerOwnWorker(pool: pg.Pool, { name, deriveEvents }: Worker): Promise<void> {
  const { contract = '', startHeight = 0 } = deriveEvents ?? {}
  const candidate = { name, declaration: declarationOf({ contract, startHeight }), codeHash: 'test' }
  await withTransaction(pool, (client) => register(client, candidate, false))
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
           array(select (name, count(*), trim_scale(sum(amount)))::text from expected group by name)),
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
