import { FatalError } from '../../src/platform/errors.ts'

/**
 * What an option of a command may hold. A reader turns its text into a value, or says what is wrong and what to write
 * instead.
 */
export interface Option<T> {
  readonly type: 'string' | 'boolean'
  /** Stands for the value in the help, e.g. `<height>`. */
  readonly placeholder: string
  readonly description: string
  /** `undefined`: the option was not given. */
  read(value: string | true | undefined, name: string): T
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>

export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']>
}

/** An option without a value. */
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

/** A whole number from `min` on. */
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
      // People copy heights with the separators that pages show.
      const number = Number(given.replaceAll(/[_,](?=\d{3})/g, ''))
      if (!/^\d[\d_,]*$/.test(given) || !Number.isSafeInteger(number)) {
        throw badValue(name, `must be a whole number, not "${given}"`, placeholder)
      }
      if (number < min) throw badValue(name, `must be at least ${min}, not ${given}`, placeholder)
      return number
    },
  }
}

/** Some of `known`, separated by commas; an empty list when the option was not given. */
export function someOf<const T extends string>(
  placeholder: string,
  known: readonly T[],
  description: string,
): Option<readonly T[]> {
  return {
    type: 'string',
    placeholder,
    description,
    read: (value, name) => {
      const words = (asText(value) ?? '').split(/[,\s]+/).filter((word) => word !== '')
      if (value !== undefined && words.length === 0) throw badValue(name, 'must name at least one', placeholder)
      return [...new Set(words)].map((word) => {
        const found = known.find((one) => one === word)
        if (found === undefined) {
          throw new FatalError('bad-option', `--${name} must be of ${known.join(', ')}; "${word}" is none of them.`)
        }
        return found
      })
    },
  }
}

function asText(value: string | true | undefined): string | undefined {
  return value === true ? undefined : value
}

function badValue(name: string, complaint: string, placeholder: string): FatalError {
  return new FatalError('bad-option', `--${name} ${complaint}: --${name} ${placeholder}.`)
}
