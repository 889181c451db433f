import { escapeIdentifier, type ClientBase } from 'pg'
import { asDatabaseError } from '../../../../platform/db/errors.ts'
import { query } from '../../../../platform/db/pool.ts'

/** The role that may read what is for everybody. Migrations make it and grant it what it may read. */
export const readerRole = 'flowfarm_reader'

/** What an account may do, as far as it matters for statements of strangers. */
export interface AccountRights {
  readonly name: string
  readonly isSuperuser: boolean
  /** It may change some table that not everybody may change, or do something that only parts of the server may. */
  readonly mayWrite: boolean
  /** It may read some table that is neither for everybody here nor granted to PUBLIC, as extensions grant theirs: no account could do less. */
  readonly readsMore: boolean
  /** Tables beyond ours that every account of the server may read or change: `schema.table`. */
  readonly openToAll: readonly string[]
}

/** @param readable `schema.table` of all that is for everybody */
export async function rightsOf(client: ClientBase, readable: readonly string[]): Promise<AccountRights> {
  const { rows } = await query<AccountRights>(client, rightsSql, [readable])
  const [rights] = rows
  if (rights === undefined) throw new TypeError('a statement without FROM gives one row')
  return rights
}

/** Roles whose names begin with pg_ are the server's own: some of them run programs and read files. */
const rightsSql = `
  SELECT r.rolname AS name, r.rolsuper AS "isSuperuser",
    r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls
      OR EXISTS (
        SELECT FROM pg_catalog.pg_roles AS special
        WHERE special.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
          AND pg_has_role(special.oid, 'MEMBER')
      )
      OR coalesce(bool_or(has_table_privilege(t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
        AND NOT has_table_privilege('public', t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')), false) AS "mayWrite",
    r.rolsuper OR coalesce(bool_or(has_table_privilege(t.oid, 'SELECT') AND NOT t.name = ANY ($1)
      AND NOT has_table_privilege('public', t.oid, 'SELECT')), false) AS "readsMore",
    coalesce(array_agg(t.name ORDER BY t.name) FILTER (WHERE NOT t."isOfExtension" AND (
      has_table_privilege('public', t.oid, 'SELECT') AND NOT t.name = ANY ($1)
      OR has_table_privilege('public', t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))), '{}') AS "openToAll"
  FROM pg_catalog.pg_roles AS r
  LEFT JOIN (
    SELECT c.oid, n.nspname || '.' || c.relname AS name,
      EXISTS (SELECT FROM pg_catalog.pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e') AS "isOfExtension"
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname NOT IN ('information_schema', 'pg_catalog') AND n.nspname !~ '^pg_(toast|temp)'
      AND has_schema_privilege(n.oid, 'USAGE')
  ) AS t ON true
  WHERE r.rolname = current_user
  GROUP BY r.oid, r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls`

export async function hasReaderRole(client: ClientBase): Promise<boolean> {
  const { rows } = await query(client, 'SELECT FROM pg_catalog.pg_roles WHERE rolname = $1', [readerRole])
  return rows.length > 0
}

/**
 * Grants the role what it lacks: it was made by hand after the migrations. Whoever asks must own the tables.
 * @returns why it still lacks something, or undefined
 */
export async function grantReading(client: ClientBase, readable: readonly string[]): Promise<Error | undefined> {
  const { rows } = await query<{ schema: string; name: string }>(client, ungrantedSql, [readable, readerRole])
  if (rows.length === 0) return undefined
  const role = escapeIdentifier(readerRole)
  const schemas = [...new Set(rows.map(({ schema }) => escapeIdentifier(schema)))]
  const tables = rows.map(({ schema, name }) => `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`)
  try {
    await client.query(
      `GRANT USAGE ON SCHEMA ${schemas.join(', ')} TO ${role}; GRANT SELECT ON ${tables.join(', ')} TO ${role}`,
    )
    return undefined
  } catch (error) {
    return asDatabaseError(error)
  }
}

const ungrantedSql = `
  SELECT n.nspname AS schema, c.relname AS name
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname || '.' || c.relname = ANY ($1)
    AND NOT (has_schema_privilege($2, n.oid, 'USAGE') AND has_table_privilege($2, c.oid, 'SELECT'))`
