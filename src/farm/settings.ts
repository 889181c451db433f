import { moreEnrichmentWorkers, derivingWorkers, enrichmentWorkers } from '../../jobs/worker-names.ts'
import { boolean, integer, optionalInteger, optionalNumber, optionalUrl } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

const group = 'Farm'
/** Heading of all variables of enrichment workers. */
const enrichmentGroup = 'Asking the chain'

/** All workers of the specification. Each has variables of its own. */
const farmWorkers = [...derivingWorkers, ...enrichmentWorkers] as const
type WorkerName = (typeof farmWorkers)[number]

const isEnrichment = (name: WorkerName): boolean => enrichmentWorkers.some((other) => other === name)
const groupOf = (name: WorkerName): string => (isEnrichment(name) ? enrichmentGroup : group)

/** `TOKEN_CONCURRENCY` is as good as `TOKEN_WORKER_CONCURRENCY`. */
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
  description: `Batches of keys that ${name.toLowerCase()} asks for at the same time, in the one process that runs it.`,
})

const enrichmentRange = (name: string): Omit<Parameters<typeof integer>[0], 'alias'> => ({
  group: enrichmentGroup,
  default: 1000,
  min: 1,
  unit: 'keys',
  description:
    `Most keys in one batch of ${name.toLowerCase()}; never more than one call may ask for, which is ` +
    '50 at most. It has no ranges of heights.',
})

export const farmSettings = {
  REDIS_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['redis', 'rediss'],
    description: 'Redis for the job queues. Without it they are kept in PostgreSQL.',
  }),
  ENABLE_LIVE_DERIVERS: boolean({ group, default: true, description: 'Derive new blocks as they are stored.' }),
  LIVE_DERIVERS_CHUNK: integer({
    group,
    default: 10,
    min: 1,
    unit: 'blocks',
    description: 'Most blocks in one range of work at the head.',
  }),
  ENABLE_HISTORY_DERIVERS: boolean({ group, default: true, description: 'Derive stored history.' }),
  HISTORY_DERIVERS_CHUNK: integer({
    group,
    default: 1000,
    min: 1,
    unit: 'blocks',
    description: 'Most blocks in one range of work on history.',
  }),
  HISTORY_DERIVERS_SLEEP_MS: integer({
    group,
    default: 0,
    unit: 'ms',
    description: 'Pause between ranges of work on history.',
  }),
  HISTORY_DERIVERS_GATHER_MS: integer({
    group,
    default: 1000,
    max: 60_000,
    unit: 'ms',
    description:
      'Least time between two times at which a worker gets ranges of history, so that what is stored ' +
      'meanwhile is one range.',
  }),
  DERIVERS_CACHE_MIB: integer({
    group,
    default: 256,
    min: 1,
    max: 65_536,
    unit: 'MiB',
    description:
      'Memory for decoded blocks that workers of a process have yet to derive from. While three ' +
      'quarters of it are full, the history ingester of the process waits; the head never does.',
  }),
  WORKER_RETRY_BASE_MS: integer({
    group,
    default: 1000,
    min: 1,
    max: 3_600_000,
    unit: 'ms',
    description:
      'Longest pause after the first failed run of a range; it doubles with each run up to ' +
      'WORKER_RETRY_CAP_MS. After 21 runs the range is flagged.',
  }),
  WORKER_RETRY_CAP_MS: integer({
    group,
    default: 300_000,
    min: 1,
    max: 86_400_000,
    unit: 'ms',
    description:
      'Longest pause between two runs of a range that fails. With 300,000 and a base of 1,000 a range ' +
      'that always fails is flagged after some 55 minutes.',
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
            unit: 'jobs',
            description:
              `Jobs that ${name.toLowerCase()} works on at the same time, in each process. A job is one range, ` +
              'or several small ones.',
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
              `Most blocks in one range of ${name.toLowerCase()}; never more than LIVE_DERIVERS_CHUNK or ` +
              'HISTORY_DERIVERS_CHUNK.',
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
      'Most scripts and accounts that the workers ask of one access node, apart from CHAIN_RPC_RPS. ' +
      'Without it 5, what public nodes allow; 0 is no limit of ours.',
  }),
  CHAIN_SCRIPT_BURST: optionalInteger({
    group: enrichmentGroup,
    min: 1,
    unit: 'calls',
    description: 'Such calls that may be made at once after a pause. Without it as much as one second allows.',
  }),
  ...perWorker(moreEnrichmentWorkers, 'ENABLE_', '', (name) =>
    boolean({ group: enrichmentGroup, default: true, description: `Run ${name.toLowerCase()}.` }),
  ),
  ...perWorker(moreEnrichmentWorkers, '', '_CONCURRENCY', (name) => integer(enrichmentConcurrency(name))),
  ...perWorker(moreEnrichmentWorkers, '', '_RANGE', (name) => integer(enrichmentRange(name))),
  ENABLE_PRICE_FEED: boolean({
    group: enrichmentGroup,
    default: false,
    description:
      'Fetch prices of tokens from PRICE_FEED_URL. Without it, or without an address, no price is told anywhere.',
  }),
  PRICE_FEED_URL: optionalUrl({
    group: enrichmentGroup,
    secret: true,
    schemes: ['http', 'https'],
    description:
      'Source of prices: gives {"prices": [{"token": "A.1654653399040a61.FlowToken", "price": "0.41", ' +
      '"currency": "USD", "symbol": "FLOW", "time": "2026-01-31T12:00:00Z"}]} as JSON. currency is USD ' +
      'and time that of the answer where they are left out; symbol may be left out.',
  }),
  PRICE_REFRESH_MIN: integer({
    group: enrichmentGroup,
    default: 30,
    min: 1,
    unit: 'minutes',
    description: 'Pause between two fetches of prices.',
  }),
} satisfies Record<string, Setting<unknown>>
