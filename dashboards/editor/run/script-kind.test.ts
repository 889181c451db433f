import { expect } from 'chai'
import fc from 'fast-check'
import { codeShape } from './script-kind.ts'

describe('what a file of Cadence is', () => {
  it('is a script with the parameters of main', () => {
    const code = `import FungibleToken from 0xf233dcee88fe0abe // fun main(wrong: Int)
      /* transaction /* nested */ (no: Int) */
      access(all) struct S { fun main(inner: String) {} }
      access(all) fun main(_ to: Address, amounts: {String: [UFix64]}, by label: String?,): UFix64 { return 1.0 }`
    expect(codeShape(code)).to.deep.equal({
      kind: 'script',
      parameters: [
        { name: 'to', type: 'Address' },
        { name: 'amounts', type: '{String: [UFix64]}' },
        { name: 'label', type: 'String?' },
      ],
    })
  })

  it('is a transaction, with parameters or without', () => {
    expect(codeShape('transaction(amount: UFix64) { prepare(signer: &Account) {} }')).to.deep.equal({
      kind: 'transaction',
      parameters: [{ name: 'amount', type: 'UFix64' }],
    })
    expect(codeShape('transaction { prepare(signer: &Account) {} }')).to.deep.equal({
      kind: 'transaction',
      parameters: [],
    })
  })

  it('is a contract where functions called main are within it, and nothing else where it is empty', () => {
    expect(codeShape('access(all) contract A { access(all) fun main(a: Int) {} }').kind).to.equal('contract')
    expect(codeShape('').kind).to.equal('other')
    expect(codeShape('let text = "fun main(a: Int)"').kind).to.equal('other')
  })

  it('is told of as much code as a file may have, whatever a stranger has put there', () => {
    const blanks = ' '.repeat(900_000)
    expect(
      codeShape(`access(all) fun main(${blanks}a${blanks}:${blanks}Int${blanks}x${blanks})`).parameters,
    ).to.deep.equal([{ name: 'a', type: 'Int x' }])
    expect(codeShape(`access(all) fun main(${blanks}a${blanks})`).parameters).to.deep.equal([])
    expect(codeShape(`access(all) fun main(${'w'.repeat(900_000)})`).parameters).to.deep.equal([])
    // A field for each would be more than a page can show.
    expect(codeShape(`access(all) fun main(${'a: Int, '.repeat(100_000)})`).parameters).to.have.length(255)
  })

  it('is told of any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('fun ', 'main', '(', ')', '{', '}', '<', 'a: Int', ',', '"', '/*', '*/', ' '),
        }),
        (code) => {
          expect(codeShape(code).parameters).to.be.an('array')
        },
      ),
    )
  })
})
