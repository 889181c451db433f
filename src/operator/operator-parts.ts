import type pg from 'pg'
import { ApiError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import type { StagePlan } from '../farm/overview/stage-plan.ts'
import type { OverviewFeed } from './overview/overview-feed.ts'

/** What the routes lean on. */
export interface OperatorParts {
  readonly pool: pg.Pool
  /** All ingesters and workers of the program. */
  readonly plans: readonly StagePlan[]
  readonly feed: OverviewFeed
  readonly log: Logger
}

/** The names of all workers. */
export function workerNames({ plans }: Pick<OperatorParts, 'plans'>): string[] {
  return plans.filter(({ kind }) => kind === 'worker').map(({ name }) => name)
}

/** @throws ApiError 400 `unknown-worker` that lists those that there are */
export function requireWorkers(parts: Pick<OperatorParts, 'plans'>, names: readonly string[], field: string): void {
  const known = workerNames(parts)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new ApiError(400, 'unknown-worker', `There is no worker "${unknown}". Workers: ${known.join(', ')}.`, {
      field,
    })
  }
}
