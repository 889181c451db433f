import { Readable } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { ApiError } from '../errors.ts'
import { readJson, isShallow, isShallowText } from './read-json.ts'
import fc from 'fast-check'

describe('request body', () => {
  const read = (text: string): Promise<unknown> => {
    const request = Object.assign(Readable.from([Buffer.from(text)]), {
      headers: { 'content-type': 'application/json' },
      complete: true,
    })
    return readJson(request as unknown as IncomingMessage, 10_000_000)
  }

  it('is not parsed if nested too deeply, which would block other requests', async () => {
    // Invalid JSON is left to the parser.
    const error: unknown = await read('['.repeat(4_000_000)).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ApiError).and.include({ status: 400, code: 'too-deep' })
    expect(await read(`${'['.repeat(200)}${']'.repeat(200)}`)).to.be.an('array')
  })
})

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Outside string literals. */
function deepest(text: string): number {
  let [level, max] = [0, 0]
  for (const bracket of text.replaceAll(/"(?:\\[^]|[^"\\])*(?:"|\\?$)/g, '').replaceAll(/[^[\]{}]/g, '')) {
    level += '[{'.includes(bracket) ? 1 : -1
    max = Math.max(max, level)
  }
  return max
}

describe('JSON depth', () => {
  it('is the same for text and value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 1, max: 12 }), (value, levels) => {
        const isDeep = !isShallowText(bytes(JSON.stringify(value)), levels)
        // They agree except for empty lists at the end, which have no content.
        if (isShallow(value, levels - 1)) expect(isDeep).to.equal(false)
        if (isDeep) expect(isShallow(value, levels - 1)).to.equal(false)
      }),
    )
  })

  it('equals a character-by-character scan for any text with strings of any length', () => {
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

  it('ignores brackets in strings', () => {
    expect(isShallowText(bytes(JSON.stringify({ a: '[[[[{{{{', '[\\"[[': '\\' })), 1)).to.equal(true)
    expect(isShallowText(bytes('"\\\\\\"[[["'), 0)).to.equal(true)
    expect(isShallowText(bytes('["\\\\",[[]]]'), 2)).to.equal(false)
    expect(isShallowText(bytes('{"多":[{"少":[]}]}'), 4)).to.equal(true)
    expect(isShallowText(bytes('{"多":[{"少":[]}]}'), 3)).to.equal(false)
  })

  it('is the maximum at one time, not the total', () => {
    expect(isShallowText(bytes(`[${'[],'.repeat(1000)}{}]`), 2)).to.equal(true)
    expect(isShallowText(bytes('['.repeat(1_000_000)))).to.equal(false)
  })
})
