import { moreEnrichmentWorkers } from '../../../jobs/worker-names.ts'
import { boolean, integer, optionalInteger, optionalNumber, optionalUrl } from '../../platform/setting.ts'
import type { Setting } from '../../platform/setting.ts'

/** Variables of the workers that ask the chain, or a source outside, besides those that every worker has. */

/** Heading of all variables of workers that ask. */
export const askingGroup = 'Asking the chain'
const group = askingGroup

function perWorker<T, Prefix extends string, Suffix extends string>(
  prefix: Prefix,
  suffix: Suffix,
  make: (name: string) => Setting<T>,
): { [Name in (typeof moreEnrichmentWorkers)[number] as `${Prefix}${Name}${Suffix}`]: Setting<T> } {
  const entries = moreEnrichmentWorkers.map((name) => [`${prefix}${name}${suffix}`, make(name.toLowerCase())])
  return Object.fromEntries(entries) as {
    [Name in (typeof moreEnrichmentWorkers)[number] as `${Prefix}${Name}${Suffix}`]: Setting<T>
  }
}

/** How often a worker that asks does it at the same time. */
export const askingConcurrency = (name: string): Omit<Parameters<typeof integer>[0], 'alias'> => ({
  group,
  default: 1,
  min: 1,
  max: 1000,
  unit: 'batches',
  description: `Batches of keys that ${name} asks for at the same time, in the one process that runs it.`,
})

/** How much a worker asks for at once. */
export const askingRange = (name: string): Omit<Parameters<typeof integer>[0], 'alias'> => ({
  group,
  default: 1000,
  min: 1,
  unit: 'keys',
  description: `Most keys in one batch of ${name}; never more than one call may ask for, which is 50 at most. It has no ranges of heights.`,
})

export const askingSettings = {
  CHAIN_SCRIPT_RPS: optionalNumber({
    group,
    min: 0,
    unit: 'calls per second and node',
    defaultText: '5',
    description:
      'Most scripts and accounts that the workers ask of one access node, apart from CHAIN_RPC_RPS. Without it 5, what public nodes allow; 0 is no limit of ours.',
  }),
  CHAIN_SCRIPT_BURST: optionalInteger({
    group,
    min: 1,
    unit: 'calls',
    description: 'Such calls that may be made at once after a pause. Without it as much as one second allows.',
  }),
  ...perWorker('ENABLE_', '', (name) => boolean({ group, default: true, description: `Run ${name}.` })),
  ...perWorker('', '_CONCURRENCY', (name) => integer(askingConcurrency(name))),
  ...perWorker('', '_RANGE', (name) => integer(askingRange(name))),
  ENABLE_PRICE_FEED: boolean({
    group,
    default: false,
    description:
      'Fetch prices of tokens from PRICE_FEED_URL. Without it, or without an address, no price is told anywhere.',
  }),
  PRICE_FEED_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['http', 'https'],
    description:
      'Source of prices: gives {"prices": [{"token": "A.1654653399040a61.FlowToken", "price": "0.41", "currency": "USD", "symbol": "FLOW", "time": "2026-01-31T12:00:00Z"}]} as JSON. currency is USD and time that of the answer where they are left out; symbol may be left out.',
  }),
  PRICE_REFRESH_MIN: integer({
    group,
    default: 30,
    min: 1,
    unit: 'minutes',
    description: 'Pause between two fetches of prices.',
  }),
} satisfies Record<string, Setting<unknown>>
