import { workers } from '../../jobs/index.ts'
import { oneOf } from '../cli/options.ts'
import type { Config } from '../../src/config.ts'
import { planWorkers } from '../../src/farm/coordinator/plan-leases.ts'
import { FatalError } from '../../src/platform/errors.ts'

export const workerNames: readonly string[] = workers.map(({ name }) => name)

/** @throws FatalError `bad-option` */
export function knownWorkers(names: readonly string[], option: 'worker' | 'workers'): readonly string[] {
  return names.map((name) => oneOf(workerNames, name, option))
}

/** @throws FatalError `no-workers` */
export function enabledWorkers(config: Config): readonly string[] {
  const names = planWorkers(config, workers).map(({ name }) => name)
  if (names.length > 0) return names
  throw new FatalError('no-workers', 'No worker is enabled (RAW_ONLY, ENABLE_…_WORKER): select workers with --workers.')
}
