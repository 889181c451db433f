import { expect } from 'chai'
import { SearchSpans } from './rounds.ts'

describe('SearchSpans', () => {
  const search = { whole: 10_000, max: 4, startedAt: 0, endedAt: 5 }

  it('searches deeper while it finds too little, up to the whole chain', () => {
    const spans = new SearchSpans(100)
    const seen: number[] = []
    let isMore = true
    while (isMore) {
      seen.push(spans.of('a'))
      isMore = spans.searched('a', { ...search, span: spans.of('a'), depths: [50] })
    }
    expect(seen).to.deep.equal([100, 800, 6400, 51_200])
    expect(spans.of('a')).to.equal(51_200)
    expect(spans.of('b')).to.equal(100)
  })

  it('follows the backlog down and returns to the head', () => {
    const spans = new SearchSpans(100)
    expect(spans.searched('a', { ...search, span: 100, depths: [70, 80, 90, 95] })).to.equal(false)
    expect(spans.of('a')).to.equal(190)
    spans.searched('a', { ...search, span: 190, depths: [150, 160, 170, 180] })
    expect(spans.of('a')).to.equal(360)
    spans.searched('a', { ...search, span: 360, depths: [1, 2, 3, 4] })
    expect(spans.of('a')).to.equal(100)
  })

  it('stays near the head for ten times the duration of an empty search', () => {
    const spans = new SearchSpans(100)
    spans.searched('a', { ...search, span: 12_800, depths: [], startedAt: 1000, endedAt: 1020 })
    expect(spans.of('a')).to.equal(100)
    expect(spans.searched('a', { ...search, span: 100, depths: [], startedAt: 1210, endedAt: 1219 })).to.equal(false)
    expect(spans.of('a')).to.equal(100)
    expect(spans.searched('a', { ...search, span: 100, depths: [], startedAt: 1219, endedAt: 1220 })).to.equal(true)
    expect(spans.of('a')).to.equal(800)
  })

  it('ignores searches without capacity', () => {
    const spans = new SearchSpans(100)
    expect(spans.searched('a', { ...search, span: 100, max: 0, depths: [] })).to.equal(false)
    expect(spans.of('a')).to.equal(100)
  })
})
