import { createHash } from 'node:crypto'

const length = 6

/**
 * Names for texts, made of their hashes, such as `3f2a9c.cdc`: short, because they take the place of an address in a line. Two texts of one folder
 * never have the same name, though six characters of their hashes may be equal.
 */
export class FileNames {
  /** The whole hash of the text, by name. */
  readonly #hashes = new Map<string, string>()

  /** The name of a text in this folder, the same whenever it is asked for. */
  nameOf(text: string): string {
    const hash = hashOf(text)
    const digits = BigInt(`0x${hash}`).toString(36)
    for (let at = 0; ; at++) {
      // Beyond the digits the place itself makes the name another.
      const part = at + length <= digits.length ? digits.slice(at, at + length) : `${digits.slice(0, length)}${at}`
      const name = `${part}.cdc`
      const owner = this.#hashes.get(name)
      if (owner !== undefined && owner !== hash) continue
      this.#hashes.set(name, hash)
      return name
    }
  }
}

/** SHA-256 of a text, in hex digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
