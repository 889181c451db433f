import type { Pool } from 'pg'
import { selectCursors, withQuery } from './skewed/list-case.ts'
import type { ListCase } from './skewed/list-case.ts'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { RunningApi } from './running-api.ts'

/** The result of following a list page by page. */
export interface FollowedList {
  /** Items of each page. */
  readonly counts: readonly number[]
  /** The cursor of each page but the last. */
  readonly cursors: readonly string[]
}

/** Follows a list to its end. @throws if a cursor repeats, as such a list has no end */
export async function followList(api: RunningApi, path: string, limit: number): Promise<FollowedList> {
  const counts: number[] = []
  const cursors: string[] = []
  for (let cursor: string | undefined; cursor !== '';) {
    const list: List<unknown> = await api.json(withQuery(path, { limit, cursor }))
    if (list.cursor !== '' && list.cursor === cursor) throw new Error(`${path} repeats the cursor ${cursor}`)
    counts.push(itemsOf(list))
    cursor = list.cursor
    if (cursor !== '') cursors.push(cursor)
  }
  return { counts, cursors }
}

/** For lists whose page is one item with a nested list, counts the nested items. */
function itemsOf({ data }: List<unknown>): number {
  const [first] = data
  if (typeof first !== 'object' || first === null) return data.length
  if ('transfers' in first && Array.isArray(first.transfers)) return first.transfers.length
  return 'dependents' in first && Array.isArray(first.dependents) ? first.dependents.length : data.length
}

/** The cursors of all rows of a list, in order, by one statement regardless of cost. */
export async function readCursors(
  pool: Pool,
  { keys }: ListCase,
  end: 'head' | 'tail' = 'head',
  limit: number | 'all' = 'all',
): Promise<string[]> {
  const { rows } = await pool.query<{ cursor: string | number }>(selectCursors(keys, end, limit))
  return rows.map(({ cursor }) => String(cursor))
}
