import type pg from 'pg'
import { exitCodes } from '../../src/base/errors.ts'
import { size } from '../../src/base/ranges.ts'
import type { HeightRange } from '../../src/base/ranges.ts'
import type { AddedRequest } from '../../src/farm/requests/add-request.ts'
import type { WorkerProgress } from '../../src/farm/requests/request-progress.ts'
import { findLeases } from './find-leases.ts'
import { leasesTable } from './leases-table.ts'
import { tableText } from './table.ts'
import { count, heights, heightSet, many, print, printJson, styled } from './texts.ts'
import { waitForRequest } from './wait-for-request.ts'
import type { Waited, WaitOutcome } from './wait-for-request.ts'

/** What `backfill` and `rederive` share: telling what is asked for, waiting for it, telling how that ended. */

export interface RequestOutput {
  readonly pool: pg.Pool
  readonly range: HeightRange
  readonly json: boolean
}

/** What is to be derived by whom. */
export interface RequestPlan {
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
