import { Refusal } from '../../node/refusal.ts'
import type { CadenceJson } from './cadence-json.ts'

/** The arguments of a script, by position, in the types that it declares. */
export class ScriptArguments {
  readonly #args: readonly CadenceJson[]

  /**
   * @param encoded one JSON-CDC value each
   * @throws Refusal INVALID_ARGUMENT where one of them is none, or their number is another than the script's
   */
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

  /** An `Int` of any size. */
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
    throw new Refusal('INVALID_ARGUMENT', `an argument is no JSON: ${String(error)}`)
  }
  throw new Refusal('INVALID_ARGUMENT', 'an argument is no Cadence value')
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
