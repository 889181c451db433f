import type { ClientBase } from 'pg'
import { query } from '../../../db/pool.ts'
import { readerOf, type ReadValue } from './read-value.ts'

export interface KnownType {
  readonly name: string
  readonly read: ReadValue
}

/** Types of a database by their identifier, with how their values are read. */
export type KnownTypes = ReadonlyMap<number, KnownType>

/** Types that were made since are told as `unknown`, and their values as the server writes them. */
export const unknownType: KnownType = { name: 'unknown', read: String }

export async function readKnownTypes(client: ClientBase): Promise<KnownTypes> {
  const { rows } = await query<{ oid: number; name: string; element: number | null }>(
    client,
    `SELECT oid, typname AS name, CASE WHEN typinput = 'array_in'::regproc AND typdelim = ',' THEN typelem END AS element
     FROM pg_catalog.pg_type`,
  )
  return new Map(rows.map(({ oid, name, element }) => [oid, { name, read: readerOf(oid, element ?? undefined) }]))
}
