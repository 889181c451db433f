import { FatalError } from './platform/errors.ts'
import { choice, optionalInteger, SettingError } from './platform/setting.ts'
import type { Setting, SettingValues } from './platform/setting.ts'
import { accessNodeSettings } from './access/settings.ts'
import { databaseSettings } from './platform/db/settings.ts'
import { mailSettings } from './platform/mail/mail-sender.ts'
import { servingSettings } from './platform/http/settings.ts'
import { accessSettings, cacheSettings, feedSettings, pageSettings } from './explorer/settings.ts'
import { askSettings } from './assistant/query/settings.ts'
import { enrichmentSettings, farmSettings } from './farm/settings.ts'
import { chatSettings } from './assistant/chat/settings.ts'
import { ingestSettings } from './ingest/settings.ts'
import { ownTablesSettings } from './own-tables/settings.ts'
import { operatorSettings } from './platform/auth/settings.ts'
import { editorSettings } from './editor/settings.ts'
import { walletSettings } from './wallet/settings.ts'
import { webhookSettings } from './webhooks/settings.ts'

/** All environment variables of flowfarm. `docs/configuration.md` and `--help` are generated from this table. */
export const settings = {
  ...databaseSettings,

  ...accessNodeSettings,

  ...ingestSettings,

  ...farmSettings,

  ...enrichmentSettings,

  ...ownTablesSettings,

  ...servingSettings,

  ...cacheSettings,

  ...feedSettings,

  ...pageSettings,

  ...accessSettings,

  ...operatorSettings,

  ...webhookSettings,

  ...mailSettings,

  ...askSettings,
  ...chatSettings,
  ...walletSettings,
  ...editorSettings,

  METRICS_PORT: optionalInteger({
    group: 'Operation',
    min: 0,
    max: 65_535,
    defaultText: 'none',
    description: 'Port for /metrics only, for processes without the API (which serves /metrics on PORT).',
  }),

  LOG_LEVEL: choice({
    group: 'Operation',
    values: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'Minimum log level.',
  }),
  LOG_FORMAT: choice({
    group: 'Operation',
    values: ['auto', 'json', 'pretty'],
    default: 'auto',
    description: 'auto: readable lines on a terminal, otherwise JSON lines.',
  }),
} satisfies Record<string, Setting<unknown>>

type Environment = Readonly<Record<string, string | undefined>>

export type Config = SettingValues<typeof settings>

/**
 * Reads all variables. Precedence: `overrides`, environment, `defaults`.
 * @throws FatalError `bad-configuration` with all invalid variables
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
    const heading = `Invalid configuration (${problems.length === 1 ? '1 problem' : `${problems.length} problems`}):`
    throw new FatalError('bad-configuration', [heading, ...problems.map((problem) => `  ${problem}`)].join('\n'))
  }
  return values as Config
}

/**
 * Without the explorer API, PORT applies to the query service unless ASK_PORT is set. @returns overrides for
 * `readConfig`
 */
export function portsOf(services: readonly string[], environment: Environment = process.env): Environment {
  const { PORT: port, ASK_PORT: askPort } = environment
  return services.includes('ask') && !services.includes('api') && !isBlank(port) && isBlank(askPort)
    ? { ASK_PORT: port }
    : {}
}

/** The value of a variable or its alias in one source. @throws SettingError if they differ */
function given(source: Environment, name: string, { alias }: Setting<unknown>): string | undefined {
  const text = source[name]
  const other = alias === undefined ? undefined : source[alias]
  if (isBlank(other)) return text
  if (isBlank(text)) return other
  if (text?.trim() !== other?.trim()) throw new SettingError(`and ${alias} are the same variable. Set only one`)
  return text
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === ''
}
