import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers as allWorkers } from '../../jobs/index.ts'
import { size } from '../../src/base/ranges.ts'
import type { HeightRange } from '../../src/base/ranges.ts'
import { findLockHolder } from '../../src/db/advisory-lock.ts'
import { asDatabaseError } from '../../src/db/errors.ts'
import { coordinatorLock } from '../../src/farm/coordinator/coordinator.ts'
import { listOpenRequests } from '../../src/farm/requests/list-open-requests.ts'
import { owedCount, readRequestProgress } from '../../src/farm/requests/request-progress.ts'
import type { RequestProgress } from '../../src/farm/requests/request-progress.ts'
import { ProgressBar } from './progress-bar.ts'
import { count } from './texts.ts'

export interface WaitedRequest {
  readonly id: number
  readonly workers: readonly string[]
  readonly range: HeightRange
}

/**
 * How the waiting ended. `stuck`: what is left is flagged, or waits for what is; `workers-off`: workers that still owe
 * something are switched off; `no-farm`: no process coordinates the farm; `interrupted`: by a signal.
 */
export type WaitOutcome = 'done' | 'stuck' | 'workers-off' | 'no-farm' | 'interrupted'

export interface Waited {
  readonly outcome: WaitOutcome
  readonly progress: RequestProgress
  readonly workersOff: readonly string[]
}

const pollMs = 300
/** Another process takes over well within this time when the one that coordinates ends. */
const noFarmMs = 4000

/** Waits with a progress bar until a request is finished, or it is plain that it does not go on. */
export async function waitForRequest(pool: pg.Pool, { id, workers, range }: WaitedRequest): Promise<Waited> {
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
