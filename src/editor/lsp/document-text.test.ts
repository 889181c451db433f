import { expect } from 'chai'
import fc from 'fast-check'
import { applyChanges, BadChange, offsetOf } from './document-text.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '\n', '\r\n', '\r', 'é', '\u2028', '\ud800') })

/** Reference implementation of the position of an offset. */
function positionOf(content: string, offset: number): { line: number; character: number } {
  const before = content.slice(0, offset)
  const lines = before.split(/\r\n|\r|\n/)
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 }
}

describe('document changes', () => {
  it('replace the text between two UTF-16 positions', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, fc.nat(), fc.nat(), async (content, put, a, b) => {
        const [from, to] = [a % (content.length + 1), b % (content.length + 1)].toSorted((x, y) => x - y) as [
          number,
          number,
        ]
        // The middle of a line break is an invalid position.
        fc.pre([from, to].every((at) => content.slice(at - 1, at + 1) !== '\r\n'))
        const range = { start: positionOf(content, from), end: positionOf(content, to) }
        expect(await applyChanges(content, [{ range, text: put }])).to.equal(
          content.slice(0, from) + put + content.slice(to),
        )
      }),
    )
  })

  it('apply in order, and a full text replaces everything', async () => {
    const at = (character: number): object => ({ start: { line: 0, character }, end: { line: 0, character } })
    expect(await applyChanges('', [{ text: 'ac' }, { range: at(1), text: 'b' }, { range: at(3), text: 'd' }])).to.equal(
      'abcd',
    )
  })

  it('give the same result in batches as one by one, also across line breaks', async () => {
    const position = fc.record({ line: fc.nat(5), character: fc.nat(6) })
    const change = fc.record({
      range: fc.option(fc.record({ start: position, end: position }), { nil: undefined, freq: 20 }),
      text,
    })
    await fc.assert(
      fc.asyncProperty(text, fc.array(change, { minLength: 5, maxLength: 12 }), async (content, changes) => {
        const oneByOne = async (): Promise<string> => {
          let whole = content
          for (const one of changes) whole = await applyChanges(whole, [one])
          return whole
        }
        const [single, many] = await Promise.all(
          [oneByOne(), applyChanges(content, changes)].map((result) => result.catch((error: unknown) => error)),
        )
        if (single instanceof Error) expect(many).to.be.instanceOf(BadChange)
        else expect(many).to.equal(single)
      }),
      { numRuns: 1000 },
    )
  })

  it('yield to others in large batches', async () => {
    const start = { line: 200_000, character: 0 }
    const changes = Array.from({ length: 40_000 }, () => ({ range: { start, end: start }, text: '' }))
    const changed = applyChanges('\n'.repeat(200_001), changes)
    const first = await Promise.race([
      changed.then(() => 'the changes'),
      new Promise<string>((resolve) => {
        setImmediate(() => resolve('another'))
      }),
    ])
    expect(first).to.equal('another')
    expect(await changed).to.have.length(200_001)
  })

  it('clamp positions beyond the line and the text', () => {
    expect(offsetOf('ab\r\ncd', { line: 0, character: 99 })).to.equal(2)
    expect(offsetOf('ab\r\ncd', { line: 9, character: 0 })).to.equal(6)
  })

  it('are rejected if invalid', async () => {
    const start = { line: 0, character: 0 }
    for (const changes of [
      undefined,
      [{}],
      [{ text: 1 }],
      [{ text: '', range: 1 }],
      [{ text: '', range: { start: { line: -1, character: 0 }, end: start } }],
      [{ text: '', range: { start: { line: 0, character: 1 }, end: start } }],
      [{ text: '', range: { start: { line: 0.5, character: 0 }, end: start } }],
    ])
      expect(await applyChanges('abc', changes).catch((error: unknown) => error)).to.be.instanceOf(BadChange)
  })
})
