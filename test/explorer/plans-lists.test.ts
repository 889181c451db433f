import { expect } from 'chai'
import { withQuery } from '../support/skewed/list-case.ts'
import { listCases } from '../support/skewed/list-cases.ts'
import { routes } from '../../src/explorer/routes.ts'
import { followList, readCursors } from '../support/followed-list.ts'
import { maxRowsOf } from '../support/list-bounds.ts'
import { openSkewedLists } from '../support/skewed-lists.ts'
import type { SkewedLists } from '../support/skewed-lists.ts'

/** In eight partitions: what is checked here in seconds is checked at ten million in `plans-lists.long.test.ts`. */
const size = { transfers: 4000, spacing: 9000 }

/** Parameters that say how a page is given, or that stand for one block or transaction, where nothing is deep. */
const noFilters = new Set(['limit', 'cursor', 'height', 'transaction_hash', 'format'])

describe('the lists of the API', () => {
  let lists: SkewedLists

  before(async () => {
    lists = await openSkewedLists(size, { isScanned: false })
  })

  after(() => lists.stop())

  it('are all here, each of their filters too', () => {
    // What needs a credential is of operators and owners of webhooks, and is read by other stores.
    const paged = routes.filter(
      ({ method, access, query }) => method === 'GET' && access === 'none' && 'cursor' in query.shape,
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
    it(`give all of ${one.path} once, to its end, and read few rows wherever in it a page is`, async () => {
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
