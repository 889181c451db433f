import { fork, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool } from '../../src/platform/db/pool.ts'

const root = resolve(import.meta.dirname, '../..')

export interface BenchDatabase {
  readonly url: string
  readonly pool: pg.Pool
  readonly postmaster: number
  /** For other files; deleted with the database. */
  readonly folder: string
  close(): Promise<void>
}

/** @param keptFolder is not deleted at the end and may contain a database. Default: a temporary folder */
export async function openBenchDatabase(
  settings: Record<string, string> = {},
  keptFolder?: string,
): Promise<BenchDatabase> {
  const folder = keptFolder ?? mkdtempSync(join(tmpdir(), 'flowfarm-bench-'))
  const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined, settings })
  const pool = createPool(server.url, { max: 12, applicationName: 'bench', statementTimeoutMs: 0 })
  await migrate(pool, join(root, 'migrations'))
  const [firstLine] = readFileSync(join(folder, 'cluster/postmaster.pid'), 'utf8').split('\n')
  return {
    url: server.url,
    pool,
    postmaster: Number(firstLine),
    folder,
    close: async () => {
      if (!pool.ending) await pool.end()
      await server.stop()
      if (keptFolder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface BlockSource {
  readonly endpoint: string
  readonly from: number
}

export interface SourceOptions {
  readonly node: string | undefined
  readonly from: number | undefined
}

const firstHeight = 100_000

export async function openSource(
  { node, from }: SourceOptions,
  blocks: number,
): Promise<BlockSource & AsyncDisposable> {
  if (node !== undefined) return { endpoint: node, from: from ?? 0, [Symbol.asyncDispose]: () => Promise.resolve() }
  const head = firstHeight + blocks - 1
  return { from: firstHeight, ...(await startSimulatedNode(['--head', String(head)])) }
}

export async function startSimulatedNode(
  options: readonly string[],
): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  const child = spawn(process.execPath, [join(root, 'scripts/simnode.ts'), '--port', '0', '--still', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text)),
    exited.then(([code]) => `it ended with ${code}`),
  ])
  const endpoint = /[\w.]+:\d+/.exec(line)?.[0]
  if (endpoint === undefined) throw new Error(`The simulated node is not ready: ${line}`)
  return {
    endpoint,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

export interface FlowfarmProgram {
  readonly pid: number
  readonly port: number
  /** Sum over labels. Needs `METRICS_PORT`. */
  metric(name: string): Promise<number>
  /** Rejects if the program ends before `end` is called. */
  readonly failed: Promise<never>
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Resolves when a service logged `ready`. @param profileFolder for V8's CPU profile */
export async function startFlowfarm(
  services: readonly string[],
  variables: Readonly<Record<string, string>>,
  { ready, profileFolder }: { readonly ready: string; readonly profileFolder?: string | undefined },
): Promise<FlowfarmProgram> {
  const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const child = spawn(process.execPath, [...profile, join(root, 'src/main.ts'), ...services], {
    env: { NODE_ENV: 'production', LOG_FORMAT: 'json', HOST: '127.0.0.1', PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const started = Promise.withResolvers<number>()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  const lastLines: string[] = []
  let metricsPort = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    lastLines.splice(0, lastLines.length - 3)
    lastLines.push(line)
    const port = Number(/"port":(\d+)/.exec(line)?.[1])
    if (line.includes('"Serving metrics"')) metricsPort = port
    if (line.includes(`"${ready}"`)) started.resolve(port)
  })
  child.once('exit', (code) => {
    const error = new Error(`${services.join(' ')} ended with ${code}: ${lastLines.join('\n')}`)
    for (const { reject } of [started, failed]) reject(error)
  })
  return {
    pid: child.pid ?? 0,
    port: await started.promise,
    metric: async (name) => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
    },
    failed: failed.promise,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await exited
    },
  }
}

export function historyVariables({ endpoint, from }: BlockSource, blocks: number): Record<string, string> {
  return {
    CHAIN_ACCESS_NODE: endpoint,
    ENABLE_FORWARD_INGESTER: 'false',
    START_BLOCK: String(from + blocks),
    HISTORY_STOP_HEIGHT: String(from),
  }
}

export async function storedBlocks(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ blocks: string }>(
    'select coalesce(sum(block_count), 0) as blocks from app.indexing_checkpoints',
  )
  return Number(rows[0]?.blocks)
}

export async function derivedBlocks(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ workers: number; derived: number }>(
    `select count(*)::int as workers, coalesce(min(blocks), 0)::int as derived from (
       select coalesce((select sum(upper(r) - lower(r)) from unnest(covered) as r), 0) as blocks
       from app.coverage where service_name not like '%ingester') as each`,
  )
  const { workers: initialized, derived } = rows[0] ?? { workers: 0, derived: 0 }
  return initialized < workers.length ? 0 : derived
}

export async function untilDerived(pool: pg.Pool, blocks: number): Promise<void> {
  while ((await derivedBlocks(pool)) < blocks) await delay(100)
}

export async function storeRaw({ url, pool }: BenchDatabase, source: BlockSource, blocks: number): Promise<void> {
  const variables = { DB_URL: url, RAW_ONLY: 'true', ...historyVariables(source, blocks) }
  const program = await startFlowfarm(['ingest'], variables, { ready: 'All services started' })
  while ((await storedBlocks(pool)) < blocks) await delay(50)
  await program.end()
}

export async function forkReady(
  file: string,
  args: readonly (string | number)[],
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = fork(join(import.meta.dirname, file), args.map(String))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ${args[0] ?? ''} ended with ${String(code)}`)
  })
  const message = once(child, 'message') as Promise<[{ readonly port?: number }]>
  const [{ port = 0 }] = await Promise.race([message, ended])
  ended.catch(() => undefined)
  return { child, port }
}

export async function endChild(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.disconnect()
  await exited
}
