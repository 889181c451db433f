import type { ByteWriter } from './byte-writer.ts'

/** Writes rows of one table, field by field in the order of the table's columns, in PostgreSQL's binary COPY form. */
export interface RowWriter {
  /** Where `jsonbBegin` … `jsonbEnd` text goes. */
  readonly out: ByteWriter
  /** Begins a row. */
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
  /** Days since 1970-01-01. */
  date(days: number): void
  /** Decimal text, e.g. `-12.50000000`. */
  numeric(value: string): void
  textArray(values: readonly string[]): void
  byteaArray(values: readonly Uint8Array[]): void
  int4Array(values: readonly number[]): void
  /** Decimal texts. */
  numericArray(values: readonly string[]): void
  jsonbBegin(): void
  jsonbEnd(): void
}
