import { FatalError } from '../../../src/platform/errors.ts'

/** Heights above `after` are this branch's own. */
interface Fork {
  readonly after: number
  readonly salt: number
  readonly name: string
}

/**
 * Defined by its name: forks joined by dots, each the last shared height and letters. '' is the
 * trunk; `1234b` leaves it after height 1234; `1234b.1300c` leaves that one after 1300.
 */
export class Branch {
  readonly name: string
  readonly #forks: readonly Fork[]

  /** @throws FatalError for a malformed name */
  constructor(name: string) {
    this.name = name
    let salt = 0
    let before = -1
    this.#forks = (name === '' ? [] : name.split('.')).map((text, nth) => {
      const [, digits = '', letters = ''] = /^(\d{1,15})([a-z]+)$/.exec(text) ?? []
      const after = Number(digits)
      if (letters === '' || after <= before) {
        throw new FatalError(
          'branch-unknown',
          `invalid branch name '${name}': use a form such as 1234b, or 1234b.1300c for a branch of it`,
        )
      }
      before = after
      for (const letter of `${text}.`) salt = (Math.imul(salt, 31) + letter.charCodeAt(0)) >>> 0
      return {
        after,
        salt,
        name: name
          .split('.')
          .slice(0, nth + 1)
          .join('.'),
      }
    })
  }

  /** This branch, or one that it forks from. */
  ownerAt(height: number): string {
    return this.#forks.findLast(({ after }) => height > after)?.name ?? ''
  }

  /** From the trunk to this branch, each with its last height. */
  get owners(): readonly { readonly name: string; readonly to: number }[] {
    const names = ['', ...this.#forks.map(({ name }) => name)]
    return names.map((name, nth) => ({ name, to: this.#forks[nth]?.after ?? Number.POSITIVE_INFINITY }))
  }

  saltAt(height: number): number {
    return this.#forks.findLast(({ after }) => height > after)?.salt ?? 0
  }
}
