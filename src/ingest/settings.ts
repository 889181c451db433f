import { boolean, integer, optionalInteger } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

const group = 'Ingestion'

export const ingestSettings = {
  START_BLOCK: integer({
    group,
    default: 0,
    unit: 'height',
    description:
      'Where forward ingestion starts when nothing is stored yet. 0: at the lowest height that the ' +
      'nodes serve; or, while the history ingester is on, ' +
      'LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS below the head, and the history ingester brings the rest.',
  }),
  RAW_ONLY: boolean({
    group,
    default: false,
    description: 'Only raw ingestion runs; workers and derivers are off.',
  }),
  ENABLE_FORWARD_INGESTER: boolean({ group, default: true, description: 'Follow the head of the chain.' }),
  LATEST_WORKER_COUNT: optionalInteger({
    group,
    defaultText: '2, adaptive',
    min: 1,
    max: 1000,
    unit: 'blocks',
    description:
      'Blocks that the forward ingester fetches at the same time. Without it the number starts at 2, ' +
      'grows while the nodes keep up and shrinks when they refuse; a number set here is kept.',
  }),
  LATEST_BATCH_SIZE: optionalInteger({
    group,
    defaultText: '1, adaptive',
    min: 1,
    max: 10_000,
    unit: 'blocks',
    description:
      'Most blocks in one commit of the forward ingester. Without it 1 at the head, and up to 100 ' +
      'while it is behind; a number set here is kept.',
  }),
  ENABLE_HISTORY_INGESTER: boolean({
    group,
    default: true,
    description: 'Fill in history, from the start of the forward ingester down.',
  }),
  HISTORY_WORKER_COUNT: optionalInteger({
    group,
    defaultText: '5, adaptive',
    min: 1,
    max: 1000,
    unit: 'blocks',
    description:
      'Blocks that the history ingester fetches at the same time. Without it the number starts at 5, ' +
      'grows while the nodes keep up and shrinks when they refuse; a number set here is kept.',
  }),
  HISTORY_BATCH_SIZE: optionalInteger({
    group,
    defaultText: '20, adaptive',
    min: 1,
    max: 10_000,
    unit: 'blocks',
    description:
      'Most blocks in one commit of the history ingester. Without it 20 at the start and up to 100; a ' +
      'number set here is kept.',
  }),
  HISTORY_STOP_HEIGHT: integer({
    group,
    default: 0,
    unit: 'height',
    description: 'Lowest height that the history ingester fetches. 0: down to the lowest height that the nodes serve.',
  }),
  UNAVAILABLE_AFTER_S: integer({
    group,
    default: 21_600,
    unit: 'seconds',
    description:
      'How long a settled height may fail on every access node, or fail to be stored, before it is ' +
      'recorded in raw.unavailable and ingestion continues. Operators are told after 30 seconds. 0: ' +
      'only an operator gives heights up (npm run raw).',
  }),
  MAX_REORG_DEPTH: integer({
    group,
    default: 1000,
    min: 1,
    unit: 'blocks',
    description: 'Deepest fork that is rolled back. A deeper one stops the ingester and deletes nothing.',
  }),

  LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: integer({
    group,
    default: 100,
    unit: 'blocks',
    description:
      'Blocks below the head with which a new database starts. So many of the newest stored blocks, ' +
      'and at least one chunk, are derived in live chunks.',
  }),
} satisfies Record<string, Setting<unknown>>
