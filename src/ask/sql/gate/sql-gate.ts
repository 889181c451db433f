import { refuseForbiddenWords } from './forbidden-words.ts'
import { Grammar } from './grammar.ts'
import type { KnownObjects } from './known-objects.ts'
import { parseSelect, tooDeep } from './parse-select.ts'
import { SelectWalker } from './select-walker.ts'
import { StatementCost } from './statement-cost.ts'
import { refuseBadText } from './statement-text.ts'

/**
 * The first barrier around untrusted SQL: lets through one SELECT that only reads public data. The other barriers do
 * not rely on it, and it relies on none: the role may read nothing else, the transaction is read-only, the protocol
 * takes one statement, and nothing of the session outlives it.
 */
export class SqlGate {
  readonly #grammar: Grammar
  readonly #known: KnownObjects

  private constructor(grammar: Grammar, known: KnownObjects) {
    this.#grammar = grammar
    this.#known = known
  }

  static async open(known: KnownObjects): Promise<SqlGate> {
    return new SqlGate(await Grammar.open(), known)
  }

  /** Takes less than 100 ms of CPU. @throws SqlRefusal, the word at fault and the remedy in its message */
  async check(sql: string): Promise<void> {
    refuseBadText(sql)
    refuseForbiddenWords(sql)
    const select = await parseSelect(this.#grammar, sql)
    try {
      new SelectWalker(this.#known).check(select)
      new StatementCost(this.#known).check(select)
    } catch (error) {
      throw error instanceof RangeError ? tooDeep(error) : error
    }
  }
}
