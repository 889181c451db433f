import { types } from 'pg'
import type { ClientBase } from 'pg'
import { query } from '../../../platform/db/pool.ts'
import { parseExactJson } from '../../../platform/exact-json.ts'
import { isShallowText } from '../../../platform/http/read-json.ts'
import type { SqlValue } from './sql-runner.ts'

interface KnownType {
  readonly name: string
  readonly read: ReadValue
}

export type KnownTypes = ReadonlyMap<number, KnownType>

export const unknownType: KnownType = { name: 'unknown', read: String }

export async function readKnownTypes(client: ClientBase): Promise<KnownTypes> {
  const { rows } = await query<{ oid: number; name: string; element: number | null }>(
    client,
    `SELECT oid, typname AS name,
       CASE WHEN typinput = 'array_in'::regproc AND typdelim = ',' THEN typelem END AS element
     FROM pg_catalog.pg_type`,
  )
  return new Map(rows.map(({ oid, name, element }) => [oid, { name, read: readerOf(oid, element ?? undefined) }]))
}

type ReadValue = (text: string) => SqlValue

const { builtins } = types

/** Longer JSON and arrays stay text: parsing them takes up to 0.1 µs a character of the event loop. */
export const maxParsedLength = 256 * 1024

function bounded(read: ReadValue): ReadValue {
  return (text) => (text.length > maxParsedLength ? text : read(text))
}

/** Deeply nested values stay text too: serializing them would overflow the stack. */
const readJson = bounded((text) => (isShallowText(Buffer.from(text)) ? parseExactJson(text) : text))

/** A string for NaN and infinities. */
const readFloat: ReadValue = (text) => (Number.isFinite(Number(text)) ? Number(text) : text)
const readBytes: ReadValue = (text) => `0x${text.slice(2)}`

/**
 * The session and chain columns without a time zone are in UTC. Years BC and infinities stay text.
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
  [builtins.JSON, readJson],
  [builtins.JSONB, readJson],
])

/** The OID of text[]. All arrays have the same syntax. */
const textArray = 1009
const parseArray = types.getTypeParser(textArray as Parameters<typeof types.getTypeParser>[0]) as (
  text: string,
) => NestedTexts
type NestedTexts = readonly (NestedTexts | string | null)[]

/** Other types stay text, such as int8 and numeric, to be exact. @param elementType of an array */
function readerOf(type: number, elementType: number | undefined): ReadValue {
  if (elementType === undefined) return byType.get(type) ?? String
  const readElement = readerOf(elementType, undefined)
  const readAll = (values: NestedTexts): SqlValue =>
    values.map((value) => {
      if (value === null) return null
      return typeof value === 'string' ? readElement(value) : readAll(value)
    })
  return bounded((text) => readAll(parseArray(text)))
}
