import { z } from 'zod'
import { countFormat, heightFormat, timestampFormat } from '../formats.ts'

const rangeSchema = z.strictObject({ from: heightFormat, to: heightFormat }).describe('Heights, both inclusive.')

export const indexingStatusSchema = z
  .strictObject({
    chain_id: z
      .string()
      .describe('`flow-mainnet`, `flow-testnet`, …; `unknown` before the first access node response.'),
    latest_height: heightFormat.describe(
      'Latest sealed height; the highest stored height before the first access node response.',
    ),
    indexed_height: heightFormat.describe('Forward ingestion is complete up to this height.'),
    history_height: heightFormat.describe('The history ingester has reached this height.'),
    min_height: heightFormat.describe('Lowest stored height.'),
    max_height: heightFormat.describe('Highest stored height.'),
    total_blocks: countFormat.describe('Stored blocks.'),
    total_transactions: countFormat.describe('Stored transactions.'),
    total_events: countFormat.describe('Stored events.'),
    total_addresses: countFormat.describe(
      'Accounts that were created or took part in a transaction: exact up to 10,000, estimated above.',
    ),
    total_contracts: countFormat.describe('Deployed contracts: exact up to 10,000, estimated above.'),
    progress: z
      .string()
      .regex(/^\d+\.\d\d%$/)
      .describe('Progress of forward ingestion from start_height to the head.'),
    behind: countFormat.describe('Blocks between the head and indexed_height.'),
    status: z.string().describe('`ok` if requests can be served. See `behind` for the indexing lag.'),
    start_height: heightFormat.describe('Start of forward ingestion.'),
    checkpoints: z
      .record(z.string(), heightFormat)
      .describe('Height up to which each ingester and worker is complete. Workers may have derived more above a gap.'),
    checkpoint_timestamps: z.record(z.string(), timestampFormat).describe('Last change of each checkpoint.'),
    forward_enabled: z.boolean().describe('ENABLE_FORWARD_INGESTER.'),
    history_enabled: z.boolean().describe('ENABLE_HISTORY_INGESTER.'),
    worker_enabled: z
      .record(z.string(), z.boolean())
      .describe(
        'Ingesters and workers by name, as configured for this process; false for workers unknown to this version.',
      ),
    worker_config: z
      .record(z.string(), z.record(z.string(), z.number().nullable()))
      .describe(
        'Settings by name. Ingesters: `workers` is the number of concurrent fetches, `batch_size` the maximum of ' +
          'blocks per commit; null if adaptive. Workers: `concurrency` is the number of concurrent jobs per process, ' +
          '`range` the maximum of blocks per range.',
      ),
    oldest_block_timestamp: timestampFormat.nullable().describe('Time of the lowest stored block.'),
    error_summary: z.strictObject({
      unresolved_errors: countFormat.describe('Inputs that could not be decoded or derived, counted up to 10,000.'),
      dead_leases: countFormat.describe('Ranges that failed 21 times and require operator action.'),
      errors_by_worker: z.record(z.string(), countFormat),
      dead_leases_by_worker: z.record(z.string(), countFormat),
    }),
    generated_at: timestampFormat,
    indexed_ranges: z
      .array(rangeSchema)
      .optional()
      .describe('Stored height ranges, ascending. Only with `include_ranges`.'),
  })
  .meta({ id: 'IndexingStatus' })
export type IndexingStatus = z.output<typeof indexingStatusSchema>

export interface StatusSettings {
  /** 0 if chosen automatically. */
  readonly startHeight: number
  readonly forwardEnabled: boolean
  readonly historyEnabled: boolean
  readonly workerEnabled: Readonly<Record<string, boolean>>
  /** Null: adaptive. */
  readonly workerConfig: Readonly<Record<string, Readonly<Record<string, number | null>>>>
}

export interface Checkpoint {
  readonly service: string
  readonly height: number | null
  readonly updatedAt: string
}

export interface StatusFacts {
  readonly checkpoints: readonly Checkpoint[]
  /** Null if nothing is stored. */
  readonly min: number | null
  readonly max: number | null
  readonly blocks: number
  readonly transactions: number
  readonly events: number
  readonly oldestBlockTimestamp: string | null
  readonly accounts: number
  readonly contracts: number
  readonly errorsByWorker: Readonly<Record<string, number>>
  readonly deadLeasesByWorker: Readonly<Record<string, number>>
  /** Inclusive; undefined if not requested. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[] | undefined
}

export function presentStatus(
  facts: StatusFacts,
  settings: StatusSettings,
  chainId: string,
  latestHeight: number | undefined,
): IndexingStatus {
  const known = new Map<string, number>()
  for (const { service, height } of facts.checkpoints) if (height !== null) known.set(service, height)
  const min = facts.min ?? 0
  const max = facts.max ?? 0
  const latest = Math.max(latestHeight ?? 0, max)
  const indexed = known.get('main_ingester') ?? max
  const start = settings.startHeight > 0 ? settings.startHeight : min
  return {
    chain_id: chainId,
    latest_height: latest,
    indexed_height: indexed,
    history_height: known.get('history_ingester') ?? min,
    min_height: min,
    max_height: max,
    total_blocks: facts.blocks,
    total_transactions: facts.transactions,
    total_events: facts.events,
    total_addresses: facts.accounts,
    total_contracts: facts.contracts,
    progress: facts.max === null ? '0.00%' : progress(start, indexed, latest),
    behind: Math.max(0, latest - indexed),
    status: 'ok',
    start_height: start,
    checkpoints: Object.fromEntries(known),
    checkpoint_timestamps: Object.fromEntries(facts.checkpoints.map(({ service, updatedAt }) => [service, updatedAt])),
    forward_enabled: settings.forwardEnabled,
    history_enabled: settings.historyEnabled,
    worker_enabled: settings.workerEnabled,
    worker_config: settings.workerConfig,
    oldest_block_timestamp: facts.oldestBlockTimestamp,
    error_summary: {
      unresolved_errors: sum(facts.errorsByWorker),
      dead_leases: sum(facts.deadLeasesByWorker),
      errors_by_worker: facts.errorsByWorker,
      dead_leases_by_worker: facts.deadLeasesByWorker,
    },
    generated_at: new Date().toISOString(),
    ...(facts.ranges === undefined ? {} : { indexed_ranges: [...facts.ranges] }),
  }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

/** Truncated, so that 100.00% means complete. */
function progress(start: number, indexed: number, latest: number): string {
  const share = latest <= start ? Number(indexed >= latest) : (indexed - start) / (latest - start)
  const hundredths = Math.floor(Math.min(1, Math.max(0, share)) * 10_000)
  return `${(hundredths / 100).toFixed(2)}%`
}
