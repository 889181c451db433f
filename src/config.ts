import { FatalError } from './platform/errors.ts'
import { boolean, choice, integer, optionalInteger, SettingError } from './platform/setting.ts'
import type { Setting, SettingValues } from './platform/setting.ts'
import { accessNodeSettings } from './access/settings.ts'
import { databaseSettings } from './platform/db/settings.ts'
import { servingSettings } from './platform/http/settings.ts'
import { accessSettings, pageSettings, feedSettings } from './explorer/settings.ts'
import { askSettings } from './assistant/query/settings.ts'
import { askingSettings } from './farm/enrichment/settings.ts'
import { chatSettings } from './assistant/chat/settings.ts'
import { farmSettings } from './farm/settings.ts'
import { operatorSettings } from './platform/auth/settings.ts'
import { plannedGroup, plannedSettings } from './platform/planned-settings.ts'
import { editorSettings } from './editor/settings.ts'
import { walletSettings } from './wallet/settings.ts'
import { webhookSettings } from './webhooks/settings.ts'

/**
 * Every variable of the environment that flowfarm reads, once, here. `docs/configuration.md` and `--help` are made
 * from this table, so a variable that is not in it does not exist.
 */
export const settings = {
  ...databaseSettings,

  ...accessNodeSettings,

  START_BLOCK: integer({
    group: 'Ingestion',
    default: 0,
    unit: 'height',
    description:
      'Where forward ingestion starts when nothing is stored yet. 0: at the lowest height that the nodes serve; or, while the history ingester is on, ' +
      'LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS below the head, and the history ingester brings the rest.',
  }),
  RAW_ONLY: boolean({
    group: 'Ingestion',
    default: false,
    description: 'Only raw ingestion runs; workers and derivers are off.',
  }),
  ENABLE_FORWARD_INGESTER: boolean({ group: 'Ingestion', default: true, description: 'Follow the head of the chain.' }),
  LATEST_WORKER_COUNT: optionalInteger({
    group: 'Ingestion',
    defaultText: '2, adaptive',
    min: 1,
    max: 1000,
    unit: 'blocks',
    description:
      'Blocks that the forward ingester fetches at the same time. Without it the number starts at 2, grows while the nodes keep up and shrinks when they refuse; a number set here is kept.',
  }),
  LATEST_BATCH_SIZE: optionalInteger({
    group: 'Ingestion',
    defaultText: '1, adaptive',
    min: 1,
    max: 10_000,
    unit: 'blocks',
    description:
      'Most blocks in one commit of the forward ingester. Without it 1 at the head, and up to 100 while it is behind; a number set here is kept.',
  }),
  ENABLE_HISTORY_INGESTER: boolean({
    group: 'Ingestion',
    default: true,
    description: 'Fill in history, from the start of the forward ingester down.',
  }),
  HISTORY_WORKER_COUNT: optionalInteger({
    group: 'Ingestion',
    defaultText: '5, adaptive',
    min: 1,
    max: 1000,
    unit: 'blocks',
    description:
      'Blocks that the history ingester fetches at the same time. Without it the number starts at 5, grows while the nodes keep up and shrinks when they refuse; a number set here is kept.',
  }),
  HISTORY_BATCH_SIZE: optionalInteger({
    group: 'Ingestion',
    defaultText: '20, adaptive',
    min: 1,
    max: 10_000,
    unit: 'blocks',
    description:
      'Most blocks in one commit of the history ingester. Without it 20 at the start and up to 100; a number set here is kept.',
  }),
  HISTORY_STOP_HEIGHT: integer({
    group: 'Ingestion',
    default: 0,
    unit: 'height',
    description: 'Lowest height that the history ingester fetches. 0: down to the lowest height that the nodes serve.',
  }),
  UNAVAILABLE_AFTER_S: integer({
    group: 'Ingestion',
    default: 21_600,
    unit: 'seconds',
    description:
      'How long a settled height may fail on every access node, or fail to be stored, before it is recorded in raw.unavailable and ingestion continues. Operators are told after 30 seconds. 0: only an operator gives heights up (npm run raw).',
  }),
  MAX_REORG_DEPTH: integer({
    group: 'Ingestion',
    default: 1000,
    min: 1,
    unit: 'blocks',
    description: 'Deepest fork that is rolled back. A deeper one stops the ingester and deletes nothing.',
  }),

  LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: integer({
    group: 'Ingestion',
    default: 100,
    unit: 'blocks',
    description:
      'Blocks below the head with which a new database starts. So many of the newest stored blocks, and at least one chunk, are derived in live chunks.',
  }),

  ...farmSettings,

  ...askingSettings,

  ...servingSettings,

  API_ANSWER_CACHE_MS: integer({
    group: 'Serving',
    default: 1000,
    min: 0,
    unit: 'ms',
    description:
      'How long an answer may be given again to whoever asks the same. Every commit of blocks or of derived rows ends it sooner; names, prices and labels may be late by so much, and by a second at least. Ten times as long for what clients may keep for longer, such as a block far below the head. 0: none is kept.',
  }),

  ...feedSettings,

  ...pageSettings,

  ...accessSettings,

  ...operatorSettings,

  ...webhookSettings,

  ...askSettings,
  ...chatSettings,
  ...walletSettings,
  ...editorSettings,

  ...plannedSettings,

  METRICS_PORT: optionalInteger({
    group: 'Operation',
    min: 0,
    max: 65_535,
    defaultText: 'none',
    description: 'A port for /metrics alone, for processes that run without the API, which serves them on PORT.',
  }),

  LOG_LEVEL: choice({
    group: 'Operation',
    values: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'Least level that is logged.',
  }),
  LOG_FORMAT: choice({
    group: 'Operation',
    values: ['auto', 'json', 'pretty'],
    default: 'auto',
    description: 'auto: pretty on a terminal, JSON lines elsewhere.',
  }),
} satisfies Record<string, Setting<unknown>>

type Environment = Readonly<Record<string, string | undefined>>

export type Config = SettingValues<typeof settings>

/**
 * Reads all variables; `overrides` win over the environment, and that over `defaults`.
 * @throws FatalError `bad-configuration` that lists every bad variable, not only the first
 */
export function readConfig(
  overrides: Environment = {},
  environment: Environment = process.env,
  defaults: Environment = {},
): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    try {
      values[name] = setting.read(
        given(overrides, name, setting) ?? given(environment, name, setting) ?? given(defaults, name, setting),
      )
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      problems.push(`${name} ${error.message}`)
    }
  }
  if (problems.length > 0) {
    const heading = `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`
    throw new FatalError('bad-configuration', [heading, ...problems.map((problem) => `  ${problem}`)].join('\n'))
  }
  return values as Config
}

/**
 * Two services have a variable PORT: where the query service runs without the explorer API, PORT is its own, unless ASK_PORT is set.
 * @returns overrides for `readConfig`
 */
export function portsOf(services: readonly string[], environment: Environment = process.env): Environment {
  const { PORT: port, ASK_PORT: askPort } = environment
  return services.includes('ask') && !services.includes('api') && !isBlank(port) && isBlank(askPort)
    ? { ASK_PORT: port }
    : {}
}

/** What one source says of a variable, under either of its names. @throws SettingError when they disagree */
function given(source: Environment, name: string, { alias }: Setting<unknown>): string | undefined {
  const text = source[name]
  const other = alias === undefined ? undefined : source[alias]
  if (isBlank(other)) return text
  if (isBlank(text)) return other
  if (text?.trim() !== other?.trim()) throw new SettingError(`and ${alias} are one variable: set only one of them`)
  return text
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === ''
}

/** Variables that somebody has set although they belong to what is not built yet, and so change nothing. */
export function settingsWithoutEffect(environment: Environment = process.env): string[] {
  return Object.entries<Setting<unknown>>(settings)
    .filter(([, { group }]) => group === plannedGroup)
    .flatMap(([name, { alias }]) => (alias === undefined ? [name] : [name, alias]))
    .filter((name) => !isBlank(environment[name]))
}
