import { sql } from 'slonik'

/**
 * A query for a text that differs after a restart, a fail-over, and where the tables or the database were restored: what
 * was read before may then be of a history that is gone. A database that was copied has the file nodes of its template,
 * and another OID.
 */
export const databaseIdentity = sql.fragment`
  select concat_ws(' ', pg_postmaster_start_time(), pg_relation_filenode('raw.event_shapes'),
    (select oid from pg_database where datname = current_database()))`
