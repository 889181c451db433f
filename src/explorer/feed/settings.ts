import { integer } from '../../platform/setting.ts'
import type { Setting } from '../../platform/setting.ts'

/** Variables of the live feeds. */

const group = 'Live feeds'

export const feedSettings = {
  WS_MAX_CONNECTIONS_PER_IP: integer({
    group,
    default: 100,
    min: 1,
    unit: 'connections',
    description: 'Most WebSocket connections from one address; more are refused with 429. Loopback is not limited.',
  }),
  WS_MAX_MESSAGE_BYTES: integer({
    group,
    default: 65_536,
    min: 1024,
    max: 16_777_216,
    unit: 'bytes',
    description: 'Longest message of a client; after a longer one its connection is closed with 1009.',
  }),
  WS_MAX_REPLAY_BLOCKS: integer({
    group,
    default: 10_000,
    min: 0,
    max: 10_000_000,
    unit: 'blocks',
    description: 'How far below the head a client of /ws may go on from. What is older is read by the API.',
  }),
  WS_MAX_FILTER_WORDS: integer({
    group,
    default: 500_000,
    min: 1000,
    unit: 'words',
    description:
      'Most addresses, tags, contracts and templates in the filters of all clients of one process together; they take some 500 bytes each.',
  }),
  WS_MAX_WAITING_BYTES: integer({
    group,
    default: 1_048_576,
    min: 65_536,
    unit: 'bytes',
    description:
      'What may wait for a client that does not read; with more it is dropped. One that subscribed is not dropped, but given the rest as fast as it takes it, once an eighth of that waits.',
  }),
} satisfies Record<string, Setting<unknown>>
