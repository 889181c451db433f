import { setTimeout as delay } from 'node:timers/promises'
import { workers } from '../../../jobs/index.ts'
import { listen } from '../../../src/platform/db/listen.ts'
import type { BenchSheet } from '../bench-run.ts'
import { measureBareBull } from '../farm/bare-bull.ts'
import { openBenchDatabase } from '../farm/bench-database.ts'
import type { Cost } from '../farm/cost.ts'
import { measureEmptyRanges, storeEmptyBlocks } from '../farm/empty-ranges.ts'
import { measureHeadLatency } from '../farm/head-latency.ts'
import { median, quantile } from '../farm/quantile.ts'

const concurrency = 8

/** Ranges against jobs that do nothing, and the head against a commit that somebody hears of. */
export async function benchFarm(sheet: BenchSheet): Promise<void> {
  const { emptyRanges: ranges, headBlocks, headIntervalMs } = sheet.size
  const workerCount = workers.length
  const database = await openBenchDatabase()
  try {
    await storeEmptyBlocks(database, ranges * 5)
    const runs: { bare: Cost; single: Cost; packed: Cost }[] = []
    for (let turn = 0; turn < 2; turn++) {
      runs.push({
        bare: await measureBareBull(database, {
          redisUrl: undefined,
          queues: workerCount,
          concurrency,
          jobs: ranges * workerCount,
        }),
        single: await measureEmptyRanges(database, {
          redisUrl: undefined,
          workerCount,
          concurrency,
          ranges,
          isPacked: false,
        }),
        packed: await measureEmptyRanges(database, {
          redisUrl: undefined,
          workerCount,
          concurrency: 1,
          ranges: ranges * 5,
          isPacked: true,
        }),
      })
    }
    const of = (pick: (run: (typeof runs)[number]) => { readonly rate: number }): number =>
      median(runs.map((run) => pick(run).rate))
    sheet.note(
      'farm.ranges',
      of(({ single }) => single),
      of(({ bare }) => bare),
    )
    sheet.note(
      'farm.packed',
      of(({ packed }) => packed),
      of(({ bare }) => bare),
    )
  } finally {
    await database.close()
  }
  const commits = await measureBareCommits(100)
  const { passages } = await measureHeadLatency({
    redisUrl: undefined,
    workerCount,
    blocks: headBlocks,
    intervalMs: headIntervalMs,
    isBackfilling: false,
  })
  const times = [...Map.groupBy(passages, ({ height }) => height).values()].map((block) =>
    Math.max(...block.map(({ done }) => done)),
  )
  sheet.note('farm.head', median(times), median(commits))
  sheet.note('farm.head-p95', quantile(times, 0.95), quantile(commits, 0.95))
}

/** Milliseconds from the start of a transaction that writes one row to its news at a listener: less than that no two processes need. */
async function measureBareCommits(count: number): Promise<number[]> {
  const database = await openBenchDatabase()
  const stop = new AbortController()
  try {
    await database.pool.query('create table app.bench_commits (n integer not null)')
    let heard = Promise.withResolvers<void>()
    const listener = await listen(database.url, ['bench_commits'], () => heard.resolve(), {
      signal: stop.signal,
      onReconnect: () => undefined,
      onTrouble: (error) => process.stderr.write(`${error.message}\n`),
    })
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      await delay(10)
      heard = Promise.withResolvers()
      const begun = performance.now()
      await database.pool.query(
        "with written as (insert into app.bench_commits values (1)) select pg_notify('bench_commits', '')",
      )
      await heard.promise
      times.push(performance.now() - begun)
    }
    stop.abort()
    await listener.ended
    return times
  } finally {
    stop.abort()
    await database.close()
  }
}
