/** A value of a row: what JSON cannot hold exactly, such as int8 and numeric, is a string. */
export type SqlValue = null | boolean | number | string | readonly SqlValue[] | { readonly [name: string]: SqlValue }

export interface Column {
  readonly name: string
  /** PostgreSQL's name of the type. */
  readonly type: string
  /** Whether its values are read from the right. */
  readonly isNumber: boolean
}

/** The rows of an answer by position. */
export interface ResultTable {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly SqlValue[])[]
}
