import { expect } from 'chai'
import fc from 'fast-check'
import { blobId } from './blob-id.ts'

describe('the name that Git has for a text', () => {
  before(() => Object.assign(globalThis, { isSecureContext: true }))
  after(() => Reflect.deleteProperty(globalThis, 'isSecureContext'))

  // As `git hash-object` says them.
  const known: readonly (readonly [string, string])[] = [
    ['', 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'],
    ['hello world\n', '3b18e512dba79e4c8300dd08aeb37f8e728b8dad'],
    ['h\u00e9llo \u{1F30A}\n', '2be449f0aeea10f3b8aeda8bc4024e42092bbba0'],
    ['a\r\nb\0c', '49715e57008dc7bc112fe7697a970eec153b35dc'],
  ]
  for (const [text, id] of known) {
    it(`is ${id.slice(0, 7)} for ${JSON.stringify(text)}`, async () => {
      expect(await blobId(text)).to.equal(id)
    })
  }

  it('is not known to pages that came over plain HTTP', async () => {
    Object.assign(globalThis, { isSecureContext: false })
    const error: unknown = await blobId('').catch((thrown: unknown) => thrown)
    Object.assign(globalThis, { isSecureContext: true })
    expect(error).to.have.property('message').that.includes('https://')
  })

  it('is the same for the same text alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), async (one, other) => {
        expect((await blobId(one)) === (await blobId(other))).to.equal(one === other)
      }),
    )
  })
})
