import type pg from 'pg'
import { withDatabase } from '../cli/open-database.ts'
import { endOf, oneOf } from '../cli/options.ts'
import { count, duration, heights, pluralize, print, printJson, styled, tableText } from '../cli/texts.ts'
import { checkBuiltInNames, knownWorkers, readWorkers } from './workers.ts'
import type { LeaseStatus } from '../../src/farm/leases/leases.ts'
import { listLeases, requeueLeases, skipLeases, splitLeases } from '../../src/farm/leases/operator-leases.ts'
import type { LeaseFilter, ListedLease } from '../../src/farm/leases/operator-leases.ts'
import { announceFarmWork } from '../../src/platform/db/listen.ts'
import { asDatabaseError } from '../../src/platform/db/errors.ts'
import { exitCodes, FatalError } from '../../src/platform/errors.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'

const openStatuses = ['queued', 'active', 'failed', 'flagged', 'skipped'] as const

const maxAtOnce = 1000

export function leases(action: string, options: LeasesOptions): Promise<number> {
  if (action !== 'list') refuseCarelessChange(action, options)
  const end = endOf(options)
  const hasHeights = options.from !== undefined || end !== undefined
  const statuses = action === 'list' ? openStatuses : (['flagged'] as const)
  const selection = {
    code: options.code,
    ...(hasHeights ? { range: { from: options.from ?? 0, to: end ?? Number.MAX_SAFE_INTEGER } } : {}),
    statuses: options.status.length > 0 ? options.status.map((one) => oneOf(openStatuses, one, 'status')) : statuses,
  }
  checkBuiltInNames(options.worker, 'worker')
  return withDatabase(async ({ pool }) => {
    const all = await readWorkers(pool)
    const worker = knownWorkers(all, options.worker, 'worker')
    const workers = worker.length > 0 ? worker : all.map(({ name }) => name)
    const found = await findLeases(pool, { ...selection, workers })
    if (action === 'list' || options['dry-run']) {
      if (options.json) printJson({ leases: found })
      else print(found.length === 0 ? 'No matching leases.' : `${leasesTable(found)}${listFooter(action, found)}`)
      return exitCodes.success
    }
    const changed = await change(pool, action, found, options)
    const changedLeases = found.map(({ worker, from, to }) => ({ worker, from, to }))
    if (options.json) printJson({ action, found: found.length, changed, leases: changedLeases })
    else print(found.length === 0 ? 'No matching leases.' : outcome(action, found, changed))
    return exitCodes.success
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

/** @throws FatalError `bad-option` without a selection */
function refuseCarelessChange(action: string, options: LeasesOptions): void {
  const { worker, status, from, to, code, all, pieces, reason } = options
  const names = worker.length > 0 || code !== undefined || from !== undefined || to !== undefined
  if (!all && !names) {
    const remedy = `select leases with --worker, --from and --to, or --code, or ${action} all with --all`
    throw new FatalError('bad-option', `No leases selected: ${remedy}.`)
  }
  const wrong = status.filter((one) => one !== 'flagged' && one !== 'failed')
  if (wrong.length > 0) {
    const remedy = 'only failed and flagged leases can be changed'
    throw new FatalError('bad-option', `--status ${wrong.join(',')} cannot be used with ${action}: ${remedy}.`)
  }
  if (action === 'skip' && reason === undefined) {
    const remedy = 'give the reason with --reason "<text>"'
    throw new FatalError('bad-option', `--reason is missing: ${remedy}.`)
  }
  const foreign =
    action !== 'skip' && reason !== undefined
      ? '--reason applies to skip only'
      : action !== 'split' && pieces !== undefined
        ? '--pieces applies to split only'
        : undefined
  if (foreign !== undefined) throw new FatalError('bad-option', `${foreign}. Remove it.`)
}

async function change(
  pool: pg.Pool,
  action: string,
  leases: readonly ListedLease[],
  { pieces, reason }: LeasesOptions,
): Promise<number> {
  let changed = 0
  for (let at = 0; at < leases.length; at += maxAtOnce) {
    const some = leases.slice(at, at + maxAtOnce)
    if (action === 'requeue') changed += await requeueLeases(pool, some)
    else if (action === 'split') changed += await splitLeases(pool, some, pieces)
    else changed += await skipLeases(pool, some, reason ?? '')
  }
  if (changed > 0) await announceFarmWork(pool)
  return changed
}

function listFooter(action: string, found: readonly ListedLease[]): string {
  if (action !== 'list') return `${pluralize(found.length, 'lease')} would be changed by ${action}.`
  const flagged = found.filter(({ status }) => status === 'flagged').length
  const advice = ` ${pluralize(flagged, 'is', 'are')} flagged: fix the cause, then run npm run farm -- leases requeue.`
  return `${pluralize(found.length, 'lease')}.${flagged === 0 ? '' : advice}`
}

function outcome(action: string, found: readonly ListedLease[], changed: number): string {
  if (action === 'split') return `${pluralize(found.length, 'lease')} became ${changed}.`
  const others = found.length - changed
  const rest = others > 0 ? ` ${pluralize(others, 'was', 'were')} in another state meanwhile.` : ''
  return `${pluralize(changed, 'lease is', 'leases are')} ${action === 'skip' ? 'skipped' : 'requeued'}.${rest}`
}

const pageSize = 1000

export interface LeaseSelection extends Pick<LeaseFilter, 'workers' | 'statuses' | 'code'> {
  readonly range?: HeightRange
}

export async function findLeases(pool: pg.Pool, { range, ...filter }: LeaseSelection): Promise<ListedLease[]> {
  const found: ListedLease[] = []
  try {
    for (let after: ListedLease | undefined; ;) {
      const page = await listLeases(pool, { ...filter, after, limit: pageSize })
      found.push(...page.filter(({ from, to }) => range === undefined || (from < range.to && to > range.from)))
      after = page.at(-1)
      if (page.length < pageSize) return found
    }
  } catch (error) {
    throw asDatabaseError(error)
  }
}

const maxCharacters = 100

export function leasesTable(leases: readonly ListedLease[]): string {
  const now = new Date()
  const since = ({ updatedAt }: ListedLease): number => (now.getTime() - updatedAt.getTime()) / 1000
  return tableText<ListedLease>(
    [
      { title: 'WORKER', value: ({ worker }) => worker },
      { title: 'HEIGHTS', value: heights },
      { title: 'STATUS', value: ({ status }) => styled(colourOf(status), status) },
      { title: 'ATTEMPTS', align: 'right', value: ({ attempt }) => count(attempt) },
      { title: 'SINCE', align: 'right', value: (lease) => duration(Math.max(0, since(lease))) },
      { title: 'CODE', value: ({ code }) => code ?? '' },
      { title: '', value: (lease) => noteOf(lease, now) },
    ],
    leases,
  )
}

function noteOf({ status, reason, error, leasedBy, notBefore }: ListedLease, now: Date): string {
  if (status === 'skipped' && reason !== null) return `skipped: ${oneLine(reason)}`
  if (status === 'active') return `by ${leasedBy ?? 'unknown'}`
  const seconds = notBefore === null ? 0 : (notBefore.getTime() - now.getTime()) / 1000
  const again = status === 'failed' && seconds > 0 ? `retry in ${duration(seconds)}; ` : ''
  return again + oneLine(error ?? '')
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line
}

function colourOf(status: LeaseStatus): 'red' | 'yellow' | 'cyan' | 'reset' {
  if (status === 'flagged') return 'red'
  if (status === 'failed' || status === 'skipped') return 'yellow'
  return status === 'active' ? 'cyan' : 'reset'
}
