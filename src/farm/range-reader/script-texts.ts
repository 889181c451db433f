import type pg from 'pg'
import { RetryableError } from '../../base/errors.ts'

/** Characters of scripts that are kept: a few thousand scripts make up nearly all transactions. */
const mostCharacters = 16 * 1024 * 1024

/** Script texts by hash: those that are not known yet are read in one statement. */
export class ScriptTexts {
  readonly #pool: pg.Pool
  readonly #texts = new Map<string, string>()
  #characters = 0

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** The texts of all of `hashes`, by the hash as latin1. @throws RetryableError where one is not stored */
  async read(hashes: readonly Buffer[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    const missing = new Map<string, Buffer>()
    for (const hash of hashes) {
      const key = hash.toString('latin1')
      const text = this.#texts.get(key)
      if (text === undefined) missing.set(key, hash)
      else found.set(key, text)
    }
    if (missing.size === 0) return found
    const { rows } = await this.#pool.query<{ script_hash: Buffer; script_text: string }>({
      name: 'farm-script-texts',
      text: 'select script_hash, script_text from raw.scripts where script_hash = any ($1::bytea[])',
      values: [[...missing.values()]],
    })
    if (rows.length < missing.size)
      throw new RetryableError(
        'script-not-stored',
        `${missing.size - rows.length} scripts of stored transactions are not stored`,
      )
    for (const { script_hash: hash, script_text: text } of rows) {
      const key = hash.toString('latin1')
      found.set(key, text)
      this.#keep(key, text)
    }
    return found
  }

  #keep(key: string, text: string): void {
    // A cache that is full starts anew, which costs some reads.
    if (this.#characters + text.length > mostCharacters) {
      this.#texts.clear()
      this.#characters = 0
    }
    this.#texts.set(key, text)
    this.#characters += text.length
  }
}
