import { escapeIdentifier } from 'pg'
import type { Pool } from 'pg'
import { query } from '../../platform/db/pool.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { nGrams } from './agent-memory.ts'
import { describeCatalog, quoted, readCatalog } from './knowledge.ts'
import type { CatalogTable } from './knowledge.ts'
import { readerRole } from './sql/reader.ts'

/** Tables of the served workers in `app.own_workers`. */
export interface OwnTables {
  readonly tables: readonly CatalogTable[]
  /** By schema: what its worker indexes. */
  readonly workers: ReadonlyMap<string, string>
}

export const noOwnTables: OwnTables = { tables: [], workers: new Map() }

interface Registered {
  readonly schema: string
  readonly name: string
  readonly about: string
  readonly isGranted: boolean
}

/** No views that read with the rights of their owner. */
const registeredSql = `
  SELECT w.name AS schema, c.relname AS name,
    left(w.declaration ->> 'description', 300) ||
      ' (events of ' || left(w.declaration ->> 'contract', 200) || ')' AS about,
    r.oid IS NULL
      OR has_schema_privilege(r.oid, n.oid, 'USAGE') AND has_table_privilege(r.oid, c.oid, 'SELECT') AS "isGranted"
  FROM app.own_workers AS w
  CROSS JOIN jsonb_array_elements(
    (w.declaration -> 'tables') || (w.declaration -> 'folds') || coalesce(w.declaration -> 'views', '[]')
  ) AS declared
  JOIN pg_catalog.pg_namespace AS n ON n.nspname = w.name AND w.name ~ '^own_'
  JOIN pg_catalog.pg_class AS c
    ON c.relnamespace = n.oid AND c.relname = declared ->> 'name'
      AND (c.relkind IN ('r', 'p') OR c.relkind = 'v' AND 'security_invoker=true' = ANY (c.reloptions))
  LEFT JOIN pg_catalog.pg_roles AS r ON r.rolname = $1
  WHERE w.replaces IS NULL
  ORDER BY 1, 2`

const withdrawnSql = `
  SELECT n.nspname AS schema
  FROM pg_catalog.pg_namespace AS n JOIN pg_catalog.pg_roles AS r ON r.rolname = $1
  WHERE n.nspname ~ '^own_' AND has_schema_privilege(r.oid, n.oid, 'USAGE')
    AND NOT EXISTS (SELECT FROM app.own_workers AS w WHERE w.name = n.nspname AND w.replaces IS NULL)`

/**
 * Grants the reader role SELECT on the tables of served workers, and revokes the schemas of others.
 * @returns tables that it may read; `registry` must belong to the owner of the schemas
 */
async function grantOwnTables(registry: Pool, log: Logger): Promise<readonly Registered[]> {
  const [registered, withdrawn] = await Promise.all([
    query<Registered & Record<string, unknown>>(registry, registeredSql, [readerRole]),
    query<{ schema: string }>(registry, withdrawnSql, [readerRole]),
  ])
  const role = escapeIdentifier(readerRole)
  const change = async (schema: string, sql: string): Promise<void> => {
    try {
      await registry.query(sql)
    } catch (error) {
      log.warn({ err: asError(error), schema }, `Cannot change the rights of ${readerRole} on own tables, retrying`)
    }
  }
  for (const { schema } of withdrawn.rows)
    await change(schema, `REVOKE USAGE ON SCHEMA ${escapeIdentifier(schema)} FROM ${role}`)
  const missing = Map.groupBy(
    registered.rows.filter(({ isGranted }) => !isGranted),
    ({ schema }) => schema,
  )
  if (missing.size === 0) return registered.rows
  for (const [schema, tables] of missing) {
    const names = tables.map(({ name }) => `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`)
    await change(
      schema,
      `GRANT USAGE ON SCHEMA ${escapeIdentifier(schema)} TO ${role}; GRANT SELECT ON ${names.join(', ')} TO ${role}`,
    )
  }
  return (await query<Registered & Record<string, unknown>>(registry, registeredSql, [readerRole])).rows.filter(
    ({ isGranted }) => isGranted,
  )
}

export interface WatchOptions {
  readonly registry: Pool
  /** Where statements run: may be a standby, where tables appear later. */
  readonly catalogs: Pool
  readonly log: Logger
  readonly onChange: (own: OwnTables) => Promise<void>
  readonly everyMs?: number
}

/**
 * Follows the registry until the returned function is called. Resolves after the first reading; a
 * failing one is retried.
 */
export async function watchOwnTables({
  registry,
  catalogs,
  log,
  onChange,
  everyMs = 2000,
}: WatchOptions): Promise<() => Promise<void>> {
  let known = '[]'
  let isFailing = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    try {
      const registered = await grantOwnTables(registry, log)
      const names = registered.map(({ schema, name }) => `${schema}.${name}`)
      const tables = names.length === 0 ? [] : await readCatalog(catalogs, names)
      const found = JSON.stringify([registered, tables])
      isFailing = false
      if (found === known || (tables.length === 0 && known === '[]')) return
      await onChange({ tables, workers: new Map(registered.map(({ schema, about }) => [schema, about])) })
      known = found
    } catch (error) {
      if (isStopped || isFailing) return
      isFailing = true
      log.warn({ err: asError(error) }, 'Cannot read own tables, retrying')
    }
  }
  let looking = look()
  const next = (): void => {
    if (isStopped) return
    timer = setTimeout(() => {
      looking = look().finally(next)
    }, everyMs).unref()
  }
  await looking
  next()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await looking
  }
}

const title = '-- Own tables of this installation: typed events of single contracts, and their current state.'

/** The tables that share most words with the question, or the first ones, up to `maxCharacters`. */
export function describeOwnTables(own: OwnTables, maxCharacters: number, question?: string): string {
  const described = own.tables.map((table) => describe(table, own.workers.get(table.schema) ?? ''))
  const wanted = question === undefined ? undefined : new Set(nGrams(question))
  const ranked =
    wanted === undefined
      ? described
      : described.toSorted((a, b) => wanted.intersection(b.grams).size - wanted.intersection(a.grams).size)
  const chosen = new Map<string, Described[]>()
  let size = title.length + maxRemarkCharacters
  for (const each of ranked) {
    const list = chosen.get(each.schema)
    const added = each.text.length + separator.length + (list === undefined ? each.header.length + separator.length : 0)
    if (size + added > maxCharacters) continue
    size += added
    chosen.set(each.schema, [...(list ?? []), each])
  }
  const lists = [...chosen.values()]
  const missing = described.length - lists.reduce((sum, list) => sum + list.length, 0)
  if (lists.length === 0) return ''
  return [
    title,
    ...lists.flatMap((list) => [list[0]?.header ?? '', ...list.map(({ text }) => text)]),
    ...(missing === 0 ? [] : [`-- ${missing} more own tables exist; information_schema.columns lists them.`]),
  ].join(separator)
}

const separator = '\n\n'
const maxRemarkCharacters = 100

interface Described {
  readonly schema: string
  readonly header: string
  readonly text: string
  readonly grams: ReadonlySet<string>
}

/** Tables are read again when they change. */
const descriptions = new WeakMap<CatalogTable, Described>()

function describe(table: CatalogTable, about: string): Described {
  const known = descriptions.get(table)
  if (known !== undefined) return known
  const header = `-- Schema ${quoted(table.schema)}: ${oneLine(about)}`
  const text = describeCatalog([short(table)])
  // Names join words with underscores and capitals.
  const words = `${header} ${text}`.replaceAll(/_|(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
  const described = { schema: table.schema, header, text, grams: new Set(nGrams(words)) }
  descriptions.set(table, described)
  return described
}

const maxCommentCharacters = 200

function short(table: CatalogTable): CatalogTable {
  const cut = (comment: string | null): string | null => comment?.slice(0, maxCommentCharacters) ?? null
  return {
    ...table,
    comment: cut(table.comment),
    columns: table.columns.map((column) => ({ ...column, comment: cut(column.comment) })),
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
