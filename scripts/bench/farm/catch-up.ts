import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { treeCpuSeconds } from '../process-usage.ts'
import { openSource } from '../simulated-node.ts'
import type { BlockSource } from '../simulated-node.ts'
import { untilDerived } from '../until-derived.ts'
import { openBenchDatabase } from './bench-database.ts'
import { metricSum, startProgram } from './start-program.ts'

export interface CatchUp {
  readonly blocks: number
  readonly events: number
  readonly blocksPerSecond: number
  /** Processor time of the farm's process and of PostgreSQL, for a block and all workers. */
  readonly nodeMs: number
  readonly postgresMs: number
  /** Time of the steps for a block, all workers together; they overlap, since one waits for PostgreSQL while another derives. */
  readonly readMs: number
  readonly deriveMs: number
  readonly commitMs: number
  readonly perWorker: readonly {
    readonly name: string
    readonly deriveMs: number
    readonly commitMs: number
    readonly rows: number
  }[]
  readonly delayP99Ms: number
  readonly delayMaxMs: number
  readonly peakMiB: number
}

export interface CatchUpOptions {
  readonly redisUrl: string | undefined
  readonly blocks: number
  /** Default: the simulated chain. */
  readonly node?: BlockSource
}

/** All workers, from stored raw rows to covered heights, in one process that has nothing in memory. */
export async function measureCatchUp({ redisUrl, blocks, node }: CatchUpOptions): Promise<CatchUp> {
  const database = await openBenchDatabase()
  try {
    await storeRaw(database, blocks, node)
    await database.pool.query('vacuum analyze raw.event_chunks, raw.transactions, raw.blocks')
    await database.pool.query('checkpoint')
    const program = await startProgram('farm', 0, {
      DB_URL: database.url,
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    })
    const cpuBefore = treeCpuSeconds(database.postmaster)
    const startedAt = performance.now()
    await untilDerived(database.pool, blocks)
    const seconds = (performance.now() - startedAt) / 1000
    const postgres = treeCpuSeconds(database.postmaster) - cpuBefore
    const usage = await program.end()
    const perBlockMs = (name: string, worker?: string): number => (metricSum(usage, name, worker) * 1000) / blocks
    const { rows } = await database.pool.query<{ events: string }>(
      'select sum(event_count) as events from app.indexing_checkpoints',
    )
    return {
      blocks,
      events: Number(rows[0]?.events),
      blocksPerSecond: blocks / seconds,
      nodeMs: (usage.cpuSeconds * 1000) / blocks,
      postgresMs: (postgres * 1000) / blocks,
      readMs: perBlockMs('flowfarm_farm_read_seconds_sum'),
      deriveMs: perBlockMs('flowfarm_farm_derive_seconds_sum'),
      commitMs: perBlockMs('flowfarm_farm_commit_seconds_sum'),
      perWorker: workers.map(({ name }) => ({
        name,
        deriveMs: perBlockMs('flowfarm_farm_derive_seconds_sum', name),
        commitMs: perBlockMs('flowfarm_farm_commit_seconds_sum', name),
        rows: metricSum(usage, 'flowfarm_farm_rows_total', name) / blocks,
      })),
      delayP99Ms: usage.delayP99Ms,
      delayMaxMs: usage.delayMaxMs,
      peakMiB: usage.peakMiB,
    }
  } finally {
    await database.close()
  }
}

/** Stores blocks raw, and derives nothing. */
export async function storeRaw(
  { url, pool }: { readonly url: string; readonly pool: pg.Pool },
  blocks: number,
  node?: BlockSource,
): Promise<void> {
  await using source = await openSource(node, blocks)
  const { endpoint, from } = source
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts'), 'ingest'], {
    env: {
      DB_URL: url,
      CHAIN_ACCESS_NODE: endpoint,
      RAW_ONLY: 'true',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'warn',
      ENABLE_FORWARD_INGESTER: 'false',
      START_BLOCK: String(from + blocks),
      HISTORY_STOP_HEIGHT: String(from),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exited = once(child, 'exit')
  for (let stored = 0; stored < blocks;) {
    const { rows } = await pool.query<{ blocks: string }>(
      'select coalesce(sum(block_count), 0) as blocks from app.indexing_checkpoints',
    )
    stored = Number(rows[0]?.blocks)
    if (child.exitCode !== null) throw new Error(`the ingester ended with ${child.exitCode}`)
    await delay(50)
  }
  child.kill('SIGTERM')
  await exited
}
