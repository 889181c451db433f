import type { ByteWriter } from './byte-writer.ts'

/** Binary COPY format, field by field in column order. */
export interface RowWriter {
  /** Receives the JSON between `jsonbBegin` and `jsonbEnd`. */
  readonly out: ByteWriter
  row(fieldCount: number): void
  null(): void
  bool(value: boolean): void
  int2(value: number): void
  int4(value: number): void
  int8(value: number | bigint): void
  text(value: string): void
  bytea(value: Uint8Array): void
  /** Microseconds since 1970, UTC. */
  timestamptzUs(value: number): void
  date(days: number): void
  /** Decimal text, e.g. `-12.50000000`. */
  numeric(value: string): void
  textArray(values: readonly string[]): void
  byteaArray(values: readonly Uint8Array[]): void
  int4Array(values: readonly number[]): void
  numericArray(values: readonly string[]): void
  jsonbBegin(): void
  jsonbEnd(): void
}

/** Nullable fields. */

export function textOrNull(rows: RowWriter, value: string | null | undefined): void {
  if (value === undefined || value === null) rows.null()
  else rows.text(value)
}

export function numericOrNull(rows: RowWriter, value: string | null | undefined): void {
  if (value === undefined || value === null) rows.null()
  else rows.numeric(value)
}

export function int2OrNull(rows: RowWriter, value: number | undefined): void {
  if (value === undefined) rows.null()
  else rows.int2(value)
}

export function int4OrNull(rows: RowWriter, value: number | undefined): void {
  if (value === undefined) rows.null()
  else rows.int4(value)
}

export function int8OrNull(rows: RowWriter, value: number | bigint | undefined): void {
  if (value === undefined) rows.null()
  else rows.int8(value)
}

export function timestamptzUsOrNull(rows: RowWriter, value: number | undefined): void {
  if (value === undefined) rows.null()
  else rows.timestamptzUs(value)
}
