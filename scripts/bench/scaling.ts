/** How much more two and four processes of the farm derive than one, and what each costs. */
import { availableParallelism, cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { startRedis } from '../support/start-redis.ts'
import { openBenchDatabase } from './farm/bench-database.ts'
import { median } from './farm/quantile.ts'
import { measureScaling } from './scaling/measure-scaling.ts'
import type { ScalingRun } from './scaling/measure-scaling.ts'
import { storeBlocks } from './scaling/stored-blocks.ts'
import { openSource } from './simulated-node.ts'
import type { BlockSource } from './simulated-node.ts'

const usage = `How much more several processes of the farm derive than one, from blocks that are stored.

  npm run bench:scaling -- [options]

  --blocks <n>         blocks that are derived (default 3000)
  --processes <list>   how many processes, run by run (default 1,2,4)
  --rounds <n>         rounds of all of them, by turns (default 2)
  --redis              queues in Redis instead of PostgreSQL
  --node <host:port>   an access node instead of the simulated one; with --from
  --from <height>      its first block
  --help               this text
`

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '3000' },
    processes: { type: 'string', default: '1,2,4' },
    rounds: { type: 'string', default: '2' },
    redis: { type: 'boolean', default: false },
    node: { type: 'string' },
    from: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
})

const columns: readonly (readonly [title: string, value: (run: ScalingRun) => string])[] = [
  ['processes', (run) => String(run.processes)],
  ['blocks/s', (run) => run.blocksPerSecond.toFixed(0)],
  ['Node ms a block', (run) => run.nodeMs.toFixed(2)],
  ['PostgreSQL ms a block', (run) => run.postgresMs.toFixed(2)],
  ['cores busy with it', (run) => run.coresBusy.toFixed(2)],
  ['cores idle', (run) => run.coresIdle.toFixed(2)],
  ['times read', (run) => run.timesRead.toFixed(2)],
  ['least share', (run) => `${(run.leastShare * 100).toFixed(0)} %`],
  ['peak MiB of one', (run) => run.peakMiB.toFixed(0)],
]

/** For each number of processes the medians of its rounds. */
function medians(runs: readonly ScalingRun[]): ScalingRun[] {
  return [...Map.groupBy(runs, ({ processes }) => processes).values()].map((same) => {
    const of = (pick: (run: ScalingRun) => number): number => median(same.map(pick))
    return {
      processes: of((run) => run.processes),
      blocksPerSecond: of((run) => run.blocksPerSecond),
      nodeMs: of((run) => run.nodeMs),
      postgresMs: of((run) => run.postgresMs),
      coresBusy: of((run) => run.coresBusy),
      coresIdle: of((run) => run.coresIdle),
      timesRead: of((run) => run.timesRead),
      leastShare: of((run) => run.leastShare),
      peakMiB: of((run) => run.peakMiB),
    }
  })
}

/** What held it back: which of both would be needed to go faster. */
function limitText({ coresBusy, coresIdle, nodeMs, postgresMs }: ScalingRun): string {
  const cores = availableParallelism()
  const others = cores - coresBusy - coresIdle
  const bears = `One processor for PostgreSQL bears ${(1000 / postgresMs).toFixed(0)} blocks/s, one for the farm ${(1000 / nodeMs).toFixed(0)}.`
  if (others > 0.2)
    return `Other programs had ${others.toFixed(1)} of ${cores} processors: rates say nothing, processor times little. ${bears}`
  if (coresIdle < 0.15 * cores)
    return `All ${cores} processors were busy: more processes cannot be faster here. ${bears}`
  return `${coresIdle.toFixed(1)} of ${cores} processors were idle: what limits is waiting, for the disk, for locks or for each other. ${bears}`
}

async function measure(): Promise<void> {
  const blocks = Number(values.blocks)
  const given: BlockSource | undefined =
    values.node === undefined ? undefined : { endpoint: values.node, from: Number(values.from) }
  const redis = values.redis ? await startRedis() : undefined
  const database = await openBenchDatabase()
  try {
    const events = await (async () => {
      await using source = await openSource(given, blocks)
      return await storeBlocks(database.url, database.pool, source, blocks)
    })()
    await database.pool.query('vacuum analyze')
    // What is connected to cannot be copied.
    await database.pool.end()
    process.stdout.write(
      `${blocks} blocks of ${(events / blocks).toFixed(0)} events, queues in ${redis === undefined ? 'PostgreSQL' : 'Redis'}; Node ${process.version}, ` +
        `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), PostgreSQL on the same ones, load before ${loadavg()[0]?.toFixed(1)}\n\n` +
        `| ${columns.map(([title]) => title).join(' | ')} |\n|${' --- |'.repeat(columns.length)}\n`,
    )
    const runs: ScalingRun[] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const processes of values.processes.split(',').map(Number)) {
        runs.push(
          await measureScaling({
            serverUrl: database.url,
            postmaster: database.postmaster,
            processes,
            blocks,
            redisUrl: redis?.url,
          }),
        )
      }
    }
    const results = medians(runs)
    for (const run of results) process.stdout.write(`| ${columns.map(([, value]) => value(run)).join(' | ')} |\n`)
    const last = results.at(-1)
    if (last !== undefined) process.stdout.write(`\n${limitText(last)}\n`)
  } finally {
    await database.close()
    await redis?.stop()
  }
}

if (values.help) process.stdout.write(usage)
else await measure()
