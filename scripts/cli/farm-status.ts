import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import type { Config } from '../../src/config.ts'
import { findLockHolder } from '../../src/platform/db/advisory-lock.ts'
import { asDatabaseError } from '../../src/platform/db/errors.ts'
import { coordinatorLock } from '../../src/farm/coordinator/coordinator.ts'
import { readFarmOverview } from '../../src/farm/overview/farm-overview.ts'
import type { FarmOverview, StageState, KnownCoverage } from '../../src/farm/overview/farm-overview.ts'
import { etaSeconds, PaceSamples } from '../../src/farm/overview/pace.ts'
import { planStages } from '../../src/farm/overview/stage-plan.ts'
import { listOpenRequests } from '../../src/farm/coverage/requests.ts'
import type { OpenRequest } from '../../src/farm/coverage/requests.ts'

/** One ingester or worker, with its pace. */
export interface StageStatus extends StageState {
  /** Heights a second; null until it was watched for two seconds. */
  readonly rate: number | null
  /** Until nothing is owed at this rate but what is flagged; null while that cannot be told. */
  readonly etaSeconds: number | null
}

/** What `npm run status` tells; ranges are half open. */
export interface FarmStatus extends Omit<FarmOverview, 'heights' | 'stages'> {
  readonly stages: readonly StageStatus[]
  /** Whether a process coordinates the farm now. */
  readonly isCoordinated: boolean
  /** What people asked for and is not finished. */
  readonly requests: readonly OpenRequest[]
}

/** Reads the state of the farm again and again, and learns its pace from that. */
export class FarmWatch {
  readonly #pool: pg.Pool
  readonly #config: Config
  readonly #pace = new PaceSamples()
  readonly #known: KnownCoverage = new Map()

  constructor(pool: pg.Pool, config: Config) {
    this.#pool = pool
    this.#config = config
  }

  /** @throws RetryableError when the database does not answer */
  async read(): Promise<FarmStatus> {
    const bounds = { startBlock: this.#config.START_BLOCK }
    try {
      const plans = planStages(this.#config, workers)
      const { heights: _, stages, ...overview } = await readFarmOverview(this.#pool, plans, bounds, this.#known)
      const at = performance.now()
      for (const { name, covered } of stages) this.#pace.add(name, at, covered)
      return {
        ...overview,
        stages: stages.map((stage) => this.#withPace(stage)),
        requests: await listOpenRequests(this.#pool),
        isCoordinated: (await findLockHolder(this.#pool, coordinatorLock)) !== undefined,
      }
    } catch (error) {
      throw asDatabaseError(error)
    }
  }

  #withPace(stage: StageState): StageStatus {
    const rate = this.#pace.rate(stage.name)
    return { ...stage, rate, etaSeconds: etaSeconds(stage.owed, stage.flagged.heights, rate) }
  }
}
