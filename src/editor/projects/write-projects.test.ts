import { expect } from 'chai'
import fc from 'fast-check'
import { newSlug } from './write-projects.ts'

describe('new slug', () => {
  it('starts with the Latin part of the name and ends with ten random letters', () => {
    expect(newSlug('My Token!')).to.match(/^my-token-[a-z2-9]{10}$/)
    expect(newSlug('  Größe — Maß ')).to.match(/^gro-e-ma-[a-z2-9]{10}$/)
    expect(newSlug('合约')).to.match(/^project-[a-z2-9]{10}$/)
    expect(newSlug(`${'a'.repeat(39)} ${'b'.repeat(50)}`)).to.match(/^a{39}-[a-z2-9]{10}$/)
  })

  it('satisfies the table constraint for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (name) => {
        const slug = newSlug(name)
        expect(slug).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(slug.length).to.be.at.most(51)
      }),
    )
  })

  it('differs each time', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newSlug('a'))).size).to.equal(1000)
  })
})
