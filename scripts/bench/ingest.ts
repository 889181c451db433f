import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { asError, exitCodes } from '../../src/platform/errors.ts'
import { median } from './farm/quantile.ts'
import { measureIngest } from './ingest/measure-ingest.ts'
import type { IngestRun } from './ingest/measure-ingest.ts'
import { openSource } from './simulated-node.ts'

/** `npm run bench:ingest`: how fast blocks become rows, what it costs, and how near that is to what PostgreSQL can take. */

const usage = `How fast blocks become rows, what it costs, and how near that is to what PostgreSQL can take.

  npm run bench:ingest -- [options]

  --blocks <n>           blocks per run of the simulated chain (default 5000)
  --runs <n>             runs; the median is what counts (default 3)
  --forward              measure the forward ingester instead of the backward one
  --node <host:port>     an access node, instead of a simulated one in a process of its own
  --from <n>, --to <n>   with --node: the heights to fetch
  --help                 this text
`

const { values } = readArguments()

function readArguments() {
  try {
    return parseArgs({
      options: {
        node: { type: 'string' },
        from: { type: 'string' },
        to: { type: 'string' },
        blocks: { type: 'string', default: '5000' },
        runs: { type: 'string', default: '3' },
        forward: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return refuse(asError(error).message.split('. ')[0] ?? '')
  }
}

function refuse(problem: string): never {
  process.stderr.write(`${problem}; --help shows the options\n`)
  process.exit(exitCodes.needsPerson)
}

function wholeNumber(option: 'blocks' | 'runs' | 'from' | 'to', least: number): number {
  const text = values[option]
  if (text === undefined) return refuse(`--node needs --${option}`)
  if (!/^\d{1,15}$/.test(text) || Number(text) < least)
    return refuse(`--${option} takes a whole number from ${least} on, not '${text}'`)
  return Number(text)
}

function report(runs: readonly IngestRun[], source: string, blocks: number): string {
  const row = (label: string, pick: (run: IngestRun) => number, digits: number): string => {
    const all = runs.map(pick)
    const text = (value: number): string => value.toFixed(digits).padStart(10)
    return `${label.padEnd(44)}${text(Math.min(...all))}${text(median(all))}${text(Math.max(...all))}`
  }
  return [
    `Raw ingest, ${values.forward ? 'forward' : 'backward'}, ${blocks} blocks, ${runs.length} runs, flowfarm's defaults`,
    `Source: ${source}; Node ${process.version}; ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}; embedded PostgreSQL 18,`,
    'fsync and synchronous_commit on; everything on this machine. Others use it too: compare ratios of one run.',
    '',
    `${''.padEnd(44)}${'min'.padStart(10)}${'median'.padStart(10)}${'max'.padStart(10)}`,
    row('blocks/s', (r) => r.blocksPerSecond, 0),
    row('transactions/s', (r) => r.txsPerSecond, 0),
    row('events/s', (r) => r.eventsPerSecond, 0),
    row('CPU of the ingester, ms per block', (r) => r.ownMs, 2),
    row('CPU of PostgreSQL, ms per block', (r) => r.postgresMs, 2),
    row('peak memory of the ingester, MiB', (r) => r.peakMiB, 0),
    row('raw tables, MiB per 1,000 blocks', (r) => r.mibPer1000, 1),
    row('WAL, MiB per 1,000 blocks', (r) => r.walPer1000, 1),
    row('bare COPY of the same rows, blocks/s', (r) => r.bareCopyBlocksPerSecond, 0),
    row('bare COPY: CPU of PostgreSQL, ms per block', (r) => r.bareCopyPostgresMs, 2),
    row('ingest : bare COPY, % of its pace', (r) => (100 * r.blocksPerSecond) / r.bareCopyBlocksPerSecond, 0),
    row('bare COPY : ingest, % of its CPU in PostgreSQL', (r) => (100 * r.bareCopyPostgresMs) / r.postgresMs, 0),
    '',
  ].join('\n')
}

if (values.help) {
  process.stdout.write(usage)
} else {
  const runCount = wholeNumber('runs', 1)
  const [first, last] =
    values.node === undefined ? [0, wholeNumber('blocks', 1) - 1] : [wholeNumber('from', 0), wholeNumber('to', 0)]
  if (last < first) refuse(`--to ${last} lies below --from ${first}`)
  const blocks = last - first + 1
  await using source = await openSource(
    values.node === undefined ? undefined : { endpoint: values.node, from: first },
    blocks,
  )
  const { endpoint, from } = source
  const runs: IngestRun[] = []
  for (let i = 0; i < runCount; i++)
    runs.push(await measureIngest({ endpoint, from, to: from + blocks - 1, isForward: values.forward }))
  process.stdout.write(
    report(runs, values.node === undefined ? 'the simulated chain' : `access node ${endpoint}`, blocks),
  )
}
