import { proxySettings } from '../platform/http/settings.ts'
import { addresses, integer, number, optionalInteger, optionalUrl, SettingError, words } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

const group = 'Access to the API'

export const accessSettings = {
  API_RATE_LIMIT_RPS: number({
    group,
    default: 10,
    min: 0,
    unit: 'requests per second and address',
    description:
      'Sustained rate limit per client address; 0: unlimited. Loopback is not limited. Developer keys have their own ' +
      'limits.',
  }),
  API_RATE_LIMIT_BURST: optionalInteger({
    group,
    min: 1,
    defaultText: '10 × API_RATE_LIMIT_RPS',
    unit: 'requests',
    description: 'Burst size per client address.',
  }),
  API_RATE_LIMIT_TTL_MIN: integer({
    group,
    default: 15,
    min: 1,
    max: 1440,
    unit: 'minutes',
    description: 'How long the rate limiter keeps the state of an idle address or key.',
  }),
  API_RATE_LIMIT_TRUSTED_RPS: number({
    group,
    default: 100,
    min: 0,
    unit: 'requests per second and address',
    description: 'Rate limit of each of API_RATE_LIMIT_TRUSTED_ADDRESSES; 0: unlimited.',
  }),
  API_RATE_LIMIT_TRUSTED_ADDRESSES: addresses({
    group,
    description:
      'Addresses and networks (10.0.0.0/8) with the limit API_RATE_LIMIT_TRUSTED_RPS, such as your web servers.',
  }),
  ...proxySettings,
  AUTH_DB_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description:
      'Database of the authentication service. If set, administrator roles are read from its table user_roles ' +
      '(user_id, role) by the sub of the JWT, and role claims in the JWT are ignored.',
  }),
} satisfies Record<string, Setting<unknown>>

export const cacheSettings = {
  API_ANSWER_CACHE_MS: integer({
    group: 'Serving',
    default: 1000,
    min: 0,
    unit: 'ms',
    description:
      'Maximum age of cached responses. Commits of blocks or derived rows invalidate them earlier; names, prices and ' +
      'labels may be outdated by this time, and by at least one second. Ten times as long for responses that clients ' +
      'may cache longer, such as blocks far below the head. 0: no cache.',
  }),
} satisfies Record<string, Setting<unknown>>

const pageGroup = 'Explorer page'

const gateways = words({
  group: pageGroup,
  default: ['https://ipfs.io/ipfs/', 'https://dweb.link/ipfs/'],
  description: 'IPFS gateways for images, tried in order: https URLs to which the content id is appended.',
})

export const pageSettings = {
  IPFS_GATEWAYS: {
    ...gateways,
    read: (text) => {
      const given = gateways.read(text)
      const wrong = given.find((address) => !URL.canParse(address) || new URL(address).protocol !== 'https:')
      if (wrong !== undefined)
        throw new SettingError(`must be https URLs such as https://ipfs.io/ipfs/, not "${wrong}"`)
      return given.map((address) => (address.endsWith('/') ? address : `${address}/`))
    },
  },
} satisfies Record<string, Setting<unknown>>

const feedGroup = 'Live feeds'

export const feedSettings = {
  WS_MAX_CONNECTIONS_PER_IP: integer({
    group: feedGroup,
    default: 100,
    min: 1,
    unit: 'connections',
    description:
      'Maximum number of WebSocket connections per client address; more are rejected with 429. Loopback is not ' +
      'limited.',
  }),
  WS_MAX_MESSAGE_BYTES: integer({
    group: feedGroup,
    default: 65_536,
    min: 1024,
    max: 16_777_216,
    unit: 'bytes',
    description: 'Maximum size of a client message; a larger one closes the connection with 1009.',
  }),
  WS_MAX_REPLAY_BLOCKS: integer({
    group: feedGroup,
    default: 10_000,
    min: 0,
    max: 10_000_000,
    unit: 'blocks',
    description: 'How far below the head a /ws client may resume. Older blocks are available from the REST API.',
  }),
  WS_MAX_FILTER_WORDS: integer({
    group: feedGroup,
    default: 500_000,
    min: 1000,
    unit: 'words',
    description:
      'Maximum number of addresses, tags, contracts and templates in the filters of all clients of a process, at ' +
      'about 500 bytes each.',
  }),
  WS_MAX_WAITING_BYTES: integer({
    group: feedGroup,
    default: 1_048_576,
    min: 65_536,
    unit: 'bytes',
    description:
      'Send buffer of a client that does not read; the client is dropped when it is full. A subscriber is not ' +
      'dropped: once an eighth is in use, it receives further blocks only as fast as it reads.',
  }),
} satisfies Record<string, Setting<unknown>>
