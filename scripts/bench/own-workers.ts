import { once } from 'node:events'
import { pino } from 'pino'
import type pg from 'pg'
import type { EventDerivation, Worker } from '../../jobs/worker.ts'
import { EventReader } from '../../src/farm/range-reader/event-reader.ts'
import { OwnWorkers } from '../../src/farm/own/own-workers.ts'
import { ensureRawPartitions } from '../../src/ingest/raw-tables.ts'
import type { OwnDeclaration } from '../../src/own-tables/declaration.ts'
import { farmWorkerOf } from '../../src/own-tables/own-worker.ts'
import { registerOwnWorker } from '../../src/own-tables/registry.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { openBenchDatabase } from './bench-programs.ts'
import type { BenchDatabase } from './bench-programs.ts'
import type { Sheet } from './sheet.ts'

const name = 'own_bench'
const shop = 'A.0b2a3299cc857e29.Shop'

const declarationOf = (contract: string): OwnDeclaration => ({
  contract,
  events: [],
  version: 1,
  description: 'Sales',
  startHeight: null,
  tables: [
    {
      name: 'sales',
      comment: '',
      columns: [
        { name: 'item', type: 'numeric', isOptional: false, isIndexed: true, comment: '' },
        { name: 'price', type: 'numeric', isOptional: false, isIndexed: false, comment: '' },
        { name: 'seller', type: 'text', isOptional: false, isIndexed: true, comment: '' },
      ],
    },
  ],
  folds: [
    {
      kind: 'sum',
      name: 'sellers',
      comment: '',
      of: 'sales',
      key: ['seller'],
      count: 'sales',
      sums: [{ name: 'volume', of: 'price' }],
    },
    { kind: 'latest', name: 'prices', comment: '', of: 'sales', key: ['item'], columns: ['price'] },
  ],
})

/** Fields of the stored chain, else of a token. */
const derive: EventDerivation['derive'] = async (events, output) => {
  const rows = output.rows(`${name}.sales`)
  for (const { height, txIndex, index, timestampUs, transactionId, fields } of events) {
    rows.row(9)
    rows.int8(height)
    rows.int4(txIndex)
    rows.int4(index)
    rows.int4(0)
    rows.timestamptzUs(timestampUs)
    rows.bytea(transactionId)
    rows.numeric((fields['id'] ?? '0') as string)
    rows.numeric((fields['price'] ?? fields['amount'] ?? '0') as string)
    rows.text((fields['seller'] ?? fields['to'] ?? '') as string)
  }
  return Promise.resolve()
}

/** Every hundredth block has three events of the contract, every block 20 others of 8 types. */
async function storeChain(pool: pg.Pool, blocks: number): Promise<void> {
  const all = { from: 0, to: blocks }
  await ensureRawPartitions(pool, all)
  await ensurePartitions(pool, 'app.block_event_types', 1_000_000, all)
  await pool.query(`
    insert into raw.event_shapes (hash, type, fields)
    select sha256(type::bytea), type, fields from (
      select 'A.f233dcee88fe0abe.Token.Event' || i as type, '{amount,account}'::text[] as fields
        from generate_series(1, 8) i
      union all select '${shop}.Sold', '{id,price,seller}'
    ) t`)
  const series = `generate_series(0, ${blocks - 1}) h`
  const isSale = 'h % 100 = 0'
  const others = `array_agg(id order by i % 8, i) from raw.event_shapes s
    join generate_series(0, 19) i on s.type = 'A.f233dcee88fe0abe.Token.Event' || 1 + i % 8`
  await pool.query(`
    insert into raw.blocks (height, id, parent_id, timestamp, collection_count, tx_count, event_count, collection_ids)
    select h, sha256(h::text::bytea), '', to_timestamp(1700000000 + h), 1, 1,
      case when ${isSale} then 23 else 20 end, '{}' from ${series};
    insert into raw.transactions
      (block_height, gas_limit, tx_index, event_count, is_evm, id, status, authorizers, script_hash)
    select h, 9999, 0, 20, false, sha256(('t' || h)::bytea), 'SEALED', '{}', '' from ${series};
    with usual as materialized (select ${others})
    insert into raw.event_chunks (block_height, tx_index, first_event_index, shapes, payloads)
    select h, 0, 0, u.array_agg || case when ${isSale} then array_fill(s.id, '{3}') end,
      array_fill('["1.00000000","0x0000000000000001"]'::json, '{20}') || case when ${isSale} then array(
        select json_build_array((h + i)::text, (h % 977)::text || '.00000000',
          '0x' || lpad(to_hex(h % 5000), 16, '0')) from generate_series(0, 2) i
      ) end
    from ${series} cross join usual u cross join (select id from raw.event_shapes where type = '${shop}.Sold') s;
    insert into app.block_event_types
    select h, case when ${isSale} then array['${shop}.Sold'] else '{}' end ||
      array(select 'A.f233dcee88fe0abe.Token.Event' || i from generate_series(1, 8) i),
      case when ${isSale} then array[3] else '{}' end || '{3,3,3,3,2,2,2,2}'
    from ${series};
    insert into app.event_types values ('${shop}.Sold', ${Math.ceil(blocks / 100) * 3});
    insert into app.event_types
      select 'A.f233dcee88fe0abe.Token.Event' || i, ${blocks} * (4 - (i + 3) / 8) from generate_series(1, 8) i;
    insert into app.event_type_pieces
      select '${shop}.Sold', p, 1 from generate_series(0, ${Math.ceil(blocks / 100) - 1}) p;
    insert into app.event_type_pieces
    select 'A.f233dcee88fe0abe.Token.Event' || i, p, 100
      from generate_series(0, ${Math.ceil(blocks / 100) - 1}) p, generate_series(1, 8) i;
    insert into app.indexing_checkpoints (service_name, covered) select s, int8multirange(int8range(0, ${blocks}))
    from unnest('{main_ingester,tx_contracts_worker}'::text[]) s`)
  await pool.query('vacuum analyze')
}

function workerOf(contract: string): Worker {
  return farmWorkerOf({ name, declaration: declarationOf(contract), startHeight: 0, replaces: undefined }, derive)
}

/** Its code runs in this process: the host that confines it is not included. */
export async function startOwnWorker({ pool, url }: BenchDatabase, contract: string): Promise<OwnWorkers> {
  const candidate = { name, declaration: declarationOf(contract), codeHash: '' }
  await withTransaction(pool, (client) => registerOwnWorker(client, candidate, false))
  const worker = workerOf(contract)
  const own = new OwnWorkers({
    source: { workers: () => [worker], onChange: () => undefined, stop: () => Promise.resolve() },
    databaseUrl: url,
    pool,
    leasePool: pool,
    heartbeatPool: pool,
    log: pino({ level: 'warn' }),
    metrics: new Metrics(),
  })
  await own.start()
  return own
}

export async function ownBackfill(sheet: Sheet, blocks: number): Promise<void> {
  const database = await openBenchDatabase()
  const { pool } = database
  try {
    await storeChain(pool, blocks)
    const empty = workerOf(`${shop}s`)
    const reader = new EventReader(pool, empty.deriveEvents as EventDerivation)
    const emptyAt = performance.now()
    for (let from = 0; from < blocks; from += 100_000) await reader.read(from, Math.min(blocks, from + 100_000))
    const emptyMs = performance.now() - emptyAt
    const listener = await pool.connect()
    await listener.query('listen own_rows')
    const startedAt = performance.now()
    const own = await startOwnWorker(database, shop)
    while (!(await isCovered(pool, blocks))) await once(listener, 'notification')
    const seconds = (performance.now() - startedAt) / 1000
    await own.stop()
    listener.release()
    const { rows } = await pool.query<{ sales: number }>(`select count(*)::int as sales from ${name}.sales`)
    if (rows[0]?.sales !== Math.ceil(blocks / 100) * 3) throw new Error(`${rows[0]?.sales} rows were derived`)
    sheet.heading(`Backfill of an own worker, ${blocks} blocks, 1 % of them with its events`)
    sheet.figure('blocks derived', blocks / seconds, 'blocks/s', { atLeast: 20_000 })
    sheet.figure('rows written, with two folds', (rows[0]?.sales ?? 0) / seconds, 'rows/s')
    sheet.figure('the same blocks without its events', emptyMs, 'ms', { atMost: 1000 })
  } finally {
    await database.close()
  }
}

async function isCovered(pool: pg.Pool, blocks: number): Promise<boolean> {
  const { rows } = await pool.query<{ done: boolean }>(
    'select covered @> int8range(0, $1) as done from app.coverage where service_name = $2',
    [blocks, name],
  )
  return rows[0]?.done === true
}
