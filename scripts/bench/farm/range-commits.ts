import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { copyInto } from '../../../src/platform/db/copy/copy-into.ts'
import { commitRange } from '../../../src/farm/commit/commit-range.ts'
import { RangeOutput } from '../../../src/farm/commit/range-output.ts'
import type { ClaimedLease } from '../../../src/farm/leases/lease.ts'
import type { BenchDatabase } from './bench-database.ts'
import { middleMean } from './quantile.ts'

/** Milliseconds of a commit, means of the middle half. */
export interface RangeCommits {
  readonly bareMs: number
  readonly farmMs: number
}

const moves: Worker = {
  name: 'moves',
  description: 'Rows as transfers have them.',
  phase: 1,
  follows: [],
  folds: [],
  tables: [
    {
      name: 'app.bench_moves',
      columns: ['block_height', 'tx_index', 'event_index', 'token', 'sender', 'receiver', 'amount'],
      heightColumn: 'block_height',
      partitionHeights: 1_000_000,
    },
  ],
}

/** Rows of one height. */
export const rowsPerHeight = 9

/** A table with four indexes, one for the farm and one for bare commits. */
export async function createMoves({ pool }: BenchDatabase): Promise<void> {
  await pool.query(`
    create table app.bench_moves (block_height bigint not null, tx_index integer not null, event_index integer not null, token text not null,
      sender text, receiver text, amount numeric not null, primary key (block_height, tx_index, event_index)) partition by range (block_height);
    create index on app.bench_moves (sender, block_height);
    create index on app.bench_moves (receiver, block_height);
    create index on app.bench_moves (token, block_height);
    create table app.bench_bare (like app.bench_moves including all) partition by range (block_height);
    create table app.bench_bare_p0 partition of app.bench_bare for values from (0) to (1000000)`)
}

/**
 * The commit of a range against DELETE and COPY of the same rows in one transaction, in an order that follows no rhythm: large
 * ranges fill the buffers of the WAL at every other commit, which then pays for both.
 */
export async function measureRangeCommits(
  { pool }: BenchDatabase,
  heightsPerRange: number,
  rounds: number,
): Promise<RangeCommits> {
  await pool.query('truncate app.bench_moves, app.bench_bare, app.worker_leases')
  const output = new RangeOutput(moves)
  const bareTimes: number[] = []
  const farmTimes: number[] = []
  for (let i = 0; i < rounds; i++) {
    const from = i * heightsPerRange
    const to = from + heightsPerRange
    output.clear()
    fill(output, from, to)
    const lease = await claimed(pool, from, to)
    const runs = [
      async () => bareTimes.push(await timeOf(() => bareCommit(pool, output, from, to))),
      async () =>
        farmTimes.push(
          await timeOf(() => commitRange(pool, { worker: moves, followers: [], lease, chainVersion: 0, output })),
        ),
    ]
    for (const run of Math.random() < 0.5 ? runs : runs.toReversed()) await run()
  }
  return { bareMs: middleMean(bareTimes), farmMs: middleMean(farmTimes) }
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

async function claimed(pool: pg.Pool, from: number, to: number): Promise<ClaimedLease> {
  const { rows } = await pool.query<{ generation: string }>(
    `insert into app.worker_leases (worker_type, from_height, to_height, generation, status, attempt)
     values ('moves', $1, $2, nextval('app.lease_generation'), 'active', 1) returning generation`,
    [from, to],
  )
  return { worker: 'moves', from, to, generation: Number(rows[0]?.generation), attempt: 1 }
}

async function bareCommit(pool: pg.Pool, output: RangeOutput, from: number, to: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`delete from app.bench_bare where block_height >= ${from} and block_height < ${to}`)
    for (const { table, writer } of output.tables) await copyInto(client, 'app.bench_bare', table.columns, writer)
    await client.query('commit')
  } finally {
    client.release()
  }
}

function fill(output: RangeOutput, from: number, to: number): void {
  const rows = output.rows('app.bench_moves')
  for (let height = from; height < to; height++) {
    for (let i = 0; i < rowsPerHeight; i++) {
      rows.row(7)
      rows.int8(height)
      rows.int4(i)
      rows.int4(3)
      rows.text('A.1654653399040a61.FlowToken')
      rows.text(`0x${(height * 7919 + i).toString(16).padStart(16, '0')}`)
      rows.text(`0x${(height * 104729 + i).toString(16).padStart(16, '0')}`)
      rows.numeric(`${height}.00000570`)
    }
  }
}
