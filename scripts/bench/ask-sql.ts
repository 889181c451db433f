/**
 * What the walls around a statement cost: the gate alone, and a statement through the runner beside the bare one on a kept connection.
 *
 *     node scripts/bench/ask-sql.ts [--rounds n] [--blocks n]
 *
 * A server of its own, filled with made-up blocks. Each way has its turn after the other, so that both meet the same machine; each
 * figure is the median over the rounds. The target is less than 2 ms over the bare statement.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readKnownObjects } from '../../src/assistant/query/sql/gate/known-objects.ts'
import { SqlGate } from '../../src/assistant/query/sql/gate/sql-gate.ts'
import { indexerSchemas, indexerTables } from '../../src/assistant/query/sql/readable-tables.ts'
import { openSqlRunner } from '../../src/assistant/query/sql/sql-runner.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { readOptions } from './read-options.ts'

const { values } = readOptions(import.meta.filename, {
  options: { rounds: { type: 'string', default: '500' }, blocks: { type: 'string', default: '20000' } },
})
const rounds = Number(values.rounds)

const statements: Readonly<Record<string, string>> = {
  constant: 'select 1',
  'by key': 'select height, timestamp, tx_count from raw.blocks where height = 777',
  '500 rows': 'select height, id, parent_id, timestamp, tx_count from raw.blocks order by height desc limit 500',
  analytic: `with days as (select date_trunc('day', timestamp) as day, count(*) as blocks, sum(tx_count) as transactions from raw.blocks group by 1)
    select day, blocks, transactions, sum(transactions) over (order by day) as total, rank() over (order by transactions desc) from days order by day`,
}

const folder = await mkdtemp(join(tmpdir(), 'flowfarm-bench-ask-'))
const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined, settings: { fsync: 'off' } })
const pool = createPool(server.url, { max: 1 })
try {
  await migrate(pool, join(import.meta.dirname, '../../migrations'))
  await fillBlocks(Number(values.blocks))
  await measure()
} finally {
  await pool.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function fillBlocks(count: number): Promise<void> {
  await pool.query('CREATE TABLE raw.blocks_bench PARTITION OF raw.blocks FOR VALUES FROM (0) TO (100000000)')
  await pool.query(
    `INSERT INTO raw.blocks (height, id, parent_id, "timestamp", collection_count, tx_count, event_count, collection_ids)
     SELECT h, sha256(h::text::bytea), sha256((h - 1)::text::bytea), '2026-01-01Z'::timestamptz + h * interval '1 minute', 1, h % 7, h % 50, '{}'
     FROM generate_series(1, $1::int) AS h`,
    [count],
  )
  await pool.query('VACUUM ANALYZE raw.blocks')
}

async function measure(): Promise<void> {
  const many = 2000
  const runner = await openSqlRunner({
    target: 'indexer',
    url: server.url,
    log: pino({ level: 'silent' }),
    maxWaiting: many,
  })
  const client = await pool.connect()
  const gate = await SqlGate.open(
    await readKnownObjects(client, { searchPath: indexerSchemas, readable: indexerTables }),
  )
  console.log(
    `node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; ms, median of ${rounds} rounds`,
  )
  console.log(['statement'.padEnd(12), '   bare', '   gate', ' runner', '   over', ' runner p99'].join('  '))
  for (const [name, sql] of Object.entries(statements)) {
    const bare: number[] = []
    const gated: number[] = []
    const run: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await timeOf(() => client.query({ text: sql, rowMode: 'array' })))
      gated.push(await timeOf(() => gate.check(sql)))
      run.push(await timeOf(() => runner.run(sql)))
    }
    const figures = [at(bare, 0.5), at(gated, 0.5), at(run, 0.5), at(run, 0.5) - at(bare, 0.5), at(run, 0.99)]
    console.log([name.padEnd(12), ...figures.map((figure) => figure.toFixed(3).padStart(7))].join('  '))
  }
  const all = await timeOf(() =>
    Promise.all(Array.from({ length: many }, () => runner.run(statements['by key'] ?? 'select 1'))),
  )
  console.log(
    `${Math.round(many / (all / 1000)).toLocaleString('en')} statements by key a second, ${many} asked at once, four at a time`,
  )
  client.release()
  await runner.end()
}

async function timeOf(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
}
