import type { AskingWorker } from '../../../jobs/asking/asking-worker.ts'
import { asError, FatalError } from '../../base/errors.ts'
import { LogThrottle } from '../../base/log-throttle.ts'
import { backoffMs, pause } from '../../base/retry.ts'
import { asDatabaseError } from '../../db/errors.ts'
import { farmChannel } from '../leases/sql/announce-farm-work.ts'
import { AskingLoop } from './asking-loop.ts'
import type { AskingLoopOptions } from './asking-loop.ts'
import { WorkerLocks } from './worker-locks.ts'

/** A worker that asks, with its settings. */
export interface RunningAsker extends Pick<AskingLoopOptions, 'concurrency' | 'range'> {
  readonly worker: AskingWorker
}

export interface AskingFarmOptions extends Omit<AskingLoopOptions, 'worker' | 'concurrency' | 'range'> {
  readonly databaseUrl: string
  readonly askers: readonly RunningAsker[]
  readonly signal: AbortSignal
}

const applicationName = 'flowfarm asking'

/**
 * Runs workers that ask: of each that this process has the lock of, a loop. Others wait in other processes, and take over
 * what a process held as soon as it is gone.
 *
 *     connecting ──► holding some locks, their loops run ──session lost: loops end──► connecting … ──signal──► stopped
 *
 * For as long as a process has not noticed the loss, two may ask the same: what is stored is an answer either way.
 */
export class AskingFarm {
  readonly #options: AskingFarmOptions
  readonly #loops: ReadonlyMap<string, AskingLoop>
  readonly #held = new Set<string>()
  readonly #failures = new LogThrottle()

  constructor(options: AskingFarmOptions) {
    this.#options = options
    this.#loops = new Map(
      options.askers.map((asker) => [
        asker.worker.name,
        new AskingLoop({ ...options, ...asker, failures: this.#failures }),
      ]),
    )
  }

  /** The workers that this process has the lock of. */
  get held(): readonly AskingWorker[] {
    return this.#options.askers.map(({ worker }) => worker).filter(({ name }) => this.#held.has(name))
  }

  /** Works until the signal comes. @throws FatalError */
  async run(): Promise<void> {
    const { log, signal } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#term(() => (attempt = 1))
      } catch (thrown) {
        if (signal.aborted) break
        const error = asDatabaseError(thrown)
        if (error instanceof FatalError) throw error
        const pauseMs = backoffMs(attempt, 100, 5000)
        this.#failures.log(log, 'warn', { err: error, pauseMs }, 'Enrichment was interrupted: trying again')
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'stopped while waiting'))
      }
    }
  }

  /** From a session to its loss, or to the signal. */
  async #term(onProgress: () => void): Promise<void> {
    const { databaseUrl, signal, log } = this.#options
    const running: Promise<void>[] = []
    const ended = Promise.withResolvers<Error | undefined>()
    const ending = new AbortController()
    const locks = await WorkerLocks.open(databaseUrl, {
      signal,
      applicationName,
      workers: [...this.#loops.keys()],
      channel: farmChannel,
      onNotification: () => {
        for (const loop of this.#loops.values()) loop.wake()
      },
      onHeld: (worker) => {
        onProgress()
        this.#held.add(worker)
        log.debug({ worker }, 'this process asks for')
        const loop = this.#loops.get(worker)
        if (loop !== undefined) running.push(loop.run(ending.signal))
      },
    })
    const end = (): void => ended.resolve(locks.lost.aborted ? asError(locks.lost.reason) : undefined)
    signal.addEventListener('abort', end, { once: true })
    locks.lost.addEventListener('abort', end, { once: true })
    if (signal.aborted || locks.lost.aborted) end()
    try {
      const lost = await ended.promise
      if (lost !== undefined) throw lost
    } finally {
      signal.removeEventListener('abort', end)
      ending.abort(new Error('the asking ends'))
      this.#held.clear()
      await Promise.all(running)
      await locks.close()
    }
  }
}
