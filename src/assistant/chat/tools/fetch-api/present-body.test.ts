import { expect } from 'chai'
import { presentBody } from './present-body.ts'
import type { PresentedBody } from './present-body.ts'

const present = (text: string | Buffer, contentType = 'application/json', isCut = false): PresentedBody =>
  presentBody(
    { url: new URL('https://api.listed.test/x'), contentType, bytes: Buffer.from(text), isCut },
    () => 'not asked',
  )

describe('presentBody', () => {
  it('gives JSON as what it is, with numbers that no double holds as texts', () => {
    expect(present('{"a":[1,"b",null],"wei":123456789012345678901,"price":0.1}')).to.deep.equal({
      body: { a: [1, 'b', null], wei: '123456789012345678901', price: 0.1 },
      truncated: false,
    })
    expect(present('{"a":1}', 'application/vnd.api+json;charset=utf-8').body).to.deep.equal({ a: 1 })
    expect(present('[1]', '').body).to.deep.equal([1])
  })

  it('gives other texts as text, also such as say that they are JSON', () => {
    expect(present('<p>Hi</p>', 'text/html').body).to.equal('<p>Hi</p>')
    expect(present('{"a":', 'application/json').body).to.equal('{"a":')
    expect(present(Buffer.from([0xe9]), 'text/plain;charset=iso-8859-1').body).to.equal('é')
    expect(present(Buffer.from([0xe9]), 'text/plain;charset=nobody-knows').body).to.equal('\uFFFD')
  })

  it('gives nothing of pictures and the like but their size', () => {
    expect(present('PNG', 'image/png')).to.deep.equal({
      body: null,
      truncated: true,
      note: '3 bytes of image/png are not shown: no text.',
    })
    expect(present('')).to.deep.equal({ body: null, truncated: false })
  })

  it('says what it leaves out', () => {
    const rows = JSON.stringify(Array.from({ length: 3000 }, (_, i) => ({ i })))
    expect(present(rows)).to.include({
      truncated: true,
      note: 'Shortened: lists have their first 20 items. Ask for less: by page, filter or id.',
    })
    const long = present('x'.repeat(60_001), 'text/plain')
    expect(long)
      .to.include({ truncated: true, body: 'x'.repeat(60_000) })
      .and.to.have.property('note')
      .that.includes('60001 characters')
    expect(present('[1', 'application/json', true))
      .to.include({ truncated: true, body: '[1' })
      .and.to.have.property('note')
      .that.includes('2097152 bytes')
  })

  it('takes JSON that is nested without end for a text', () => {
    const deep = '['.repeat(200_000) + '0.1234567890123456789' + ']'.repeat(200_000)
    expect(present(deep).body).to.equal('['.repeat(60_000))
    expect(present('['.repeat(200_000) + ']'.repeat(200_000)).truncated).to.equal(true)
  })
})
