import type { Worker } from '../../../jobs/worker.ts'

/** Workers of WORKERS_DIR whose code this process runs. They may change at any time. */
export interface OwnWorkerSource {
  /** Each has `deriveEvents` and was registered with `addOwnWorker`. */
  workers(): readonly Worker[]
  onChange(listener: () => void): void
  /** Ends running derivations. */
  stop(): Promise<void>
}
