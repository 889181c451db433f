import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { asError, exitCodes } from '../../src/base/errors.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createPool } from '../../src/db/pool.ts'
import { bareCopy } from './bare-copy.ts'
import { cpuSeconds, peakMemoryMiB, treeCpuSeconds } from './process-usage.ts'

/** `npm run bench:ingest`: how fast blocks become rows, what it costs, and how near that is to what PostgreSQL can take. */

const usage = `How fast blocks become rows, what it costs, and how near that is to what PostgreSQL can take.

  npm run bench:ingest -- [options]

  --blocks <n>           blocks per run with the replay node (default 5000)
  --runs <n>             runs; the median is what counts (default 3)
  --forward              measure the forward ingester instead of the backward one
  --node <host:port>     an access node, instead of the replay node in a process of its own
  --from <n>, --to <n>   with --node: the heights to fetch
  --help                 this text
`

const { values } = readArguments()

function readArguments() {
  try {
    return parseArgs({
      options: {
        node: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' }, blocks: { type: 'string', default: '5000' },
        runs: { type: 'string', default: '3' }, forward: { type: 'boolean', default: false }, help: { type: 'boolean', default: false },
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
  if (!/^\d{1,15}$/.test(text) || Number(text) < least) return refuse(`--${option} takes a whole number from ${least} on, not '${text}'`)
  return Number(text)
}

interface Run {
  blocksPerSecond: number
  txsPerSecond: number
  eventsPerSecond: number
  ownMs: number
  postgresMs: number
  peakMiB: number
  mibPer1000: number
  walPer1000: number
  bareCopyBlocksPerSecond: number
  bareCopyPostgresMs: number
}

const root = resolve(import.meta.dirname, '../..')

async function startReplay(blocks: number): Promise<{ endpoint: string; process: ChildProcess }> {
  const child = spawn(process.execPath, [join(root, 'scripts/replay.ts'), join(root, 'test/recordings/base'), '--port', '0', '--loop', '--head', String(blocks - 1)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const [line] = (await once(lines, 'line')) as [string]
  const endpoint = /[\w.]+:\d+/.exec(line)?.[0]
  if (endpoint === undefined) throw new Error(`the replay node said: ${line}`)
  return { endpoint, process: child }
}

async function databaseBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c where c.relkind = 'r' and c.relnamespace = 'raw'::regnamespace`,
  )
  return Number(rows[0]?.bytes)
}

async function walBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`)
  return Number(rows[0]?.bytes)
}

async function measure(endpoint: string, from: number, to: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'flowfarm-bench-'))
  const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined })
  const pool = createPool(server.url, { max: 4, statementTimeoutMs: 0 })
  try {
    await migrate(pool, join(root, 'migrations'))
    const postmaster = Number(readFileSync(join(folder, 'cluster/postmaster.pid'), 'utf8').split('\n')[0])
    const blocks = to - from + 1
    const walBefore = await walBytes(pool)
    const bytesBefore = await databaseBytes(pool)
    const postgresBefore = treeCpuSeconds(postmaster)
    const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'ingest'], {
      env: {
        DB_URL: server.url, CHAIN_ACCESS_NODE: endpoint, RAW_ONLY: 'true', LOG_FORMAT: 'json', LOG_LEVEL: 'warn',
        ...(values.forward
          ? { ENABLE_HISTORY_INGESTER: 'false', START_BLOCK: String(from) }
          : { ENABLE_FORWARD_INGESTER: 'false', START_BLOCK: String(to + 1), HISTORY_STOP_HEIGHT: String(from) }),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const pid = child.pid as number
    // The clock runs from the first commit's start, as near as polling can tell, to the commit of the last block.
    let started = 0
    let ownBefore = 0
    for (;;) {
      const { rows } = await pool.query<{ blocks: string }>('select coalesce(sum(block_count), 0) as blocks from app.indexing_checkpoints')
      const stored = Number(rows[0]?.blocks)
      if (started === 0 && (await isConnected(pool))) {
        started = performance.now()
        ownBefore = cpuSeconds(pid)
      }
      if (stored >= blocks) break
      if (child.exitCode !== null) throw new Error(`the ingester ended with ${child.exitCode}`)
      await pool.query('select pg_sleep(0.02)')
    }
    const seconds = (performance.now() - started) / 1000
    const own = cpuSeconds(pid) - ownBefore
    const postgres = treeCpuSeconds(postmaster) - postgresBefore
    const peakMiB = peakMemoryMiB(pid)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    const wal = (await walBytes(pool)) - walBefore
    const bytes = (await databaseBytes(pool)) - bytesBefore
    const { rows } = await pool.query<{ txs: string; events: string }>('select sum(tx_count) as txs, sum(event_count) as events from app.indexing_checkpoints')
    const bare = await bareCopy(pool, from, to + 1, 100, () => treeCpuSeconds(postmaster))
    return {
      blocksPerSecond: blocks / seconds, txsPerSecond: Number(rows[0]?.txs) / seconds, eventsPerSecond: Number(rows[0]?.events) / seconds,
      ownMs: (own * 1000) / blocks, postgresMs: (postgres * 1000) / blocks, peakMiB,
      mibPer1000: (bytes / 1024 / 1024 / blocks) * 1000, walPer1000: (wal / 1024 / 1024 / blocks) * 1000, bareCopyBlocksPerSecond: blocks / bare.seconds, bareCopyPostgresMs: (bare.cpuSeconds * 1000) / blocks,
    }
  } finally {
    await pool.end()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether the ingester has opened its connections: from then on it works. */
async function isConnected(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(`select 1 from pg_stat_activity where application_name = 'flowfarm ingest' limit 1`)
  return (rowCount ?? 0) > 0
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

function report(runs: readonly Run[], source: string, blocks: number): string {
  const row = (label: string, pick: (run: Run) => number, digits: number): string => {
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
  const blocks = wholeNumber('blocks', 1)
  const runCount = wholeNumber('runs', 1)
  const [from, to] = values.node === undefined ? [0, blocks - 1] : [wholeNumber('from', 0), wholeNumber('to', 0)]
  if (to < from) refuse(`--to ${to} lies below --from ${from}`)
  const replay = values.node === undefined ? await startReplay(blocks) : undefined
  const endpoint = values.node ?? replay?.endpoint ?? ''
  const runs: Run[] = []
  for (let i = 0; i < runCount; i++) runs.push(await measure(endpoint, from, to))
  process.stdout.write(report(runs, replay === undefined ? `access node ${endpoint}` : 'replay node on test/recordings/base', to - from + 1))
  replay?.process.kill('SIGTERM')
}
