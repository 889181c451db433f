import { FatalError } from '../../../src/platform/errors.ts'

/** Heights above `after` are this branch's own. */
interface Fork {
  readonly after: number
  readonly salt: number
  /** The branch that begins here, by its name. */
  readonly name: string
}

/**
 * A branch of the chain. Its name says all about it, so that several nodes agree without talking: forks joined by dots,
 * each the last height that is shared and some letters. '' is the trunk; `1234b` leaves it after height 1234;
 * `1234b.1300c` leaves that one after 1300.
 */
export class Branch {
  readonly name: string
  readonly #forks: readonly Fork[]

  /** @throws FatalError when the name is none */
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
          `'${name}' is no branch: name it like 1234b, or 1234b.1300c for a branch of that`,
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

  /** The name of the branch whose block it is at a height: this one's, or one that it leaves further up. */
  ownerAt(height: number): string {
    return this.#forks.findLast(({ after }) => height > after)?.name ?? ''
  }

  /** The last height of each branch that this one goes through, from the lowest on, by their names; itself without end. */
  get owners(): readonly { readonly name: string; readonly to: number }[] {
    const names = ['', ...this.#forks.map(({ name }) => name)]
    return names.map((name, nth) => ({ name, to: this.#forks[nth]?.after ?? Number.POSITIVE_INFINITY }))
  }

  /** What the blocks of a height are drawn from beside the seed: equal where branches share the block. */
  saltAt(height: number): number {
    return this.#forks.findLast(({ after }) => height > after)?.salt ?? 0
  }
}
