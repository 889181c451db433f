import type pg from 'pg'
import type { Worker } from '../../jobs/worker.ts'
import { ensurePartitions } from '../platform/db/partitions.ts'
import { query } from '../platform/db/pool.ts'
import { ingesterServices } from '../farm/coverage/coverage.ts'
import { pruneLeases } from '../farm/leases/operator-leases.ts'
import { pruneErrors } from '../farm/overview/indexing-errors.ts'
import { pruneRequests } from '../farm/coverage/requests.ts'
import type { UpkeepJob } from '../farm/upkeep.ts'
import { ensureRawPartitions } from '../ingest/raw-partitions.ts'
import { pruneDeliveries } from '../webhooks/prune-deliveries.ts'

/** Partitions are there for so many heights above the head: some two days at mainnet's pace. */
const heightsAhead = 200_000

/** Leases of workers that the program no longer has are kept for this long, in case an older program still runs beside it. */
const leaseAgeMs = 24 * 3600 * 1000

/** Indexing errors that were met no more are kept for this long. */
const errorDays = 90

/** Requests of a person that are finished are kept for this long. */
const requestDays = 30

export interface UpkeepSettings {
  /** WEBHOOK_LOG_DAYS. */
  readonly webhookLogDays: number
}

/** What keeps the database tidy. `workers`: all that the program has, switched on or not. */
export function upkeepJobs(pool: pg.Pool, workers: readonly Worker[], { webhookLogDays }: UpkeepSettings): UpkeepJob[] {
  return [
    { name: 'make-partitions', cron: '*/15 * * * *', run: async () => ({ head: await makePartitions(pool, workers) }) },
    {
      name: 'prune-leases',
      cron: '20 * * * *',
      run: async () => ({
        pruned: await pruneLeases(
          pool,
          workers.map(({ name }) => name),
          leaseAgeMs,
        ),
      }),
    },
    {
      name: 'prune-webhooks',
      cron: '* * * * *',
      run: async () => ({ pruned: await pruneDeliveries(pool, webhookLogDays) }),
    },
    { name: 'prune-errors', cron: '40 3 * * *', run: async () => ({ pruned: await pruneErrors(pool, errorDays) }) },
    {
      name: 'prune-requests',
      cron: '50 3 * * *',
      run: async () => ({ pruned: await pruneRequests(pool, requestDays) }),
    },
  ]
}

/** Makes partitions ahead of the head, so that no commit has to. @returns the highest stored height, -1 while nothing is stored */
async function makePartitions(pool: pg.Pool, workers: readonly Worker[]): Promise<number> {
  const { rows } = await query<{ head: string | null }>(
    pool,
    'select max(upper(covered)) - 1 as head from app.indexing_checkpoints where service_name = any ($1)',
    [ingesterServices],
  )
  const head = rows[0]?.head ?? null
  if (head === null) return -1
  const range = { from: Number(head), to: Number(head) + heightsAhead }
  await ensureRawPartitions(pool, range)
  for (const table of workers.flatMap((worker) => worker.tables)) {
    if (table.partitionHeights !== undefined) await ensurePartitions(pool, table.name, table.partitionHeights, range)
  }
  return range.from
}
