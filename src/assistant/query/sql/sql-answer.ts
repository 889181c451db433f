import type { JsonValue } from '../../../platform/exact-json.ts'

/** What a statement gave: exact values, by position. */

/**
 * A value of a result, exact in JSON. `int8` and `numeric` are strings, as are NaN and the infinities; `bytea` is `0x` and lower-case
 * hex; timestamps are ISO 8601 in UTC with Z; `json` is JSON; arrays are arrays of such values; all other types are the text of the server.
 */
export type SqlValue = JsonValue

export interface SqlColumn {
  /** As the statement names it; several columns may have the same name. */
  readonly name: string
  /** PostgreSQL's name of the type: int8, numeric, text, bytea, _text for an array of texts. */
  readonly type: string
}

export interface SqlAnswer {
  readonly columns: readonly SqlColumn[]
  /** Values by position, so that columns of one name stay apart. */
  readonly rows: readonly (readonly SqlValue[])[]
  /** Rows given here, not those that were cut. */
  readonly rowCount: number
  /** There was more than is given here. */
  readonly truncated: boolean
  /** Which limit cut it: MAX_RESULT_ROWS, or the most bytes of an answer. */
  readonly truncatedBy?: 'rows' | 'bytes'
  /** From the start of the statement to its last row, without waiting for a turn. */
  readonly durationMs: number
}
