import { workers } from '../../jobs/index.ts'
import { oneOf } from '../cli/options.ts'
import type { Config } from '../../src/config.ts'
import { planWorkers } from '../../src/farm/coordinator/plan-leases.ts'
import { FatalError } from '../../src/platform/errors.ts'

export const workerNames: readonly string[] = workers.map(({ name }) => name)

/** @throws FatalError `bad-option` for a name that is no worker's */
export function knownWorkers(names: readonly string[], option: 'worker' | 'workers'): readonly string[] {
  return names.map((name) => oneOf(workerNames, name, option))
}

/** The workers that the environment of this command enables. @throws FatalError `no-workers` */
export function enabledWorkers(config: Config): readonly string[] {
  const names = planWorkers(config, workers).map(({ name }) => name)
  if (names.length > 0) return names
  throw new FatalError('no-workers', 'No worker is switched on (RAW_ONLY, ENABLE_…_WORKER): name them by --workers.')
}
