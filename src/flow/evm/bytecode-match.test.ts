import { expect } from 'chai'
import { constructorArguments, matchCode } from './bytecode-match.ts'

const hash = (byte: string): string => `a2646970667358221220${byte.repeat(32)}`
/** Code that ends with CBOR metadata and its length. */
const withMetadata = (code: string, byte: string): string => `${code}${hash(byte)}64736f6c63430008250033`
const code = (object: string, ...open: { start: number; length: number }[]): { object: string; open: typeof open } => {
  return { object, open }
}

describe('match of EVM code with compiled code', () => {
  const body = '6080604052005b'

  it('is full if also the hash of the sources is equal', () => {
    expect(matchCode(withMetadata(body, 'ab'), code(withMetadata(body, 'ab')))).to.equal('full')
  })

  it('is partial if only the metadata differ, or are absent', () => {
    expect(matchCode(withMetadata(body, 'ab'), code(withMetadata(body, 'cd')))).to.equal('partial')
    expect(matchCode(body, code(withMetadata(body, 'cd')))).to.equal('partial')
    expect(matchCode(body, code(body))).to.equal('partial')
  })

  it('is partial if the metadata of a created contract differ', () => {
    const outer = (byte: string): string => withMetadata(`${body}${hash(byte)}005b${body}`, byte)
    expect(matchCode(outer('ab'), code(outer('cd')))).to.equal('partial')
  })

  it('ignores immutable values, addresses of libraries and the address of a library', () => {
    const immutable = { start: 2, length: 3 }
    expect(matchCode('6080112233005b', code('6080000000005b', immutable))).to.equal('partial')
    expect(matchCode('6081112233005b', code('6080000000005b', immutable))).to.equal(undefined)
    const placeholder = `__$${'a'.repeat(34)}$__`
    const linked = code(`73${placeholder}5b`, { start: 1, length: 20 })
    expect(matchCode(`73${'ef'.repeat(20)}5b`, linked)).to.equal('partial')
    const library = `73${'00'.repeat(20)}30146080`
    expect(matchCode(`73${'ef'.repeat(20)}30146080`, code(library))).to.equal('partial')
  })

  it('is absent if the code differs, is longer or only metadata', () => {
    expect(matchCode(withMetadata(body, 'ab'), code(withMetadata('6080604052015b', 'ab')))).to.equal(undefined)
    expect(matchCode(`${body}00`, code(body))).to.equal(undefined)
    expect(matchCode('', code(body))).to.equal(undefined)
  })

  it('leaves the arguments of the constructor', () => {
    const creation = withMetadata(body, 'ab')
    const word = '7'.padStart(64, '0')
    expect(constructorArguments(creation + word, code(creation))).to.equal(word)
    expect(constructorArguments(creation, code(creation))).to.equal('')
    expect(constructorArguments(`00${creation}`, code(creation))).to.equal(undefined)
  })
})
