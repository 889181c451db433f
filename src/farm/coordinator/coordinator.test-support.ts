import type pg from 'pg'
import { pino } from 'pino'
import type { TestDatabase } from '../../../test/support/database.ts'
import { completeClaims } from '../farm-tables.test-support.ts'
import { claimLeases } from '../leases/leases.ts'
import { CompletionAnnouncer } from '../worker-loop/held-leases.ts'
import { Coordinator } from './coordinator.ts'
import type { CoordinatorOptions, RoundReport } from './coordinator.ts'
import type { Enqueue, EnqueuedLease } from './lease-enqueuer.ts'
import type { WorkerPlan } from './plan-ranges.ts'

/** A timer that never fires in a test, so that every round has an explicit cause. */
export const never = 3_600_000

export function plan(name: string, follows: string[] = []): WorkerPlan {
  return { name, follows, liveChunk: 10, historyChunk: 100 }
}

export type OptionsToRun = Partial<CoordinatorOptions> & Pick<CoordinatorOptions, 'enqueue' | 'workers'>

export interface RunningCoordinator {
  readonly coordinator: Coordinator
  readonly reports: RoundReport[]
  /** Resolves when the condition holds; checked after every round. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>
  stop(): Promise<void>
}

export function startCoordinator(database: TestDatabase, options: OptionsToRun): RunningCoordinator {
  const stopping = new AbortController()
  const reports: RoundReport[] = []
  let nextRound = Promise.withResolvers<void>()
  const coordinator = new Coordinator({
    databaseUrl: database.url,
    pool: database.pool,
    log: pino({ level: 'silent' }),
    signal: stopping.signal,
    liveBlocks: 20,
    foldMs: 0,
    cleanUpMs: 0,
    onRound: (report) => {
      reports.push(report)
      nextRound.resolve()
      nextRound = Promise.withResolvers()
    },
    ...options,
  })
  const ended = coordinator.run()
  return {
    coordinator,
    reports,
    async until(condition) {
      for (;;) {
        const next = nextRound.promise
        if (await condition()) return
        await Promise.race([
          next,
          ended.then(() => {
            throw new Error('the coordinator has ended')
          }),
        ])
      }
    },
    async stop() {
      stopping.abort(new Error('test is over'))
      await ended
    },
  }
}

export interface CompletingWorker {
  readonly enqueue: Enqueue
  readonly offered: EnqueuedLease[]
  idle(): Promise<void>
}

/** Completes all leases it receives, like a worker process. */
export function startCompletingWorker(pool: pg.Pool): CompletingWorker {
  const offered: EnqueuedLease[] = []
  const announcer = new CompletionAnnouncer(pool, () => undefined)
  const enqueue: Enqueue = async (leases) => {
    offered.push(...leases)
    await completeClaims(pool, await claimLeases(pool, leases, { leasedBy: 'doer', leaseMs: 60_000 }))
    announcer.announce()
  }
  return { enqueue, offered, idle: () => announcer.idle() }
}
