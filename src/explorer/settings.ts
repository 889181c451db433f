import { proxySettings } from '../platform/http/settings.ts'
import { addresses, integer, number, optionalInteger, optionalUrl, SettingError, words } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

/** Variables that say how often one may ask the API, and where people's roles are kept. */

const group = 'Access to the API'

export const accessSettings = {
  API_RATE_LIMIT_RPS: number({
    group,
    default: 10,
    min: 0,
    unit: 'requests per second and address',
    description:
      'Most requests of one address in the long run; 0 is no limit. This machine is not limited. Developer keys ' +
      'have limits of their own.',
  }),
  API_RATE_LIMIT_BURST: optionalInteger({
    group,
    min: 1,
    defaultText: '10 × API_RATE_LIMIT_RPS',
    unit: 'requests',
    description: 'Requests that one address may make at once after a pause.',
  }),
  API_RATE_LIMIT_TTL_MIN: integer({
    group,
    default: 15,
    min: 1,
    max: 1440,
    unit: 'minutes',
    description: 'How long an address or key that does not ask is remembered.',
  }),
  API_RATE_LIMIT_TRUSTED_RPS: number({
    group,
    default: 100,
    min: 0,
    unit: 'requests per second and address',
    description: 'Most requests of one of the API_RATE_LIMIT_TRUSTED_ADDRESSES; 0 is no limit.',
  }),
  API_RATE_LIMIT_TRUSTED_ADDRESSES: addresses({
    group,
    description:
      'Addresses and networks (10.0.0.0/8) with the limit API_RATE_LIMIT_TRUSTED_RPS, such as web servers of your own.',
  }),
  ...proxySettings,
  AUTH_DB_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description:
      'Database of the authentication service. When set, the roles of an administrator are read from its table ' +
      'user_roles (user_id, role) by the sub of the JWT, and what the JWT claims of roles does not count.',
  }),
} satisfies Record<string, Setting<unknown>>

export const cacheSettings = {
  API_ANSWER_CACHE_MS: integer({
    group: 'Serving',
    default: 1000,
    min: 0,
    unit: 'ms',
    description:
      'How long an answer may be given again to whoever asks the same. Every commit of blocks or of derived rows ' +
      'ends it sooner; names, prices and labels may be late by so much, and by a second at least. Ten times as ' +
      'long for what clients may keep for longer, such as a block far below the head. 0: none is kept.',
  }),
} satisfies Record<string, Setting<unknown>>

/** Variables of the explorer page. */

const pageGroup = 'Explorer page'

const gateways = words({
  group: pageGroup,
  default: ['https://ipfs.io/ipfs/', 'https://dweb.link/ipfs/'],
  description:
    'Gateways that the page has pictures on IPFS from, the first one first and the next where it fails: https ' +
    'addresses to which the content id is appended.',
})

export const pageSettings = {
  IPFS_GATEWAYS: {
    ...gateways,
    read: (text) => {
      const given = gateways.read(text)
      const wrong = given.find((address) => !URL.canParse(address) || new URL(address).protocol !== 'https:')
      if (wrong !== undefined) throw new SettingError(`must be addresses such as https://ipfs.io/ipfs/, not "${wrong}"`)
      return given.map((address) => (address.endsWith('/') ? address : `${address}/`))
    },
  },
} satisfies Record<string, Setting<unknown>>

/** Variables of the live feeds. */

const feedGroup = 'Live feeds'

export const feedSettings = {
  WS_MAX_CONNECTIONS_PER_IP: integer({
    group: feedGroup,
    default: 100,
    min: 1,
    unit: 'connections',
    description: 'Most WebSocket connections from one address; more are refused with 429. Loopback is not limited.',
  }),
  WS_MAX_MESSAGE_BYTES: integer({
    group: feedGroup,
    default: 65_536,
    min: 1024,
    max: 16_777_216,
    unit: 'bytes',
    description: 'Longest message of a client; after a longer one its connection is closed with 1009.',
  }),
  WS_MAX_REPLAY_BLOCKS: integer({
    group: feedGroup,
    default: 10_000,
    min: 0,
    max: 10_000_000,
    unit: 'blocks',
    description: 'How far below the head a client of /ws may go on from. What is older is read by the API.',
  }),
  WS_MAX_FILTER_WORDS: integer({
    group: feedGroup,
    default: 500_000,
    min: 1000,
    unit: 'words',
    description:
      'Most addresses, tags, contracts and templates in the filters of all clients of one process together; they ' +
      'take some 500 bytes each.',
  }),
  WS_MAX_WAITING_BYTES: integer({
    group: feedGroup,
    default: 1_048_576,
    min: 65_536,
    unit: 'bytes',
    description:
      'What may wait for a client that does not read; with more it is dropped. One that subscribed is not dropped, ' +
      'but given the rest as fast as it takes it, once an eighth of that waits.',
  }),
} satisfies Record<string, Setting<unknown>>
