import type { QueryTarget } from '../../src/assistant/query/query-service.ts'
import type { SqlAnswer, SqlRunner } from '../../src/assistant/query/sql/sql-runner.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { compareAnswers } from './compare/compare-answers.ts'
import type { Comparison } from './compare/compare-answers.ts'
import type { GoldQuestion } from './gold/gold-question.ts'
import type { Outcome } from './replay/scenario.ts'

/**
 * A target's two databases: the one that the service asks, and another in which nearly every question has another
 * answer.
 */
export interface TwoDatabases {
  readonly known: SqlRunner
  readonly other: SqlRunner
}

/** What a statement is worth as the answer to a question. */
export interface Judgement {
  readonly outcome: Outcome
  /** Right with columns in another order, or with more of them. */
  readonly hasOtherColumns: boolean
  /** How much of the known answer it has, from 0 to 1; 1 where it is right. */
  readonly overlap: number
  /** What the database said of a statement that it did not run to its end. */
  readonly failure: string | undefined
}

/** Judges statements by what they give, never by their text. */
export class Judge {
  readonly #databases: ReadonlyMap<QueryTarget, TwoDatabases>
  readonly #accepted = new Map<string, Promise<readonly AnswerPair[]>>()

  constructor(databases: ReadonlyMap<QueryTarget, TwoDatabases>) {
    this.#databases = databases
  }

  /** @throws what an accepted statement fails with: then the evaluation itself is broken */
  async judge(gold: GoldQuestion, sql: string): Promise<Judgement> {
    const accepted = await this.answers(gold)
    let found: AnswerPair
    try {
      found = await this.#run(gold.target, sql)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { outcome: `failed: ${error.code}`, hasOtherColumns: false, overlap: 0, failure: error.message }
    }
    const compared = accepted.map(
      (answer) =>
        [compareAnswers(answer.known, found.known, gold), compareAnswers(answer.other, found.other, gold)] as const,
    )
    const right = compared.find((both) => both.every(isRight))
    const overlap = Math.max(...compared.map(([known]) => known.overlap))
    if (right !== undefined)
      return {
        outcome: 'right',
        hasOtherColumns: right.some(({ verdict }) => verdict === 'same-values'),
        overlap,
        failure: undefined,
      }
    return {
      outcome: compared.some(([known]) => isRight(known)) ? 'by-accident' : 'wrong',
      hasOtherColumns: false,
      overlap,
      failure: undefined,
    }
  }

  /** What each accepted statement gives in both databases. */
  answers(gold: GoldQuestion): Promise<readonly AnswerPair[]> {
    const before = this.#accepted.get(gold.id)
    if (before !== undefined) return before
    const answers = Promise.all(gold.accepted.map((sql) => this.#run(gold.target, sql)))
    this.#accepted.set(gold.id, answers)
    return answers
  }

  async #run(target: QueryTarget, sql: string): Promise<AnswerPair> {
    const databases = this.#databases.get(target)
    if (databases === undefined) throw new Error(`The evaluation has no databases of the target ${target}`)
    const [known, other] = await Promise.all([databases.known.run(sql), databases.other.run(sql)])
    return { known, other }
  }
}

export interface AnswerPair {
  readonly known: SqlAnswer
  readonly other: SqlAnswer
}

function isRight({ verdict }: Comparison): boolean {
  return verdict !== 'different'
}
