import { availableParallelism, cpus } from 'node:os'
import pg from 'pg'
import { selectCursors, withQuery } from '../support/skewed/list-case.ts'
import type { ListCase } from '../support/skewed/list-case.ts'
import { listCases } from '../support/skewed/list-cases.ts'
import { writeSkewedChain } from '../support/skewed/write-skewed-chain.ts'
import { startApiProgram } from './api/api-program.ts'
import type { ApiProgram } from './api/api-program.ts'
import { benchCases } from './api/cases.ts'
import { fillWithBlocks } from './api/fill.ts'
import { measureBare } from './api/measure-bare.ts'
import { measureCase } from './api/measure-case.ts'
import { measureLoad } from './api/measure-load.ts'
import type { LoadOptions } from './api/measure-load.ts'
import { openBenchDatabase } from './farm/bench-database.ts'
import { treeCpuSeconds } from './process-usage.ts'
import { readOptions } from './read-options.ts'

/** Heights from block to block: ten million transfers are in a hundred partitions of a million heights, two and a half years. */
const spacing = 50
/** Different pages at each end, so that no end is in memory alone because it is one page. */
const pages = 100
/** Of the default size of most lists, so that the last pages are whole. */
const rowsPerPage = 21

/** By turns, so that what else the machine does falls on both ends alike. */
const rounds = ['head', 'tail', 'tail', 'head', 'head', 'tail'] as const
type End = (typeof rounds)[number]

interface Measured {
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * p99 of every list at the head and at the tail of so many transfers and what belongs to them, no answers kept: medians of three
 * rounds. A filled database must have been filled by this.
 * @param only words that the path of a list must contain
 */
async function measureSkewed(
  { url, pool, isFilled }: { readonly url: string; readonly pool: pg.Pool; readonly isFilled: boolean },
  transfers: number,
  load: LoadOptions,
  only: string,
): Promise<void> {
  if (!isFilled) await writeSkewedChain(pool, { transfers, spacing }, (line) => console.log(line))
  const {
    rows: [database],
  } = await pool.query<{ size: string }>('select pg_size_pretty(pg_database_size(current_database())) as size')
  const api = await startApiProgram(url, undefined, { API_ANSWER_CACHE_MS: '0' })
  try {
    console.log(
      `${transfers} transfers, ${database?.size}, ${load.connections} connections, ${load.seconds} s for each of three rounds, head and tail by turns\n`,
    )
    console.log('head p50, p99 ms    tail p50, p99 ms   p99 tail to head   list')
    for (const one of listCases.filter(({ path }) => path.includes(only))) {
      const paths = { head: await pathsAt(pool, one, 'head'), tail: await pathsAt(pool, one, 'tail') }
      const { head, tail } = await measureEnds(api, one, paths, load)
      const pair = ({ p50Ms, p99Ms }: Measured): string => `${p50Ms.toFixed(1)}, ${p99Ms.toFixed(1)}`.padStart(16)
      console.log(
        `${pair(head)}${pair(tail).padStart(20)}${(tail.p99Ms / head.p99Ms).toFixed(2).padStart(19)}   ${one.path}`,
      )
    }
  } finally {
    await api.end()
  }
}

/** Pages that begin with the first rows of a list, or those that hold its last ones but are whole where the list is long enough. */
async function pathsAt(pool: pg.Pool, { path, keys }: ListCase, end: End): Promise<string[]> {
  const { rows } = await pool.query<{ cursor: string | number }>(selectCursors(keys, end, pages + rowsPerPage))
  const paths = rows.map(({ cursor }) => withQuery(path, { cursor }))
  if (end === 'head') return [path, ...paths.slice(0, pages)]
  const whole = paths.slice(rowsPerPage)
  return whole.length > 0 ? whole : [paths.at(-1) ?? path]
}

async function measureEnds(
  api: ApiProgram,
  { path }: ListCase,
  paths: Readonly<Record<End, readonly string[]>>,
  load: LoadOptions,
): Promise<Record<End, Measured>> {
  const measured: Record<End, Measured[]> = { head: [], tail: [] }
  for (const end of rounds) {
    measured[end].push(
      await measureLoad(api, paths[end], load).catch((error: unknown) => {
        throw new Error(`${path} at the ${end}`, { cause: error })
      }),
    )
  }
  return { head: middle(measured.head), tail: middle(measured.tail) }
}

function middle(all: readonly Measured[]): Measured {
  const medianOf = (name: keyof Measured): number =>
    all.map((one) => one[name]).toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN
  return { p50Ms: medianOf('p50Ms'), p99Ms: medianOf('p99Ms') }
}

/**
 * What the API answers a second, with everything on: an API process as in production, a load generator beside it, the database on the
 * same machine.
 *
 *     npm run bench:api [-- --endpoint host:port --from height] [--blocks n] [--database url] [--seconds n] [--connections n]
 *       [--only words] [--profile folder] [--spread] [--no-cache] [--skewed millions]
 *
 * It is asked as the Flow explorer's own back end was for the figures beside ours: one page again and again, or 1,000 transactions or 200
 * accounts in turn. `--spread` asks for some thousand different pages in turn instead, `--no-cache` keeps no answers: both together
 * tell what a page costs that is made anew. `bare` are the same rows by nothing but `pg`, in statements a second, and what part of that
 * the API gives.
 *
 * Blocks come from an access node that speaks gRPC without TLS, or else from the simulated chain. `--database` takes
 * one that is filled. `--skewed` measures the ends of lists instead: p99 of each at the head and at the tail of so many million transfers.
 */

const { values } = readOptions(import.meta.filename, {
  options: {
    endpoint: { type: 'string' },
    from: { type: 'string', default: '140000000' },
    blocks: { type: 'string', default: '2000' },
    database: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
    spread: { type: 'boolean', default: false },
    'no-cache': { type: 'boolean', default: false },
    skewed: { type: 'string' },
  },
})

/** Milliseconds of Node and of PostgreSQL are processor time for a request; `times` is ours to the reference's. */
const columns = [
  ['case', 23],
  ['paths', 7],
  ['req/s', 8],
  ['p50 ms', 9],
  ['p99 ms', 9],
  ['Node ms', 9],
  ['PG ms', 8],
  ['bytes', 8],
  ['target', 8],
  ['reference', 11],
  ['times', 7],
  ['bare', 8],
  ['of bare', 9],
] as const

console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores`)
const own = values.database === undefined ? await openBenchDatabase() : undefined
const url = own?.url ?? values.database ?? ''
const pool = own?.pool ?? new pg.Pool({ connectionString: url })
const load = { seconds: Number(values.seconds), connections: Number(values.connections) }
try {
  if (values.skewed === undefined) await measurePace()
  else await measureSkewed({ url, pool, isFilled: own === undefined }, Number(values.skewed) * 1e6, load, values.only)
} finally {
  if (own === undefined) await pool.end()
  else await own.close()
}

/** Processor time of PostgreSQL, where it is ours. */
function serverSeconds(): number {
  return own === undefined ? 0 : treeCpuSeconds(own.postmaster)
}

async function measurePace(): Promise<void> {
  if (own !== undefined) {
    const source = values.endpoint === undefined ? undefined : { endpoint: values.endpoint, from: Number(values.from) }
    await fillWithBlocks(own, Number(values.blocks), source)
  }
  const cases = (await benchCases(pool)).filter(({ name }) => name.includes(values.only))
  const api = await startApiProgram(url, values.profile, values['no-cache'] ? { API_ANSWER_CACHE_MS: '0' } : {})
  try {
    console.log(`${values.connections} connections, ${values.seconds} s each\n`)
    console.log(columns.map(([title, width]) => title.padStart(width)).join(''))
    for (const { name, target, reference, asked, spread, bare } of cases) {
      const paths = values.spread ? spread : asked
      const { requestsPerSecond, p50Ms, p99Ms, nodeMs, serverMs, bytes } = await measureCase(
        api,
        paths,
        load,
        serverSeconds,
      )
      const bareRate = await measureBare(url, bare, { ...load, seconds: load.seconds / 5 })
      const figures = [
        name,
        paths.length,
        requestsPerSecond.toFixed(0),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
        nodeMs.toFixed(3),
        own === undefined ? '' : serverMs.toFixed(3),
        bytes.toFixed(0),
        target,
        reference,
        (requestsPerSecond / reference).toFixed(1),
        bareRate.toFixed(0),
        (requestsPerSecond / bareRate).toFixed(2),
      ]
      console.log(figures.map((figure, i) => String(figure).padStart(columns[i]?.[1] ?? 0)).join(''))
    }
  } finally {
    await api.end()
  }
}
