import { workers as allWorkers } from '../../../jobs/index.ts'
import { difference, intersection, normalize, size, union } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { ingesterServices } from '../leases/coverage.ts'
import { planWorkers } from '../coordinator/plan-leases.ts'

/** What an overview needs to know of an ingester or worker. */
export interface StagePlan {
  /** As in app.indexing_checkpoints.service_name. */
  readonly name: string
  readonly kind: 'ingester' | 'worker'
  readonly description: string
  /** 0 for ingesters. */
  readonly phase: 0 | 1 | 2
  /**
   * Workers that must have done a height before, or given it up; `[]` for ingesters and what follows the raw tables
   * alone.
   */
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

type StageSettings = Parameters<typeof planWorkers>[0] & {
  readonly ENABLE_FORWARD_INGESTER: boolean
  readonly ENABLE_HISTORY_INGESTER: boolean
}

/** Everything that does heights: the ingesters first, then `workers` in their order. */
export function planStages(config: StageSettings, workers: readonly KnownWorker[] = allWorkers): StagePlan[] {
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

/** The heights of one ingester or worker, by what became of them. */
export interface StageHeights {
  readonly covered: HeightSet
  /** What it could have done by now, done or not. */
  readonly available: HeightSet
  /** Given up by a person. */
  readonly skipped: HeightSet
  readonly active: HeightSet
  /** Of leases that are failed or flagged. */
  readonly failing: HeightSet
}

export interface HeightNumbers {
  readonly covered: number
  readonly available: number
  /** Available, and neither covered nor skipped. */
  readonly owed: number
  /** Lowest covered height. */
  readonly lowest: number | null
  /** Highest covered height, inclusive. */
  readonly highest: number | null
  /** Gaps of owed heights that have covered ones on both sides. */
  readonly holes: number
}

export function numbersOf({
  covered,
  available,
  skipped,
}: Pick<StageHeights, 'covered' | 'available' | 'skipped'>): HeightNumbers {
  const owed = difference(available, union(covered, skipped))
  const first = covered[0]
  const last = covered.at(-1)
  return {
    covered: size(covered),
    available: size(available),
    owed: size(owed),
    lowest: first === undefined ? null : first.from,
    highest: last === undefined ? null : last.to - 1,
    holes: owed.filter(({ from, to }) => from >= (first?.to ?? Infinity) && to <= (last?.from ?? 0)).length,
  }
}

/**
 * What a worker could have done: the stored heights that each worker that it follows has done or was let off.
 * @param passable for each followed worker
 */
export function availableToWorker(stored: HeightSet, passable: readonly HeightSet[]): HeightSet {
  return passable.reduce((heights, passed) => intersection(heights, passed), stored)
}

/**
 * What the forward ingester could have stored: from its first block, or where it would begin, up to the head of the
 * chain.
 * @param head latest sealed height, as far as known
 */
export function availableToForward(covered: HeightSet, startBlock: number, head: number | undefined): HeightSet {
  const from = covered[0]?.from ?? (startBlock > 0 ? startBlock : undefined)
  const to = Math.max(covered.at(-1)?.to ?? 0, (head ?? -1) + 1)
  return from === undefined ? [] : normalize([{ from, to }])
}

/**
 * What the history ingester could have stored: from the lowest height that is wanted and to be had, up to the first
 * block of the forward ingester. While the former is not known nothing below its own lowest block counts.
 */
export function availableToHistory(covered: HeightSet, forward: HeightSet, bottom: number | undefined): HeightSet {
  const to = forward[0]?.from ?? covered.at(-1)?.to ?? 0
  const from = Math.min(covered[0]?.from ?? to, bottom ?? to)
  return union(covered, normalize([{ from, to }]))
}
