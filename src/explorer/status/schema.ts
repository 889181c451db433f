import { z } from 'zod'
import { countFormat, heightFormat, timestampFormat } from '../formats.ts'

const rangeSchema = z.strictObject({ from: heightFormat, to: heightFormat }).describe('Heights, both ends inclusive.')

/** How far the indexer is. */
export const indexingStatusSchema = z
  .strictObject({
    chain_id: z.string().describe('`flow-mainnet`, `flow-testnet`, …; `unknown` until an access node was met.'),
    latest_height: heightFormat.describe(
      'Latest sealed height of the chain; the highest stored one while no access node has said.',
    ),
    indexed_height: heightFormat.describe('Forward ingestion has stored everything up to here.'),
    history_height: heightFormat.describe('The history ingester is down to here.'),
    min_height: heightFormat.describe('Lowest stored height.'),
    max_height: heightFormat.describe('Highest stored height.'),
    total_blocks: countFormat.describe('Stored blocks, exact.'),
    total_transactions: countFormat.describe('Their transactions, exact.'),
    total_events: countFormat.describe('Their events, exact.'),
    total_addresses: countFormat.describe(
      'Accounts that were created or took part in a transaction: exact up to 10,000, above that as PostgreSQL ' +
        'estimates.',
    ),
    total_contracts: countFormat.describe(
      'Contracts that are deployed, of those that are derived; estimated where there are more than 10,000.',
    ),
    progress: z
      .string()
      .regex(/^\d+\.\d\d%$/)
      .describe('Way of forward ingestion from start_height to the head of the chain.'),
    behind: countFormat.describe('Blocks between the head of the chain and indexed_height.'),
    status: z.string().describe('`ok`: requests can be served. How far the indexer is says `behind`.'),
    start_height: heightFormat.describe('Where forward ingestion began.'),
    checkpoints: z
      .record(z.string(), heightFormat)
      .describe(
        'Height of each ingester and worker. A worker has done everything from its lowest height up to here, and ' +
          'maybe more above a gap.',
      ),
    checkpoint_timestamps: z.record(z.string(), timestampFormat).describe('Last change of each checkpoint.'),
    forward_enabled: z.boolean().describe('ENABLE_FORWARD_INGESTER.'),
    history_enabled: z.boolean().describe('ENABLE_HISTORY_INGESTER.'),
    worker_enabled: z
      .record(z.string(), z.boolean())
      .describe(
        'Ingesters and workers by name, as the process that answers has them configured; false also where this ' +
          'version does not have the worker yet.',
      ),
    worker_config: z
      .record(z.string(), z.record(z.string(), z.number().nullable()))
      .describe(
        'Their settings. Ingesters: `workers` blocks fetched at the same time, `batch_size` most blocks in ' +
          'one commit; ' +
          'null where flowfarm finds the number itself. Workers: `concurrency` jobs at the same time in each ' +
          'process, `range` most blocks in one range.',
      ),
    oldest_block_timestamp: timestampFormat.nullable().describe('Time of the lowest stored block.'),
    error_summary: z.strictObject({
      unresolved_errors: countFormat.describe('Inputs that could not be decoded or derived. Counted up to 10,000.'),
      dead_leases: countFormat.describe('Ranges of blocks that failed 21 times and wait for a person.'),
      errors_by_worker: z.record(z.string(), countFormat),
      dead_leases_by_worker: z.record(z.string(), countFormat),
    }),
    generated_at: timestampFormat,
    indexed_ranges: z
      .array(rangeSchema)
      .optional()
      .describe('Only with `include_ranges`: the stored heights, exact, ascending.'),
  })
  .meta({ id: 'IndexingStatus' })
export type IndexingStatus = z.output<typeof indexingStatusSchema>

/** Parts of the status that the configuration decides. */
export interface StatusSettings {
  /** START_BLOCK; 0 where forward ingestion chooses. */
  readonly startHeight: number
  readonly forwardEnabled: boolean
  readonly historyEnabled: boolean
  readonly workerEnabled: Readonly<Record<string, boolean>>
  /** null: adaptive. */
  readonly workerConfig: Readonly<Record<string, Readonly<Record<string, number | null>>>>
}

/** How far an ingester or worker is. */
export interface Checkpoint {
  readonly service: string
  readonly height: number | null
  readonly updatedAt: string
}

/** What the database says of the state of indexing. */
export interface StatusFacts {
  readonly checkpoints: readonly Checkpoint[]
  /** Ends of the stored heights, inclusive; null while nothing is stored. */
  readonly min: number | null
  readonly max: number | null
  readonly blocks: number
  readonly transactions: number
  readonly events: number
  readonly oldestBlockTimestamp: string | null
  readonly accounts: number
  readonly contracts: number
  readonly errorsByWorker: Readonly<Record<string, number>>
  /** Flagged leases. */
  readonly deadLeasesByWorker: Readonly<Record<string, number>>
  /** Both ends inclusive; undefined where nobody asked. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[] | undefined
}

/**
 * @param latestHeight latest sealed height that an access node reported
 */
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

/** Cut off, not rounded: 100.00% is said when everything is there and not before. */
function progress(start: number, indexed: number, latest: number): string {
  const share = latest <= start ? Number(indexed >= latest) : (indexed - start) / (latest - start)
  const hundredths = Math.floor(Math.min(1, Math.max(0, share)) * 10_000)
  return `${(hundredths / 100).toFixed(2)}%`
}
