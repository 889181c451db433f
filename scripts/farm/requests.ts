import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Worker } from '../../jobs/worker.ts'
import { withDatabase } from '../cli/open-database.ts'
import { requiredRange } from '../cli/options.ts'
import type { HeightOptions } from '../cli/options.ts'
import { ProgressBar } from '../cli/progress-bar.ts'
import { count, heights, heightSet, pluralize, print, printJson, styled, tableText } from '../cli/texts.ts'
import { findLeases, leasesTable } from './leases.ts'
import { checkBuiltInNames, enabledWorkers, knownWorkers, readWorkers } from './workers.ts'
import { coordinatorLock } from '../../src/farm/coordinator/coordinator.ts'
import { ingesterServices, readCoverage } from '../../src/farm/leases/coverage.ts'
import {
  addRederiveRequest,
  addRequest,
  listOpenRequests,
  withFollowed,
  withFollowers,
  backlogCount,
  readRequestProgress,
} from '../../src/farm/leases/requests.ts'
import type { AddedRequest, RequestProgress, WorkerProgress } from '../../src/farm/leases/requests.ts'
import { findLockHolder } from '../../src/platform/db/advisory-lock.ts'
import { asDatabaseError } from '../../src/platform/db/errors.ts'
import { query } from '../../src/platform/db/pool.ts'
import { exitCodes, FatalError } from '../../src/platform/errors.ts'
import { difference, size, union } from '../../src/platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../src/platform/ranges.ts'

interface RequestOptions extends HeightOptions {
  readonly workers: readonly string[]
  readonly detach: boolean
  readonly 'dry-run': boolean
  readonly json: boolean
}

export function backfill(options: RequestOptions): Promise<number> {
  const range = requiredRange(options)
  checkBuiltInNames(options.workers, 'workers')
  return withDatabase(async ({ pool, config }) => {
    const allWorkers = await readWorkers(pool)
    const named = knownWorkers(allWorkers, options.workers, 'workers')
    const requested = named.length > 0 ? named : enabledWorkers(config, allWorkers)
    const names = withFollowed(allWorkers, requested)
    await requireStored(pool, range)
    const progress = await readRequestProgress(pool, allWorkers, names, range)
    const plan = progress.workers.map(({ worker, backlog, skipped }) => ({
      worker,
      heights: size(backlog),
      note: [
        ...(requested.includes(worker) ? [] : ['followed by a named worker']),
        ...(skipped.length > 0 ? [`${size(skipped)} heights were skipped`] : []),
      ].join('; '),
    }))
    const output = { pool, allWorkers, range, json: options.json }
    if (backlogCount(progress) === 0 || options['dry-run']) {
      const outcome = options['dry-run'] ? 'dry-run' : 'nothing-backlog'
      if (options.json) printJson({ outcome, request: null, ...range, workers: plan })
      else if (backlogCount(progress) > 0) printPlan(plan)
      else print(`No backlog: heights ${heights(range)} are covered by ${names.join(', ')}.`)
      return exitCodes.success
    }
    const request = await addRequest(pool, allWorkers, requested, range)
    if (!options.json) printPlan(plan)
    return options.detach ? leaveRequest(output, request) : awaitRequest(output, request)
  })
}

export function rederive(options: RequestOptions & { readonly all: boolean }): Promise<number> {
  const range = requiredRange(options)
  if (options.all === options.workers.length > 0) {
    throw new FatalError('bad-option', 'Select workers with --workers <names> or --all.')
  }
  checkBuiltInNames(options.workers, 'workers')
  return withDatabase(async ({ pool, config }) => {
    const allWorkers = await readWorkers(pool)
    const named = knownWorkers(allWorkers, options.workers, 'workers')
    const requested = options.all ? enabledWorkers(config, allWorkers) : named
    await requireStored(pool, range)
    const again = withFollowers(allWorkers, requested)
    const progress = await readRequestProgress(pool, allWorkers, withFollowed(allWorkers, again), range)
    const plan = progress.workers
      .map(({ worker, backlog, skipped }) => {
        if (!again.includes(worker)) return { worker, heights: size(backlog), note: 'followed by them; its backlog' }
        const notes = [
          ...(requested.includes(worker) ? [] : ['follows a named worker']),
          ...(skipped.length > 0 ? [`includes ${pluralize(size(skipped), 'skipped height')}`] : []),
        ]
        return { worker, heights: range.to - range.from, note: notes.join('; ') }
      })
      .filter(({ worker, heights }) => again.includes(worker) || heights > 0)
    if (options['dry-run']) {
      if (options.json) printJson({ outcome: 'dry-run', request: null, ...range, workers: plan })
      else printPlan(plan)
      return exitCodes.success
    }
    const request = await addRederiveRequest(pool, allWorkers, requested, range)
    if (!options.json) printPlan(plan)
    const output = { pool, allWorkers, range, json: options.json }
    return options.detach ? leaveRequest(output, request) : awaitRequest(output, request)
  })
}

interface RequestOutput {
  readonly pool: pg.Pool
  readonly allWorkers: readonly Worker[]
  readonly range: HeightRange
  readonly json: boolean
}

interface RequestPlan {
  readonly worker: string
  readonly heights: number
  readonly note: string
}

function printPlan(plan: readonly RequestPlan[]): void {
  print(
    tableText<RequestPlan>(
      [
        { title: 'WORKER', value: ({ worker }) => worker },
        { title: 'HEIGHTS', align: 'right', value: (row) => count(row.heights) },
        { title: '', value: ({ note }) => note },
      ],
      plan,
    ),
  )
}

function leaveRequest({ range, json }: RequestOutput, request: AddedRequest): number {
  if (json) printJson({ outcome: 'detached', request: request.id, workers: request.workers, ...range })
  else print(`Request ${request.id}: heights ${heights(range)}. See npm run farm -- status for progress.`)
  return exitCodes.success
}

async function awaitRequest({ pool, allWorkers, range, json }: RequestOutput, request: AddedRequest): Promise<number> {
  const startedAt = performance.now()
  const waited = await waitForRequest(pool, allWorkers, { id: request.id, workers: request.workers, range })
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  const {
    outcome,
    progress: { workers },
  } = waited
  const flagged = await findLeases(pool, { workers: request.workers, statuses: ['flagged'], range })
  if (json) {
    printJson({
      outcome,
      request: request.id,
      ...range,
      seconds,
      workersOff: waited.workersOff,
      flagged,
      workers: workers.map(({ worker, backlog, skipped }) => ({
        worker,
        backlog: size(backlog),
        skipped: size(skipped),
      })),
    })
  } else {
    for (const line of skippedLines(workers)) print(line)
    if (flagged.length > 0) print(leasesTable(flagged))
    print(outcomeText(waited, request, range, seconds))
  }
  if (outcome === 'done') return exitCodes.success
  return outcome === 'stuck' || outcome === 'workers-off'
    ? exitCodes.operatorActionRequired
    : exitCodes.temporaryFailure
}

function skippedLines(workers: readonly WorkerProgress[]): string[] {
  return workers
    .filter(({ skipped }) => skipped.length > 0)
    .map(({ worker, skipped }) => {
      return `Skipped, and counted as done: ${worker}, heights ${heightSet(skipped)}.`
    })
}

function outcomeText(waited: Waited, request: AddedRequest, range: HeightRange, seconds: number): string {
  const { outcome, progress, workersOff } = waited
  const stays = `Request ${request.id} stays open`
  const owing = progress.workers
    .filter(({ backlog }) => backlog.length > 0)
    .map(({ worker }) => worker)
    .join(', ')
  const switches = workersOff.map((name) => `ENABLE_${name.toUpperCase()}`).join(', ')
  const texts: Readonly<Record<WaitOutcome, string>> = {
    done: `Done: heights ${heights(range)}, ${pluralize(request.workers.length, 'worker')}, ${count(seconds)} s.`,
    stuck:
      `These ranges are flagged, and ${owing} cannot continue without them. Fix the cause and requeue them ` +
      `(npm run farm -- leases requeue), or skip them (npm run farm -- leases skip --reason …). ${stays} until then.`,
    'workers-off': `Disabled in the farm: ${workersOff.join(', ')} (${switches}). ${stays} until they are enabled.`,
    'no-farm': `No farm process is running. ${stays}; start one with npm start.`,
    interrupted: `${stays}, and the farm continues. See npm run farm -- status for progress.`,
  }
  return styled(outcome === 'done' ? 'green' : outcome === 'interrupted' ? 'reset' : 'red', texts[outcome])
}

interface WaitedRequest {
  readonly id: number
  readonly workers: readonly string[]
  readonly range: HeightRange
}

/**
 * `stuck`: only flagged ranges and those that wait for them remain. `workers-off`: workers with a
 * backlog are disabled. `no-farm`: no coordinator.
 */
type WaitOutcome = 'done' | 'stuck' | 'workers-off' | 'no-farm' | 'interrupted'

interface Waited {
  readonly outcome: WaitOutcome
  readonly progress: RequestProgress
  readonly workersOff: readonly string[]
}

const pollMs = 300
/** A new coordinator takes over within this time. */
const noFarmMs = 4000

async function waitForRequest(
  pool: pg.Pool,
  allWorkers: readonly Worker[],
  { id, workers, range }: WaitedRequest,
): Promise<Waited> {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  const bar = new ProgressBar('Deriving')
  let all: number | undefined
  let coordinatedAt = performance.now()
  try {
    for (;;) {
      const progress = await readRequestProgress(pool, allWorkers, workers, range)
      const backlog = backlogCount(progress)
      all ??= backlog
      bar.show(Math.max(0, all - backlog), all, noteOf(progress))
      if (await findLockHolder(pool, coordinatorLock)) coordinatedAt = performance.now()
      const workersOff = (await listOpenRequests(pool)).find((request) => request.id === id)?.workersOff ?? []
      const end = (outcome: WaitOutcome): Waited => ({ outcome, progress, workersOff })
      if (progress.isDone) return end('done')
      if (progress.isStuck) return end('stuck')
      if (performance.now() - coordinatedAt > noFarmMs) return end('no-farm')
      const owing = progress.workers.filter((worker) => worker.backlog.length > 0).map(({ worker }) => worker)
      if (owing.some((worker) => workersOff.includes(worker))) return end('workers-off')
      if (interrupted.signal.aborted) return end('interrupted')
      await delay(pollMs, undefined, { signal: interrupted.signal }).catch(() => undefined)
    }
  } catch (error) {
    throw asDatabaseError(error)
  } finally {
    bar.end()
  }
}

function noteOf({ workers }: RequestProgress): string {
  const parts = (['active', 'failed', 'flagged'] as const).map((state) => {
    return { state, number: workers.reduce((sum, one) => sum + size(one[state]), 0) }
  })
  return parts
    .filter(({ number }) => number > 0)
    .map(({ state, number }) => `${count(number)} ${state}`)
    .join(', ')
}

/** @throws FatalError `not-stored` */
async function requireStored(pool: pg.Pool, range: HeightRange): Promise<void> {
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
    lines.push(`Above ${highest - 1}: the forward ingester stores blocks once they are sealed${known}.`)
  }
  if ((missing[0]?.from ?? lowest) < lowest) {
    const settings = 'while ENABLE_HISTORY_INGESTER is true, down to HISTORY_STOP_HEIGHT'
    lines.push(`Below ${lowest}: the history ingester stores them ${settings}.`)
  }
  if (missing.some(({ from, to }) => from >= lowest && to <= highest)) {
    lines.push('In between: ingestion is in progress; see npm run farm -- status.')
  }
  lines.push('Wait, or select stored heights.')
  return lines
}

async function latestHeight(pool: pg.Pool): Promise<number | undefined> {
  const text = 'select latest_height::float8 as latest from app.chain'
  const {
    rows: [row],
  } = await query<{ latest: number | null }>(pool, text)
  return row?.latest ?? undefined
}
