import type { Worker } from '../../../jobs/worker.ts'

/** Workers that read their ranges and find nothing in them. */
export function idleWorkers(count: number): Worker[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `idle_${i}`,
    description: 'Derives nothing.',
    phase: 1,
    follows: [],
    tables: [],
    folds: [],
    derive: () => undefined,
  }))
}
