import type { Config } from '../../base/config.ts'
import { planWorkers } from '../coordinator/worker-plan.ts'
import { ingesterServices } from '../coverage/ingesters.ts'

/** What an overview needs to know of an ingester or worker. */
export interface StagePlan {
  /** As in app.indexing_checkpoints.service_name. */
  readonly name: string
  readonly kind: 'ingester' | 'worker'
  readonly description: string
  /** 0 for ingesters. */
  readonly phase: 0 | 1 | 2
  /** Workers that must have done a height before, or given it up; `[]` for ingesters and what follows the raw tables alone. */
  readonly follows: readonly string[]
  /** Whether the configuration of this process has it on. */
  readonly isEnabled: boolean
}

interface KnownWorker {
  readonly name: string
  readonly description: string
  readonly phase: 1 | 2
  readonly follows: readonly string[]
}

type StageSettings = Parameters<typeof planWorkers>[0] &
  Pick<Config, 'ENABLE_FORWARD_INGESTER' | 'ENABLE_HISTORY_INGESTER'>

/** Everything that does heights: the ingesters first, then `workers` in their order. */
export function planStages(config: StageSettings, workers: readonly KnownWorker[]): StagePlan[] {
  const [forward, history] = ingesterServices
  const enabled = new Set(planWorkers(config, workers).map(({ name }) => name))
  const ingester = { kind: 'ingester', phase: 0, follows: [] } as const
  return [
    {
      ...ingester,
      name: forward,
      description: 'Follows the head of the chain.',
      isEnabled: config.ENABLE_FORWARD_INGESTER,
    },
    {
      ...ingester,
      name: history,
      description: 'Fills in history, from the first block of the forward ingester down.',
      isEnabled: config.ENABLE_HISTORY_INGESTER,
    },
    ...workers.map(({ name, description, phase, follows }) => ({
      kind: 'worker' as const,
      name,
      description,
      phase,
      follows,
      isEnabled: enabled.has(name),
    })),
  ]
}
