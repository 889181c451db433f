import { expect } from 'chai'
import fc from 'fast-check'
import { inlineMetadata } from './token-uri.ts'

const none = { name: null, image: null }

describe('inline metadata of EVM items', () => {
  const json = JSON.stringify({ name: 'Heron 100% #1', image: 'data:image/svg+xml,<svg/>' })
  const metadata = { name: 'Heron 100% #1', image: 'data:image/svg+xml,<svg/>' }

  it('is read in each encoding', () => {
    for (const uri of [
      `data:application/json;base64,${Buffer.from(json).toString('base64')}`,
      `data:application/json;utf8,${json}`,
      `data:application/json,${encodeURIComponent(json)}`,
    ])
      expect(inlineMetadata(uri), uri).to.deep.equal(metadata)
  })

  it('is empty for other URIs and other values', () => {
    for (const uri of [
      null,
      '',
      'https://example.org/1.json',
      'data:text/plain,{}',
      'data:application/json,',
      'data:application/json,%',
      'data:application/json,[1]',
      'data:application/json,null',
      'data:application/json,{"name":7,"image":""}',
    ])
      expect(inlineMetadata(uri), String(uri)).to.deep.equal(none)
  })

  it('never throws', () => {
    const uri = fc.tuple(fc.constantFrom('', ';base64', ';utf8'), fc.oneof(fc.string(), fc.json()))
    fc.assert(
      fc.property(uri, ([encoding, content]) => void inlineMetadata(`data:application/json${encoding},${content}`)),
    )
  })
})
