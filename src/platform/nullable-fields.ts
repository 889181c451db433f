import type { RowWriter } from './row-writer.ts'

/** Fields of rows that may have no value, which is null in the table. */

export function textOrNull(rows: RowWriter, value: string | null | undefined): void {
  if (value === undefined || value === null) rows.null()
  else rows.text(value)
}

/** @param value decimal text */
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

/** @param value microseconds since 1970, UTC */
export function timestamptzUsOrNull(rows: RowWriter, value: number | undefined): void {
  if (value === undefined) rows.null()
  else rows.timestamptzUs(value)
}
