import { otherEnrichmentWorkers, derivingWorkers, enrichmentWorkers } from '../../jobs/worker-names.ts'
import { boolean, integer, optionalInteger, optionalNumber, optionalUrl } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

const group = 'Farm'
const enrichmentGroup = 'Enrichment'

const farmWorkers = [...derivingWorkers, ...enrichmentWorkers] as const
type WorkerName = (typeof farmWorkers)[number]

const isEnrichment = (name: WorkerName): boolean => enrichmentWorkers.some((other) => other === name)
const groupOf = (name: WorkerName): string => (isEnrichment(name) ? enrichmentGroup : group)

/** `TOKEN_CONCURRENCY` is an alias of `TOKEN_WORKER_CONCURRENCY`. */
function shortName(name: WorkerName, suffix: string): string | undefined {
  return name.endsWith('_WORKER') ? name.replace(/_WORKER$/, suffix) : undefined
}

function perWorker<T, Name extends string, Prefix extends string, Suffix extends string>(
  names: readonly Name[],
  prefix: Prefix,
  suffix: Suffix,
  make: (name: Name) => Setting<T>,
): { [Each in Name as `${Prefix}${Each}${Suffix}`]: Setting<T> } {
  const entries = names.map((name) => [`${prefix}${name}${suffix}`, make(name)])
  return Object.fromEntries(entries) as { [Each in Name as `${Prefix}${Each}${Suffix}`]: Setting<T> }
}

const enrichmentConcurrency = (name: string): Omit<Parameters<typeof integer>[0], 'alias'> => ({
  group: enrichmentGroup,
  default: 1,
  min: 1,
  max: 1000,
  unit: 'batches',
  description: `Concurrent batches of ${name.toLowerCase()} in each process.`,
})

const enrichmentRange = (name: string): Omit<Parameters<typeof integer>[0], 'alias'> => ({
  group: enrichmentGroup,
  default: 1000,
  min: 1,
  unit: 'keys',
  description: `Maximum keys in a batch of ${name.toLowerCase()}, also limited by the worker (at most 50).`,
})

export const farmSettings = {
  REDIS_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['redis', 'rediss'],
    description: 'Redis for the job queues. Default: queues in PostgreSQL.',
  }),
  ENABLE_LIVE_DERIVERS: boolean({ group, default: true, description: 'Derive new blocks.' }),
  LIVE_DERIVERS_CHUNK: integer({
    group,
    default: 10,
    min: 1,
    unit: 'blocks',
    description: 'Maximum blocks in a range at the head.',
  }),
  ENABLE_HISTORY_DERIVERS: boolean({ group, default: true, description: 'Derive history.' }),
  HISTORY_DERIVERS_CHUNK: integer({
    group,
    default: 1000,
    min: 1,
    unit: 'blocks',
    description: 'Maximum blocks in a range of history.',
  }),
  HISTORY_DERIVERS_SLEEP_MS: integer({
    group,
    default: 0,
    unit: 'ms',
    description: 'Pause of a worker between ranges of history.',
  }),
  HISTORY_DERIVERS_BATCH_MS: integer({
    group,
    default: 1000,
    max: 60_000,
    unit: 'ms',
    description:
      'Minimum interval at which ranges of history are planned, so that blocks stored meanwhile form one range.',
  }),
  DERIVERS_CACHE_MIB: integer({
    group,
    default: 256,
    min: 1,
    max: 65_536,
    unit: 'MiB',
    description:
      'Memory for decoded blocks that the workers of a process have not derived yet. At three quarters the history ' +
      'ingester of the process waits; the head never does.',
  }),
  WORKER_RETRY_BASE_MS: integer({
    group,
    default: 1000,
    min: 1,
    max: 3_600_000,
    unit: 'ms',
    description:
      'Maximum pause after the first failed attempt of a range; it doubles with each attempt up to ' +
      'WORKER_RETRY_CAP_MS. After 21 attempts the range is flagged.',
  }),
  WORKER_RETRY_CAP_MS: integer({
    group,
    default: 300_000,
    min: 1,
    max: 86_400_000,
    unit: 'ms',
    description:
      'Maximum pause between attempts of a range. With 300,000 and a base of 1,000, a range that always ' +
      'fails is flagged after about 55 minutes.',
  }),
  ...perWorker(farmWorkers, 'ENABLE_', '', (name) =>
    boolean({ group: groupOf(name), default: true, description: `Run ${name.toLowerCase()}.` }),
  ),
  ...perWorker(farmWorkers, '', '_CONCURRENCY', (name) =>
    integer({
      alias: shortName(name, '_CONCURRENCY'),
      ...(isEnrichment(name)
        ? enrichmentConcurrency(name)
        : {
            group: groupOf(name),
            default: 1,
            min: 1,
            max: 1000,
            unit: 'ranges',
            description:
              `Ranges of history that ${name.toLowerCase()} derives at a time in each process; new ` +
              'blocks are apart.',
          }),
    }),
  ),
  ...perWorker(farmWorkers, '', '_RANGE', (name) =>
    integer({
      alias: shortName(name, '_RANGE'),
      ...(isEnrichment(name)
        ? enrichmentRange(name)
        : {
            group: groupOf(name),
            default: 1000,
            min: 1,
            unit: 'blocks',
            description:
              `Maximum blocks in a range of ${name.toLowerCase()}, also limited by LIVE_DERIVERS_CHUNK or ` +
              'HISTORY_DERIVERS_CHUNK. Workers share the jobs of those with the same limits.',
          }),
    }),
  ),
} satisfies Record<string, Setting<unknown>>

export const enrichmentSettings = {
  CHAIN_SCRIPT_RPS: optionalNumber({
    group: enrichmentGroup,
    min: 0,
    unit: 'calls per second and node',
    defaultText: '5',
    description:
      'Limit of scripts and account queries of the enrichment workers in each process, apart from CHAIN_RPC_RPS. ' +
      'Default 5, as public nodes allow; 0: unlimited.',
  }),
  CHAIN_SCRIPT_BURST: optionalInteger({
    group: enrichmentGroup,
    min: 1,
    unit: 'calls',
    description: 'Burst size of CHAIN_SCRIPT_RPS. Default: one second of calls.',
  }),
  ...perWorker(otherEnrichmentWorkers, 'ENABLE_', '', (name) =>
    boolean({ group: enrichmentGroup, default: true, description: `Run ${name.toLowerCase()}.` }),
  ),
  ...perWorker(otherEnrichmentWorkers, '', '_CONCURRENCY', (name) => integer(enrichmentConcurrency(name))),
  ...perWorker(otherEnrichmentWorkers, '', '_RANGE', (name) => integer(enrichmentRange(name))),
  ENABLE_PRICE_FEED: boolean({
    group: enrichmentGroup,
    default: false,
    description: 'Fetch token prices from PRICE_FEED_URL, without which no prices are shown.',
  }),
  PRICE_FEED_URL: optionalUrl({
    group: enrichmentGroup,
    secret: true,
    schemes: ['http', 'https'],
    description:
      'Price feed, which returns {"prices": [{"token": "A.1654653399040a61.FlowToken", "price": "0.41", ' +
      '"currency": "USD", "symbol": "FLOW", "time": "2026-01-31T12:00:00Z"}]} as JSON. currency (default USD), ' +
      'time (default: time of the response) and symbol are optional.',
  }),
  PRICE_REFRESH_MIN: integer({
    group: enrichmentGroup,
    default: 30,
    min: 1,
    unit: 'minutes',
    description: 'Interval of price fetches.',
  }),
} satisfies Record<string, Setting<unknown>>
