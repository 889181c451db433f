import type pg from 'pg'

export interface TableShape {
  /** In the order of the table. */
  readonly columns: readonly string[]
  /** Empty where there is none. */
  readonly primaryKey: readonly string[]
}

/** Columns and primary keys of tables, given as `schema.name`; a table that is not there has neither. */
export async function readTableShapes(
  client: pg.ClientBase,
  tables: readonly string[],
): Promise<Map<string, TableShape>> {
  const { rows } = await client.query<TableShape & { readonly name: string }>(
    `select t.name,
       array(
         select a.attname::text from pg_attribute a
         where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped order by a.attnum
       ) as columns,
       array(
         select a.attname::text
         from pg_index i cross join unnest(i.indkey) with ordinality as k (attnum, place)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
         where i.indrelid = t.oid and i.indisprimary order by k.place
       ) as "primaryKey"
     from (select name, to_regclass(name) as oid from unnest($1::text[]) as name) t`,
    [tables],
  )
  return new Map(rows.map(({ name, columns, primaryKey }) => [name, { columns, primaryKey }]))
}
