import { difference, intersection, normalize, size, union } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { ingesterServices } from '../leases/coverage.ts'
import { planWorkers } from '../coordinator/plan-leases.ts'

export interface StagePlan {
  /** As in app.indexing_checkpoints.service_name. */
  readonly name: string
  readonly kind: 'ingester' | 'worker'
  readonly description: string
  /** 0 for ingesters. */
  readonly phase: 0 | 1 | 2
  /** `[]` if only the raw tables are read. */
  readonly follows: readonly string[]
  readonly isEnabled: boolean
  /** Set for workers of WORKERS_DIR. */
  readonly own?: OwnState | undefined
}

export interface OwnState {
  readonly version: number
  /** The worker whose tables it replaces when it has caught up. */
  readonly replaces: string | null
  /** Why its current files could not be loaded. */
  readonly error: string | null
}

export interface KnownWorker {
  readonly name: string
  readonly description: string
  readonly phase: 1 | 2
  readonly follows: readonly string[]
  readonly own?: OwnState | undefined
}

type StageSettings = Parameters<typeof planWorkers>[0] & {
  readonly ENABLE_FORWARD_INGESTER: boolean
  readonly ENABLE_HISTORY_INGESTER: boolean
}

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
      description: 'Fetches history below the first block of the forward ingester.',
      isEnabled: config.ENABLE_HISTORY_INGESTER,
    },
    ...workers.map(({ name, description, phase, follows, own }) => ({
      kind: 'worker' as const,
      name,
      description,
      phase,
      follows,
      isEnabled: enabled.has(name),
      own,
    })),
  ]
}

export interface StageHeights {
  readonly covered: HeightSet
  /** Heights that could be done by now. */
  readonly available: HeightSet
  readonly skipped: HeightSet
  readonly active: HeightSet
  readonly failing: HeightSet
}

export interface HeightNumbers {
  readonly covered: number
  readonly available: number
  readonly backlog: number
  readonly lowest: number | null
  /** Highest covered height, inclusive. */
  readonly highest: number | null
  /** Ranges of the backlog with covered heights on both sides. */
  readonly holes: number
}

export function numbersOf({
  covered,
  available,
  skipped,
}: Pick<StageHeights, 'covered' | 'available' | 'skipped'>): HeightNumbers {
  const backlog = difference(available, union(covered, skipped))
  const first = covered[0]
  const last = covered.at(-1)
  return {
    covered: size(covered),
    available: size(available),
    backlog: size(backlog),
    lowest: first === undefined ? null : first.from,
    highest: last === undefined ? null : last.to - 1,
    holes: backlog.filter(({ from, to }) => from >= (first?.to ?? Infinity) && to <= (last?.from ?? 0)).length,
  }
}

/** @param passable for each followed worker */
export function availableToWorker(stored: HeightSet, passable: readonly HeightSet[]): HeightSet {
  return passable.reduce((heights, passed) => intersection(heights, passed), stored)
}

/**
 * From its first block, or its start, to the head.
 *
 * @param head latest sealed height, as far as known
 */
export function availableToForward(covered: HeightSet, startBlock: number, head: number | undefined): HeightSet {
  const from = covered[0]?.from ?? (startBlock > 0 ? startBlock : undefined)
  const to = Math.max(covered.at(-1)?.to ?? 0, (head ?? -1) + 1)
  return from === undefined ? [] : normalize([{ from, to }])
}

/** Starts at the worker's own lowest block until the target is known. */
export function availableToHistory(covered: HeightSet, forward: HeightSet, bottom: number | undefined): HeightSet {
  const to = forward[0]?.from ?? covered.at(-1)?.to ?? 0
  const from = Math.min(covered[0]?.from ?? to, bottom ?? to)
  return union(covered, normalize([{ from, to }]))
}
