import type pg from 'pg'
import type { Outcome, Question, Statement } from '../../../jobs/enrichment/enrichment-worker.ts'
import { query, withTransaction } from '../../platform/db/pool.ts'

export type KeyRow = Readonly<Record<string, unknown>>

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

/** Result table of one question. */
export class QuestionStore {
  readonly question: Question<never>
  readonly #pool: pg.Pool
  readonly #sql: QuestionSql
  readonly #lapRestMs: number
  /** `notBefore` as `performance.now()`. */
  #lap = { found: 0, notBefore: 0 }

  /** @param lapRestMs rest of the scan after a lap without new keys */
  constructor(pool: pg.Pool, question: Question<never>, lapRestMs: number) {
    this.#pool = pool
    this.#lapRestMs = lapRestMs
    this.question = question
    this.#sql = questionSql(question)
  }

  /** @returns number of keys added */
  async discover(): Promise<number> {
    const { newest } = this.#sql
    const added = newest === undefined ? 0 : (await query(this.#pool, newest, [newestKeys])).rowCount
    return (added ?? 0) + (await this.#walkOn())
  }

  /** Longest due first; keys that no longer exist separately. */
  async due(max: number): Promise<{ readonly rows: readonly KeyRow[]; readonly gone: readonly KeyRow[] }> {
    const { rows: keys } = await query<KeyRow>(this.#pool, this.#sql.due, [max])
    if (keys.length === 0) return { rows: [], gone: [] }
    const columns = this.#keyColumns()
    const arrays = columns.map((column) => keys.map((row) => row[column]))
    const { rows } = await query<KeyRow>(this.#pool, this.#sql.details, arrays)
    const found = new Set(rows.map((row) => this.#keyText(row)))
    return { rows, gone: keys.filter((row) => !found.has(this.#keyText(row))) }
  }

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

type AnyQuestion = Pick<Question<never>, 'table' | 'key' | 'answer' | 'details' | 'walk' | 'newest'>

/** SQL of a question. All statements use the key or the index on next_ask_at. */
interface QuestionSql {
  /** $1: limit. Due keys, longest due first. */
  readonly due: string
  /** $1 … $n: arrays of keys. */
  readonly details: string
  /** $1: limit; then the scan position. Returns the position columns as text. */
  readonly walk: string | undefined
  /** $1: limit. */
  readonly newest: string | undefined
  /** $1: JSON array of keys with values; $2: pause, ms. */
  readonly storeAnswers: (columns: readonly string[]) => string
  /** $1: JSON array of keys with code and message; $2: pause, ms. */
  readonly storeNone: string
  /** $1: as above; $2: first pause, ms; $3: maximum pause, ms. */
  readonly storeFailures: string
}

const jitter = '(0.9 + random() * 0.2)'

export function questionSql({ table, key, answer, details, walk, newest }: AnyQuestion): QuestionSql {
  const keys = key.map(({ column }) => column)
  const keyList = keys.join(', ')
  const arrays = key.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')
  const sameKey = keys.map((column) => `t.${column} = j.${column}`).join(' and ')
  const typed = (columns: readonly string[]): string =>
    [...key, ...answer]
      .filter(({ column }) => columns.includes(column))
      .map(({ column, type }) => `"${column}" ${type}`)
      .join(', ')
  const add = (source: string, dueAt = 'now()'): string =>
    `insert into ${table} (${keyList}, next_ask_at) select distinct ${keyList}, ${dueAt} from ${source} s
     where not exists (select from ${table} t where ${keys.map((column) => `t.${column} = s.${column}`).join(' and ')})
     on conflict do nothing`
  const position = walk?.position ?? keys
  const because = (status: string, pause: string): string => `
    update ${table} t set status = '${status}', failures = ${status === 'failed' ? 't.failures + 1' : '0'}, asked_at
      = now(),
      next_ask_at = now() + ${pause} * interval '1 ms', last_error_code = j.code, last_error = j.message
    from jsonb_to_recordset($1::jsonb) as j (${typed(keys)}, code text, message text) where ${sameKey}`
  return {
    due: `select ${keyList} from ${table} where next_ask_at <= now() order by next_ask_at limit $1`,
    details: details ?? `select * from unnest(${arrays}) as k (${keyList})`,
    walk:
      walk &&
      `
      with page as materialized (${walk.text}), added as (${add('page')} returning 1)
      select ${position.map((column) => `p.${column}::text`).join(', ')}, (select count(*) from added) as added from
        page p`,
    // Sorts before all waiting keys, newest first, because users look at new tokens first.
    newest: newest && add(`(${newest})`, 'to_timestamp(-extract(epoch from now()))'),
    storeAnswers: (columns) => `
      update ${table} t set ${columns.map((column) => `${column} = j.${column}, `).join('')}status = 'answered',
        failures = 0, asked_at = now(),
        next_ask_at = now() + $2::float8 * ${jitter} * interval '1 ms', last_error_code = null, last_error = null
      from jsonb_to_recordset($1::jsonb) as j (${typed([...keys, ...columns])}) where ${sameKey}`,
    storeNone: because('none', `$2::float8 * ${jitter}`),
    storeFailures: because('failed', `least($3::float8, $2::float8 * 2 ^ least(t.failures, 40)) * ${jitter}`),
  }
}
