/** A JSON-CDC value. Source: https://cadence-lang.org/docs/json-cadence-spec */
export interface CadenceValue {
  readonly type: string
  readonly value?: unknown
}

export class ArgumentProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ArgumentProblem'
  }
}

const wholeBits = /^(U?Int|Word)(8|16|32|64|128|256)?$/
/** In units of the last decimal. */
const fixLimits: ReadonlyMap<string, FixLimits> = new Map(
  [64n, 128n].flatMap((bits): [string, FixLimits][] => {
    const decimals = bits === 64n ? 8 : 24
    return [
      [`UFix${bits}`, { decimals, low: 0n, high: 2n ** bits - 1n }],
      [`Fix${bits}`, { decimals, low: -(2n ** (bits - 1n)), high: 2n ** (bits - 1n) - 1n }],
    ]
  }),
)
interface FixLimits {
  readonly decimals: number
  readonly low: bigint
  readonly high: bigint
}
const maxDigits = 100
/** Exact in JSON numbers. */
const sureDigits = 15

/**
 * Plain text for simple types, JSON for arrays and dictionaries, JSON-CDC for others. @throws
 * ArgumentProblem
 */
export function argumentValue(type: string, typed: string): CadenceValue {
  const text = typed.trim()
  const given = /^\{\s*"type"\s*:/.test(text) ? parse(text) : undefined
  if (isCadenceValue(given) && isOf(type, given)) return given
  if (type.endsWith('?'))
    return text === '' || text === 'nil'
      ? { type: 'Optional', value: null }
      : { type: 'Optional', value: argumentValue(type.slice(0, -1), typed) }
  if (type === 'String' || type === 'Character') return { type, value: typed }
  if (type.startsWith('[') || type.startsWith('{')) return fromPlain(type, parse(text))
  return fromPlain(type, text)
}

function fromPlain(type: string, value: unknown): CadenceValue {
  if (isCadenceValue(value) && isOf(type, value)) return value
  if (type.endsWith('?'))
    return { type: 'Optional', value: value === null ? null : fromPlain(type.slice(0, -1), value) }
  if (type.startsWith('[')) {
    if (!Array.isArray(value)) throw new ArgumentProblem(`Enter a JSON array for ${type}, such as ["1", "2"].`)
    const [inner = ''] = splitType(type.slice(1, -1), ';')
    return { type: 'Array', value: value.map((one: unknown) => fromPlain(inner, one)) }
  }
  if (type.startsWith('{')) return dictionary(type, value)
  if (typeof value === 'number') return simple(type, exactText(value))
  const text = typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : undefined
  if (text === undefined) throw new ArgumentProblem(`Enter a value of ${type}.`)
  return simple(type, text)
}

/** @throws ArgumentProblem if its digits may have been rounded */
function exactText(value: number): string {
  const text = String(value)
  if (
    Number.isSafeInteger(value) ||
    (/^-?[\d.]+$/.test(text) && text.replaceAll(/\D/g, '').replace(/^0+/, '').length <= sureDigits)
  )
    return text
  throw new ArgumentProblem(
    'Put numbers of more than 15 digits in quotes, such as "18446744073709551615": JSON would round them.',
  )
}

function dictionary(type: string, value: unknown): CadenceValue {
  const [keyType = '', valueType] = splitType(type.slice(1, -1), ':')
  if (valueType === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ArgumentProblem(`Enter a JSON object for ${type}, such as {"a": "1"}.`)
  return {
    type: 'Dictionary',
    value: Object.entries(value).map(([key, one]) => ({
      key: fromPlain(keyType, key),
      value: fromPlain(valueType, one),
    })),
  }
}

function simple(type: string, text: string): CadenceValue {
  const [, kind, bits] = wholeBits.exec(type) ?? []
  if (kind !== undefined) return { type, value: whole(type, kind, bits, text) }
  const limits = fixLimits.get(type)
  if (limits !== undefined) return { type, value: fixed(type, limits, text) }
  switch (type) {
    case 'String':
    case 'Character':
      return { type, value: text }
    case 'Address':
      if (!/^(0x)?[0-9a-fA-F]{1,16}$/.test(text))
        throw new ArgumentProblem('Enter an address of up to 16 hex digits, such as 0xf8d6e0586b0a20c7.')
      return { type, value: `0x${text.replace(/^0x/, '').toLowerCase().padStart(16, '0')}` }
    case 'Bool':
      if (text !== 'true' && text !== 'false') throw new ArgumentProblem('Enter true or false.')
      return { type, value: text === 'true' }
    case 'Path':
    case 'StoragePath':
    case 'PublicPath':
    case 'CapabilityPath':
      return { type: 'Path', value: path(text) }
    default:
      throw new ArgumentProblem(`Enter a value of ${type} as JSON-CDC: {"type": …, "value": …}.`)
  }
}

function whole(type: string, kind: string, bits: string | undefined, text: string): string {
  if (!/^-?\d+$/.test(text) || text.length > maxDigits)
    throw new ArgumentProblem(`${type} must be a whole number, such as 42.`)
  const value = BigInt(text)
  const signed = kind === 'Int'
  if (!signed && value < 0n) throw new ArgumentProblem(`${type} must not be negative.`)
  if (bits !== undefined) {
    const [low, high] = signed
      ? [-(2n ** (BigInt(bits) - 1n)), 2n ** (BigInt(bits) - 1n) - 1n]
      : [0n, 2n ** BigInt(bits) - 1n]
    if (value < low || value > high) throw new ArgumentProblem(`${type} must be from ${low} to ${high}.`)
  }
  return value.toString()
}

function fixed(type: string, { decimals, low, high }: FixLimits, text: string): string {
  const [, sign = '', before, after = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (before === undefined || after.length > decimals || text.length > maxDigits)
    throw new ArgumentProblem(`${type} must be a number with at most ${decimals} decimals, such as 12.5.`)
  const units = BigInt(`${sign}${before}${after.padEnd(decimals, '0')}`)
  if (units < low || units > high)
    throw new ArgumentProblem(
      low === 0n && units < 0n ? `${type} must not be negative.` : `The value is too large for ${type}.`,
    )
  return `${units < 0n ? '-' : ''}${BigInt(before)}.${after.padEnd(decimals, '0')}`
}

function path(text: string): { readonly domain: string; readonly identifier: string } {
  const [, domain, identifier] = /^\/(storage|public|private)\/([A-Za-z_]\w*)$/.exec(text) ?? []
  if (domain === undefined || identifier === undefined)
    throw new ArgumentProblem('Enter a path such as /public/flowTokenBalance.')
  return { domain, identifier }
}

function splitType(type: string, separator: string): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const char of type) {
    if ('([{<'.includes(char)) depth++
    if (')]}>'.includes(char)) depth--
    if (char === separator && depth === 0) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts.map((part) => part.trim())
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new ArgumentProblem(`Invalid JSON: ${error.message}.`)
    throw error
  }
}

function isCadenceValue(value: unknown): value is CadenceValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { readonly type?: unknown }).type === 'string' &&
    Object.keys(value).every((key) => key === 'type' || key === 'value')
  )
}

/** Strings may look like JSON-CDC, and dictionaries may have a key `type`, as NFT metadata has. */
function isOf(type: string, { type: given, value }: CadenceValue): boolean {
  if (type.endsWith('?')) return given === 'Optional'
  if (type.startsWith('[')) return given === 'Array' && Array.isArray(value)
  if (type.startsWith('{') && splitType(type.slice(1, -1), ':').length > 1)
    return given === 'Dictionary' && Array.isArray(value)
  return type !== 'String' || given === 'String'
}

/** The inverse. */
export function inputText(value: unknown): string {
  if (!isCadenceValue(value)) return JSON.stringify(value) ?? ''
  const { type, value: inner } = value
  if (type === 'Optional') return inner === null ? '' : inputText(inner)
  if (type === 'Path' && typeof inner === 'object' && inner !== null) {
    const { domain, identifier } = inner as { readonly domain?: unknown; readonly identifier?: unknown }
    return `/${String(domain)}/${String(identifier)}`
  }
  if (typeof inner === 'string' || typeof inner === 'boolean') return String(inner)
  return JSON.stringify(value)
}
