import { expect } from 'chai'
import { signOf, signSize } from './sign.ts'

describe('signs of what has no picture', () => {
  it('are always the same for one text, mirrored, and within their square', () => {
    const sign = signOf('A.179b6b1cb6755e31.PaperBoats 1')
    expect(signOf('A.179b6b1cb6755e31.PaperBoats 1')).to.deep.equal(sign)
    const filled = new Set(sign.cells.map(String))
    for (const [column, row] of sign.cells) {
      expect(filled).to.include(String([signSize - 1 - column, row]))
      expect([column, row].every((place) => place >= 0 && place < signSize)).to.equal(true)
    }
  })

  it('tell one from the next', () => {
    const signs = Array.from({ length: 500 }, (_, i) => JSON.stringify(signOf(`A.179b6b1cb6755e31.PaperBoats ${i}`)))
    expect(new Set(signs).size).to.be.above(490)
    expect(new Set(Array.from({ length: 500 }, (_, i) => signOf(`${i}`).hue)).size).to.be.above(200)
  })

  it('are made of any text', () => {
    for (const text of ['', '\u0000', '\u{1F468}', 'x'.repeat(10_000)]) expect(signOf(text).hue).to.be.within(0, 359)
  })
})
