import { cpuSeconds, treeCpuSeconds } from '../process-usage.ts'

/** What some pieces of work took: the rate, and processor time a piece, which other load on the machine changes less. */
export interface Cost {
  readonly rate: number
  readonly nodeMs: number
  readonly postgresMs: number
}

/** @returns what to call when so many pieces are done */
export function startClock(postmaster: number): (count: number) => Cost {
  const started = { at: performance.now(), node: cpuSeconds(process.pid), postgres: treeCpuSeconds(postmaster) }
  return (count) => ({
    rate: count / ((performance.now() - started.at) / 1000),
    nodeMs: ((cpuSeconds(process.pid) - started.node) * 1000) / count,
    postgresMs: ((treeCpuSeconds(postmaster) - started.postgres) * 1000) / count,
  })
}
