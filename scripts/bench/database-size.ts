import type pg from 'pg'

/** Bytes of all tables of some schemas, with their indexes. */
export async function tableBytes(pool: pg.Pool, schemas: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'r'`,
    [schemas],
  )
  return Number(rows[0]?.bytes)
}

/** Bytes of WAL that were ever written. */
export async function walBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes")
  return Number(rows[0]?.bytes)
}
