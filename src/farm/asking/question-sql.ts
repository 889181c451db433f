import type { Question } from '../../../jobs/asking/asking-worker.ts'

type AnyQuestion = Pick<Question<never>, 'table' | 'key' | 'answer' | 'details' | 'walk' | 'newest'>

/** The statements of a question, made of its declaration. All of them are served by the key or by the index on next_ask_at. */
export interface QuestionSql {
  /** $1: most rows. Keys that are due, the longest due first. */
  readonly due: string
  /** $1 … $n: arrays of keys. */
  readonly details: string
  /** $1: most keys; then the position of the walk. Gives the page's position columns as text; adds the keys. */
  readonly walk: string | undefined
  /** $1: most keys. */
  readonly newest: string | undefined
  /** $1: JSON array of keys with values; $2: pause, ms. */
  readonly storeAnswers: (columns: readonly string[]) => string
  /** $1: JSON array of keys with code and message; $2: pause, ms. */
  readonly storeNone: string
  /** $1: as before; $2: first pause, ms; $3: longest pause, ms. */
  readonly storeFailures: string
}

/** A random part, so that keys that were asked together are not asked together for ever. */
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
    update ${table} t set status = '${status}', failures = ${status === 'failed' ? 't.failures + 1' : '0'}, asked_at = now(),
      next_ask_at = now() + ${pause} * interval '1 ms', last_error_code = j.code, last_error = j.message
    from jsonb_to_recordset($1::jsonb) as j (${typed(keys)}, code text, message text) where ${sameKey}`
  return {
    due: `select ${keyList} from ${table} where next_ask_at <= now() order by next_ask_at limit $1`,
    details: details ?? `select * from unnest(${arrays}) as k (${keyList})`,
    walk:
      walk &&
      `
      with page as materialized (${walk.text}), added as (${add('page')} returning 1)
      select ${position.map((column) => `p.${column}::text`).join(', ')}, (select count(*) from added) as added from page p`,
    // Before all that waits, and the last that came before the others: somebody looks at what has just come.
    newest: newest && add(`(${newest})`, 'to_timestamp(-extract(epoch from now()))'),
    storeAnswers: (columns) => `
      update ${table} t set ${columns.map((column) => `${column} = j.${column}, `).join('')}status = 'answered', failures = 0, asked_at = now(),
        next_ask_at = now() + $2::float8 * ${jitter} * interval '1 ms', last_error_code = null, last_error = null
      from jsonb_to_recordset($1::jsonb) as j (${typed([...keys, ...columns])}) where ${sameKey}`,
    storeNone: because('none', `$2::float8 * ${jitter}`),
    storeFailures: because('failed', `least($3::float8, $2::float8 * 2 ^ least(t.failures, 40)) * ${jitter}`),
  }
}
