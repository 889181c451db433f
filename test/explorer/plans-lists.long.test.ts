import { expect } from 'chai'
import { withQuery } from '../support/skewed/list-case.ts'
import { listCases } from '../support/skewed/list-cases.ts'
import { followList, readCursors } from '../support/follow-list.ts'
import { maxRowsOf } from '../support/list-bounds.ts'
import { openSkewedLists } from '../support/skewed-lists.ts'
import type { SkewedLists } from '../support/skewed-lists.ts'

/**
 * A hundred partitions, two and a half years: about 11 GiB, created in ten minutes on two cores.
 */
const size = { transfers: 10_000_000, spacing: 50 }

/**
 * Rows that a page at the tail may read in addition to twice those at the head, as some are shared
 * by several places.
 */
const slack = 250

describe('the lists of the API on ten million transfers', function () {
  this.timeout(600_000)
  let lists: SkewedLists

  before(async function () {
    this.timeout(3_600_000)
    lists = await openSkewedLists(size, { isScanned: true })
  })

  after(() => lists.stop())

  for (const one of listCases) {
    it(`read few rows for ${one.path} at the head and at the tail`, async () => {
      const cursor = (await readCursors(lists.database.pool, one, 'tail', 22)).at(-1)
      const head = await lists.planOf(one.path)
      const tail = await lists.planOf(withQuery(one.path, { cursor }))
      expect(head.rowsTouched).to.be.at.most(maxRowsOf(one))
      expect(tail.rowsTouched).to.be.at.most(Math.max(2 * head.rowsTouched + slack, maxRowsOf(one)))
    })
  }

  for (const one of listCases.filter(({ path }) =>
    /^\/flow\/transaction\?.*&|big-transfers\?type|nft\/search\?q=word/.test(path),
  )) {
    it(`reach the end of ${one.path}`, async () => {
      const keys = await readCursors(lists.database.pool, one)
      const { counts } = await followList(lists.api, one.path, 100)
      expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(keys.length)
    })
  }
})
