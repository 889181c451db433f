import type pg from 'pg'
import { withDatabase } from '../cli/open-database.ts'
import { requiredRange } from '../cli/options.ts'
import type { HeightOptions } from '../cli/options.ts'
import { heights, pluralize, print, printJson, tableText } from '../cli/texts.ts'
import { checkBuiltInNames, knownWorkers, readWorkers } from './workers.ts'
import { clearDrills, listDrills, setDrill } from '../../src/farm/drills.ts'
import type { FaultDrill } from '../../src/farm/drills.ts'
import { exitCodes, FatalError } from '../../src/platform/errors.ts'

interface FaultOptions extends HeightOptions {
  readonly worker: readonly string[]
  readonly reason: string | undefined
  readonly json: boolean
}

async function set(
  pool: pg.Pool,
  worker: string,
  given: { from: number | undefined; to: number | undefined; reason: string | undefined },
): Promise<string> {
  const range = requiredRange(given)
  await setDrill(pool, { worker, ...range, reason: given.reason })
  return `${worker} fails at ${heights(range)} until npm run farm -- fault clear --worker ${worker}.`
}

async function clear(pool: pg.Pool, worker: string | undefined): Promise<string> {
  const cleared = await clearDrills(pool, worker)
  if (cleared === 0) return 'Nothing to clear.'
  return (
    `${pluralize(cleared, 'fault')} cleared. Failed ranges are retried automatically; requeue flagged ones with ` +
    'npm run farm -- leases requeue.'
  )
}

function shown(drills: readonly FaultDrill[]): string {
  if (drills.length === 0) return 'No fault is set.'
  return tableText<FaultDrill>(
    [
      { title: 'WORKER', value: ({ worker }) => worker },
      { title: 'HEIGHTS', value: heights },
      { title: 'SINCE', value: ({ createdAt }) => createdAt },
      { title: 'REASON', value: ({ reason }) => reason ?? '' },
    ],
    drills,
  )
}

export function fault(action: string, options: FaultOptions): Promise<number> {
  const { from, to, reason, json } = options
  checkBuiltInNames(options.worker, 'worker')
  return withDatabase(async ({ pool }) => {
    const all = await readWorkers(pool)
    const [name, ...more] = knownWorkers(all, options.worker, 'worker')
    if (more.length > 0) throw new FatalError('bad-option', '--worker takes one name.')
    let printed: string | undefined
    if (action === 'set') {
      if (name === undefined)
        throw new FatalError(
          'bad-option',
          `--worker is missing: use one of ${all.map((worker) => worker.name).join(', ')}.`,
        )
      printed = await set(pool, name, { from, to, reason })
    } else if (action === 'clear') printed = await clear(pool, name)
    const drills = await listDrills(pool)
    if (json) printJson({ drills })
    else print(printed ?? shown(drills))
    return exitCodes.success
  })
}
