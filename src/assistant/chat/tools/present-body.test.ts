import { expect } from 'chai'
import fc from 'fast-check'
import type { JsonValue } from '../../../platform/exact-json.ts'
import { maxSummaryCharacters, presentBody, summariseJson } from './present-body.ts'
import type { PresentedBody } from './present-body.ts'

const present = (text: string | Buffer, contentType = 'application/json', isCut = false): PresentedBody =>
  presentBody(
    { url: new URL('https://api.listed.test/x'), contentType, bytes: Buffer.from(text), isCut },
    () => 'not asked',
  )

describe('presentBody', () => {
  it('returns JSON parsed, with numbers beyond double precision as strings', () => {
    expect(present('{"a":[1,"b",null],"wei":123456789012345678901,"price":0.1}')).to.deep.equal({
      body: { a: [1, 'b', null], wei: '123456789012345678901', price: 0.1 },
      truncated: false,
    })
    expect(present('{"a":1}', 'application/vnd.api+json;charset=utf-8').body).to.deep.equal({ a: 1 })
    expect(present('[1]', '').body).to.deep.equal([1])
  })

  it('returns other bodies as text, even when they are labelled JSON', () => {
    expect(present('<p>Hi</p>', 'text/html').body).to.equal('<p>Hi</p>')
    expect(present('{"a":', 'application/json').body).to.equal('{"a":')
    expect(present(Buffer.from([0xe9]), 'text/plain;charset=iso-8859-1').body).to.equal('é')
    expect(present(Buffer.from([0xe9]), 'text/plain;charset=nobody-knows').body).to.equal('\uFFFD')
  })

  it('returns only the size of images and other binary bodies', () => {
    expect(present('PNG', 'image/png')).to.deep.equal({
      body: null,
      truncated: true,
      note: 'Binary content omitted: 3 bytes of image/png.',
    })
    expect(present('')).to.deep.equal({ body: null, truncated: false })
  })

  it('notes omissions', () => {
    const rows = JSON.stringify(Array.from({ length: 3000 }, (_, i) => ({ i })))
    expect(present(rows)).to.include({
      truncated: true,
      note: 'Shortened: lists truncated to 20 items. Request less: by page, filter or id.',
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

  it('truncates JSON of unlimited depth', () => {
    for (const middle of ['', '0.1234567890123456789']) {
      expect(present('['.repeat(200_000) + middle + ']'.repeat(200_000)).truncated).to.equal(true)
    }
  })
})

const lengthOf = (value: JsonValue): number => JSON.stringify(value).length

describe('summariseJson', () => {
  it('returns short values whole', () => {
    const value = { a: [1, 'b', null, true, { c: [] }], empty: {}, many: Array.from({ length: 300 }, (_, i) => i) }
    expect(summariseJson(value)).to.deep.equal({ value, cut: undefined })
  })

  it('returns the first 20 items of a long list and the number of the others', () => {
    const rows = Array.from({ length: 5000 }, (_, id) => ({ id, name: `coin ${id}` }))
    const { value, cut } = summariseJson(rows)
    expect(value).to.deep.equal([...rows.slice(0, 20), '… 4,980 more items'])
    expect(cut).to.equal('lists truncated to 20 items')
  })

  it('truncates long texts, wide objects and deep values in place', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, i]))
    let deep: JsonValue = { end: 'x'.repeat(20_000) }
    for (let i = 0; i < 8; i++) deep = [deep]
    const { value, cut } = summariseJson({ text: 'é'.repeat(20_000), many, deep })
    const shown = value as { text: string; many: Record<string, unknown>; deep: unknown }
    expect(shown.text).to.equal(`${'é'.repeat(4000)}… (20,000 characters)`)
    expect(shown.many).to.include({ f99: 99, '…': '1 more fields' }).and.to.not.have.property('f100')
    expect(JSON.stringify(shown.deep)).to.equal('[[[[[[["… a list of 1"]]]]]]]')
    expect(cut).to.include('4000 characters').and.to.include('100 fields').and.to.include('level 8')
  })

  it('allows more for chain responses: scripts and events', () => {
    const transaction = {
      script: 's'.repeat(15_000),
      events: Array.from({ length: 110 }, (_, event_index) => ({ event_index, payload: { amount: '1.00000000' } })),
    }
    expect(summariseJson(transaction, true)).to.deep.equal({ value: transaction, cut: undefined })
    expect(summariseJson(transaction).cut).to.be.a('string')
  })

  it('never exceeds its maximum length and contains no unpaired surrogates', () => {
    const wide = (width: number, depth: number): JsonValue =>
      depth === 0
        ? 'leaf'
        : Object.fromEntries(Array.from({ length: width }, (_, i) => [`name${i}`, wide(width, depth - 1)]))
    for (const value of [
      wide(19, 4),
      wide(300, 2),
      'x'.repeat(2_000_000),
      Array.from({ length: 20 }, () => 'y'.repeat(90_000)),
      '\u0001'.repeat(100_000),
      { ['n'.repeat(1_000_000)]: 1 },
    ]) {
      const { value: shown, cut } = summariseJson(value)
      expect(lengthOf(shown)).to.be.at.most(maxSummaryCharacters)
      expect(cut).to.be.a('string')
    }
    expect(JSON.stringify(summariseJson(['\uD800', { '\uDC00': 'a\uD800' }]).value)).to.equal(
      '["\uFFFD",{"\uFFFD":"a\uFFFD"}]',
    )
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const { value: shown, cut } = summariseJson(value as JsonValue)
        if (cut === undefined && JSON.stringify(value).isWellFormed()) expect(lengthOf(shown)).to.be.at.most(16_000)
      }),
    )
  })

  it('treats names of object prototypes as fields', () => {
    const value = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as JsonValue
    expect(JSON.stringify(summariseJson(value).value)).to.equal('{"__proto__":{"x":1},"constructor":2}')
  })
})
