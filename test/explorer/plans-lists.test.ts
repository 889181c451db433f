import { expect } from 'chai'
import { withQuery } from '../support/skewed/list-case.ts'
import { listCases } from '../support/skewed/list-cases.ts'
import { routes } from '../../src/explorer/routes.ts'
import { followList, readCursors } from '../support/follow-list.ts'
import { maxRowsOf } from '../support/list-bounds.ts'
import { openSkewedLists } from '../support/skewed-lists.ts'
import type { SkewedLists } from '../support/skewed-lists.ts'

/** Eight partitions; `plans-lists.long.test.ts` checks the same with ten million rows. */
const size = { transfers: 4000, spacing: 9000 }

/**
 * Paging parameters, and parameters that select one block or transaction, whose lists are short.
 */
const noFilters = new Set(['limit', 'cursor', 'offset', 'height', 'transaction_hash', 'format'])

describe('lists of the API', () => {
  let lists: SkewedLists

  before(async () => {
    lists = await openSkewedLists(size, { isScanned: false })
  })

  after(() => lists.stop())

  it('are covered completely, including their filters', () => {
    // Authenticated routes belong to operators and webhook owners and use other stores; plans-own.test.ts checks
    // own tables.
    const paged = routes.filter(
      ({ method, path, access, query }) =>
        method === 'GET' && access === 'none' && 'cursor' in query.shape && !path.startsWith('/own/'),
    )
    const missing = paged.flatMap(({ path, query }) => {
      const cases = listCases.filter(({ route }) => route === path)
      const filters = Object.keys(query.shape).filter((name) => !noFilters.has(name))
      const unused = filters.filter(
        (name) => !cases.some((one) => new URL(one.path, 'http://x').searchParams.has(name)),
      )
      return cases.length === 0 ? [path] : unused.map((name) => `${path}?${name}`)
    })
    expect(missing).to.deep.equal([])
    expect(
      [...new Set(listCases.map(({ route }) => route))].filter((path) => !paged.some((route) => route.path === path)),
    ).to.deep.equal([])
  })

  for (const one of listCases) {
    it(`return every row of ${one.path} once and read few rows per page`, async () => {
      const keys = await readCursors(lists.database.pool, one)
      const limit = Math.max(7, Math.min(100, Math.ceil(keys.length / 3)))
      const { counts, cursors } = await followList(lists.api, one.path, limit)
      expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(keys.length)
      if (!one.isCut)
        expect(cursors).to.deep.equal(keys.filter((_, i) => i % limit === limit - 1 && i < keys.length - 1))
      const places = { head: undefined, tail: keys.at(-22) ?? keys[0] }
      for (const [place, cursor] of Object.entries(places)) {
        const plan = await lists.planOf(withQuery(one.path, { cursor }))
        expect(plan.rowsTouched, place).to.be.at.most(maxRowsOf(one))
      }
    })
  }
})
