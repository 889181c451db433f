import type { ClientBase, Pool } from 'pg'
import { query } from '../../../../platform/db/pool.ts'
import { numberBytes, shortBytes } from './call-cost.ts'
import type { Value } from './call-cost.ts'
import { allowedOperators, allowedTypes, functionKinds, harmlessVolatile } from './function-rules.ts'

export type KnownNames = ReadonlyMap<string, ReadonlyMap<string, boolean>>

export interface KnownObjects {
  readonly searchPath: readonly string[]
  readonly functions: KnownNames
  readonly operators: KnownNames
  readonly types: KnownNames
  readonly relations: KnownNames
  /** Keyed by `schema.table`, with the assumed longest values. */
  readonly columns: ReadonlyMap<string, readonly (Value & { readonly name: string })[]>
  readonly attributes: ReadonlySet<string>
}

export type ObjectAccess = 'allowed' | 'refused' | 'unknown'

/**
 * Resolves as on the server: pg_catalog, then the search path. If several schemas have the name,
 * all must be allowed, since the types may decide.
 */
export function accessOf(names: KnownNames, parts: readonly string[], searchPath: readonly string[]): ObjectAccess {
  const [schema, name] = parts.length > 1 ? parts : [undefined, parts[0] ?? '']
  if (parts.length > 2 || name === undefined) return 'unknown'
  const bySchema = names.get(name)
  const schemas = schema === undefined ? ['pg_catalog', ...searchPath] : [schema]
  const found = schemas.flatMap((each) => bySchema?.get(each) ?? [])
  if (found.length === 0) return 'unknown'
  return found.every(Boolean) ? 'allowed' : 'refused'
}

const describingViews: readonly string[] = [
  'information_schema.columns',
  'information_schema.key_column_usage',
  'information_schema.schemata',
  'information_schema.table_constraints',
  'information_schema.tables',
]

export interface KnownObjectsOptions {
  readonly searchPath: readonly string[]
  readonly readable: readonly string[]
}

/** Takes 20 ms for the 3,500 functions and 800 operators of a server. */
export async function readKnownObjects(
  client: ClientBase,
  { searchPath, readable }: KnownObjectsOptions,
): Promise<KnownObjects> {
  const schemas = ['pg_catalog', ...searchPath]
  const tables = [...readable, ...describingViews]
  const functions = await readNames(client, functionsSql, [schemas, harmlessVolatile, [...functionKinds.keys()]])
  const operators = await readNames(client, operatorsSql, [schemas, allowedOperators])
  const types = await readNames(client, typesSql, [schemas, tables, allowedTypes])
  const { relations, columns } = await readKnownTables(client, [...schemas, 'information_schema'], tables)
  const attributes = await readAttributes(client, functions, types)
  return { searchPath, functions, operators, types, relations, columns, attributes }
}

export type KnownTables = Pick<KnownObjects, 'relations' | 'columns'>

/** @param tables the allowed ones; others of the schemas are refused */
export async function readKnownTables(
  client: ClientBase | Pool,
  schemas: readonly string[],
  tables: readonly string[],
): Promise<KnownTables> {
  const relations = await readNames(client, relationsSql, [schemas, tables])
  return { relations, columns: await readColumns(client, tables) }
}

/** Both have tables of different schemas. */
export function withTables(known: KnownObjects, { relations, columns }: KnownTables): KnownObjects {
  const merged = new Map(known.relations)
  for (const [name, bySchema] of relations) merged.set(name, new Map([...(merged.get(name) ?? []), ...bySchema]))
  return { ...known, relations: merged, columns: new Map([...known.columns, ...columns]) }
}

/**
 * Allows listed functions and IMMUTABLE SQL functions of the database owner, if no overload has
 * effects, changes rights or uses server types. The run time of extension libraries is unknown.
 */
const functionsSql = `
  SELECT p.proname AS name, n.nspname AS schema,
    bool_and(
      (p.provolatile <> 'v' OR p.proname = ANY ($2))
      AND CASE WHEN n.nspname = 'pg_catalog' THEN p.proname = ANY ($3)
        ELSE p.provolatile = 'i' AND l.lanname IN ('sql', 'plpgsql') END
      AND NOT p.prosecdef AND p.prokind IN ('f', 'a', 'w')
      AND NOT EXISTS (
        SELECT FROM unnest(p.proargtypes || p.prorettype) AS used (oid)
        WHERE used.oid::regtype::text = ANY ('{internal,cstring,cstring[],trigger,event_trigger,
          language_handler,fdw_handler,table_am_handler,index_am_handler,tsm_handler,pg_ddl_command,
          regclass,regproc,regprocedure,regrole,regnamespace,aclitem,aclitem[]}')
      )
    ) AS allowed
  FROM pg_catalog.pg_proc AS p
  JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
  JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
  WHERE n.nspname = ANY ($1)
  GROUP BY p.proname, n.nspname`

const operatorsSql = `
  SELECT o.oprname AS name, n.nspname AS schema, bool_and(p.provolatile <> 'v' AND NOT p.prosecdef
      AND CASE WHEN n.nspname = 'pg_catalog' THEN o.oprname = ANY ($2)
        ELSE l.lanname IN ('sql', 'plpgsql') END) AS allowed
  FROM pg_catalog.pg_operator AS o
  JOIN pg_catalog.pg_namespace AS n ON n.oid = o.oprnamespace
  JOIN pg_catalog.pg_proc AS p ON p.oid = o.oprcode
  JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
  WHERE n.nspname = ANY ($1)
  GROUP BY o.oprname, n.nspname`

/** A row type follows its table, arrays and domains their elements. */
const typesSql = `
  WITH RECURSIVE made_of AS (
    SELECT oid AS type, oid AS part FROM pg_catalog.pg_type
    UNION
    SELECT m.type, CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END
    FROM made_of AS m JOIN pg_catalog.pg_type AS t ON t.oid = m.part
    WHERE t.typtype = 'd' OR t.typcategory = 'A'
  ), judged AS (
    SELECT t.oid,
      CASE t.typtype
        WHEN 'p' THEN false
        WHEN 'c' THEN c.relkind = 'c' OR n.nspname || '.' || t.typname = ANY ($2)
        WHEN 'e' THEN true
        WHEN 'd' THEN true
        ELSE n.nspname = 'pg_catalog' AND t.typname = ANY ($3)
          OR t.typcategory = 'A' AND t.typinput = 'array_in'::regproc
      END AS allowed
    FROM pg_catalog.pg_type AS t
    JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
    LEFT JOIN pg_catalog.pg_class AS c ON c.oid = t.typrelid
  )
  SELECT t.typname AS name, n.nspname AS schema, bool_and(j.allowed) AS allowed
  FROM pg_catalog.pg_type AS t
  JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
  JOIN made_of AS m ON m.type = t.oid
  JOIN judged AS j ON j.oid = m.part
  WHERE n.nspname = ANY ($1)
  GROUP BY t.typname, n.nspname`

const relationsSql = `
  SELECT c.relname AS name, n.nspname AS schema, n.nspname || '.' || c.relname = ANY ($2) AS allowed
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'c')`

/** Assumed longest values of unbounded columns. Longer ones only delay cancellation. */
const textBytes = 16_000
const longTextBytes = 1_500_000
const arrayBytes = 8_000
const longTexts = /code|script|payload|source|input|argument|args|body|metadata|message|abi|error/

const columnsSql = `
  SELECT n.nspname || '.' || c.relname AS table, a.attname AS name, t.typname AS type, t.typcategory AS category,
    t.typlen > 0 AS fixed,
    CASE WHEN a.atttypmod > 4 AND t.typname IN ('varchar', 'bpchar') THEN a.atttypmod - 4 END AS length
  FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
  WHERE n.nspname || '.' || c.relname = ANY ($1)
  ORDER BY c.oid, a.attnum`

interface ColumnRow extends Record<string, unknown> {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly category: string
  readonly fixed: boolean
  readonly length: number | null
}

async function readColumns(client: ClientBase | Pool, tables: readonly string[]): Promise<KnownObjects['columns']> {
  const { rows } = await query<ColumnRow>(client, columnsSql, [tables])
  const columns = new Map<string, (Value & { readonly name: string })[]>()
  for (const row of rows) {
    const list = columns.get(row.table) ?? []
    const kind = row.type === 'jsonb' ? 'jsonb' : row.category === 'N' ? 'number' : 'other'
    list.push({ name: row.name, work: 0, bytes: assumedBytes(row), kind, isVarying: true })
    columns.set(row.table, list)
  }
  return columns
}

function assumedBytes({ name, type, category, fixed, length }: ColumnRow): number {
  if (category === 'N') return numberBytes
  if (fixed) return shortBytes
  if (category === 'A') return arrayBytes
  if (length !== null) return Math.min(4 * length, longTextBytes)
  return ['bytea', 'json', 'jsonb'].includes(type) || longTexts.test(name) ? longTextBytes : textBytes
}

const attributeFunctionsSql = `
  SELECT DISTINCT p.proname AS name
  FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_type AS t ON t.oid = p.proargtypes[0]
  WHERE t.typtype IN ('p', 'c', 'd', 'e') OR t.typname = ANY ($1) OR t.typcategory = 'A' OR t.typname ~ '^reg'`

async function readAttributes(
  client: ClientBase,
  functions: KnownNames,
  types: KnownNames,
): Promise<ReadonlySet<string>> {
  const { rows } = await query<{ name: string }>(client, attributeFunctionsSql, [allowedTypes])
  const isRefused = (names: KnownNames, name: string): boolean =>
    [...(names.get(name) ?? new Map<string, boolean>()).values()].includes(false)
  return new Set([
    ...rows.map(({ name }) => name).filter((name) => isRefused(functions, name)),
    ...[...types.keys()].filter((name) => isRefused(types, name)),
  ])
}

async function readNames(client: ClientBase | Pool, sql: string, values: unknown[]): Promise<KnownNames> {
  const { rows } = await query<{ name: string; schema: string; allowed: boolean }>(client, sql, values)
  const names = new Map<string, Map<string, boolean>>()
  for (const { name, schema, allowed } of rows) {
    const bySchema = names.get(name) ?? new Map<string, boolean>()
    names.set(name, bySchema.set(schema, allowed))
  }
  return names
}
