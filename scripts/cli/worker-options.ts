import { workers } from '../../jobs/index.ts'
import type { Config } from '../../src/config.ts'
import { FatalError } from '../../src/platform/errors.ts'
import { planWorkers } from '../../src/farm/leases/plan-leases.ts'
import { someOf } from './options.ts'

export const workerNames: readonly string[] = workers.map(({ name }) => name)

/** Names of workers, separated by commas. */
export function workersOption(description: string): ReturnType<typeof someOf> {
  return someOf('<names>', workerNames, `${description} Names, separated by commas: ${workerNames.join(', ')}.`)
}

/** The workers that the variables of this command have switched on. @throws FatalError `no-workers` */
export function enabledWorkers(config: Config): readonly string[] {
  const names = planWorkers(config, workers).map(({ name }) => name)
  if (names.length > 0) return names
  throw new FatalError('no-workers', 'No worker is switched on (RAW_ONLY, ENABLE_…_WORKER): name them by --workers.')
}
