import { workers } from '../jobs/index.ts'
import { exitCodes, FatalError } from '../src/platform/errors.ts'
import { size } from '../src/platform/ranges.ts'
import type { HeightRange } from '../src/platform/ranges.ts'
import { addRederiveRequest } from '../src/farm/coverage/requests.ts'
import { readRequestProgress } from '../src/farm/overview/request-progress.ts'
import { withFollowed, withFollowers } from '../src/farm/coverage/worker-closure.ts'
import { runCommand } from './cli/command.ts'
import { heightOptions, requiredRange } from './cli/height-options.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag } from './cli/options.ts'
import { awaitRequest, leaveRequest, printPlan } from './cli/request-command.ts'
import { requireStored } from './cli/stored-heights.ts'
import { many, printJson } from './cli/texts.ts'
import { enabledWorkers, workersOption } from './cli/worker-options.ts'

/** `npm run rederive`: has the farm derive some heights again. */
await runCommand({
  name: 'rederive',
  summary:
    'Has the farm derive stored heights again, done or not, and waits until that is done: after a worker was ' +
    'mended, or to take up what was skipped.',
  options: {
    ...heightOptions,
    workers: workersOption('These workers, and all that follow them.'),
    all: flag('All workers that are switched on, and all that follow them.'),
    detach: flag('Do not wait.'),
    'dry-run': flag('Only tell what would be derived again.'),
    json: flag('Print the result as JSON.'),
  },
  notes: [
    'Rows stay until the new ones take their place, range by range, so readers see no gap. Work under way on these ' +
      'heights is thrown away. Ctrl+C ends the waiting and not the work.',
  ],
  examples: [
    ['--from 1000 --to 1999 --workers token_worker --dry-run', 'Who would derive what again.'],
    ['--from 1000 --to 1999 --workers token_worker', 'Do it, and wait.'],
    ['--from 1000 --to 1999 --all --detach', 'Everything, without waiting.'],
  ],
  exitCodes: {
    0: 'done',
    1: 'ranges are flagged, heights are not stored, or workers are switched off',
    75: 'no process works on the farm, or the waiting was interrupted; the request stays',
  },
  run: async ({ options }) => {
    const range = requiredRange(options)
    if (options.all === options.workers.length > 0) {
      throw new FatalError('bad-option', 'Name the workers by --workers <names>, or all of them by --all.')
    }
    return rederive(options, range)
  },
})

interface RederiveOptions {
  readonly workers: readonly string[]
  readonly all: boolean
  readonly detach: boolean
  readonly 'dry-run': boolean
  readonly json: boolean
}

function rederive(options: RederiveOptions, range: HeightRange): Promise<number> {
  return withDatabase(async ({ pool, config }) => {
    const asked = options.all ? enabledWorkers(config) : options.workers
    await requireStored(pool, range)
    const again = withFollowers(workers, asked)
    const progress = await readRequestProgress(pool, workers, withFollowed(workers, again), range)
    const plan = progress.workers
      .map(({ worker, owed, skipped }) => {
        if (!again.includes(worker)) return { worker, heights: size(owed), note: 'is followed by them; what it owes' }
        const notes = [
          ...(asked.includes(worker) ? [] : ['follows what you named']),
          ...(skipped.length > 0 ? [`takes up ${many(size(skipped), 'skipped height')}`] : []),
        ]
        return { worker, heights: range.to - range.from, note: notes.join('; ') }
      })
      .filter(({ worker, heights }) => again.includes(worker) || heights > 0)
    if (options['dry-run']) {
      if (options.json) printJson({ outcome: 'dry-run', request: null, ...range, workers: plan })
      else printPlan(plan)
      return exitCodes.done
    }
    const request = await addRederiveRequest(pool, workers, asked, range)
    if (!options.json) printPlan(plan)
    const output = { pool, range, json: options.json }
    return options.detach ? leaveRequest(output, request) : awaitRequest(output, request)
  })
}
