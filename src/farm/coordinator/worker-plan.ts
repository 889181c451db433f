import type { Config } from '../../base/config.ts'

/** What the coordinator needs to know of a worker. */
export interface WorkerPlan {
  /** As in app.worker_leases.worker_type. */
  readonly name: string
  /** Workers that must have done a height before, or given it up; `[]` for the raw tables alone. */
  readonly follows: readonly string[]
  /** Most blocks in one range near the head. */
  readonly liveChunk: number
  /** Most blocks in one range elsewhere. */
  readonly historyChunk: number
}

type PlanSettings = Pick<Config, 'RAW_ONLY' | 'LIVE_DERIVERS_CHUNK' | 'HISTORY_DERIVERS_CHUNK'>

/**
 * The workers that the configuration has on: none with RAW_ONLY, else those whose ENABLE_<name> is not false. A range is at
 * most <name>_RANGE long, and at most LIVE_DERIVERS_CHUNK or HISTORY_DERIVERS_CHUNK.
 */
export function planWorkers(
  config: PlanSettings,
  workers: readonly Pick<WorkerPlan, 'name' | 'follows'>[],
): WorkerPlan[] {
  if (config.RAW_ONLY) return []
  const settings = new Map<string, unknown>(Object.entries(config))
  return workers
    .filter(({ name }) => settings.get(`ENABLE_${name.toUpperCase()}`) !== false)
    .map(({ name, follows }) => {
      const range = settings.get(`${name.toUpperCase()}_RANGE`)
      const longest = typeof range === 'number' ? range : Number.MAX_SAFE_INTEGER
      return {
        name,
        follows,
        liveChunk: Math.min(longest, config.LIVE_DERIVERS_CHUNK),
        historyChunk: Math.min(longest, config.HISTORY_DERIVERS_CHUNK),
      }
    })
}
