/** The keys of a list, said in SQL without regard to what it costs. */
export interface ListKeys {
  /** The cursor after a row. */
  readonly cursor: string
  /** Tables and condition. */
  readonly from: string
  /** Columns, with a minus before those of which the highest comes first. */
  readonly order: readonly string[]
}

/** A list of the API with some filters, on a skewed chain. */
export interface ListCase {
  /** The path as its route declares it. */
  readonly route: string
  /** With its parameters, and those of its query but cursor and limit. */
  readonly path: string
  readonly keys: ListKeys
  /**
   * What the filters leave out is looked through: a page ends early after so much of it, and its cursor may be that
   * of a row which is not in the list.
   */
  readonly isCut: boolean
}

/** The path of a request. @param more parameters of its query */
export function withQuery(path: string, more: Readonly<Record<string, string | number | undefined>>): string {
  const words = Object.entries(more).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return words.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${words.join('&')}`
}

/** The statement that gives the cursors after the first rows of a list, or after its last ones, the last first. */
export function selectCursors({ cursor, from, order }: ListKeys, end: 'head' | 'tail', limit: number | 'all'): string {
  const columns = order.map((column) => {
    const isDescending = column.startsWith('-')
    return `${column.replace(/^-/, '')} ${isDescending === (end === 'head') ? 'desc' : 'asc'}`
  })
  return `select ${cursor} as cursor from ${from} order by ${columns.join(', ')} limit ${limit}`
}
