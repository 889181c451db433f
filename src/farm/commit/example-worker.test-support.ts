import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import type { ClaimedLease } from '../leases/leases.ts'
import { RangeCommit, WorkerError } from './commit-range.ts'
import type { CommitOutcome, RangeCommitOptions } from './commit-range.ts'
import { RangeOutput } from './range-output.ts'

export interface Move {
  readonly height: number
  readonly key: string
  readonly amount: number
}

/** A minimal worker: moves, and for each key their sum and the height of the last one. */
export const exampleWorker: Worker = {
  name: 'example_worker',
  description: 'Moves and sums.',
  phase: 1,
  follows: [],
  tables: [
    {
      name: 'app.example_moves',
      columns: ['block_height', 'key', 'amount'],
      heightColumn: 'block_height',
      partitionHeights: 100,
    },
  ],
  folds: [
    {
      kind: 'state',
      name: 'app.example_sums',
      reads: ['app.example_moves'],
      key: [{ column: 'key', type: 'text' }],
      touched: 'select distinct key from app.example_moves where block_height >= $1 and block_height < $2',
      fold: `
        with touched as (select unnest($1::text[]) as key), folded as (
          select key, sum(amount)::int as total, max(block_height)::int as last_height
          from app.example_moves join touched using (key) group by key
        ), gone as (
          delete from app.example_sums s using touched t where s.key = t.key and not exists (select
          from folded f where f.key = s.key)
        )
        insert into app.example_sums as s (key, total, last_height) select * from folded
        on conflict (key) do update set total = excluded.total, last_height = excluded.last_height`,
    },
  ],
  derive: () => undefined,
}

/**
 * Folds rows of another worker and has no history rows; its position before that worker must not
 * matter.
 */
export const countingWorker: Worker = {
  name: 'counting_worker',
  description: 'How often each key moved.',
  phase: 2,
  follows: [exampleWorker.name],
  tables: [],
  folds: [
    {
      kind: 'state',
      name: 'app.example_counts',
      reads: ['app.example_moves'],
      key: [{ column: 'key', type: 'text' }],
      touched: 'select distinct key from app.example_moves where block_height >= $1 and block_height < $2',
      fold: `
        with touched as (select unnest($1::text[]) as key), folded as (
          select key, count(*)::int as moves from app.example_moves join touched using (key) group by key
        ), gone as (
          delete from app.example_counts c using touched t where c.key = t.key and not exists (select
          from folded f where f.key = c.key)
        )
        insert into app.example_counts (key, moves) select * from folded
        on conflict (key) do update set moves = excluded.moves`,
    },
  ],
}

export async function createExampleTables(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create table app.example_moves (block_height bigint not null, key text not null, amount integer not null, primary
    key (block_height, key))
      partition by range (block_height);
    create table app.example_sums (key text primary key, total integer not null, last_height integer not null);
    create table app.example_counts (key text primary key, moves integer not null);
    insert into app.indexing_checkpoints (service_name) values ('main_ingester')`)
}

export async function activeLease(
  pool: pg.Pool,
  from: number,
  to: number,
  worker = exampleWorker.name,
): Promise<ClaimedLease> {
  const { rows } = await pool.query<{ generation: string }>(
    `insert into app.worker_leases (worker_type, from_height, to_height, generation, status, attempt, lease_expires_at)
     values ($1, $2, $3, nextval('app.lease_generation'), 'active', 1, now() + interval '1 minute')
     on conflict (worker_type, from_height) do update
     set status = 'active', generation = excluded.generation, to_height = excluded.to_height
     returning generation`,
    [worker, from, to],
  )
  return { worker, from, to, generation: Number(rows[0]?.generation), attempt: 1 }
}

/** Like the farm. @throws WorkerError; FlowfarmError */
export async function commitSlices(
  options: RangeCommitOptions,
  slices: readonly Iterable<readonly [Worker, RangeOutput]>[],
): Promise<CommitOutcome> {
  const commit = await RangeCommit.begin(options)
  if (typeof commit === 'string') return commit
  try {
    for (const slice of slices) await commit.write(slice)
    await commit.finish()
    return 'committed'
  } catch (error) {
    await commit.abort(error)
    throw error
  }
}

/** Of one worker. @throws FlowfarmError */
export async function commitRange(
  pool: pg.Pool,
  commit: Pick<RangeCommitOptions, 'chainVersion'> & {
    readonly worker: Worker
    readonly lease: ClaimedLease
    readonly output: RangeOutput
    readonly followers?: readonly Worker[]
  },
): Promise<CommitOutcome> {
  const { worker, lease, chainVersion, output, followers = [] } = commit
  const allWorkers = [worker, ...followers]
  try {
    return await commitSlices({ pool, range: lease, workers: [worker], leases: [lease], chainVersion, allWorkers }, [
      [[worker, output]],
    ])
  } catch (error) {
    throw error instanceof WorkerError ? error.cause : error
  }
}

/** Rows for the first table of the worker. */
export function outputOf(moves: readonly Move[], worker = exampleWorker): RangeOutput {
  const output = new RangeOutput(worker)
  const rows = output.rows(worker.tables[0]?.name ?? '')
  for (const { height, key, amount } of moves) {
    rows.row(3)
    rows.int8(height)
    rows.text(key)
    rows.int4(amount)
  }
  return output
}

export async function storedMoves(pool: pg.Pool): Promise<Move[]> {
  const { rows } = await pool.query<Move>(
    'select block_height::int as height, key, amount from app.example_moves order by 1, 2',
  )
  return rows
}

export async function sums(pool: pg.Pool): Promise<{ folded: unknown[]; expected: unknown[] }> {
  const folded = await pool.query('select key, total, last_height from app.example_sums order by key')
  const expected = await pool.query(
    'select key, sum(amount)::int as total, max(block_height)::int as last_height from app.example_moves group by ' +
      'key order by key',
  )
  return { folded: folded.rows, expected: expected.rows }
}

export async function counts(pool: pg.Pool): Promise<{ folded: unknown[]; expected: unknown[] }> {
  const folded = await pool.query('select key, moves from app.example_counts order by key')
  const expected = await pool.query(
    'select key, count(*)::int as moves from app.example_moves group by key order by key',
  )
  return { folded: folded.rows, expected: expected.rows }
}

export async function leaseStatus(pool: pg.Pool, { worker, from }: ClaimedLease): Promise<string | undefined> {
  const { rows } = await pool.query<{ status: string }>(
    'select status from app.worker_leases where worker_type = $1 and from_height = $2',
    [worker, from],
  )
  return rows[0]?.status
}
