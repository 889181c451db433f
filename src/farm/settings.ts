import { askingConcurrency, askingGroup, askingRange } from './enrichment/settings.ts'
import { derivingWorkers, enrichmentWorkers } from '../../jobs/worker-names.ts'
import { boolean, integer, optionalUrl } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

/** Variables of the farm: which workers run, and how their work is cut and carried. */

const group = 'Farm'

/** All workers of the specification. Each has variables of its own. */
const farmWorkers = [...derivingWorkers, ...enrichmentWorkers] as const
type WorkerName = (typeof farmWorkers)[number]

const isAsking = (name: WorkerName): boolean => enrichmentWorkers.some((asking) => asking === name)
const groupOf = (name: WorkerName): string => (isAsking(name) ? askingGroup : group)

/** `TOKEN_CONCURRENCY` is as good as `TOKEN_WORKER_CONCURRENCY`. */
function shortName(name: WorkerName, suffix: string): string | undefined {
  return name.endsWith('_WORKER') ? name.replace(/_WORKER$/, suffix) : undefined
}

function perWorker<T, Prefix extends string, Suffix extends string>(
  prefix: Prefix,
  suffix: Suffix,
  make: (name: WorkerName) => Setting<T>,
): { [Name in WorkerName as `${Prefix}${Name}${Suffix}`]: Setting<T> } {
  const entries = farmWorkers.map((name) => [`${prefix}${name}${suffix}`, make(name)])
  return Object.fromEntries(entries) as { [Name in WorkerName as `${Prefix}${Name}${Suffix}`]: Setting<T> }
}

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
      'Least time between two times at which a worker gets ranges of history, so that what is stored meanwhile is one range.',
  }),
  DERIVERS_CACHE_MIB: integer({
    group,
    default: 256,
    min: 1,
    max: 65_536,
    unit: 'MiB',
    description:
      'Memory for decoded blocks that workers of a process have yet to derive from. While three quarters of it are full, the history ingester of the process waits; the head never does.',
  }),
  WORKER_RETRY_BASE_MS: integer({
    group,
    default: 1000,
    min: 1,
    max: 3_600_000,
    unit: 'ms',
    description:
      'Longest pause after the first failed run of a range; it doubles with each run up to WORKER_RETRY_CAP_MS. After 21 runs the range is flagged.',
  }),
  WORKER_RETRY_CAP_MS: integer({
    group,
    default: 300_000,
    min: 1,
    max: 86_400_000,
    unit: 'ms',
    description:
      'Longest pause between two runs of a range that fails. With 300,000 and a base of 1,000 a range that always fails is flagged after some 55 minutes.',
  }),
  ...perWorker('ENABLE_', '', (name) =>
    boolean({ group: groupOf(name), default: true, description: `Run ${name.toLowerCase()}.` }),
  ),
  ...perWorker('', '_CONCURRENCY', (name) =>
    integer({
      alias: shortName(name, '_CONCURRENCY'),
      ...(isAsking(name)
        ? askingConcurrency(name.toLowerCase())
        : {
            group: groupOf(name),
            default: 1,
            min: 1,
            max: 1000,
            unit: 'jobs',
            description: `Jobs that ${name.toLowerCase()} works on at the same time, in each process. A job is one range, or several small ones.`,
          }),
    }),
  ),
  ...perWorker('', '_RANGE', (name) =>
    integer({
      alias: shortName(name, '_RANGE'),
      ...(isAsking(name)
        ? askingRange(name.toLowerCase())
        : {
            group: groupOf(name),
            default: 1000,
            min: 1,
            unit: 'blocks',
            description: `Most blocks in one range of ${name.toLowerCase()}; never more than LIVE_DERIVERS_CHUNK or HISTORY_DERIVERS_CHUNK.`,
          }),
    }),
  ),
} satisfies Record<string, Setting<unknown>>
