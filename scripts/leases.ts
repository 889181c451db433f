import type pg from 'pg'
import { exitCodes, FatalError } from '../src/platform/errors.ts'
import { announceFarmWork } from '../src/platform/db/announce-farm-work.ts'
import { requeueLeases, skipLeases, splitLeases } from '../src/farm/leases/operator-leases.ts'
import type { ListedLease } from '../src/farm/leases/operator-leases.ts'
import { runCommand } from './cli/command.ts'
import { findLeases } from './cli/find-leases.ts'
import type { WantedLeases } from './cli/find-leases.ts'
import { heightOptions, endOf } from './cli/height-options.ts'
import { leasesTable } from './cli/leases-table.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, someOf, text, wholeNumber } from './cli/options.ts'
import { many, print, printJson } from './cli/texts.ts'
import { workerNames, workersOption } from './cli/worker-options.ts'

const openStatuses = ['queued', 'active', 'failed', 'flagged', 'skipped'] as const

/** Leases that are changed by one statement. */
const mostAtOnce = 1000

/** `npm run leases`: what is under way or in trouble, and what a person can do about it. */
await runCommand({
  name: 'leases',
  summary: 'Lists the ranges of heights that are given out to workers, and deals with those that failed.',
  actions: {
    list: 'Show leases: all that are not done.',
    requeue: 'Try flagged ranges again; the count of runs begins anew.',
    split: 'Try them again in pieces.',
    skip: 'Give them up; workers that follow go on without. Needs --reason.',
  },
  options: {
    worker: workersOption('Only of these workers.'),
    status: someOf(
      '<states>',
      openStatuses,
      `Only in these states: ${openStatuses.join(', ')}. Default: list shows ` +
        'all, the others take flagged ones; they can take failed ones too.',
    ),
    ...heightOptions,
    code: text('<code>', 'Only those whose last failure had this code.'),
    all: flag('All that are in these states: needed by requeue, split and skip where nothing else says which.'),
    pieces: wholeNumber('<number>', 'For split: pieces of each range. Default 2.', { min: 2 }),
    reason: text('<text>', 'For skip: why. It is listed with the range for ever.'),
    'dry-run': flag('Only show which leases would be changed.'),
    json: flag('Print the result as JSON.'),
  },
  notes: ['Heights choose the leases that reach into them; a lease is always changed as a whole.'],
  examples: [
    ['list', 'All that is under way or in trouble.'],
    ['list --status flagged --json', 'What needs a person, with the whole errors and stacks.'],
    ['requeue --worker token_worker', 'Try again what is flagged of a worker that was mended.'],
    ['skip --worker token_worker --from 4711 --to 4711 --reason "see ticket 12"', 'Give one block up.'],
    ['split --all --pieces 10 --dry-run', 'Which flagged ranges would be split.'],
  ],
  exitCodes: { 0: 'done, also where no lease fits' },
  run: async ({ action, options }) => {
    if (action !== 'list') refuseCarelessChange(action, options)
    const end = endOf(options)
    const range =
      options.from === undefined && end === undefined
        ? {}
        : { range: { from: options.from ?? 0, to: end ?? Number.MAX_SAFE_INTEGER } }
    const statuses = action === 'list' ? openStatuses : ['flagged' as const]
    return dealWith(action, options, {
      workers: options.worker.length > 0 ? options.worker : workerNames,
      code: options.code,
      ...range,
      statuses: options.status.length > 0 ? options.status : statuses,
    })
  },
})

function dealWith(action: string, options: LeasesOptions, wanted: WantedLeases): Promise<number> {
  return withDatabase(async ({ pool }) => {
    const found = await findLeases(pool, wanted)
    if (action === 'list' || options['dry-run']) {
      if (options.json) printJson({ leases: found })
      else print(found.length === 0 ? 'No lease fits.' : `${leasesTable(found)}${listFooter(action, found)}`)
      return exitCodes.done
    }
    const changed = await change(pool, action, found, options)
    const leases = found.map(({ worker, from, to }) => ({ worker, from, to }))
    if (options.json) printJson({ action, found: found.length, changed, leases })
    else print(found.length === 0 ? 'No lease fits.' : outcome(action, found, changed))
    return exitCodes.done
  })
}

interface LeasesOptions {
  readonly worker: readonly string[]
  readonly status: readonly string[]
  readonly from: number | undefined
  readonly to: number | undefined
  readonly code: string | undefined
  readonly all: boolean
  readonly pieces: number | undefined
  readonly reason: string | undefined
  readonly 'dry-run': boolean
  readonly json: boolean
}

/** @throws FatalError `bad-option` for a change that does not say of what, or that is incomplete */
function refuseCarelessChange(action: string, options: LeasesOptions): void {
  const { worker, status, from, to, code, all, pieces, reason } = options
  const names = worker.length > 0 || code !== undefined || from !== undefined || to !== undefined
  if (!all && !names) {
    const remedy = `name them by --worker, --from and --to, or --code, or ${action} all of them by --all`
    throw new FatalError('bad-option', `Which leases? Please ${remedy}.`)
  }
  const wrong = status.filter((one) => one !== 'flagged' && one !== 'failed')
  if (wrong.length > 0) {
    const remedy = 'only failed and flagged leases can be changed'
    throw new FatalError('bad-option', `--status ${wrong.join(',')} cannot be used with ${action}: ${remedy}.`)
  }
  if (action === 'skip' && reason === undefined) {
    const remedy = 'say why these heights are given up, by --reason "<text>"'
    throw new FatalError('bad-option', `--reason is missing: ${remedy}.`)
  }
  const foreign =
    action !== 'skip' && reason !== undefined
      ? '--reason is for skip'
      : action !== 'split' && pieces !== undefined
        ? '--pieces is for split'
        : undefined
  if (foreign !== undefined) throw new FatalError('bad-option', `${foreign}: leave it out.`)
}

async function change(
  pool: pg.Pool,
  action: string,
  leases: readonly ListedLease[],
  { pieces, reason }: LeasesOptions,
): Promise<number> {
  let changed = 0
  for (let at = 0; at < leases.length; at += mostAtOnce) {
    const some = leases.slice(at, at + mostAtOnce)
    if (action === 'requeue') changed += await requeueLeases(pool, some)
    else if (action === 'split') changed += await splitLeases(pool, some, pieces)
    else changed += await skipLeases(pool, some, reason ?? '')
  }
  if (changed > 0) await announceFarmWork(pool)
  return changed
}

function listFooter(action: string, found: readonly ListedLease[]): string {
  if (action !== 'list') return `${many(found.length, 'lease')} would be changed by ${action}.`
  const flagged = found.filter(({ status }) => status === 'flagged').length
  const advice = ` ${many(flagged, 'is', 'are')} flagged: mend the cause, then npm run leases -- requeue.`
  return `${many(found.length, 'lease')}.${flagged === 0 ? '' : advice}`
}

function outcome(action: string, found: readonly ListedLease[], changed: number): string {
  if (action === 'split') return `${many(found.length, 'lease')} became ${changed}.`
  const others = found.length - changed
  const rest = others > 0 ? ` ${many(others, 'was', 'were')} in another state by then.` : ''
  return `${many(changed, 'lease is', 'leases are')} ${action === 'skip' ? 'skipped' : 'queued again'}.${rest}`
}
