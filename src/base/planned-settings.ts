import { boolean, integer, list, optionalInteger, optionalNumber, optionalText, optionalUrl } from './setting.ts'
import type { Setting } from './setting.ts'

/**
 * Variables of parts that are not built yet. They are checked like all others, so that a configuration written for
 * the whole program is accepted, and they change nothing until their part exists. A part that is built moves its
 * variables to `config.ts`.
 */

const group = 'Checked, without effect so far'

/** `ENABLE_<name>`, in the order of the workers' phases. */
const workers = [
  'TOKEN_WORKER', 'EVM_WORKER', 'META_WORKER', 'ACCOUNTS_WORKER', 'FT_HOLDINGS_WORKER', 'NFT_OWNERSHIP_WORKER',
  'TOKEN_METADATA_WORKER', 'TX_CONTRACTS_WORKER', 'TX_METRICS_WORKER', 'STAKING_WORKER', 'DEFI_WORKER',
  'DAILY_STATS_WORKER', 'DAILY_BALANCE_WORKER', 'NFT_ITEM_METADATA_WORKER', 'NFT_OWNERSHIP_RECONCILER',
  'ANALYTICS_DERIVER_WORKER',
] as const
type WorkerName = (typeof workers)[number]

function perWorker<T, Prefix extends string, Suffix extends string>(
  prefix: Prefix, suffix: Suffix, make: (name: WorkerName) => Setting<T>,
): { [Name in WorkerName as `${Prefix}${Name}${Suffix}`]: Setting<T> } {
  const entries = workers.map((name) => [`${prefix}${name}${suffix}`, make(name)])
  return Object.fromEntries(entries) as { [Name in WorkerName as `${Prefix}${Name}${Suffix}`]: Setting<T> }
}

export const plannedSettings = {
  REDIS_URL: optionalUrl({
    group, secret: true, schemes: ['redis', 'rediss'], description: 'Redis for the job queues. Without it they are kept in PostgreSQL.',
  }),
  ENABLE_LIVE_DERIVERS: boolean({ group, default: true, description: 'Derive new blocks as they are stored.' }),
  LIVE_DERIVERS_CHUNK: integer({ group, default: 10, min: 1, unit: 'blocks', description: 'Most blocks in one range of work at the head.' }),
  ENABLE_HISTORY_DERIVERS: boolean({ group, default: true, description: 'Derive stored history.' }),
  HISTORY_DERIVERS_CHUNK: integer({ group, default: 1000, min: 1, unit: 'blocks', description: 'Most blocks in one range of work on history.' }),
  HISTORY_DERIVERS_SLEEP_MS: integer({ group, default: 0, unit: 'ms', description: 'Pause between ranges of work on history.' }),
  ...perWorker('ENABLE_', '', (name) => boolean({ group, default: true, description: `Run ${name.toLowerCase()}.` })),
  ...perWorker('', '_CONCURRENCY', (name) => integer({ group, default: 1, min: 1, max: 1000, unit: 'ranges', description: `Ranges that ${name.toLowerCase()} works on at the same time.` })),
  ...perWorker('', '_RANGE', (name) => integer({ group, default: 1000, min: 1, unit: 'blocks', description: `Most blocks in one range of ${name.toLowerCase()}.` })),

  ENABLE_PRICE_FEED: boolean({ group, default: false, description: 'Fetch token prices from outside.' }),
  PRICE_REFRESH_MIN: optionalInteger({ group, min: 1, unit: 'minutes', description: 'Pause between price fetches.' }),

  API_RATE_LIMIT_RPS: optionalNumber({ group, min: 0, unit: 'requests per second and client', description: 'Rate limit of the API; 0 is no limit.' }),
  API_RATE_LIMIT_BURST: optionalInteger({ group, min: 1, unit: 'requests', description: 'Requests that a client may make at once.' }),
  API_RATE_LIMIT_TTL_MIN: optionalInteger({ group, min: 1, unit: 'minutes', description: 'How long an idle client is remembered.' }),
  API_RATE_LIMIT_TRUSTED_RPS: optionalNumber({ group, min: 0, unit: 'requests per second and client', description: 'Rate limit for trusted origins.' }),
  API_RATE_LIMIT_TRUSTED_ORIGINS: list({ group, description: 'Origins with the trusted rate limit.' }),

  AUTH_DB_URL: optionalUrl({ group, secret: true, schemes: ['postgres', 'postgresql'], description: 'Database of the authentication service.' }),
  AUTH_JWT_SECRET: optionalText({ group, secret: true, description: 'Secret that verifies the JWTs of the authentication service.' }),
  ADMIN_TOKEN: optionalText({ group, secret: true, description: 'Static token of the admin API.' }),
  ADMIN_JWT_SECRET: optionalText({ group, secret: true, description: 'Secret that verifies admin JWTs.' }),
  ADMIN_ALLOWED_ROLES: list({ group, description: 'Roles that count as admin.' }),

  WEBHOOK_AUTH_TOKEN: optionalText({ group, secret: true, description: 'Token toward the webhook delivery service.' }),
  WEBHOOK_SERVER_URL: optionalUrl({ group, schemes: ['http', 'https'], description: 'Address of the webhook delivery service.' }),
} satisfies Record<string, Setting<unknown>>
