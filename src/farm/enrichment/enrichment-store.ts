import type pg from 'pg'
import type { EnrichmentTable, Outcome, Statement } from '../../../jobs/enrichment/enrichment-worker.ts'
import { query, retryConflicts, withRetriedTransaction } from '../../platform/db/pool.ts'

export type KeyRow = Readonly<Record<string, unknown>>

export interface KeyOutcome {
  readonly row: KeyRow
  readonly outcome: Outcome
}

/**
 * Keys that no other process claims before `until`. Results are stored only while `next_ask_at` of
 * the key equals `until`: a later claim, or an operator who makes the key due, changes it.
 */
export interface Claim {
  readonly keys: readonly KeyRow[]
  /** Text, because a Date has no microseconds. */
  until: string
}

interface ResultGroup {
  readonly columns: readonly string[]
  readonly refreshMs: number
  readonly items: object[]
}

const pageKeys = 1000
const maxNewestKeys = 200

/** Reads and writes one result table. */
export class EnrichmentStore {
  readonly table: EnrichmentTable<never>
  readonly #pool: pg.Pool
  readonly #sql: TableSql
  readonly #scanRestMs: number
  /** `notBefore` as `performance.now()`. */
  #scan = { found: 0, notBefore: 0 }

  /** @param scanRestMs pause after a scan without new keys */
  constructor(pool: pg.Pool, table: EnrichmentTable<never>, scanRestMs: number) {
    this.#pool = pool
    this.#scanRestMs = scanRestMs
    this.table = table
    this.#sql = tableSql(table)
  }

  /** @returns number of keys added */
  async discover(): Promise<number> {
    const { newest } = this.#sql
    const added =
      newest === undefined ? 0 : (await retryConflicts(() => query(this.#pool, newest, [maxNewestKeys]))).rowCount
    return (added ?? 0) + (await this.#scanPage())
  }

  /** Claims due keys, longest due first, for `claimMs`. */
  async claim(max: number, claimMs: number): Promise<Claim | undefined> {
    const { rows: keys } = await query<KeyRow & { until: string }>(this.#pool, this.#sql.claim, [max, claimMs])
    const [first] = keys
    return first && { keys, until: first.until }
  }

  async renew(claim: Claim, claimMs: number): Promise<void> {
    const {
      rows: [renewed],
    } = await query<{ until: string }>(this.#pool, this.#sql.renew, [this.#keysOf(claim), claim.until, claimMs])
    if (renewed !== undefined) claim.until = renewed.until
  }

  /** Makes the keys without a stored result due as before. */
  async release(claim: Claim): Promise<void> {
    await query(this.#pool, this.#sql.release, [this.#keysOf(claim), claim.until])
  }

  async details({ keys }: Claim): Promise<{ readonly rows: readonly KeyRow[]; readonly deleted: readonly KeyRow[] }> {
    const arrays = this.#keyColumns().map((column) => keys.map((row) => row[column]))
    const { rows } = await query<KeyRow>(this.#pool, this.#sql.details, arrays)
    const found = new Set(rows.map((row) => this.#keyText(row)))
    return { rows, deleted: keys.filter((row) => !found.has(this.#keyText(row))) }
  }

  /** @returns the outcomes of the keys that the claim still holds: only these are stored */
  async store({ until }: Claim, outcomes: readonly KeyOutcome[]): Promise<readonly KeyOutcome[]> {
    if (outcomes.length === 0) return []
    const { refresh } = this.table
    return withRetriedTransaction(this.#pool, async (client) => {
      const stored = new Set<string>()
      const update = async (text: string, items: string | undefined, ...pauses: number[]): Promise<void> => {
        if (items === undefined) return
        const { rows } = await client.query<KeyRow>(text, [items, until, ...pauses])
        for (const row of rows) stored.add(this.#keyText(row))
      }
      for (const { columns, refreshMs, items } of this.#resultsByColumns(outcomes))
        await update(this.#sql.storeResults(columns), JSON.stringify(items), refreshMs)
      await update(this.#sql.storeNone, this.#reasons(outcomes, 'none'), refresh.noneMs)
      await update(this.#sql.storeFailures, this.#reasons(outcomes, 'failed'), refresh.failedMs, refresh.maxFailedMs)
      const current = outcomes.filter(({ row }) => stored.has(this.#keyText(row)))
      for (const { text, values } of writesOf(current)) await client.query(text, [...values])
      return current
    })
  }

  async #scanPage(): Promise<number> {
    const { scan } = this.table
    const { scan: text } = this.#sql
    if (scan === undefined || text === undefined || performance.now() < this.#scan.notBefore) return 0
    const position = scan.position ?? this.#keyColumns()
    const { table } = this.table
    const {
      rows: [state],
    } = await query<{ last_key: string[] | null }>(
      this.#pool,
      'select last_key from app.asking_walks where question = $1',
      [table],
    )
    const last = state?.last_key ?? position.map(() => null)
    const { rows } = await retryConflicts(() =>
      query<KeyRow & { added: string }>(this.#pool, text, [pageKeys, ...last]),
    )
    const end = rows.length < pageKeys ? undefined : rows.at(-1)
    await query(
      this.#pool,
      `
      insert into app.asking_walks as w (question, last_key, laps, lap_ended_at)
      values ($1, $2, case when $2::text[] is null then 1 else 0 end, case when $2::text[] is null then now() end)
      on conflict (question) do update set last_key = excluded.last_key, laps = w.laps + excluded.laps,
        lap_ended_at = coalesce(excluded.lap_ended_at, w.lap_ended_at)`,
      [table, end === undefined ? null : position.map((column) => end[column])],
    )
    const added = Number(rows[0]?.added ?? 0)
    this.#scan.found += added
    if (end === undefined)
      this.#scan = { found: 0, notBefore: this.#scan.found > 0 ? 0 : performance.now() + this.#scanRestMs }
    return added
  }

  #resultsByColumns(outcomes: readonly KeyOutcome[]): ResultGroup[] {
    const groups = new Map<string, ResultGroup>()
    for (const { row, outcome } of outcomes) {
      if (outcome.kind !== 'answered') continue
      const { values, refreshMs = this.table.refresh.answeredMs } = outcome
      const columns = Object.keys(values)
      const name = `${refreshMs} ${columns.join()}`
      const group = groups.get(name) ?? { columns, refreshMs, items: [] }
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

  #keysOf({ keys }: Claim): string {
    return JSON.stringify(keys.map((row) => ({ ...this.#keyOf(row), due_at: row['due_at'] })))
  }

  #keyOf(row: KeyRow): Record<string, unknown> {
    return Object.fromEntries(
      this.table.key.map(({ column, type }) => {
        const value = row[column]
        return [column, type === 'bytea' && Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value]
      }),
    )
  }

  #keyText(row: KeyRow): string {
    return JSON.stringify(Object.values(this.#keyOf(row)))
  }

  #keyColumns(): string[] {
    return this.table.key.map(({ column }) => column)
  }
}

function writesOf(outcomes: readonly KeyOutcome[]): Statement[] {
  return outcomes.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [] : (outcome.writes ?? [])))
}

type AnyTable = Pick<EnrichmentTable<never>, 'table' | 'key' | 'columns' | 'details' | 'scan' | 'newest'>

/** SQL of a table. All statements use the key or the index on next_ask_at. */
interface TableSql {
  /** $1: limit; $2: duration, ms. Claimed keys with the times when they were due, longest due first. */
  readonly claim: string
  /** $1: JSON array of keys; $2: end of the claim; $3: duration, ms. */
  readonly renew: string
  /** $1: JSON array of keys with due_at; $2: end of the claim. */
  readonly release: string
  /** $1 … $n: arrays of keys. */
  readonly details: string
  /** $1: limit; then the scan position. Returns the position columns as text. */
  readonly scan: string | undefined
  /** $1: limit. */
  readonly newest: string | undefined
  /** $1: JSON array of keys with values; $2: end of the claim; $3: pause, ms. Returns stored keys. */
  readonly storeResults: (columns: readonly string[]) => string
  /** $1: JSON array of keys with code and message; $2: end of the claim; $3: pause, ms. */
  readonly storeNone: string
  /** $1, $2: as above; $3: first pause, ms; $4: maximum pause, ms. */
  readonly storeFailures: string
}

const jitter = '(0.9 + random() * 0.2)'

export function tableSql({ table, key, columns, details, scan, newest }: AnyTable): TableSql {
  const keys = key.map(({ column }) => column)
  const keyList = keys.join(', ')
  const returned = keys.map((column) => `t.${column}`).join(', ')
  const arrays = key.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')
  const sameKey = (other: string): string => keys.map((column) => `t.${column} = ${other}.${column}`).join(' and ')
  const typed = (names: readonly string[]): string =>
    [...key, ...columns]
      .filter(({ column }) => names.includes(column))
      .map(({ column, type }) => `"${column}" ${type}`)
      .join(', ')
  const claimed = (names: readonly string[], more = ''): string => `
    from jsonb_to_recordset($1::jsonb) as j (${typed([...keys, ...names])}${more})
    where ${sameKey('j')} and t.next_ask_at = $2::timestamptz`
  const add = (source: string, dueAt = 'now()'): string =>
    `insert into ${table} (${keyList}, next_ask_at) select distinct ${keyList}, ${dueAt} from ${source} s
     where not exists (select from ${table} t where ${sameKey('s')})
     on conflict do nothing`
  const position = scan?.position ?? keys
  const because = (status: string, pause: string): string => `
    update ${table} t set status = '${status}', failures = ${status === 'failed' ? 't.failures + 1' : '0'}, asked_at
      = now(),
      next_ask_at = now() + ${pause} * interval '1 ms', last_error_code = j.code, last_error = j.message
    ${claimed([], ', code text, message text')} returning ${returned}`
  return {
    claim: `
      with due as materialized (
        select ${keyList}, next_ask_at from ${table} where next_ask_at <= now() order by next_ask_at limit $1
        for update skip locked
      )
      update ${table} t set next_ask_at = now() + $2::float8 * interval '1 ms' from due where ${sameKey('due')}
      returning ${returned}, due.next_ask_at::text as due_at, t.next_ask_at::text as until`,
    renew: `
      update ${table} t set next_ask_at = now() + $3::float8 * interval '1 ms' ${claimed([])}
      returning t.next_ask_at::text as until`,
    release: `update ${table} t set next_ask_at = j.due_at ${claimed([], ', due_at timestamptz')}`,
    details: details ?? `select * from unnest(${arrays}) as k (${keyList})`,
    scan:
      scan &&
      `
      with page as materialized (${scan.text}), added as (${add('page')} returning 1)
      select ${position.map((column) => `p.${column}::text`).join(', ')}, (select count(*) from added) as added from
        page p`,
    // Sorts before all waiting keys, newest first, because users look at new tokens first.
    newest: newest && add(`(${newest})`, 'to_timestamp(-extract(epoch from now()))'),
    storeResults: (names) => `
      update ${table} t set ${names.map((column) => `${column} = j.${column}, `).join('')}status = 'answered',
        failures = 0, asked_at = now(),
        next_ask_at = now() + $3::float8 * ${jitter} * interval '1 ms', last_error_code = null, last_error = null
      ${claimed(names)} returning ${returned}`,
    storeNone: because('none', `$3::float8 * ${jitter}`),
    storeFailures: because('failed', `least($4::float8, $3::float8 * 2 ^ least(t.failures, 40)) * ${jitter}`),
  }
}
