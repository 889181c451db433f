import { expect } from 'chai'
import { normalScript } from './normal-script.ts'

import fc from 'fast-check'

const hashOf = (script: string): string => normalScript(script, 'mainnet').hash

/** Script tokens. No two neighbours join into another token. */
const word = fc.constantFrom(
  'transaction',
  'prepare',
  'let',
  'x',
  '42',
  '0.08',
  '(',
  ')',
  '{',
  '}',
  '<-',
  ':',
  ',',
  '.',
  '??',
  '"a  b"',
  '"// no comment"',
  String.raw`"\" /*"`,
  '@',
  '&',
)
const gap = fc.constantFrom(' ', '\n', '\t ', '\r\n', ' // remark\n', ' /* a /* nested */ remark */ ', ' /**/ ', ' ; ')

describe('normalScript', () => {
  it('is equal for scripts that differ only in comments and white space', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap, gap), { maxLength: 30 }), (parts) => {
        const [one, other] = [1, 2].map((at) => parts.map((part) => `${part[0]}${part[at as 1 | 2]}`).join(''))
        expect(normalScript(one ?? '', 'mainnet')).to.deep.equal(normalScript(other ?? '', 'mainnet'))
      }),
    )
  })

  it('differs for different tokens', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(), word, (words, at, instead) => {
        const index = at % words.length
        const changed = words.with(index, instead)
        fc.pre(words[index] !== instead)
        expect(hashOf(words.join(' '))).to.not.equal(hashOf(changed.join(' ')))
      }),
    )
  })

  it('preserves string literals', () => {
    expect(hashOf('log("a b")')).to.not.equal(hashOf('log("a  b")'))
    expect(hashOf('log("// a")')).to.not.equal(hashOf('log("// b")'))
    expect(hashOf('log("a") // b')).to.equal(hashOf('log( "a" )'))
  })

  it('uses the names of imported contracts, independent of spelling, order and network', () => {
    const spellings = [
      'import FungibleToken from 0xf233dcee88fe0abe import FlowToken from 0x1654653399040a61 transaction {}',
      'import FlowToken from 0x1654653399040a61\nimport FungibleToken from 0xf233dcee88fe0abe\ntransaction {}',
      'import "FungibleToken"; import "FlowToken"; transaction { }',
      'import FungibleToken\nimport FlowToken\ntransaction{}',
    ]
    for (const script of spellings) {
      expect(normalScript(script, 'mainnet')).to.deep.equal({
        imports: ['FlowToken', 'FungibleToken'],
        body: 'transaction { }',
        hash: hashOf(spellings[0] ?? ''),
      })
    }
    const onTestnet =
      'import FungibleToken from 0x9a0766d93b6608b7 import FlowToken from 0x7e60df042a9c0868 transaction {}'
    expect(normalScript(onTestnet, 'testnet').hash).to.equal(hashOf(spellings[0] ?? ''))
    const several = 'import NonFungibleToken, MetadataViews from 0x1d7e57aa55817448 transaction {}'
    expect(normalScript(several, 'mainnet').imports).to.deep.equal(['MetadataViews', 'NonFungibleToken'])
  })

  it('distinguishes a contract of the same name in another account', () => {
    const script = 'import FlowToken from 0x0bad transaction {}'
    expect(normalScript(script, 'mainnet').imports).to.deep.equal(['A.0000000000000bad.FlowToken'])
    expect(hashOf(script)).to.not.equal(hashOf('import FlowToken from 0x1654653399040a61 transaction {}'))
  })
})
