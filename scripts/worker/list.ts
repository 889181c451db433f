import type pg from 'pg'
import { query } from '../../src/platform/db/pool.ts'
import { exitCodes } from '../../src/platform/errors.ts'
import { withDatabase } from '../cli/open-database.ts'
import { count, print, printJson, tableText } from '../cli/texts.ts'

interface WorkerRow {
  readonly name: string
  readonly contract: string
  readonly version: number
  readonly start_height: number
  readonly replaces: string | null
  /** Heights that can be derived, and those that are. */
  readonly heights: number
  readonly covered_heights: number
  readonly failing_ranges: number
  readonly flagged_ranges: number
  /** Why the files cannot be loaded, or the newest failure of a range. */
  readonly error: string | null
}

export function list(json: boolean): Promise<number> {
  return withDatabase(
    async ({ pool }) => {
      const workers = await readWorkers(pool)
      if (json) printJson({ workers })
      else
        print(workers.length === 0 ? 'No workers yet. Create one: npm run worker -- init <contract>' : textOf(workers))
      return exitCodes.success
    },
    { acceptsDemo: true },
  )
}

async function readWorkers(pool: pg.Pool): Promise<readonly WorkerRow[]> {
  const size = (set: string): string =>
    `(select coalesce(sum(upper(r) - lower(r)), 0)::float8 from unnest(${set}) as r (r))`
  const { rows } = await query<WorkerRow>(
    pool,
    `with placed as (
       select w.*, int8multirange(int8range(start_height, null)) * coalesce((
         select covered from app.coverage where service_name = 'tx_contracts_worker'), '{}') as stored
       from app.own_workers w
     )
     select w.name, w.declaration ->> 'contract' as contract, (w.declaration -> 'version')::integer as version,
       w.start_height::float8, w.replaces, ${size('w.stored')} as heights,
       ${size("w.stored * coalesce(c.covered, '{}')")} as covered_heights, l.failing_ranges, l.flagged_ranges,
       coalesce(w.error, l.error) as error
     from placed w left join app.coverage c on c.service_name = w.name
     cross join lateral (
       select count(*) filter (where status = 'failed')::integer as failing_ranges,
         count(*) filter (where status = 'flagged')::integer as flagged_ranges,
         (array_agg(last_error order by failed_at desc nulls last))[1] as error
       from app.worker_leases l where l.worker_type = w.name and status in ('failed', 'flagged')
     ) l
     order by w.name`,
  )
  return rows
}

function textOf(workers: readonly WorkerRow[]): string {
  const table = tableText(
    [
      { title: 'WORKER', value: ({ name }) => name },
      { title: 'CONTRACT', value: ({ contract }) => contract },
      { title: 'VERSION', value: ({ version }) => String(version), align: 'right' },
      { title: 'FROM HEIGHT', value: ({ start_height: height }) => count(height), align: 'right' },
      { title: 'PROGRESS', value: progress, align: 'right' },
      { title: 'FAILING', value: ({ failing_ranges: failing }) => count(failing), align: 'right' },
      { title: 'FLAGGED', value: ({ flagged_ranges: flagged }) => count(flagged), align: 'right' },
    ],
    workers,
  )
  const notes = workers.flatMap(({ name, replaces, error }) => [
    ...(replaces === null ? [] : [`${name} replaces ${replaces} when it has caught up.`]),
    ...(error === null ? [] : [`${name}: ${error}`]),
  ])
  return [table.trimEnd(), ...notes].join('\n')
}

function progress({ heights, covered_heights: covered }: WorkerRow): string {
  if (heights === 0) return 'no heights'
  // Never 100 % before the end.
  return `${Math.floor((covered / heights) * 1000) / 10} %`
}
