import { expect } from 'chai'
import fc from 'fast-check'
import { isShallow, isShallowText } from './json-depth.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Of what stands outside of texts. */
function deepest(text: string): number {
  let [level, most] = [0, 0]
  for (const bracket of text.replaceAll(/"(?:\\[^]|[^"\\])*(?:"|\\?$)/g, '').replaceAll(/[^[\]{}]/g, '')) {
    level += '[{'.includes(bracket) ? 1 : -1
    most = Math.max(most, level)
  }
  return most
}

describe('the depth of JSON', () => {
  it('is told of its text as of its value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 1, max: 12 }), (value, levels) => {
        const isDeep = !isShallowText(bytes(JSON.stringify(value)), levels)
        // Where both are asked they agree but for empty lists at the end, which have nothing in them.
        if (isShallow(value, levels - 1)) expect(isDeep).to.equal(false)
        if (isDeep) expect(isShallow(value, levels - 1)).to.equal(false)
      }),
    )
  })

  it('is told of any text as by looking at each character, however long its texts are', () => {
    const piece = fc.constantFrom(
      '"',
      '\\',
      '\\\\',
      '[',
      ']',
      '{',
      '}',
      'a',
      'x'.repeat(29),
      'x'.repeat(40),
      '\\'.repeat(31),
      '多',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 0, max: 4 }), (pieces, levels) => {
        const text = pieces.join('')
        expect(isShallowText(bytes(text), levels)).to.equal(deepest(text) <= levels)
      }),
      {
        numRuns: 2000,
        examples: [
          [['"', 'x'.repeat(32), '\\', '"', '[', '"', '['], 0],
          [['"', '\\'.repeat(33), '"', '['], 0],
          [['"', 'x'.repeat(40), '['], 0],
        ],
      },
    )
  })

  it('is not that of brackets within texts', () => {
    expect(isShallowText(bytes(JSON.stringify({ a: '[[[[{{{{', '[\\"[[': '\\' })), 1)).to.equal(true)
    expect(isShallowText(bytes('"\\\\\\"[[["'), 0)).to.equal(true)
    expect(isShallowText(bytes('["\\\\",[[]]]'), 2)).to.equal(false)
    expect(isShallowText(bytes('{"多":[{"少":[]}]}'), 4)).to.equal(true)
    expect(isShallowText(bytes('{"多":[{"少":[]}]}'), 3)).to.equal(false)
  })

  it('is that at one time, however many there are', () => {
    expect(isShallowText(bytes(`[${'[],'.repeat(1000)}{}]`), 2)).to.equal(true)
    expect(isShallowText(bytes('['.repeat(1_000_000)))).to.equal(false)
  })
})
