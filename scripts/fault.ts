import type pg from 'pg'
import { workers } from '../jobs/index.ts'
import { exitCodes, FatalError } from '../src/platform/errors.ts'
import { clearDrills, listDrills, setDrill } from '../src/farm/drills.ts'
import type { FaultDrill } from '../src/farm/drills.ts'
import { runCommand } from './cli/command.ts'
import { heightOptions, requiredRange } from './cli/height-options.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, someOf, text } from './cli/options.ts'
import { tableText } from './cli/table.ts'
import { heights, many, print, printJson } from './cli/texts.ts'

/** `npm run fault`: makes a worker fail on purpose, so that what an operator does about it can be practised. */

const workerNames = workers.map(({ name }) => name)

async function set(
  pool: pg.Pool,
  worker: string,
  given: { from: number | undefined; to: number | undefined; reason: string | undefined },
): Promise<string> {
  const range = requiredRange(given)
  await setDrill(pool, { worker, ...range, reason: given.reason })
  return `${worker} fails at ${heights(range)} from now on, until npm run fault -- clear --worker ${worker}.`
}

async function clear(pool: pg.Pool, worker: string | undefined): Promise<string> {
  const cleared = await clearDrills(pool, worker)
  if (cleared === 0) return 'There was nothing to clear.'
  return `${many(cleared, 'fault')} cleared. What failed is tried again by itself; what was flagged waits for npm run leases -- requeue.`
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

await runCommand({
  name: 'fault',
  summary: 'Makes a worker fail on purpose at some heights, to see the range flagged, mend it and requeue it.',
  actions: {
    set: 'Make a worker fail at these heights; takes the place of an earlier fault of the worker.',
    clear: 'Let it work again.',
    list: 'Show the faults that are set.',
  },
  options: {
    worker: someOf('<name>', workerNames, `One of ${workerNames.join(', ')}.`),
    ...heightOptions,
    reason: text('<text>', 'What for; shown with the error of the ranges.'),
    json: flag('Print JSON.'),
  },
  notes: [
    'Only ranges that are not done yet can fail: choose heights near the head or above it, or owe them again by npm run rederive. ' +
      'A range is flagged after 21 runs, which WORKER_RETRY_BASE_MS and WORKER_RETRY_CAP_MS stretch over some 55 minutes; in the demo it takes half a minute.',
  ],
  examples: [
    ['set --worker token_worker --from 300 --to 304 --reason "an exercise"', 'Make token_worker fail at five heights.'],
    ['clear', 'Clear all faults.'],
  ],
  run: ({ action, options: { worker, from, to, reason, json } }) =>
    withDatabase(async ({ pool }) => {
      const [name, ...more] = worker
      if (more.length > 0) throw new FatalError('bad-option', '--worker takes one name.')
      let said: string | undefined
      if (action === 'set') {
        if (name === undefined)
          throw new FatalError('bad-option', `--worker is missing: it is one of ${workerNames.join(', ')}.`)
        said = await set(pool, name, { from, to, reason })
      } else if (action === 'clear') said = await clear(pool, name)
      const drills = await listDrills(pool)
      if (json) printJson({ drills })
      else print(said ?? shown(drills))
      return exitCodes.done
    }),
})
