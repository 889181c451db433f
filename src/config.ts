import { FatalError } from './platform/errors.ts'
import { choice, optionalInteger, SettingError } from './platform/setting.ts'
import type { Setting, SettingValues } from './platform/setting.ts'
import { accessNodeSettings } from './access/settings.ts'
import { databaseSettings } from './platform/db/settings.ts'
import { servingSettings } from './platform/http/settings.ts'
import { accessSettings, cacheSettings, feedSettings, pageSettings } from './explorer/settings.ts'
import { askSettings } from './assistant/query/settings.ts'
import { enrichmentSettings, farmSettings } from './farm/settings.ts'
import { chatSettings } from './assistant/chat/settings.ts'
import { ingestSettings } from './ingest/settings.ts'
import { operatorSettings } from './platform/auth/settings.ts'
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

  ...ingestSettings,

  ...farmSettings,

  ...enrichmentSettings,

  ...servingSettings,

  ...cacheSettings,

  ...feedSettings,

  ...pageSettings,

  ...accessSettings,

  ...operatorSettings,

  ...webhookSettings,

  ...askSettings,
  ...chatSettings,
  ...walletSettings,
  ...editorSettings,

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
 * Two services have a variable PORT: where the query service runs without the explorer API, PORT is its own, unless
 * ASK_PORT is set.
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
