import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import { announceFarmWork } from '../platform/db/listen.ts'
import { query } from '../platform/db/pool.ts'
import { ApiError } from '../platform/errors.ts'
import { difference, union } from '../platform/ranges.ts'
import { ingesterServices, readCoverage } from './leases/coverage.ts'
import { addRederiveRequest, listOpenRequests } from './leases/requests.ts'
import type { ReadOwnWorkers } from './own/own-workers.ts'

export function farmOperations(pool: pg.Pool, readOwnWorkers: ReadOwnWorkers) {
  return {
    listRequests: () => listOpenRequests(pool),
    deriveAgain: async (names: readonly string[], from: number, to: number) => {
      const all = [...workers, ...(await readOwnWorkers(pool))]
      requireWorkers(all, names)
      await requireStored(pool, from, to)
      const { id, reopened } = await addRederiveRequest(pool, all, names, { from, to })
      return { id, workers: reopened }
    },
    refreshTokens: (tokens: readonly string[]) => refreshTokens(pool, tokens),
  }
}

function requireWorkers(all: readonly Worker[], names: readonly string[]): void {
  const known = all.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new ApiError(400, 'unknown-worker', `Unknown worker "${unknown}". Workers: ${known.join(', ')}.`, {
    field: 'workers',
  })
}

async function requireStored(pool: pg.Pool, from: number, to: number): Promise<void> {
  const coverage = await readCoverage(pool, ingesterServices)
  const stored = [...coverage.values()].reduce(union, [])
  const [missing] = difference([{ from, to }], stored)
  if (missing === undefined) return
  throw new ApiError(
    400,
    'range-not-stored',
    `Could not derive the heights again: heights from ${missing.from} are not stored.`,
    {
      field: missing.from === from ? 'from_height' : 'to_height',
    },
  )
}

async function refreshTokens(pool: pg.Pool, tokens: readonly string[]): Promise<readonly string[]> {
  const { rows } = await query<{ token: string }>(
    pool,
    `
    with fungible as (
      update app.ft_token_metadata set next_ask_at = now() where token = any ($1) returning token
    ), collections as (
      update app.nft_collection_metadata set next_ask_at = now() where token = any ($1) returning token
    )
    select token from fungible union select token from collections order by token`,
    [tokens],
  )
  if (rows.length > 0) await announceFarmWork(pool)
  return rows.map(({ token }) => token)
}
