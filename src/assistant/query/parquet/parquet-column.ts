import type { SchemaElement } from 'hyparquet-writer'
import { ApiError } from '../../../platform/errors.ts'
import type { SqlColumn, SqlValue } from '../sql/sql-runner.ts'

export type ParquetValue = string | number | bigint | boolean | Uint8Array | null

export interface ParquetColumn {
  readonly element: SchemaElement
  /** @throws ApiError 400 `parquet-value` for infinite times, and years before 1 or after 9999 */
  readonly valueOf: (value: SqlValue) => ParquetValue
}

type Encoding = Omit<SchemaElement, 'name' | 'repetition_type'>

const text: Encoding = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const int32: Encoding = { type: 'INT32' }
const int64: Encoding = { type: 'INT64' }
const time: Encoding = { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } }

type ReadValue = (value: Exclude<SqlValue, null>, column: string) => ParquetValue

const dayMs = 86_400_000

const readText = (value: SqlValue): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
const readBigInt: ReadValue = (value) => BigInt(readText(value))
/** NaN and infinities are strings. */
const readNumber: ReadValue = Number

const readBytes: ReadValue = (value) => Buffer.from(readText(value).slice(2), 'hex')

const readDate: ReadValue = (value, column) => {
  const day = readText(value)
  return /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) / dayMs : refuse(day, column)
}

const readTime: ReadValue = (value, column) => {
  const [match, seconds = '', fraction = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(readText(value)) ?? []
  if (match === undefined) return refuse(readText(value), column)
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

function refuse(value: string, column: string): never {
  const shown = value.slice(0, 60)
  const detail = `Column "${column}" has the value ${shown}, which Parquet has no date for. Cast it to text.`
  throw new ApiError(400, 'parquet-value', detail)
}

/** By PostgreSQL type. All others are text; numeric too, since it has no fixed scale. */
const encodings: ReadonlyMap<string, readonly [Encoding, ReadValue]> = new Map([
  ['bool', [{ type: 'BOOLEAN' }, Boolean]],
  ['int2', [int32, readNumber]],
  ['int4', [int32, readNumber]],
  ['oid', [int64, readBigInt]],
  ['int8', [int64, readBigInt]],
  ['float4', [{ type: 'FLOAT' }, readNumber]],
  ['float8', [{ type: 'DOUBLE' }, readNumber]],
  ['bytea', [{ type: 'BYTE_ARRAY' }, readBytes]],
  ['date', [{ type: 'INT32', converted_type: 'DATE' }, readDate]],
  ['timestamp', [time, readTime]],
  ['timestamptz', [time, readTime]],
])

export function parquetColumn({ name, type }: SqlColumn): ParquetColumn {
  const [encoding, read] = encodings.get(type) ?? [text, readText]
  return {
    element: { name, ...encoding, repetition_type: 'OPTIONAL' },
    valueOf: (value) => (value === null ? null : read(value, name)),
  }
}
