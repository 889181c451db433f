import { refuseForbiddenWords } from './forbidden-words.ts'
import type { KnownObjects } from './known-objects.ts'
import { loadGrammar, parseSelect, tooDeep } from './parse-select.ts'
import { SelectWalker } from './select-walker.ts'
import { refuseGrowth } from './refuse-growth.ts'
import { refuseBadText } from './statement-text.ts'

/**
 * The first of the walls around a statement of a stranger: lets through one SELECT that only reads what is for everybody. The others
 * do not rely on it, and it relies on none: the role may read nothing else, the transaction is read-only, the protocol takes one
 * statement, and nothing of the session outlives it.
 */
export class SqlGate {
  readonly #walker: SelectWalker

  private constructor(known: KnownObjects) {
    this.#walker = new SelectWalker(known)
  }

  static async open(known: KnownObjects): Promise<SqlGate> {
    await loadGrammar()
    return new SqlGate(known)
  }

  /** @throws SqlRefusal, the word at fault and the remedy in its message */
  check(sql: string): void {
    refuseBadText(sql)
    refuseForbiddenWords(sql)
    const select = parseSelect(sql)
    try {
      this.#walker.check(select)
      refuseGrowth(select)
    } catch (error) {
      throw error instanceof RangeError ? tooDeep(error) : error
    }
  }
}
