import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers as allWorkers } from '../../jobs/index.ts'
import { coordinatorLock } from '../../src/farm/coordinator/coordinator.ts'
import type { AddedRequest } from '../../src/farm/coverage/requests.ts'
import { listOpenRequests } from '../../src/farm/coverage/requests.ts'
import { owedCount, readRequestProgress } from '../../src/farm/overview/request-progress.ts'
import type { WorkerProgress, RequestProgress } from '../../src/farm/overview/request-progress.ts'
import { findLockHolder } from '../../src/platform/db/advisory-lock.ts'
import { asDatabaseError } from '../../src/platform/db/errors.ts'
import { exitCodes } from '../../src/platform/errors.ts'
import { size } from '../../src/platform/ranges.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { findLeases } from './find-leases.ts'
import { leasesTable } from './leases-table.ts'
import { ProgressBar } from './progress-bar.ts'
import { tableText } from './table.ts'
import { count, heights, heightSet, many, print, printJson, styled } from './texts.ts'

/** What `backfill` and `rederive` share: telling what is asked for, waiting for it, telling how that ended. */

interface RequestOutput {
  readonly pool: pg.Pool
  readonly range: HeightRange
  readonly json: boolean
}

/** What is to be derived by whom. */
interface RequestPlan {
  readonly worker: string
  readonly heights: number
  readonly note: string
}

export function printPlan(plan: readonly RequestPlan[]): void {
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

/** With `--detach`: tells the number of the request and leaves it to the farm. */
export function leaveRequest({ range, json }: RequestOutput, request: AddedRequest): number {
  if (json) printJson({ outcome: 'detached', request: request.id, workers: request.workers, ...range })
  else print(`Asked for (request ${request.id}): heights ${heights(range)}. npm run status tells how far it is.`)
  return exitCodes.done
}

/** Waits for a request and tells how it ended. @returns the exit code */
export async function awaitRequest({ pool, range, json }: RequestOutput, request: AddedRequest): Promise<number> {
  const startedAt = performance.now()
  const waited = await waitForRequest(pool, { id: request.id, workers: request.workers, range })
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
      workers: workers.map(({ worker, owed, skipped }) => ({ worker, owed: size(owed), skipped: size(skipped) })),
    })
  } else {
    for (const line of skippedLines(workers)) print(line)
    if (flagged.length > 0) print(leasesTable(flagged))
    print(outcomeText(waited, request, range, seconds))
  }
  if (outcome === 'done') return exitCodes.done
  return outcome === 'stuck' || outcome === 'workers-off' ? exitCodes.needsPerson : exitCodes.restartMayHelp
}

function skippedLines(workers: readonly WorkerProgress[]): string[] {
  return workers
    .filter(({ skipped }) => skipped.length > 0)
    .map(({ worker, skipped }) => {
      return `Skipped by a person, and counted as done: ${worker}, heights ${heightSet(skipped)}.`
    })
}

function outcomeText(waited: Waited, request: AddedRequest, range: HeightRange, seconds: number): string {
  const { outcome, progress, workersOff } = waited
  const stays = `The request ${request.id} stays`
  const owing = progress.workers
    .filter(({ owed }) => owed.length > 0)
    .map(({ worker }) => worker)
    .join(', ')
  const switches = workersOff.map((name) => `ENABLE_${name.toUpperCase()}`).join(', ')
  const texts: Readonly<Record<WaitOutcome, string>> = {
    done: `Done: heights ${heights(range)}, ${many(request.workers.length, 'worker')}, ${count(seconds)} s.`,
    stuck:
      `These ranges failed too often, and ${owing} cannot go on without them. Mend the cause and try them again ` +
      `(npm run leases -- requeue), or give them up (npm run leases -- skip --reason …). ${stays} until then.`,
    'workers-off': `Switched off where the farm runs: ${workersOff.join(', ')} (${switches}). ${stays} until they are on.`,
    'no-farm': `No process works on the farm. ${stays}, and is done as soon as one does: npm start.`,
    interrupted: `${stays}, and the farm goes on with it. npm run status tells how far it is.`,
  }
  return styled(outcome === 'done' ? 'green' : outcome === 'interrupted' ? 'reset' : 'red', texts[outcome])
}

interface WaitedRequest {
  readonly id: number
  readonly workers: readonly string[]
  readonly range: HeightRange
}

/**
 * How the waiting ended. `stuck`: what is left is flagged, or waits for what is; `workers-off`: workers that still owe
 * something are switched off; `no-farm`: no process coordinates the farm; `interrupted`: by a signal.
 */
type WaitOutcome = 'done' | 'stuck' | 'workers-off' | 'no-farm' | 'interrupted'

interface Waited {
  readonly outcome: WaitOutcome
  readonly progress: RequestProgress
  readonly workersOff: readonly string[]
}

const pollMs = 300
/** Another process takes over well within this time when the one that coordinates ends. */
const noFarmMs = 4000

/** Waits with a progress bar until a request is finished, or it is plain that it does not go on. */
async function waitForRequest(pool: pg.Pool, { id, workers, range }: WaitedRequest): Promise<Waited> {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  const bar = new ProgressBar('Deriving')
  let all: number | undefined
  let coordinatedAt = performance.now()
  try {
    for (;;) {
      const progress = await readRequestProgress(pool, allWorkers, workers, range)
      const owed = owedCount(progress)
      all ??= owed
      bar.show(Math.max(0, all - owed), all, noteOf(progress))
      if (await findLockHolder(pool, coordinatorLock)) coordinatedAt = performance.now()
      const workersOff = (await listOpenRequests(pool)).find((request) => request.id === id)?.workersOff ?? []
      const end = (outcome: WaitOutcome): Waited => ({ outcome, progress, workersOff })
      if (progress.isDone) return end('done')
      if (progress.isStuck) return end('stuck')
      if (performance.now() - coordinatedAt > noFarmMs) return end('no-farm')
      const owing = progress.workers.filter((worker) => worker.owed.length > 0).map(({ worker }) => worker)
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
