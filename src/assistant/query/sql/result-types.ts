import { types } from 'pg'
import type { ClientBase } from 'pg'
import { query } from '../../../platform/db/pool.ts'
import { parseExactJson } from '../../../platform/exact-json.ts'
import type { SqlValue } from './sql-runner.ts'

interface KnownType {
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

/** Turns the text in which the server gives a value into one of JSON. */
type ReadValue = (text: string) => SqlValue

const { builtins } = types

/** A number of JSON, and a text where JSON has none: NaN, Infinity, -Infinity. */
const readFloat: ReadValue = (text) => (Number.isFinite(Number(text)) ? Number(text) : text)
const readBytes: ReadValue = (text) => `0x${text.slice(2)}`

/**
 * `2026-01-31 12:00:00.5` or the same with `+00`, since the session is in UTC: columns without a time zone hold UTC everywhere in a
 * chain. Years before Christ and the infinities stay as they are.
 */
const readTime: ReadValue = (text) =>
  /^\d{4,}-\d\d-\d\d \d\d:/.test(text) && !text.endsWith('BC')
    ? `${text.replace(' ', 'T').replace(/\+00$/, '')}Z`
    : text

const byType: ReadonlyMap<number, ReadValue> = new Map<number, ReadValue>([
  [builtins.BOOL, (text) => text === 't'],
  [builtins.INT2, Number],
  [builtins.INT4, Number],
  [builtins.OID, Number],
  [builtins.FLOAT4, readFloat],
  [builtins.FLOAT8, readFloat],
  [builtins.BYTEA, readBytes],
  [builtins.TIMESTAMP, readTime],
  [builtins.TIMESTAMPTZ, readTime],
  [builtins.JSON, parseExactJson],
  [builtins.JSONB, parseExactJson],
])

/** An array of texts. All arrays are written alike, and their elements as values of their type are. */
const textArray = 1009
const parseArray = types.getTypeParser(textArray as Parameters<typeof types.getTypeParser>[0]) as (
  text: string,
) => NestedTexts
type NestedTexts = readonly (NestedTexts | string | null)[]

/**
 * How values of a type are read. What is not here stays the text of the server: int8 and numeric, which are exact so, and all others.
 * @param elementType of the elements, for an array
 */
function readerOf(type: number, elementType: number | undefined): ReadValue {
  if (elementType === undefined) return byType.get(type) ?? String
  const readElement = readerOf(elementType, undefined)
  const readAll = (values: NestedTexts): SqlValue =>
    values.map((value) => {
      if (value === null) return null
      return typeof value === 'string' ? readElement(value) : readAll(value)
    })
  return (text) => readAll(parseArray(text))
}
