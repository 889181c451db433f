import { createHash } from 'node:crypto'
import { escapeIdentifier, escapeLiteral } from 'pg'
import type { Fold, Worker } from '../../../jobs/worker.ts'
import { FatalError } from '../../platform/errors.ts'
import type pg from 'pg'
import { parseMultirange, toMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'

export interface DerivedTable {
  /** `schema.name` */
  readonly name: string
  readonly workers: readonly string[]
  /** Undefined for a folded table. */
  readonly heightColumn: string | undefined
  readonly fold: Fold | undefined
  readonly notDerived: readonly string[]
  /** SQL condition on the rows of the original. */
  readonly onlyWhere?: string
  /** Row key, if it is not the primary key. */
  readonly key?: readonly string[]
}

/** Part of what workers derive. */
export const problemsTable = 'raw.indexing_errors'

export function derivedTablesOf(workers: readonly Worker[]): DerivedTable[] {
  const own = inOrderOfPhases(workers).flatMap(({ name: worker, tables, folds }): DerivedTable[] => [
    ...tables.map(({ name, heightColumn, notDerived = [] }) => ({
      name,
      workers: [worker],
      heightColumn,
      fold: undefined,
      notDerived,
    })),
    ...folds.map((fold) => ({
      name: fold.name,
      workers: [worker],
      heightColumn: undefined,
      fold,
      notDerived: fold.notDerived ?? [],
    })),
  ])
  const problems: DerivedTable = {
    name: problemsTable,
    workers: workers.map(({ name }) => name),
    heightColumn: 'block_height',
    fold: undefined,
    notDerived: ['id', 'raw_data', 'occurrences', 'resolved_at', 'first_seen_at', 'last_seen_at'],
    onlyWhere: `resolved_at is null and worker_name in (${workers.map(({ name }) => escapeLiteral(name)).join(', ')})`,
    key: ['worker_name', 'block_height', 'tx_index', 'event_index', 'code'],
  }
  return [...own, problems]
}

/** Otherwise in the given order. */
export function inOrderOfPhases(workers: readonly Worker[]): Worker[] {
  return workers.toSorted((a, b) => a.phase - b.phase)
}

/** Tables of own workers may have equal names in their schemas. */
export function copyOf(table: string, schema: string): string {
  const [owner = '', name = ''] = table.split('.')
  const suffix = owner.startsWith('own_') ? `_${createHash('sha1').update(owner).digest('hex').slice(0, 8)}` : ''
  return `${schema}.${name}${suffix}`
}

/** Other tables stay. */
export function moveFold(fold: Fold, copy: (table: string) => string | undefined): Fold {
  const move = (sql: string): string =>
    renameTables(sql, (table) => {
      const moved = copy(table)
      return moved === undefined ? undefined : moved.split('.').map(escapeIdentifier).join('.')
    })
  const nameOf = (table: string): string => copy(table) ?? table
  const moved = { name: nameOf(fold.name), touched: move(fold.touched) }
  if (fold.kind === 'sum') return { ...fold, ...moved, of: [fold.of].flat().map(nameOf), counted: move(fold.counted) }
  const merge = fold.merge === undefined ? {} : { merge: move(fold.merge) }
  return { ...fold, ...moved, ...merge, reads: fold.reads.map(nameOf), fold: move(fold.fold) }
}

type Piece =
  | { readonly kind: 'name'; readonly schema: string; readonly table: string; readonly text: string }
  | { readonly kind: 'parameter'; readonly number: number; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'other'; readonly text: string }

const identifier = String.raw`(?:"(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)`

/** Source: https://www.postgresql.org/docs/18/sql-syntax-lexical.html */
const pieces = new RegExp(
  [
    String.raw`(?<comment>--[^\n]*|/\*[^]*?\*/)`,
    String.raw`(?<string>\be'(?:[^'\\]|\\[^]|'')*'|(?:\bu&)?'(?:[^']|'')*'|\$(?<tag>(?:[a-z_]\w*)?)\$[^]*?\$\k<tag>\$)`,
    String.raw`(?<name>${identifier}(?:\s*\.\s*${identifier})+)`,
    String.raw`(?<word>${identifier})`,
    String.raw`\$(?<parameter>\d+)`,
  ].join('|'),
  'gi',
)

/**
 * A third part of a name, a column, stays.
 *
 * @throws FatalError `table-in-string` if a string constant contains a renamed table
 */
export function renameTables(sql: string, rename: (table: string) => string | undefined): string {
  return rewritten(sql, (piece) => {
    if (piece.kind === 'string') refuseNames(piece.text, rename)
    return piece.kind === 'name' ? rename(`${piece.schema}.${piece.table}`) : undefined
  })
}

export function replaceParameters(sql: string, expressions: readonly string[]): string {
  return rewritten(sql, (piece) => {
    if (piece.kind !== 'parameter') return undefined
    const expression = expressions[piece.number - 1]
    if (expression === undefined) throw new RangeError(`unknown parameter $${piece.number}`)
    return expression
  })
}

function rewritten(sql: string, replace: (piece: Piece) => string | undefined): string {
  return sql.replaceAll(pieces, (...found: unknown[]) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>
    const text = found[0] as string
    const { string, name, parameter } = groups
    if (string !== undefined) return replace({ kind: 'string', text }) ?? text
    if (parameter !== undefined) return replace({ kind: 'parameter', number: Number(parameter), text }) ?? text
    if (name === undefined) return replace({ kind: 'other', text }) ?? text
    const parts = name.match(new RegExp(identifier, 'gi')) ?? []
    const [schema = '', table = ''] = parts.map(folded)
    const replacement = replace({ kind: 'name', schema, table, text })
    return replacement === undefined ? text : [replacement, ...parts.slice(2)].join('.')
  })
}

/** PostgreSQL folds unquoted names to lower case. */
function folded(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase()
}

function refuseNames(text: string, rename: (table: string) => string | undefined): void {
  for (const [name] of text.matchAll(/\w+\.\w+/g)) {
    if (rename(name.toLowerCase()) !== undefined) {
      const message = `Could not move the statement to another schema: it names ${name} in a string constant`
      throw new FatalError('table-in-string', message)
    }
  }
}

export const defaultSchema = 'rebuild'

/** Marks a schema as made by a rebuild and holds the state of the last one. */
const stateTable = 'flowfarm_rebuild'

/** Truncating takes 8 ms per table, so smaller tables are emptied by DELETE. */
const smallBytes = 1024 * 1024

interface RebuildState {
  readonly heights: HeightSet
  readonly chainVersion: number
  readonly workers: readonly string[]
  readonly finishedAt: Date
}

/** @throws FatalError `bad-schema` for an invalid name or a schema with other objects */
function checkSchemaName(schema: string): void {
  const isTaken = /^pg_|^(app|raw|public|information_schema|bullmq|pgboss)$/.test(schema)
  if (isTaken || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const remedy = `use lower-case letters, digits and _, and a name that nothing else uses, e.g. ${defaultSchema}`
    throw new FatalError('bad-schema', `"${schema}" cannot be the schema of a rebuild: ${remedy}.`)
  }
}

/**
 * Empties existing copies with the same columns. Copies are unlogged and not partitioned, because a
 * rebuild is written once and discarded.
 *
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
    const message = `Schema ${schema} exists and was not created by a rebuild. Choose another one with --schema.`
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
      const original = table.split('.').map(escapeIdentifier).join('.')
      const create = `create unlogged table ${copy} (like ${original} including all)`
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
