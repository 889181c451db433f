import type { Worker } from './worker.ts'

/** Every worker of the farm, in the order in which they are shown. */
export const workers: readonly Worker[] = []
