import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { RunningApi } from './running-api.ts'

/** All pages of a list, in cursor order. Asserts the invariants of every page. */
export async function allPages<Item>(api: RunningApi, path: string, limit: number): Promise<Item[]> {
  const items: Item[] = []
  let cursor = ''
  do {
    const list = await api.json<List<Item>>(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${cursor}`)
    expect(list._meta).to.deep.equal({ limit, count: list.data.length, has_more: list.has_more })
    if (list.has_more) expect(list.data).to.have.length(limit)
    expect(list.has_more).to.equal(list.cursor !== '')
    items.push(...list.data)
    cursor = list.cursor
  } while (cursor !== '')
  return items
}
