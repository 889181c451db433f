import { expect } from 'chai'
import fc from 'fast-check'
import { formatView, parseView, sections } from './view.ts'
import type { View } from './view.ts'

const views: fc.Arbitrary<View> = fc.record({
  section: fc.constantFrom(...sections),
  worker: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  code: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  span: fc.option(
    fc.tuple(fc.nat(), fc.integer({ min: 1, max: 1e6 })).map(([from, length]) => ({ from, to: from + length })),
    { nil: undefined },
  ),
})

describe('view in the URL', () => {
  it('round-trips', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(parseView(formatView(view))).to.deep.equal(view)
      }),
    )
  })

  it('is empty for the default view, and ignores invalid values', () => {
    const first = parseView('')
    expect(formatView(first)).to.equal('')
    expect(parseView('?show=all&from=9&to=3&x=y')).to.deep.equal(first)
  })
})
