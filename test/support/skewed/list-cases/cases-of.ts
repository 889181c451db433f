import { withQuery } from '../list-case.ts'
import type { ListCase, ListKeys } from '../list-case.ts'

/** Values of path and query parameters. */
export type Values = Readonly<Record<string, string | number>>

/**
 * A case of a route: values named in braces in its path are inserted there, the others go into the
 * query.
 */
export function caseOf(route: string, values: Values, keys: ListKeys, isCut = false): ListCase {
  const inPath = new Set([...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''))
  const query = Object.fromEntries(Object.entries(values).filter(([name]) => !inPath.has(name)))
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  return { route, path: withQuery(path, query), keys, isCut }
}

/** Some days in the middle of the chain. */
export const someDays = { from: '2023-06-10', to: '2023-07-09' } as const

/** Whether row `t` is in a block of these days, as SQL. */
export const isWithinDays = `t.block_height in (select height from raw.blocks where timestamp >= '2023-06-10Z' and timestamp < '2023-07-10Z')`

/** Id of the only transaction of a block, 64 hex digits, as SQL. @param height a column */
export function transactionIdOf(height: string): string {
  return `encode(sha256(int8send(${height})), 'hex')`
}
