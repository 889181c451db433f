import type { DatabasePool } from 'slonik'
import type { Config } from '../base/config.ts'
import { moreAskingWorkers } from '../base/asking-settings.ts'
import { farmWorkers } from '../base/farm-settings.ts'
import { presentStatus } from './presenters/status.ts'
import type { IndexingStatus, StatusSettings } from './presenters/status.ts'
import { readStatus } from './queries/status.ts'

export interface StatusReaderOptions {
  readonly settings: StatusSettings
  readonly chainId: () => string
  /** Latest sealed height that an access node reported to this process; undefined while none has. */
  readonly latestHeight: () => number | undefined
}

/** `includeRanges`: whether the stored ranges of heights are listed too. */
export type StatusReader = (database: DatabasePool, ask: { readonly includeRanges: boolean }) => Promise<IndexingStatus>

/** Reads the indexing status, for `GET /status` and for the status feed. */
export function createStatusReader(options: StatusReaderOptions): StatusReader {
  const { settings, chainId, latestHeight } = options
  return async (database, ask) => presentStatus(await readStatus(database, ask), settings, chainId(), latestHeight())
}

/** The part of the configuration that the status shows. */
export function statusSettings(config: Config): StatusSettings {
  const settings = new Map<string, unknown>(Object.entries(config))
  const workers: readonly string[] = [...farmWorkers, ...moreAskingWorkers]
  const number = (name: string): number | null => {
    const value = settings.get(name)
    return typeof value === 'number' ? value : null
  }
  const runs = (name: string): boolean => !config.RAW_ONLY && settings.get(`ENABLE_${name}`) === true
  return {
    startHeight: config.START_BLOCK,
    forwardEnabled: config.ENABLE_FORWARD_INGESTER,
    historyEnabled: config.ENABLE_HISTORY_INGESTER,
    workerEnabled: {
      main_ingester: config.ENABLE_FORWARD_INGESTER,
      history_ingester: config.ENABLE_HISTORY_INGESTER,
      ...Object.fromEntries(workers.map((name) => [name.toLowerCase(), runs(name)])),
    },
    workerConfig: {
      main_ingester: ingesterConfig(config.LATEST_WORKER_COUNT, config.LATEST_BATCH_SIZE),
      history_ingester: ingesterConfig(config.HISTORY_WORKER_COUNT, config.HISTORY_BATCH_SIZE),
      ...Object.fromEntries(
        workers.map((name) => [
          name.toLowerCase(),
          { concurrency: number(`${name}_CONCURRENCY`), range: number(`${name}_RANGE`) },
        ]),
      ),
    },
  }
}

function ingesterConfig(workers: number | undefined, batchSize: number | undefined): Record<string, number | null> {
  return { workers: workers ?? null, batch_size: batchSize ?? null }
}
