import { Refusal } from '../../node/node-view.ts'

/** Keys are in the order of nodes. */
export interface CadenceJson {
  readonly value?: unknown
  readonly type: string
}

/** Fixed-point numbers are text with eight decimals. */
export const json = {
  string: (value: string): CadenceJson => ({ value, type: 'String' }),
  bool: (value: boolean): CadenceJson => ({ value, type: 'Bool' }),
  int: (value: number): CadenceJson => ({ value: String(value), type: 'Int' }),
  uint: (value: bigint): CadenceJson => ({ value: String(value), type: 'UInt' }),
  uint8: (value: number): CadenceJson => ({ value: String(value), type: 'UInt8' }),
  uint64: (value: number | bigint): CadenceJson => ({ value: String(value), type: 'UInt64' }),
  ufix64: (value: string): CadenceJson => ({ value, type: 'UFix64' }),
  /** @param path `/storage/x`, `/public/x` or `/private/x` */
  path: (path: string): CadenceJson => {
    const [, domain, identifier] = path.split('/')
    return { value: { domain, identifier }, type: 'Path' }
  },
  array: (value: readonly CadenceJson[]): CadenceJson => ({ value, type: 'Array' }),
  dictionary: (entries: readonly (readonly [CadenceJson, CadenceJson])[]): CadenceJson => ({
    value: entries.map(([key, value]) => ({ key, value })),
    type: 'Dictionary',
  }),
  /** `undefined` is nil. */
  optional: <T>(value: T | undefined, of: (value: T) => CadenceJson): CadenceJson => ({
    value: value === undefined ? null : of(value),
    type: 'Optional',
  }),
  /** @param id type identifier, or `s.<script>.Name` */
  struct: (id: string, fields: Readonly<Record<string, CadenceJson>>): CadenceJson => ({
    value: { id, fields: Object.entries(fields).map(([name, value]) => ({ value, name })) },
    type: 'Struct',
  }),
} as const

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Go's encoder escapes HTML and adds a line break. */
export function encodeJson(value: CadenceJson): Buffer {
  return Buffer.from(
    `${JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character)}\n`,
  )
}

export class ScriptArguments {
  readonly #args: readonly CadenceJson[]

  /** @throws Refusal INVALID_ARGUMENT */
  constructor(encoded: readonly Buffer[], count: number) {
    if (encoded.length !== count) {
      throw new Refusal('INVALID_ARGUMENT', `the script takes ${count} arguments, not ${encoded.length}`)
    }
    this.#args = encoded.map(parsed)
  }

  /** 0x and 16 hex digits. */
  address(at: number): string {
    return textOf(this.#args[at], 'Address').toLowerCase()
  }

  string(at: number): string {
    return textOf(this.#args[at], 'String')
  }

  int(at: number): number {
    return Number(textOf(this.#args[at], 'Int'))
  }

  integer(at: number): bigint {
    const text = textOf(this.#args[at], 'Int')
    if (!/^-?\d{1,1000}$/.test(text))
      throw new Refusal('INVALID_ARGUMENT', 'the script takes Int: digits, at most 1,000')
    return BigInt(text)
  }

  addresses(at: number): readonly string[] {
    return itemsOf(this.#args[at]).map((item) => textOf(item, 'Address').toLowerCase())
  }

  strings(at: number): readonly string[] {
    return itemsOf(this.#args[at]).map((item) => textOf(item, 'String'))
  }

  uint64s(at: number): readonly bigint[] {
    return itemsOf(this.#args[at]).map((item) => BigInt(textOf(item, 'UInt64')))
  }
}

function parsed(bytes: Buffer): CadenceJson {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (isCadence(value)) return value
  } catch (error) {
    throw new Refusal('INVALID_ARGUMENT', `an argument is not valid JSON: ${String(error)}`)
  }
  throw new Refusal('INVALID_ARGUMENT', 'an argument is not a Cadence value')
}

function isCadence(value: unknown): value is CadenceJson {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function itemsOf(argument: CadenceJson | undefined): readonly CadenceJson[] {
  const { type, value } = argument ?? { type: 'nothing', value: undefined }
  if (type === 'Array' && Array.isArray(value) && value.every(isCadence)) return value
  throw new Refusal('INVALID_ARGUMENT', `the script takes an array, not ${type}`)
}

function textOf(argument: CadenceJson | undefined, type: string): string {
  if (argument?.type === type && typeof argument.value === 'string') return argument.value
  throw new Refusal('INVALID_ARGUMENT', `the script takes ${type}, not ${argument?.type ?? 'nothing'}`)
}
