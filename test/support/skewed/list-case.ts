/** The keys of a list, as SQL regardless of cost. */
export interface ListKeys {
  /** The cursor after a row. */
  readonly cursor: string
  /** Tables and condition. */
  readonly from: string
  /** Columns, with a minus for descending order. */
  readonly order: readonly string[]
}

/** An API list with filters, on a skewed chain. */
export interface ListCase {
  /** The path in its route declaration. */
  readonly route: string
  /** With path and query parameters, except cursor and limit. */
  readonly path: string
  readonly keys: ListKeys
  /**
   * Rows that the filters exclude are scanned: a page ends early after a maximum of them, and its
   * cursor may be that of a row outside the list.
   */
  readonly isCut: boolean
}

/** The path of a request. @param more additional query parameters */
export function withQuery(path: string, more: Readonly<Record<string, string | number | undefined>>): string {
  const words = Object.entries(more).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return words.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${words.join('&')}`
}

/**
 * The statement for the cursors after the first rows of a list, or after its last ones in reverse
 * order.
 */
export function selectCursors({ cursor, from, order }: ListKeys, end: 'head' | 'tail', limit: number | 'all'): string {
  const columns = order.map((column) => {
    const isDescending = column.startsWith('-')
    return `${column.replace(/^-/, '')} ${isDescending === (end === 'head') ? 'desc' : 'asc'}`
  })
  return `select ${cursor} as cursor from ${from} order by ${columns.join(', ')} limit ${limit}`
}
