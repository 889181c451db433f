import type { DatabasePool } from 'slonik'
import type { Config } from '../base/config.ts'
import { presentStatus } from './presenters/status.ts'
import type { IndexingStatus, StatusSettings } from './presenters/status.ts'
import { readStatus } from './queries/status.ts'

export interface StatusReaderOptions {
  readonly database: DatabasePool
  readonly settings: StatusSettings
  readonly chainId: () => string
  /** Latest sealed height that an access node reported to this process; undefined while none has. */
  readonly latestHeight: () => number | undefined
}

/** `includeRanges`: whether the stored ranges of heights are listed too. */
export type StatusReader = (ask: { readonly includeRanges: boolean }) => Promise<IndexingStatus>

/** Reads the indexing status, for `GET /status` and for the status feed. */
export function createStatusReader(options: StatusReaderOptions): StatusReader {
  const { database, settings, chainId, latestHeight } = options
  return async (ask) => presentStatus(await readStatus(database, ask), settings, chainId(), latestHeight())
}

/** The part of the configuration that the status shows. */
export function statusSettings(config: Config): StatusSettings {
  const workerEnabled: Record<string, boolean> = {}
  const workerConfig: Record<string, Record<string, number>> = {}
  for (const [name, value] of Object.entries(config)) {
    const toggle = /^ENABLE_(\w+_(?:WORKER|RECONCILER))$/.exec(name)?.[1]
    if (toggle !== undefined && typeof value === 'boolean') {
      workerEnabled[toggle.toLowerCase()] = value && !config.RAW_ONLY
    }
    const tuning = /^(\w+_(?:WORKER|RECONCILER))_(CONCURRENCY|RANGE)$/.exec(name)
    if (tuning?.[1] !== undefined && tuning[2] !== undefined && typeof value === 'number') {
      (workerConfig[tuning[1].toLowerCase()] ??= {})[tuning[2].toLowerCase()] = value
    }
  }
  return {
    startHeight: config.START_BLOCK,
    forwardEnabled: config.ENABLE_FORWARD_INGESTER,
    historyEnabled: config.ENABLE_HISTORY_INGESTER,
    workerEnabled,
    workerConfig,
  }
}
