import type pg from 'pg'
import { selectCursors, withQuery } from '../../support/skewed/list-case.ts'
import type { ListCase } from '../../support/skewed/list-case.ts'
import { listCases } from '../../support/skewed/list-cases.ts'
import { writeSkewedChain } from '../../support/skewed/write-skewed-chain.ts'
import { startApiProgram } from './api-program.ts'
import type { ApiProgram } from './api-program.ts'
import { measureLoad } from './measure-load.ts'
import type { LoadOptions } from './measure-load.ts'

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
export async function measureSkewed(
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
