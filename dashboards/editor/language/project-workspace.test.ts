import { expect } from 'chai'
import fc from 'fast-check'
import { fileUri, pathOfUri } from './project-workspace.ts'

describe('file URIs', () => {
  it('round-trip for any name', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !text.includes('/') && text !== '.' && text !== '..' && text.isWellFormed())
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
        expect(pathOfUri(fileUri(segments.join('/')))).to.equal(segments.join('/'))
      }),
    )
  })

  it('reject other URIs', () => {
    for (const uri of ['https://a/b', 'file:///', 'file:///../etc', 'file:///a/%2e%2e/b', 'file:///%', 'file://host/a'])
      expect(pathOfUri(uri), uri).to.equal(undefined)
  })
})
