import { boolean, integer, optionalInteger } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

const group = 'Ingestion'

export const ingestSettings = {
  START_BLOCK: integer({
    group,
    default: 0,
    unit: 'height',
    description:
      'First height of forward ingestion in an empty database. 0: the lowest height of the ' +
      'nodes or, with the history ingester enabled, ' +
      'LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS below the head; the history ingester fetches the rest.',
  }),
  RAW_ONLY: boolean({
    group,
    default: false,
    description: 'Run raw ingestion only, without workers and derivers.',
  }),
  ENABLE_FORWARD_INGESTER: boolean({ group, default: true, description: 'Follow the head of the chain.' }),
  LATEST_WORKER_COUNT: optionalInteger({
    group,
    defaultText: '2, adaptive',
    min: 1,
    max: 1000,
    unit: 'blocks',
    description:
      'Blocks that the forward ingester fetches concurrently. By default adaptive: starts at 2, ' +
      'grows while the nodes keep up and shrinks when they refuse.',
  }),
  LATEST_BATCH_SIZE: optionalInteger({
    group,
    defaultText: '1, adaptive',
    min: 1,
    max: 10_000,
    unit: 'blocks',
    description:
      'Maximum blocks per commit of the forward ingester. By default adaptive: 1 at the head, up to 100 ' +
      'while it is behind.',
  }),
  ENABLE_HISTORY_INGESTER: boolean({
    group,
    default: true,
    description: 'Backfill history, from the start of the forward ingester downwards.',
  }),
  HISTORY_WORKER_COUNT: optionalInteger({
    group,
    defaultText: '5, adaptive',
    min: 1,
    max: 1000,
    unit: 'blocks',
    description:
      'Blocks that the history ingester fetches concurrently. By default adaptive: starts at 5, ' +
      'grows while the nodes keep up and shrinks when they refuse.',
  }),
  HISTORY_BATCH_SIZE: optionalInteger({
    group,
    defaultText: '20, adaptive',
    min: 1,
    max: 10_000,
    unit: 'blocks',
    description: 'Maximum blocks per commit of the history ingester. By default adaptive: starts at 20, up to 100.',
  }),
  HISTORY_STOP_HEIGHT: integer({
    group,
    default: 0,
    unit: 'height',
    description: 'Lowest height that the history ingester fetches. 0: the lowest height of the nodes.',
  }),
  UNAVAILABLE_AFTER_S: integer({
    group,
    default: 21_600,
    unit: 'seconds',
    description:
      'How long a settled height may fail on all access nodes, or fail to be stored, before it is ' +
      'recorded in raw.unavailable and ingestion continues. A warning is logged after 30 seconds. 0: ' +
      'only an operator can skip heights (npm run raw).',
  }),
  MAX_REORG_DEPTH: integer({
    group,
    default: 1000,
    min: 1,
    unit: 'blocks',
    description: 'Maximum depth of a fork that is rolled back. A deeper fork stops the ingester without deleting data.',
  }),

  LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: integer({
    group,
    default: 100,
    unit: 'blocks',
    description:
      'Blocks below the head at which a new database starts. This many of the latest stored blocks, ' +
      'and at least one chunk, are derived in live chunks.',
  }),
} satisfies Record<string, Setting<unknown>>
