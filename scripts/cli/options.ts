import { FatalError } from '../../src/platform/errors.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'

export interface Option<T> {
  readonly type: 'string' | 'boolean'
  readonly placeholder: string
  readonly description: string
  /** `undefined`: the option was not given. */
  read(value: string | true | undefined, name: string): T
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>

export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']>
}

export function flag(description: string): Option<boolean> {
  return { type: 'boolean', placeholder: '', description, read: (value) => value === true }
}

export function text(placeholder: string, description: string): Option<string | undefined> {
  return {
    type: 'string',
    placeholder,
    description,
    read: (value, name) => {
      const given = asText(value)
      if (given?.trim() === '') throw badValue(name, 'must not be empty', placeholder)
      return given
    },
  }
}

export function wholeNumber(
  placeholder: string,
  description: string,
  { min = 0 }: { min?: number } = {},
): Option<number | undefined> {
  return {
    type: 'string',
    placeholder,
    description,
    read: (value, name) => {
      const given = asText(value)
      if (given === undefined) return undefined
      // Accepts thousands separators of copied heights.
      const number = Number(given.replaceAll(/[_,](?=\d{3})/g, ''))
      if (!/^\d[\d_,]*$/.test(given) || !Number.isSafeInteger(number)) {
        throw badValue(name, `must be a whole number, not "${given}"`, placeholder)
      }
      if (number < min) throw badValue(name, `must be at least ${min}, not ${given}`, placeholder)
      return number
    },
  }
}

export function someOf<const T extends string>(
  placeholder: string,
  known: readonly T[] | undefined,
  description: string,
): Option<readonly T[]> {
  return {
    type: 'string',
    placeholder,
    description,
    read: (value, name) => {
      const words = (asText(value) ?? '').split(/[,\s]+/).filter((word) => word !== '')
      if (value !== undefined && words.length === 0) throw badValue(name, 'must name at least one', placeholder)
      return [...new Set(words)].map((word) => (known === undefined ? (word as T) : oneOf(known, word, name)))
    },
  }
}

/** @throws FatalError `bad-option` */
export function oneOf<const T extends string>(known: readonly T[], word: string, name: string): T {
  const found = known.find((one) => one === word)
  if (found !== undefined) return found
  throw new FatalError('bad-option', `--${name} must be one of ${known.join(', ')}, not "${word}".`)
}

function asText(value: string | true | undefined): string | undefined {
  return value === true ? undefined : value
}

function badValue(name: string, complaint: string, placeholder: string): FatalError {
  return new FatalError('bad-option', `--${name} ${complaint}: --${name} ${placeholder}.`)
}

export const heightOptions = {
  from: wholeNumber('<height>', 'First height.'),
  to: wholeNumber('<height>', 'Last height, included.'),
}

export interface HeightOptions {
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Both must be given. @throws FatalError `bad-option` */
export function requiredRange({ from, to }: HeightOptions): HeightRange {
  if (from === undefined || to === undefined) {
    const missing = from === undefined ? 'from' : 'to'
    throw new FatalError('bad-option', `--${missing} is missing: give the heights with --from <height> --to <height>.`)
  }
  return { from, to: endOf({ from, to }) as number }
}

/** @returns the exclusive end @throws FatalError `bad-option` */
export function endOf({ from, to }: HeightOptions): number | undefined {
  if (from !== undefined && to !== undefined && to < from) {
    const message = `--to ${to} is below --from ${from}: --from is the first height and --to the last.`
    throw new FatalError('bad-option', message)
  }
  return to === undefined ? undefined : to + 1
}
