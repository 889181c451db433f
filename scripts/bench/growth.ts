import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { exitCodes, FatalError } from '../../src/platform/errors.ts'
import {
  derivedBlocks,
  historyVariables,
  openBenchDatabase,
  startFlowfarm,
  startSimulatedNode,
} from './bench-programs.ts'
import type { BenchDatabase } from './bench-programs.ts'
import { apiFigures } from './growth-api.ts'
import { resetStatements, statementFigures, tableFigures } from './growth-tables.ts'
import type { Figures } from './growth-tables.ts'
import { cpuSeconds, treeCpuSeconds } from './process-usage.ts'
import { numberText, print, printConditions } from './sheet.ts'

export interface GrowthOptions {
  readonly folder: string
  readonly blocks: number
  readonly minutes: number | undefined
}

/** History is stored downwards from here; partitions of all tables end 50,000 blocks below. */
const endHeight = 20_050_000
/** The same chain, with the same times, in each process. */
const genesis = '2026-01-01T00:00:00Z'
const milestoneBlocks = [10_000, 100_000, 1_000_000] as const
const sampleBlocks = 5000

interface Sample {
  readonly derived: number
  readonly blocks: number
  readonly seconds: number
  readonly node: number
  readonly postgres: number
  readonly walBytes: number
  readonly bytes: number
}

interface Milestone {
  readonly blocks: number
  readonly date: string
  readonly figures: Figures
}

/** Continues the database in the folder; stops at `blocks`, after `minutes`, or by SIGINT or SIGTERM. */
export async function growth({ folder: given, blocks, minutes }: GrowthOptions): Promise<number> {
  const folder = resolve(given)
  mkdirSync(folder, { recursive: true })
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  if (minutes !== undefined) setTimeout(() => stopping.abort(), minutes * 60_000).unref()
  await printConditions()
  const settings = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' }
  const database = await openBenchDatabase(settings, folder)
  try {
    await database.pool.query(`create schema if not exists bench;
      create extension if not exists pg_stat_statements schema bench`)
    const present = await derivedBlocks(database.pool)
    if (present > blocks) {
      throw new FatalError('bad-option', `--blocks ${blocks} is below the ${present} blocks in ${folder}: use more.`)
    }
    for (const milestone of [...milestoneBlocks.filter((each) => each < blocks), blocks]) {
      if (milestone < present) continue
      await growTo(database, folder, milestone, stopping.signal)
      if (stopping.signal.aborted) break
      await measureMilestone(database, folder, milestone)
    }
    const derived = await derivedBlocks(database.pool)
    if (derived < blocks) print(`${derived} of ${blocks} blocks. Run the same command again to continue.`)
  } finally {
    await database.close()
  }
  return exitCodes.success
}

async function growTo(
  { pool, postmaster, url }: BenchDatabase,
  folder: string,
  milestone: number,
  stop: AbortSignal,
): Promise<void> {
  let derived = await derivedBlocks(pool)
  if (derived >= milestone) return
  await using node = await startSimulatedNode(['--head', String(endHeight - 1), '--genesis', genesis])
  const source = { endpoint: node.endpoint, from: endHeight - milestone }
  const variables = { DB_URL: url, ...historyVariables(source, milestone) }
  const program = await startFlowfarm(['ingest', 'farm'], variables, { ready: 'All services started' })
  const spent = async (): Promise<Sample> => ({
    derived,
    blocks: 0,
    seconds: performance.now() / 1000,
    node: cpuSeconds(program.pid),
    postgres: treeCpuSeconds(postmaster),
    ...(await writtenBytes(pool)),
  })
  let before = await spent()
  while (derived < milestone && !stop.aborted) {
    await Promise.race([delay(500, undefined, { signal: stop }).catch(() => undefined), program.failed])
    derived = await derivedBlocks(pool)
    if (derived < Math.min(milestone, before.derived + sampleBlocks) && !(stop.aborted && derived > before.derived))
      continue
    const now = await spent()
    saveSample(folder, {
      derived,
      blocks: derived - before.derived,
      seconds: now.seconds - before.seconds,
      node: now.node - before.node,
      postgres: now.postgres - before.postgres,
      walBytes: now.walBytes - before.walBytes,
      bytes: now.bytes - before.bytes,
    })
    before = now
  }
  await program.end()
}

async function writtenBytes(pool: pg.Pool): Promise<{ walBytes: number; bytes: number }> {
  const { rows } = await pool.query<{ walBytes: string; bytes: string }>(`
    select pg_current_wal_lsn() - '0/0'::pg_lsn as "walBytes", pg_database_size(current_database()) as bytes`)
  return { walBytes: Number(rows[0]?.walBytes), bytes: Number(rows[0]?.bytes) }
}

function saveSample(folder: string, sample: Sample): void {
  appendFileSync(join(folder, 'samples.jsonl'), `${JSON.stringify(sample)}\n`)
  const texts = Object.entries(costFigures([sample])).map(([name, value]) => `${numberText(value)} ${name}`)
  print(`${sample.derived.toLocaleString('en-US')} blocks: ${texts.join('; ')}`)
}

function costFigures(samples: readonly Sample[]): Figures {
  const sum = (key: keyof Sample): number => samples.reduce((total, sample) => total + sample[key], 0)
  const blocks = sum('blocks')
  return {
    'blocks/s': blocks / sum('seconds'),
    'ms of Node a block': (sum('node') * 1000) / blocks,
    'ms of PostgreSQL a block': (sum('postgres') * 1000) / blocks,
    'MiB of WAL per 1,000': ((sum('walBytes') / 2 ** 20) * 1000) / blocks,
    'MiB of disk per 1,000': ((sum('bytes') / 2 ** 20) * 1000) / blocks,
  }
}

/** Costs are those since the last milestone: between, ingestion is ahead of derivation. */
async function measureMilestone(database: BenchDatabase, folder: string, blocks: number): Promise<void> {
  const { pool } = database
  const file = join(folder, 'milestones.jsonl')
  const since = readLines<Milestone>(file).reduce((last, one) => Math.max(last, one.blocks), 0)
  const samples = readLines<Sample>(join(folder, 'samples.jsonl')).filter(({ derived }) => derived > since)
  const costs = blocks === since ? {} : { ...costFigures(samples), ...(await statementFigures(pool, blocks - since)) }
  const measured: Milestone = {
    blocks,
    date: new Date().toISOString(),
    figures: {
      ...costs,
      ...(await tableFigures(pool)),
      ...(await apiFigures(database, { from: endHeight - blocks, to: endHeight })),
    },
  }
  await resetStatements(pool)
  appendFileSync(file, `${JSON.stringify(measured)}\n`)
  printMilestones(readLines<Milestone>(file))
}

function readLines<T>(file: string): T[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T)
}

function printMilestones(milestones: readonly Milestone[]): void {
  const last = milestones.slice(-4)
  const row = (name: string, cells: readonly string[]): void => {
    print(`  ${name.slice(0, 78).padEnd(80)}${cells.map((cell) => cell.padStart(12)).join('')}`)
  }
  row(
    'blocks',
    last.map(({ blocks }) => blocks.toLocaleString('en-US')),
  )
  for (const name of new Set(last.toReversed().flatMap(({ figures }) => Object.keys(figures)))) {
    row(
      name,
      last.map(({ figures: { [name]: value } }) => (value === undefined ? '' : numberText(value))),
    )
  }
}
