import { isIP } from 'node:net'

/** `config.ts` reports the errors of all variables together. */

export interface Setting<T> {
  /** Shown in the documentation, like `defaultText`. */
  readonly type: string
  readonly unit?: string
  readonly defaultText: string
  readonly description: string
  /** Never printed or logged. */
  readonly secret: boolean
  readonly group: string
  /** Only one of variable and alias may be set. */
  readonly alias?: string
  read(text: string | undefined): T
}

export type SettingValues<Settings extends Readonly<Record<string, Setting<unknown>>>> = {
  readonly [Name in keyof Settings]: ReturnType<Settings[Name]['read']>
}

/** The message follows the name of the variable. */
export class SettingError extends Error {}

interface Common {
  group: string
  description: string
  unit?: string
  secret?: boolean
  alias?: string | undefined
}

function setting<T>(
  common: Common,
  type: string,
  defaultText: string,
  read: (text: string | undefined) => T,
): Setting<T> {
  return {
    type,
    defaultText,
    description: common.description,
    group: common.group,
    secret: common.secret ?? false,
    ...(common.unit === undefined ? {} : { unit: common.unit }),
    ...(common.alias === undefined ? {} : { alias: common.alias }),
    read: (text) => read(text === undefined || text.trim() === '' ? undefined : text.trim()),
  }
}

export function integer(options: Common & { default: number; min?: number; max?: number }): Setting<number> {
  const parse = integerParser(options)
  return setting(options, 'integer', String(options.default), (text) =>
    text === undefined ? options.default : parse(text),
  )
}

export function optionalInteger(
  options: Common & { defaultText?: string; min?: number; max?: number },
): Setting<number | undefined> {
  const parse = integerParser(options)
  return setting(options, 'integer', options.defaultText ?? 'none', (text) =>
    text === undefined ? undefined : parse(text),
  )
}

function integerParser({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
}: {
  min?: number
  max?: number
}): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
      throw new SettingError(`must be an integer, not "${text}"`)
    if (value < min || value > max) throw new SettingError(`must be from ${min} to ${max}, not ${text}`)
    return value
  }
}

export function number(options: Common & { default: number; min: number }): Setting<number> {
  const optional = optionalNumber(options)
  return { ...optional, defaultText: String(options.default), read: (text) => optional.read(text) ?? options.default }
}

export function optionalNumber(options: Common & { defaultText?: string; min: number }): Setting<number | undefined> {
  return setting(options, 'number', options.defaultText ?? 'none', (text) => {
    if (text === undefined) return undefined
    const value = Number(text)
    if (!Number.isFinite(value) || value < options.min)
      throw new SettingError(`must be a number of at least ${options.min}, not "${text}"`)
    return value
  })
}

export function boolean(options: Common & { default: boolean }): Setting<boolean> {
  return setting(options, 'true or false', String(options.default), (text) => {
    if (text === undefined) return options.default
    if (/^(true|1|yes|on)$/i.test(text)) return true
    if (/^(false|0|no|off)$/i.test(text)) return false
    throw new SettingError(`must be true or false, not "${text}"`)
  })
}

export function text(options: Common & { default: string }): Setting<string> {
  return setting(options, 'text', options.default, (value) => value ?? options.default)
}

export function optionalText(options: Common): Setting<string | undefined> {
  return setting(options, 'text', 'none', (value) => value)
}

/** Separated by commas, semicolons or white space. */
export function list(options: Common): Setting<readonly string[]> {
  return words({ ...options, default: [] })
}

export function words(options: Common & { default: readonly string[] }): Setting<readonly string[]> {
  return setting(options, 'comma-separated list', options.default.join(',') || 'none', (value) => {
    const given = (value ?? '').split(/[,;\s]+/).filter((word) => word !== '')
    return given.length > 0 ? given : options.default
  })
}

/** An empty value means none, unlike an absent one. */
export function wordsOrNone(options: Common & { default: readonly string[] }): Setting<readonly string[]> {
  const given = words(options)
  return { ...given, read: (text) => (text?.trim() === '' ? [] : given.read(text)) }
}

export function addresses(options: Common): Setting<readonly string[]> {
  const optional = words({ ...options, default: [] })
  return {
    ...optional,
    type: 'list of networks',
    read: (text) => {
      const given = optional.read(text)
      const wrong = given.find((entry) => !isAddressOrNetwork(entry))
      if (wrong !== undefined)
        throw new SettingError(`must be IP addresses or networks such as 10.0.0.0/8, not "${wrong}"`)
      return given
    },
  }
}

function isAddressOrNetwork(entry: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  return isIP(address) !== 0 && Number(prefix) <= (isIP(address) === 6 ? 128 : 32)
}

export function choice<const T extends string>(options: Common & { values: readonly T[]; default: T }): Setting<T> {
  return setting(options, options.values.join(', '), options.default, (value) => {
    if (value === undefined) return options.default
    const found = options.values.find((candidate) => candidate === value.toLowerCase())
    if (found === undefined) throw new SettingError(`must be one of ${options.values.join(', ')}, not "${value}"`)
    return found
  })
}

export function optionalChoice<const T extends string>(
  options: Common & { values: readonly T[]; defaultText: string },
): Setting<T | undefined> {
  const [first] = options.values
  if (first === undefined) throw new Error('a choice needs values')
  const given = choice({ ...options, default: first })
  return {
    ...given,
    defaultText: options.defaultText,
    read: (text) => (text === undefined || text.trim() === '' ? undefined : given.read(text)),
  }
}

export function optionalUrl(options: Common & { schemes: readonly string[] }): Setting<string | undefined> {
  return setting(options, `URL (${options.schemes.join(', ')})`, 'none', (value) =>
    value === undefined ? undefined : checkedUrl(value, options.schemes),
  )
}

export function url(options: Common & { schemes: readonly string[]; default: string }): Setting<string> {
  return setting(options, `URL (${options.schemes.join(', ')})`, options.default, (value) =>
    checkedUrl(value ?? options.default, options.schemes),
  )
}

/** `name=https://…`, comma-separated. */
export function urlsByName<const Name extends string>(
  options: Common & { names: readonly Name[] },
): Setting<Readonly<Partial<Record<Name, string>>>> {
  const pairs = words({ ...options, default: [] })
  return {
    ...pairs,
    type: 'list of name=URL',
    read: (text) => {
      const urls: Partial<Record<Name, string>> = {}
      for (const pair of pairs.read(text)) {
        const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(pair) ?? []
        const known = options.names.find((each) => each === name)
        if (known === undefined)
          throw new SettingError(`must be name=URL with a name of ${options.names.join(', ')}, not "${pair}"`)
        if (!URL.canParse(value)) throw new SettingError(`must have a URL for ${known}, not "${value}"`)
        urls[known] = new URL(checkedUrl(value, ['http', 'https'])).href
      }
      return urls
    },
  }
}

function checkedUrl(value: string, schemes: readonly string[]): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(value)?.[1]?.toLowerCase()
  if (scheme === undefined || !schemes.includes(scheme)) {
    throw new SettingError(`must be a URL that starts with ${schemes.map((s) => `${s}://`).join(' or ')}`)
  }
  return value
}
