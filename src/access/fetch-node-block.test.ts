import { expect } from 'chai'
import { mapLimited } from './fetch-node-block.ts'

import fc from 'fast-check'

describe('mapLimited', () => {
  it('preserves order and respects the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 8 }),
        async (items, limit) => {
          let running = 0
          let max = 0
          const out = await mapLimited(items, limit, async (turns, index) => {
            max = Math.max(max, ++running)
            for (let i = 0; i < turns; i++) await Promise.resolve()
            running--
            return index
          })
          expect(out).to.deep.equal(items.map((_, i) => i))
          expect(max).to.equal(Math.min(limit, items.length))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('starts no further items after an error and throws the first error', async () => {
    const started: number[] = []
    let thrown: unknown
    await mapLimited([0, 1, 2, 3, 4, 5], 2, async (item) => {
      started.push(item)
      await Promise.resolve()
      if (item === 1) throw new Error('one')
    }).catch((error: unknown) => (thrown = error))
    expect(thrown).to.be.instanceOf(Error).with.property('message', 'one')
    expect(started).not.to.include(5)
  })
})
