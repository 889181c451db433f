import type { ClientBase, Pool } from 'pg'
import { query } from '../../db/pool.ts'

export interface CatalogColumn {
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  readonly comment: string | null
}

/** A table or view as its database has it. */
export interface CatalogTable {
  readonly schema: string
  readonly name: string
  readonly kind: 'table' | 'view'
  readonly comment: string | null
  readonly columns: readonly CatalogColumn[]
  /** Primary and unique keys, as PostgreSQL writes them: `PRIMARY KEY (height)`. */
  readonly keys: readonly string[]
  /** Other indexes: method, columns and condition, as `btree (address, block_height)`. */
  readonly indexes: readonly string[]
  /** As the server last counted, with those of the partitions; null where it never did. */
  readonly approximateRows: number | null
}

/**
 * Reads tables and views from the catalogs, by their names `schema.table`; what there is none of is left out. Partitions are parts of
 * their table.
 */
export async function readCatalog(database: ClientBase | Pool, tables: readonly string[]): Promise<CatalogTable[]> {
  const { rows } = await query<CatalogTable>(database, catalogSql, [tables])
  return rows
}

const catalogSql = `
  SELECT n.nspname AS schema, c.relname AS name, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS kind,
    obj_description(c.oid, 'pg_class') AS comment,
    (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'isNullable', NOT a.attnotnull,
        'comment', col_description(c.oid, a.attnum)) ORDER BY a.attnum)
      FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
    coalesce((SELECT json_agg(pg_get_constraintdef(k.oid) ORDER BY k.contype, k.conname)
      FROM pg_constraint AS k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u')), '[]') AS keys,
    coalesce((SELECT json_agg(regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', '') ORDER BY i.indexrelid::regclass::text)
      FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisvalid
        AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))), '[]') AS indexes,
    CASE WHEN c.relkind IN ('r', 'p', 'm') THEN (
      SELECT sum(part.reltuples) FILTER (WHERE part.reltuples >= 0)
      FROM (SELECT c.oid UNION SELECT relid FROM pg_partition_tree(c.oid) WHERE isleaf) AS leaf (oid)
      JOIN pg_class AS part ON part.oid = leaf.oid AND part.relkind IN ('r', 'm')
    )::float8 END AS "approximateRows"
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname || '.' || c.relname = ANY ($1)
  ORDER BY n.nspname, c.relname`
