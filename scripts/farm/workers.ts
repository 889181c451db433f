import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import { oneOf } from '../cli/options.ts'
import type { Config } from '../../src/config.ts'
import { planWorkers } from '../../src/farm/coordinator/plan-leases.ts'
import { readOwnWorkers } from '../../src/own-tables/registry.ts'
import { FatalError } from '../../src/platform/errors.ts'

/** Own ones are without their code. */
export async function readWorkers(pool: pg.Pool): Promise<readonly Worker[]> {
  return [...workers, ...(await readOwnWorkers(pool))]
}

/**
 * Built-in names, before the database is opened: it has the names of own workers.
 * @throws FatalError `bad-option`
 */
export function checkBuiltInNames(names: readonly string[], option: 'worker' | 'workers'): void {
  const builtIn = names.filter((name) => !name.startsWith('own_'))
  knownWorkers(workers, builtIn, option)
}

/** @throws FatalError `bad-option` */
export function knownWorkers(
  all: readonly Worker[],
  names: readonly string[],
  option: 'worker' | 'workers',
): readonly string[] {
  const known = all.map(({ name }) => name)
  return names.map((name) => oneOf(known, name, option))
}

/** @throws FatalError `no-workers` */
export function enabledWorkers(config: Config, all: readonly Worker[]): readonly string[] {
  const names = planWorkers(config, all).map(({ name }) => name)
  if (names.length > 0) return names
  throw new FatalError('no-workers', 'No worker is enabled (RAW_ONLY, ENABLE_…_WORKER): select workers with --workers.')
}
