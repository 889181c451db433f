import { availableParallelism, cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { workers } from '../../jobs/index.ts'
import { startRedis } from '../support/start-redis.ts'
import { measureBareBull } from './farm/bare-bull.ts'
import { openBenchDatabase } from './farm/bench-database.ts'
import type { BenchDatabase } from './farm/bench-database.ts'
import { measureCatchUp } from './farm/catch-up.ts'
import type { Cost } from './farm/cost.ts'
import { measureEmptyRanges, storeEmptyBlocks } from './farm/empty-ranges.ts'
import { measureHeadLatency } from './farm/head-latency.ts'
import { measureCut, measureLeaseCommits, measureUpkeep } from './farm/lease-costs.ts'
import { median, quantile } from './farm/quantile.ts'
import { createMoves, measureRangeCommits, rowsPerHeight } from './farm/range-commits.ts'

/** One line of the page. */
interface Figure {
  readonly label: string
  readonly value: string
  /** What was to be reached; none for figures that are only told. */
  readonly target?: string
  readonly isReached?: boolean
}

const labelWidth = 58
const valueWidth = 40

/** Writes a heading, and each figure as soon as it is known. */
class Page {
  #missed = 0

  /** Figures that are below their target. */
  get missed(): number {
    return this.#missed
  }

  heading(text: string): void {
    process.stdout.write(`\n${text}\n`)
  }

  figure({ label, value, target, isReached }: Figure): void {
    if (isReached === false) this.#missed++
    const verdict = target === undefined ? '' : `${target.padEnd(22)} ${isReached === true ? 'ok' : 'NOT REACHED'}`
    process.stdout.write(`  ${label.padEnd(labelWidth)} ${value.padEnd(valueWidth)} ${verdict}`.trimEnd() + '\n')
  }
}

/** `npm run bench:farm`: what the farm costs, against what it stands on and against its targets. */

const usage = `What the farm costs, against what it stands on and against its targets.

  npm run bench:farm -- [options]

  --quick               less of everything, under a minute
  --only <part>         empty, leases, commits, head or catch-up
  --node <host:port>    an access node for catch-up, instead of a simulated one; with --from
  --from <height>       its first block
  --blocks <n>          blocks for catch-up (default 5000, quick 1000)
  --help                this text
`

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    node: { type: 'string' },
    from: { type: 'string', default: '0' },
    blocks: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const isQuick = values.quick
const workerCount = Math.max(11, workers.length)
const page = new Page()

const parts: Record<string, (redisUrl: string | undefined) => Promise<void>> = {
  empty: async (redisUrl) =>
    withDatabase(async (database) => {
      await storeEmptyBlocks(database, 3000)
      for (const url of backends(redisUrl)) await emptyRanges(database, url)
    }),
  leases: () => withDatabase(leases),
  commits: () => withDatabase(commits),
  head: async (redisUrl) => {
    for (const url of backends(redisUrl)) await head(url)
  },
  'catch-up': () => catchUp(),
}

async function emptyRanges(database: BenchDatabase, redisUrl: string | undefined): Promise<void> {
  const share = redisUrl === undefined ? 80 : 50
  const concurrency = 8
  page.heading(
    `Empty ranges of one block, leases mirrored, ${workerCount} workers and queues, ${concurrency} jobs of each at a time: ${backendName(redisUrl)}`,
  )
  const runs: { bare: Cost; farm: Cost; packed: Cost }[] = []
  for (let i = 0; i < (isQuick ? 2 : 3); i++) {
    const ranges = (redisUrl === undefined ? 200 : 800) * (isQuick ? 1 : 2)
    runs.push({
      bare: await measureBareBull(database, { redisUrl, queues: workerCount, concurrency, jobs: ranges * workerCount }),
      farm: await measureEmptyRanges(database, { redisUrl, workerCount, concurrency, ranges, isPacked: false }),
      packed: await measureEmptyRanges(database, {
        redisUrl,
        workerCount,
        concurrency: 1,
        ranges: isQuick ? 1000 : 3000,
        isPacked: true,
      }),
    })
  }
  const shares = runs.map(({ bare, farm }) => (100 * farm.rate) / bare.rate)
  const best = Math.max(...runs.map(({ packed }) => packed.rate))
  page.figure({ label: 'BullMQ doing nothing, all jobs there before', value: costText(runs.map(({ bare }) => bare)) })
  page.figure({ label: 'one range in a job', value: costText(runs.map(({ farm }) => farm)) })
  page.figure({
    label: '  of the rate of BullMQ, runs by turns',
    value: `${median(shares).toFixed(0)} % (${shares.map((one) => one.toFixed(0)).join(', ')})`,
    target: `>= ${share} %`,
    isReached: median(shares) >= share,
  })
  page.figure({
    label: 'as many ranges in a job as fit, one job at a time',
    value: costText(runs.map(({ packed }) => packed)),
    target: '>= 5,000/s',
    isReached: best >= 5000,
  })
}

async function leases(database: BenchDatabase): Promise<void> {
  page.heading('The statements of the coordinator and of leases')
  for (const pieces of [1, 10_000]) {
    const cost = await measureLeaseCommits(database, pieces, isQuick ? 8000 : 16_000)
    page.figure({
      label: `commits of one worker, 8 connections, ${count(pieces)} pieces`,
      value: `${count(cost.rate)}/s, PostgreSQL ${cost.postgresMs.toFixed(2)} ms`,
      ...(pieces === 10_000 ? { target: '>= 3,000/s', isReached: cost.rate >= 3000 } : {}),
    })
  }
  let first: number | undefined
  for (const [done, owed] of [
    [0, 1000],
    [0, 1_000_000],
    [100_000, 1000],
    [100_000, 1_000_000],
  ] as const) {
    const { cutMs, stateMs, leases: given } = await measureCut(database, 1, done, owed)
    const microseconds = ((cutMs + stateMs) * 1000) / given
    first ??= microseconds
    page.figure({
      label: `a round, ${count(owed)} owed ranges, ${count(done)} done leases`,
      value: `${microseconds.toFixed(0)} us a range (${given} ranges)`,
      // 1,000 ranges are owed of heights that 100,000 done leases cover in part, so fewer are given.
      target: 'flat: <= 1.5 x first',
      isReached: microseconds <= 1.5 * first,
    })
  }
  const { heartbeatMs, reapMs } = await measureUpkeep(database)
  page.figure({ label: 'signs of life of 500 leases, one statement', value: `${heartbeatMs.toFixed(1)} ms` })
  page.figure({ label: 'looking for leases to take away, none due', value: `${reapMs.toFixed(2)} ms` })
}

async function commits(database: BenchDatabase): Promise<void> {
  page.heading('Commit of a derived range against DELETE and COPY of the same rows, four indexes, by turns')
  await createMoves(database)
  for (const heights of [6, 10, 30, 100, 1000]) {
    const { bareMs, farmMs } = await measureRangeCommits(database, heights, heights === 1000 ? 40 : isQuick ? 60 : 150)
    const more = 100 * (farmMs / bareMs - 1)
    page.figure({
      label: `${count(heights)} heights, ${count(heights * rowsPerHeight)} rows`,
      value: `${farmMs.toFixed(2)} ms, bare ${bareMs.toFixed(2)} ms: ${more >= 0 ? '+' : ''}${more.toFixed(0)} %`,
      target: '<= +20 %',
      isReached: more <= 20,
    })
  }
}

async function head(redisUrl: string | undefined): Promise<void> {
  page.heading(
    `From the commit of a head block to that of its derived rows, ${workerCount} workers, ingest and farm in one process: ${backendName(redisUrl)}`,
  )
  for (const isBackfilling of isQuick ? [false] : [false, true]) {
    const blocks = isQuick ? 15 : 40
    const { passages, delayP99Ms } = await measureHeadLatency({
      redisUrl,
      workerCount,
      blocks,
      intervalMs: isQuick ? 300 : 500,
      isBackfilling,
    })
    for (const phase of [1, 2]) {
      const byBlock = [
        ...Map.groupBy(
          passages.filter((one) => one.phase === phase),
          ({ height }) => height,
        ).values(),
      ]
      const times = byBlock.map((block) => Math.max(...block.map(({ done }) => done)))
      const [middle, late] = [quantile(times, 0.5), quantile(times, 0.95)]
      page.figure({
        label: `all of phase ${phase}${isBackfilling ? ', while history is filled in' : ''}`,
        value: `median ${middle.toFixed(0)} ms, p95 ${late.toFixed(0)} ms`,
        ...(isBackfilling || phase === 1
          ? {}
          : { target: '<= 150 ms, <= 400 ms', isReached: middle <= 150 && late <= 400 }),
      })
    }
    page.figure({ label: '  event loop late, p99', value: `${delayP99Ms.toFixed(1)} ms` })
  }
}

async function catchUp(): Promise<void> {
  const blocks = Number(values.blocks ?? (isQuick ? 1000 : 5000))
  const node = values.node === undefined ? undefined : { endpoint: values.node, from: Number(values.from) }
  const it = await measureCatchUp({ redisUrl: undefined, blocks, ...(node === undefined ? {} : { node }) })
  page.heading(
    `Catch-up: ${count(blocks)} stored blocks of ${(it.events / blocks).toFixed(0)} events, ${workers.length} workers, one process, queues in PostgreSQL`,
  )
  page.figure({ label: 'blocks derived by all workers', value: `${count(it.blocksPerSecond)}/s` })
  page.figure({
    label: 'processor time for a block',
    value: `Node ${it.nodeMs.toFixed(2)} ms, PostgreSQL ${it.postgresMs.toFixed(2)} ms`,
  })
  page.figure({
    label: 'time for a block (steps of workers overlap)',
    value: `read ${it.readMs.toFixed(2)}, decode and derive ${it.deriveMs.toFixed(2)}, commit ${it.commitMs.toFixed(2)} ms`,
  })
  for (const { name, deriveMs, commitMs, rows } of it.perWorker) {
    page.figure({
      label: `  ${name}`,
      value: `derive ${deriveMs.toFixed(3)}, commit ${commitMs.toFixed(3)} ms, ${rows.toFixed(1)} rows`,
    })
  }
  page.figure({
    label: 'event loop late',
    value: `p99 ${it.delayP99Ms.toFixed(0)} ms, at most ${it.delayMaxMs.toFixed(0)} ms`,
    target: '< 1,000 ms (heartbeat)',
    isReached: it.delayMaxMs < 1000,
  })
  page.figure({ label: 'peak memory of the process', value: `${it.peakMiB.toFixed(0)} MiB` })
}

async function withDatabase(measure: (database: BenchDatabase) => Promise<void>): Promise<void> {
  const database = await openBenchDatabase()
  try {
    await measure(database)
  } finally {
    await database.close()
  }
}

function backends(redisUrl: string | undefined): (string | undefined)[] {
  return redisUrl === undefined ? [undefined] : [undefined, redisUrl]
}

function backendName(redisUrl: string | undefined): string {
  return redisUrl === undefined ? 'queues in PostgreSQL' : 'queues in Redis'
}

function costText(costs: readonly Cost[]): string {
  const of = (pick: (cost: Cost) => number): number => median(costs.map(pick))
  return `${count(of((c) => c.rate))}/s; ms: Node ${of((c) => c.nodeMs).toFixed(2)}, PostgreSQL ${of((c) => c.postgresMs).toFixed(2)}`
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

if (values.help) process.stdout.write(usage)
else if (values.only !== undefined && !Object.hasOwn(parts, values.only)) {
  process.stderr.write(`--only takes ${Object.keys(parts).join(', ')}; --help shows the options\n`)
  process.exitCode = 1
} else {
  const redis = await startRedis()
  const startedAt = performance.now()
  process.stdout.write(
    `The farm; Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), embedded PostgreSQL 18, fsync on, all on this machine,\n` +
      `load before ${loadavg()[0]?.toFixed(1)}. Rates suffer from whatever else runs here: ratios are of runs by turns, and processor times vary less.\n`,
  )
  if (redis === undefined) process.stdout.write('There is no redis-server: that part is left out.\n')
  try {
    for (const [name, run] of Object.entries(parts))
      if (values.only === undefined || values.only === name) await run(redis?.url)
  } finally {
    await redis?.stop()
  }
  process.stdout.write(
    `\n${page.missed === 0 ? 'All targets are reached' : `${page.missed} targets are not reached`}; ${((performance.now() - startedAt) / 1000).toFixed(0)} s.\n`,
  )
}
