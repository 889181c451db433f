/** A Cadence value in JSON-CDC, with its keys in the order in which nodes write them. */
export interface CadenceJson {
  readonly value?: unknown
  readonly type: string
}

/** Values in JSON-CDC. Numbers are decimal text or whole numbers; fixed-point numbers are text with eight decimals. */
export const json = {
  string: (value: string): CadenceJson => ({ value, type: 'String' }),
  bool: (value: boolean): CadenceJson => ({ value, type: 'Bool' }),
  int: (value: number): CadenceJson => ({ value: String(value), type: 'Int' }),
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
  /** @param id type identifier, `s.<script>.Name` for one that a script declares */
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

/** The bytes as nodes write them: Go's encoder escapes what HTML would read, and ends with a new line. */
export function encodeJson(value: CadenceJson): Buffer {
  return Buffer.from(
    `${JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character)}\n`,
  )
}
