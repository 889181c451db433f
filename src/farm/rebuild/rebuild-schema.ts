import { escapeIdentifier } from 'pg'
import type pg from 'pg'
import { FatalError } from '../../platform/errors.ts'
import { parseMultirange, toMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { copyOf } from './derived-tables.ts'

/** Where a second derivation goes unless told otherwise. */
export const defaultSchema = 'rebuild'

/** The table by which a schema is known to be ours, and in which a rebuild says what it made. */
const stateTable = 'flowfarm_rebuild'

/** To truncate a table takes 8 ms with its indexes, whatever is in it; to delete the rows of one so small is faster. */
const smallBytes = 1024 * 1024

/** What a finished rebuild holds. */
export interface RebuildState {
  readonly heights: HeightSet
  /** The version of the chain that its rows come from. */
  readonly chainVersion: number
  readonly workers: readonly string[]
  readonly finishedAt: Date
}

/** @throws FatalError `bad-schema` for a name that is none, or that of a schema with other things in it */
export function checkSchemaName(schema: string): void {
  const isTaken = /^pg_|^(app|raw|public|information_schema|bullmq|pgboss)$/.test(schema)
  if (isTaken || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const remedy = `choose a name of lower-case letters, digits and _ that nothing else uses, e.g. ${defaultSchema}`
    throw new FatalError('bad-schema', `"${schema}" cannot be the schema of a rebuild: ${remedy}.`)
  }
}

/**
 * Makes empty copies of `tables` in `schema`, which is made too. Copies that are there and have the same columns are
 * emptied. They are unlogged, since whatever is lost can be made again, and not partitioned, since a rebuild is written
 * once and thrown away whole.
 * @throws FatalError `bad-schema`
 */
export async function prepareSchema(client: pg.ClientBase, schema: string, tables: readonly string[]): Promise<void> {
  checkSchemaName(schema)
  const quoted = escapeIdentifier(schema)
  const {
    rows: [found],
  } = await client.query<{ exists: boolean; ours: boolean }>(
    'select to_regnamespace($1) is not null as exists, to_regclass($2) is not null as ours',
    [quoted, `${quoted}.${stateTable}`],
  )
  if (found?.exists === true && !found.ours) {
    const message = `The schema ${schema} exists and was not made by a rebuild: choose another one with --schema.`
    throw new FatalError('bad-schema', message)
  }
  const copies = tables.map((table) => copyOf(table, schema))
  const { rows } = await client.query<{ copy: string; fits: boolean; bytes: number }>(sameColumns, [tables, copies])
  const fitting = new Map(rows.filter(({ fits }) => fits).map(({ copy, bytes }) => [copy, bytes]))
  const texts = [
    `create schema if not exists ${quoted}`,
    `create unlogged table if not exists ${quoted}.${stateTable} (
       heights int8multirange not null, chain_version bigint not null, workers text[] not null,
       finished_at timestamptz not null default now())`,
    `delete from ${quoted}.${stateTable}`,
    ...tables.flatMap((table, i) => {
      const copy = copies[i] as string
      const bytes = fitting.get(copy)
      const create = `create unlogged table ${copy} (like ${table} including all)`
      if (bytes === undefined) return [`drop table if exists ${copy}`, create]
      return [bytes < smallBytes ? `delete from ${copy}` : `truncate ${copy}`]
    }),
  ]
  await client.query(texts.join('; '))
}

/** Which of the copies $2 have the columns of the originals $1, in the same order. */
const sameColumns = `
  with columns as (
    select c.oid, array_agg((a.attname, a.atttypid, a.atttypmod)::text order by a.attnum) as columns
    from unnest($1::text[] || $2::text[]) as t (name)
    join pg_class c on c.oid = to_regclass(t.name)
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    group by c.oid
  )
  select t.copy, coalesce(o.columns = c.columns, false) as fits,
    coalesce(pg_relation_size(c.oid), 0)::float8 as bytes
  from unnest($1::text[], $2::text[]) as t (original, copy)
  left join columns o on o.oid = to_regclass(t.original)
  left join columns c on c.oid = to_regclass(t.copy)`

/** Says what a rebuild that is finished made. */
export async function writeRebuildState(
  client: pg.ClientBase,
  schema: string,
  state: Omit<RebuildState, 'finishedAt'>,
): Promise<void> {
  await client.query(
    `insert into ${escapeIdentifier(schema)}.${stateTable} (heights, chain_version, workers) values ($1, $2, $3)`,
    [toMultirange(state.heights), state.chainVersion, state.workers],
  )
}

/** What the last rebuild into `schema` made; undefined where none was finished. */
export async function readRebuildState(client: pg.ClientBase, schema: string): Promise<RebuildState | undefined> {
  checkSchemaName(schema)
  const table = `${escapeIdentifier(schema)}.${stateTable}`
  const exists = 'select to_regclass($1) is not null as found'
  const {
    rows: [there],
  } = await client.query<{ found: boolean }>(exists, [table])
  if (there?.found !== true) return undefined
  const {
    rows: [row],
  } = await client.query<{ heights: string; version: number; workers: string[]; at: Date }>(
    `select heights::text as heights, chain_version::float8 as version, workers, finished_at as at from ${table}`,
  )
  if (row === undefined) return undefined
  const { heights, version, workers, at } = row
  return { heights: parseMultirange(heights), chainVersion: version, workers, finishedAt: at }
}
