import pg from 'pg'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { exitCodes } from '../../src/platform/errors.ts'
import { historyVariables, openBenchDatabase, openSource, startFlowfarm, untilDerived } from './bench-programs.ts'
import type { BenchDatabase, FlowfarmProgram, SourceOptions } from './bench-programs.ts'
import type { LoadResult } from './api-load.ts'
import { cpuSeconds, treeCpuSeconds } from './process-usage.ts'
import { print, printConditions, Sheet } from './sheet.ts'

export interface ApiOptions extends SourceOptions {
  readonly blocks: number
  readonly seconds: number
  readonly connections: number
  readonly only: string
  readonly profile: string | undefined
}

interface Case {
  readonly name: string
  /** Requests a second. */
  readonly targets: readonly [cached: number, uncached: number]
  /** Requests a second of the Flow explorer's back end on a similar machine. */
  readonly reference: number
  readonly same: readonly string[]
  readonly spread: readonly string[]
  /** The same rows by `pg` alone. */
  readonly bare: { readonly text: string; readonly values: readonly (readonly unknown[])[] }
}

export async function benchApi({ blocks, only, profile, ...options }: ApiOptions): Promise<number> {
  const sheet = new Sheet()
  await printConditions()
  const database = await openBenchDatabase()
  try {
    await fill(database, blocks, options)
    const cases = (await casesOf(database.pool)).filter(({ name }) => name.includes(only))
    for (const isCached of [true, false]) {
      const pages = isCached ? 'the pages of the reference, answers cached' : 'different pages, no cache'
      sheet.heading(
        `The API on ${blocks} blocks, ${options.connections} connections, ${options.seconds} s each: ${pages}`,
      )
      const variables = isCached ? {} : { API_ANSWER_CACHE_MS: '0' }
      const api = await startFlowfarm(
        ['api'],
        { DB_URL: database.url, CHAIN_ACCESS_NODE: '127.0.0.1:1', API_RATE_LIMIT_RPS: '0', ...variables },
        { ready: 'API listening', profileFolder: profile },
      )
      try {
        for (const one of cases) await measureCase(sheet, database, api, one, isCached, options)
      } finally {
        await api.end()
      }
    }
    await measureBesideStatements(sheet, database, cases, options)
  } finally {
    await database.close()
  }
  sheet.end()
  return exitCodes.success
}

export async function fill(database: BenchDatabase, blocks: number, options: SourceOptions): Promise<void> {
  await using source = await openSource(options, blocks)
  const variables = { DB_URL: database.url, ...historyVariables(source, blocks) }
  const program = await startFlowfarm(['ingest', 'farm'], variables, { ready: 'All services started' })
  await untilDerived(database.pool, blocks)
  await program.end()
  await database.pool.query('vacuum analyze')
}

const slowStatements = 200
const maxSlowdown = 3
/** Alternating, because other programs disturb single runs. */
const rounds = 3

/** Light load, so that p99 is not the queue of this program. */
async function measureBesideStatements(
  sheet: Sheet,
  database: BenchDatabase,
  cases: readonly Case[],
  { seconds }: Pick<ApiOptions, 'seconds'>,
): Promise<void> {
  sheet.heading(`The API beside ${slowStatements} slow statements of the query service: 2 connections, no cache`)
  const variables = { DB_URL: database.url, CHAIN_ACCESS_NODE: '127.0.0.1:1', API_RATE_LIMIT_RPS: '0' }
  const api = await startFlowfarm(['api'], { ...variables, API_ANSWER_CACHE_MS: '0' }, { ready: 'API listening' })
  const ask = await startFlowfarm(['ask'], { ...variables, ASK_PORT: '0' }, { ready: 'Query service listening' })
  try {
    const [alone, beside] = [cases.map((): number[] => []), cases.map((): number[] => [])]
    const measure = async (times: number[][]): Promise<void> => {
      for (const [i, { spread }] of cases.entries())
        times[i]?.push((await request(api, spread, { seconds: Math.max(1, seconds / 3), connections: 2 })).p99Ms)
    }
    for (let round = 0; round < rounds; round++) {
      await measure(alone)
      const stop = new AbortController()
      const running = Array.from({ length: slowStatements }, () => runSlowly(ask, stop.signal))
      await untilRunning(database.pool, (count) => count > 0)
      await measure(beside)
      stop.abort()
      await Promise.all(running)
      await untilRunning(database.pool, (count) => count === 0)
    }
    for (const [i, { name }] of cases.entries()) {
      const [before, after] = [median(alone[i] ?? []), median(beside[i] ?? [])]
      sheet.figure(`${name}, p99`, after, 'ms', { limit: before, limitName: 'alone', atMost: maxSlowdown * before })
    }
  } finally {
    await Promise.all([api.end(), ask.end()])
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const slowSql = `SELECT count(*) FROM generate_series(1, 100000) a CROSS JOIN generate_series(1, 100000) b`

/** Until the signal. Refused statements are sent again. */
async function runSlowly({ port }: FlowfarmProgram, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/run_sql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sql: slowSql }),
      signal,
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    await response?.text().catch(() => undefined)
  }
}

async function untilRunning(pool: pg.Pool, isReached: (count: number) => boolean): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity
       where state = 'active' and query like '%generate_series(1, 100000) a%' and pid <> pg_backend_pid()`,
    )
    if (isReached(rowCount ?? 0)) return
    await pause(50)
  }
}

interface Load {
  readonly seconds: number
  readonly connections: number
}

async function measureCase(
  sheet: Sheet,
  { url, postmaster }: BenchDatabase,
  api: FlowfarmProgram,
  { name, targets, reference, same, spread, bare }: Case,
  isCached: boolean,
  load: Load,
): Promise<void> {
  const paths = isCached ? same : spread
  await request(api, paths.slice(0, 200), { ...load, seconds: Math.min(1, load.seconds / 2) })
  const before = { node: cpuSeconds(api.pid), postgres: treeCpuSeconds(postmaster) }
  const { requests, seconds, p50Ms, p99Ms } = await request(api, paths, load)
  const nodeMs = ((cpuSeconds(api.pid) - before.node) * 1000) / requests
  const postgresMs = ((treeCpuSeconds(postmaster) - before.postgres) * 1000) / requests
  const limit = await bareRate(url, bare, { ...load, seconds: load.seconds / 3 })
  const rate = requests / seconds
  sheet.figure(name, rate, 'requests/s', { limit, limitName: 'bare SELECT', atLeast: targets[isCached ? 0 : 1] })
  const times = isCached ? `; ${(rate / reference).toFixed(1)} × the reference` : ''
  print(
    `    p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)} ms; CPU ${nodeMs.toFixed(3)} + ` +
      `${postgresMs.toFixed(3)} ms${times}`,
  )
}

export async function request({ port }: FlowfarmProgram, paths: readonly string[], load: Load): Promise<LoadResult> {
  const args = [join(import.meta.dirname, 'api-load.ts'), port, load.connections, load.seconds].map(String)
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(paths.join('\n'))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const result = JSON.parse(output) as LoadResult
  if (result.failures > 0) throw new Error(`${result.failures} answers were not 200, of ${paths[0] ?? ''} and others`)
  return result
}

async function bareRate(url: string, { text: statement, values }: Case['bare'], load: Load): Promise<number> {
  const clients = Array.from({ length: load.connections }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  let count = 0
  const begin = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < begin + load.seconds * 1000) {
        const given = [...(values[count++ % values.length] ?? [])]
        await client.query({ name: 'bare', text: statement, values: given, rowMode: 'array' })
      }
    }),
  )
  const seconds = (performance.now() - begin) / 1000
  await Promise.all(clients.map((client) => client.end()))
  return count / seconds
}

const spreadPages = 4000

async function casesOf(pool: pg.Pool): Promise<readonly Case[]> {
  const column = async (statement: string): Promise<string[]> => {
    const { rows } = await pool.query<string[]>({ text: `${statement} limit ${spreadPages}`, rowMode: 'array' })
    return rows.map(([value]) => String(value))
  }
  const heights = await column('select height from raw.blocks order by random()')
  const ids = await column(
    `select encode(id, 'hex') from raw.transactions where payer_address is not null order by random()`,
  )
  const positions = await column(
    `select block_height || ':' || tx_index || ':' || encode(id, 'hex') from raw.transactions order by random()`,
  )
  const accounts = await column('select address from app.address_stats order by tx_count desc')
  const receivers = await column(
    `select to_address from app.ft_transfers where to_address like '0x________________'
     group by 1 order by count(*) desc`,
  )
  const transfers = await column(
    `select f.block_height || ':' || encode(t.id, 'hex') || ':' || f.event_index
     from app.ft_transfers f join raw.transactions t using (block_height, tx_index)
     where f.transfer_type <> 'fee' and f.leg = 0 order by random()`,
  )
  const [someHeight = ''] = heights
  return [
    {
      name: 'block list',
      targets: [6000, 2500],
      reference: 2340,
      same: ['/flow/block?limit=20'],
      spread: heights.map((height) => `/flow/block?cursor=${height}`),
      bare: { text: 'select * from raw.blocks order by height desc limit 20', values: [[]] },
    },
    {
      name: 'block by height',
      targets: [6000, 5000],
      reference: 4890,
      same: [`/flow/block/${someHeight}`],
      spread: heights.map((height) => `/flow/block/${height}`),
      bare: { text: 'select * from raw.transactions where block_height = $1', values: [[someHeight]] },
    },
    {
      name: 'transaction list',
      targets: [3000, 2500],
      reference: 297,
      same: ['/flow/transaction?limit=20'],
      spread: positions.map((position) => `/flow/transaction?cursor=${position}`),
      bare: { text: 'select * from raw.transactions order by block_height desc, tx_index desc limit 20', values: [[]] },
    },
    {
      name: 'transaction by id',
      targets: [3000, 2000],
      reference: 121,
      same: ids.slice(0, 1000).map((id) => `/flow/transaction/${id}`),
      spread: ids.map((id) => `/flow/transaction/${id}`),
      bare: {
        text: 'select t.* from raw.tx_lookup l join raw.transactions t using (block_height, tx_index) where l.id = $1',
        values: ids.slice(0, 1000).map((id) => [Buffer.from(id, 'hex')]),
      },
    },
    {
      name: "account's transactions",
      targets: [3000, 2000],
      reference: 319,
      same: accounts.slice(0, 200).map((account) => `/flow/account/${account}/transaction?limit=20`),
      spread: accounts.map((account) => `/flow/account/${account}/transaction`),
      bare: {
        text: `select t.* from app.address_transactions a join raw.transactions t using (block_height, tx_index)
          where a.address = $1 order by a.block_height desc, a.tx_index desc limit 20`,
        values: accounts.slice(0, 200).map((account) => [account]),
      },
    },
    {
      name: 'transfer feed',
      targets: [3000, 2500],
      reference: 223,
      same: ['/flow/ft/transfer?limit=20'],
      spread: transfers.map((transfer) => `/flow/ft/transfer?cursor=${transfer}`),
      bare: {
        text: `select * from app.ft_transfers where transfer_type <> 'fee'
          order by block_height desc, tx_index desc, event_index desc, leg desc limit 20`,
        values: [[]],
      },
    },
    {
      name: "account's transfers",
      targets: [3000, 2500],
      reference: 1128,
      same: receivers.slice(0, 200).map((account) => `/flow/account/${account}/ft/transfer?limit=20`),
      spread: receivers.map((account) => `/flow/account/${account}/ft/transfer`),
      bare: {
        text: `select * from app.ft_transfers where to_address = $1 and transfer_type <> 'fee'
          order by block_height desc limit 20`,
        values: receivers.slice(0, 200).map((account) => [account]),
      },
    },
  ]
}
