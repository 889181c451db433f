import type { BenchCase } from './cases.ts'
import type { ApiProgram } from './api-program.ts'
import { measureLoad } from './measure-load.ts'
import type { LoadOptions, MeasuredLoad } from './measure-load.ts'

export interface MeasuredCase extends MeasuredLoad {
  /** Processor time of PostgreSQL for a request. */
  readonly serverMs: number
}

/**
 * One case of the API, after a moment to warm up.
 * @param serverSeconds processor time of PostgreSQL so far
 */
export async function measureCase(
  api: ApiProgram,
  paths: BenchCase['asked'],
  load: LoadOptions,
  serverSeconds: () => number,
): Promise<MeasuredCase> {
  await measureLoad(api, paths.slice(0, 200), { ...load, seconds: Math.min(1, load.seconds / 2) })
  const before = serverSeconds()
  const measured = await measureLoad(api, paths, load)
  return { ...measured, serverMs: ((serverSeconds() - before) * 1000) / measured.requests }
}
