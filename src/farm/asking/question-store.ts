import type pg from 'pg'
import type { Outcome, Question, Statement } from '../../../jobs/asking/asking-worker.ts'
import { query, withTransaction } from '../../db/pool.ts'
import { questionSql } from './question-sql.ts'
import type { QuestionSql } from './question-sql.ts'

/** A key, or what asking for it needs; its columns are those of the question. */
export type KeyRow = Readonly<Record<string, unknown>>

/** What became of one key. */
export interface KeyOutcome {
  readonly row: KeyRow
  readonly outcome: Outcome
}

interface AnswerGroup {
  readonly columns: readonly string[]
  readonly againMs: number
  readonly items: object[]
}

const pageKeys = 1000
const newestKeys = 200

/** The table of answers of one question: finds keys, says which are due, keeps what was answered. */
export class QuestionStore {
  readonly question: Question<never>
  readonly #pool: pg.Pool
  readonly #sql: QuestionSql
  readonly #lapRestMs: number
  /** What the walk has found on this lap, and when the next begins (`performance.now()`). */
  #lap = { found: 0, notBefore: 0 }

  /** @param lapRestMs after a lap that found nothing the walk rests; new keys are found by a look at the newest */
  constructor(pool: pg.Pool, question: Question<never>, lapRestMs: number) {
    this.#pool = pool
    this.#lapRestMs = lapRestMs
    this.question = question
    this.#sql = questionSql(question)
  }

  /**
   * Looks at the newest keys and at one more page of all.
   * @returns keys that were added
   */
  async discover(): Promise<number> {
    const { newest } = this.#sql
    const added = newest === undefined ? 0 : (await query(this.#pool, newest, [newestKeys])).rowCount
    return (added ?? 0) + (await this.#walkOn())
  }

  /** Keys that are due with what asking needs, the longest due first; those of which nothing is left to ask apart. */
  async due(most: number): Promise<{ readonly rows: readonly KeyRow[]; readonly gone: readonly KeyRow[] }> {
    const { rows: keys } = await query<KeyRow>(this.#pool, this.#sql.due, [most])
    if (keys.length === 0) return { rows: [], gone: [] }
    const columns = this.#keyColumns()
    const arrays = columns.map((column) => keys.map((row) => row[column]))
    const { rows } = await query<KeyRow>(this.#pool, this.#sql.details, arrays)
    const found = new Set(rows.map((row) => this.#keyText(row)))
    return { rows, gone: keys.filter((row) => !found.has(this.#keyText(row))) }
  }

  /** Keeps what was answered, all in one transaction. */
  async store(outcomes: readonly KeyOutcome[]): Promise<void> {
    if (outcomes.length === 0) return
    const { again } = this.question
    await withTransaction(this.#pool, async (client) => {
      for (const statement of writesOf(outcomes)) await client.query(statement.text, [...statement.values])
      for (const { columns, againMs, items } of this.#answersByColumns(outcomes)) {
        await client.query(this.#sql.storeAnswers(columns), [JSON.stringify(items), againMs])
      }
      const nones = this.#reasons(outcomes, 'none')
      if (nones !== undefined) await client.query(this.#sql.storeNone, [nones, again.noneMs])
      const failures = this.#reasons(outcomes, 'failed')
      if (failures !== undefined)
        await client.query(this.#sql.storeFailures, [failures, again.failedMs, again.failedCapMs])
    })
  }

  async #walkOn(): Promise<number> {
    const { walk } = this.question
    if (walk === undefined || this.#sql.walk === undefined || performance.now() < this.#lap.notBefore) return 0
    const position = walk.position ?? this.#keyColumns()
    const name = this.question.table
    const {
      rows: [state],
    } = await query<{ last_key: string[] | null }>(
      this.#pool,
      'select last_key from app.asking_walks where question = $1',
      [name],
    )
    const last = state?.last_key ?? position.map(() => null)
    const { rows } = await query<KeyRow & { added: string }>(this.#pool, this.#sql.walk, [pageKeys, ...last])
    const end = rows.length < pageKeys ? undefined : rows.at(-1)
    await query(
      this.#pool,
      `
      insert into app.asking_walks as w (question, last_key, laps, lap_ended_at)
      values ($1, $2, case when $2::text[] is null then 1 else 0 end, case when $2::text[] is null then now() end)
      on conflict (question) do update set last_key = excluded.last_key, laps = w.laps + excluded.laps,
        lap_ended_at = coalesce(excluded.lap_ended_at, w.lap_ended_at)`,
      [name, end === undefined ? null : position.map((column) => end[column])],
    )
    const added = Number(rows[0]?.added ?? 0)
    this.#lap.found += added
    if (end === undefined)
      this.#lap = { found: 0, notBefore: this.#lap.found > 0 ? 0 : performance.now() + this.#lapRestMs }
    return added
  }

  /** Answers that set the same columns go in one statement. */
  #answersByColumns(outcomes: readonly KeyOutcome[]): AnswerGroup[] {
    const groups = new Map<string, AnswerGroup>()
    for (const { row, outcome } of outcomes) {
      if (outcome.kind !== 'answered') continue
      const { values, againMs = this.question.again.answeredMs } = outcome
      const columns = Object.keys(values)
      const name = `${againMs} ${columns.join()}`
      const group = groups.get(name) ?? { columns, againMs, items: [] }
      groups.set(name, group)
      group.items.push({ ...this.#keyOf(row), ...values })
    }
    return [...groups.values()]
  }

  #reasons(outcomes: readonly KeyOutcome[], kind: 'none' | 'failed'): string | undefined {
    const items = outcomes.flatMap(({ row, outcome }) =>
      outcome.kind === kind
        ? [{ ...this.#keyOf(row), code: outcome.code, message: outcome.message.replaceAll('\0', '') }]
        : [],
    )
    return items.length === 0 ? undefined : JSON.stringify(items)
  }

  #keyOf(row: KeyRow): Record<string, unknown> {
    return Object.fromEntries(
      this.question.key.map(({ column, type }) => {
        const value = row[column]
        return [column, type === 'bytea' && Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value]
      }),
    )
  }

  #keyText(row: KeyRow): string {
    return JSON.stringify(Object.values(this.#keyOf(row)))
  }

  #keyColumns(): string[] {
    return this.question.key.map(({ column }) => column)
  }
}

function writesOf(outcomes: readonly KeyOutcome[]): Statement[] {
  return outcomes.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [] : (outcome.writes ?? [])))
}
