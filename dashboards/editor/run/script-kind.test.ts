import { expect } from 'chai'
import fc from 'fast-check'
import { codeShape, errorParts, errorTitle } from './script-kind.ts'

describe('kind of a Cadence file', () => {
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

  it('is a transaction, with or without parameters', () => {
    expect(codeShape('transaction(amount: UFix64) { prepare(signer: &Account) {} }')).to.deep.equal({
      kind: 'transaction',
      parameters: [{ name: 'amount', type: 'UFix64' }],
      signers: 1,
    })
    expect(codeShape('transaction { prepare(one: &Account, other: auth(Storage) &Account) {} }')).to.deep.equal({
      kind: 'transaction',
      parameters: [],
      signers: 2,
    })
    expect(codeShape('transaction { execute { log("prepare(a: &Account)") } }')).to.include({ signers: 0 })
  })

  it('is a contract, also with functions called main; other for an empty file', () => {
    expect(
      codeShape(`access(all) contract A {
        access(all) resource R { init(inner: Int) {} }
        access(all) fun main(a: Int) {}
        init(supply: UFix64) {}
      }`),
    ).to.deep.equal({ kind: 'contract', name: 'A', parameters: [{ name: 'supply', type: 'UFix64' }] })
    expect(codeShape('access(all) contract interface I {}')).to.include({ kind: 'contract', name: 'I' })
    expect(codeShape('').kind).to.equal('other')
    expect(codeShape('let text = "fun main(a: Int)"').kind).to.equal('other')
  })

  it('is read quickly from the largest file', () => {
    const blanks = ' '.repeat(900_000)
    expect(
      codeShape(`access(all) fun main(${blanks}a${blanks}:${blanks}Int${blanks}x${blanks})`).parameters,
    ).to.deep.equal([{ name: 'a', type: 'Int x' }])
    expect(codeShape(`access(all) fun main(${blanks}a${blanks})`).parameters).to.deep.equal([])
    expect(codeShape(`access(all) fun main(${'w'.repeat(900_000)})`).parameters).to.deep.equal([])
    // One input per parameter would be more than a page can show.
    expect(codeShape(`access(all) fun main(${'a: Int, '.repeat(100_000)})`).parameters).to.have.length(255)
  })

  it('is defined for any text', () => {
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

const hash = 'a7'.repeat(32)
const message = `[Error Code: 1101] error caused by: 1 error occurred:\n\t* [Error Code: 1101] cadence runtime error: Execution failed:\nerror: cannot find variable in this scope: \`foo\`\n --> ${hash}:3:11\n  |\n3 |     return foo\n  |            ^^^ not found in this scope\n`

describe('script errors', () => {
  it('link to line and column of the script, from 1', () => {
    const places = errorParts(message).filter(({ kind }) => kind === 'place')
    expect(places).to.deep.equal([{ kind: 'place', text: 'line 3, column 12', line: 3, column: 12 }])
    expect(errorTitle(message)).to.equal('cannot find variable in this scope: `foo`')
  })

  it('do not link to contracts', () => {
    expect(errorParts(' --> f233dcee88fe0abe.FungibleToken:24:9')).to.deep.equal([
      { kind: 'text', text: ' --> f233dcee88fe0abe.FungibleToken:24:9' },
    ])
  })

  it('keep the whole message', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const texts = errorParts(`${before}--> ${hash}:1:0\n${after}`).flatMap((part) =>
          part.kind === 'text' ? [part.text] : [],
        )
        expect(texts.join('')).to.equal(`${before}--> \n${after}`)
      }),
    )
  })
})
