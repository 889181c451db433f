import type pg from 'pg'
import { FatalError } from '../../src/platform/errors.ts'
import { difference, union } from '../../src/platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../src/platform/ranges.ts'
import { query } from '../../src/platform/db/pool.ts'
import { ingesterServices, readCoverage } from '../../src/farm/coverage/coverage.ts'
import { heightSet } from './texts.ts'

/**
 * Makes sure that all of the heights are stored: only what is stored can be derived.
 * @throws FatalError `not-stored` that says which are not, and how they are got
 */
export async function requireStored(pool: pg.Pool, range: HeightRange): Promise<void> {
  const coverage = await readCoverage(pool, ingesterServices)
  const stored = [...coverage.values()].reduce(union, [])
  const missing = difference([range], stored)
  if (missing.length === 0) return
  const lines = [
    `Not stored: heights ${heightSet(missing)}. Stored: ${heightSet(stored)}.`,
    ...remedies(missing, stored, await latestHeight(pool)),
  ]
  throw new FatalError('not-stored', lines.join('\n'), { details: { missing, stored } })
}

function remedies(missing: HeightSet, stored: HeightSet, head: number | undefined): string[] {
  const [lowest, highest] = [stored[0]?.from, stored.at(-1)?.to]
  if (lowest === undefined || highest === undefined) {
    return ['Nothing is stored yet: start flowfarm with its ingesters (npm start) and wait for the first blocks.']
  }
  const lines: string[] = []
  if ((missing.at(-1)?.to ?? 0) > highest) {
    const known = head === undefined || head < highest ? '' : `; its newest is ${head}`
    lines.push(`Above ${highest - 1}: the forward ingester stores them as the chain makes them${known}.`)
  }
  if ((missing[0]?.from ?? lowest) < lowest) {
    const settings = 'while ENABLE_HISTORY_INGESTER is true, down to HISTORY_STOP_HEIGHT'
    lines.push(`Below ${lowest}: the history ingester stores them ${settings}.`)
  }
  if (missing.some(({ from, to }) => from >= lowest && to <= highest)) {
    lines.push('In between: the ingesters are at it; npm run status tells how far they are.')
  }
  lines.push('Wait for them, or name heights that are stored.')
  return lines
}

async function latestHeight(pool: pg.Pool): Promise<number | undefined> {
  const text = 'select latest_height::float8 as latest from app.chain'
  const {
    rows: [row],
  } = await query<{ latest: number | null }>(pool, text)
  return row?.latest ?? undefined
}
