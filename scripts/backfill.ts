import { workers } from '../jobs/index.ts'
import { exitCodes } from '../src/platform/errors.ts'
import { size } from '../src/platform/ranges.ts'
import type { HeightRange } from '../src/platform/ranges.ts'
import { addRequest } from '../src/farm/coverage/requests.ts'
import { owedCount, readRequestProgress } from '../src/farm/overview/request-progress.ts'
import { withFollowed } from '../src/farm/coverage/worker-closure.ts'
import { runCommand } from './cli/command.ts'
import { heightOptions, requiredRange } from './cli/height-options.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag } from './cli/options.ts'
import { awaitRequest, leaveRequest, printPlan } from './cli/request-command.ts'
import { requireStored } from './cli/stored-heights.ts'
import { heights, print, printJson } from './cli/texts.ts'
import { enabledWorkers, workersOption } from './cli/worker-options.ts'

/** `npm run backfill`: has the farm derive some heights before all other history. */
await runCommand({
  name: 'backfill',
  summary:
    'Has the farm derive stored heights now, before all other history and also while ENABLE_HISTORY_DERIVERS ' +
    'is false, and waits until that is done.',
  options: {
    ...heightOptions,
    workers: workersOption('Only these workers, and those that they follow. Default: all that are switched on.'),
    detach: flag('Do not wait.'),
    'dry-run': flag('Only tell what is owed.'),
    json: flag('Print the result as JSON.'),
  },
  notes: [
    'What is done already is not done again: npm run rederive does that. A range that fails is tried again; one that ' +
      'failed 21 times is flagged and told here. Ctrl+C ends the waiting and not the work.',
  ],
  examples: [
    ['--from 1000 --to 1999', 'A thousand heights, all workers.'],
    ['--from 1000 --to 1999 --workers ft_holdings_worker', 'Balances alone, and what they need.'],
    ['--from 1000 --to 1999 --detach --json', 'For a script: only ask for it.'],
  ],
  exitCodes: {
    0: 'done, or nothing was owed',
    1: 'ranges are flagged, heights are not stored, or workers are switched off',
    75: 'no process works on the farm, or the waiting was interrupted; the request stays',
  },
  run: async ({ options }) => backfill(options, requiredRange(options)),
})

interface BackfillOptions {
  readonly workers: readonly string[]
  readonly detach: boolean
  readonly 'dry-run': boolean
  readonly json: boolean
}

function backfill(options: BackfillOptions, range: HeightRange): Promise<number> {
  return withDatabase(async ({ pool, config }) => {
    const asked = options.workers.length > 0 ? options.workers : enabledWorkers(config)
    const names = withFollowed(workers, asked)
    await requireStored(pool, range)
    const progress = await readRequestProgress(pool, workers, names, range)
    const plan = progress.workers.map(({ worker, owed, skipped }) => ({
      worker,
      heights: size(owed),
      note: [
        ...(asked.includes(worker) ? [] : ['is followed by what you named']),
        ...(skipped.length > 0 ? [`${size(skipped)} heights were skipped by a person`] : []),
      ].join('; '),
    }))
    const output = { pool, range, json: options.json }
    if (owedCount(progress) === 0 || options['dry-run']) {
      const outcome = options['dry-run'] ? 'dry-run' : 'nothing-owed'
      if (options.json) printJson({ outcome, request: null, ...range, workers: plan })
      else if (owedCount(progress) > 0) printPlan(plan)
      else print(`Nothing is owed: heights ${heights(range)} are done by ${names.join(', ')}.`)
      return exitCodes.done
    }
    const request = await addRequest(pool, workers, asked, range)
    if (!options.json) printPlan(plan)
    return options.detach ? leaveRequest(output, request) : awaitRequest(output, request)
  })
}
