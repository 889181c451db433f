import { expect } from 'chai'
import { pictureSources, identiconOf, identiconSize } from './picture-sources.ts'

const gateways = ['https://one.example/ipfs/', 'https://two.example/ipfs/']

describe('picture sources', () => {
  it('are HTTPS URLs, IPFS gateways or data URLs', () => {
    expect(pictureSources('https://pictures.example/a b.png', gateways)).to.deep.equal([
      'https://pictures.example/a%20b.png',
    ])
    expect(pictureSources('ipfs://bafyone/3.png', gateways)).to.deep.equal([
      'https://one.example/ipfs/bafyone/3.png',
      'https://two.example/ipfs/bafyone/3.png',
    ])
    expect(pictureSources('ipfs://ipfs/QmOne/My%20boat.png?x=1', ['https://one.example/ipfs/'])).to.deep.equal([
      'https://one.example/ipfs/QmOne/My%20boat.png',
    ])
    const drawn = 'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>'
    expect(pictureSources(drawn, gateways)).to.deep.equal([drawn])
  })

  it('are empty for anything else', () => {
    const refused = [
      null,
      '',
      'picture.png',
      '//evil.example/1.png',
      'http://plain.example/1.png',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'blob:https://evil.example/1',
      'data:text/html,<script>alert(1)</script>',
      'https://user:secret@evil.example/1.png',
      'ipfs://../../etc',
      'ipfs://one/%2e%2e/two',
      'ipfs://one/%2fetc',
      'ipfs://one/%',
      'ipfs://one\\two',
      'ipfs://',
    ]
    for (const source of refused) expect(pictureSources(source, gateways), String(source)).to.deep.equal([])
  })
})

describe('identicons', () => {
  it('are deterministic, symmetric and within their square', () => {
    const sign = identiconOf('A.179b6b1cb6755e31.PaperBoats 1')
    expect(identiconOf('A.179b6b1cb6755e31.PaperBoats 1')).to.deep.equal(sign)
    const filled = new Set(sign.cells.map(String))
    for (const [column, row] of sign.cells) {
      expect(filled).to.include(String([identiconSize - 1 - column, row]))
      expect([column, row].every((place) => place >= 0 && place < identiconSize)).to.equal(true)
    }
  })

  it('differ between texts', () => {
    const signs = Array.from({ length: 500 }, (_, i) =>
      JSON.stringify(identiconOf(`A.179b6b1cb6755e31.PaperBoats ${i}`)),
    )
    expect(new Set(signs).size).to.be.above(490)
    expect(new Set(Array.from({ length: 500 }, (_, i) => identiconOf(`${i}`).hue)).size).to.be.above(200)
  })

  it('accept any text', () => {
    for (const text of ['', '\u0000', '\u{1F468}', 'x'.repeat(10_000)])
      expect(identiconOf(text).hue).to.be.within(0, 359)
  })
})
