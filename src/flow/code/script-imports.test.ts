import { expect } from 'chai'
import { scriptImports, importsEvm, scriptHash } from './script-imports.ts'
import { createHash } from 'node:crypto'

import * as fc from 'fast-check'

function brief(script: string): string[] {
  return scriptImports(script).map(({ name, address = '?' }) => `${address} ${name}`)
}

const one = '0000000000000001'

describe('scriptImports', () => {
  it('reads all spellings', () => {
    for (const [script, expected] of [
      ['import A from 0x1', [`${one} A`]],
      ['import A from 0x01 import B from 0xf233dcee88fe0abe', [`${one} A`, 'f233dcee88fe0abe B']],
      ['import A, B,C from 0x1', [`${one} A`, `${one} B`, `${one} C`]],
      ['import A as X, B from 0x1', [`${one} A`, `${one} B`]],
      ['import A as X from 0x1', [`${one} A`]],
      ['import "A"', ['? A']],
      ['import A', ['? A']],
      ['import Crypto\ntransaction {}', ['? Crypto']],
      ['import A from "./A.cdc"', ['? A']],
      ['import "A";import "B"', ['? A', '? B']],
      ['import\n  A\n  ,\n  B\n  from\n  0x1', [`${one} A`, `${one} B`]],
      ['import A /* from 0x2 */ from // here\n 0x1', [`${one} A`]],
      ['import from from 0x1', [`${one} from`]],
      ['import A from 0xF233DCEE88FE0ABE', ['f233dcee88fe0abe A']],
      ['import A from 0x0000000000000000001', [`${one} A`]],
      ['import A from 0x1\r\nimport A from 0x1', [`${one} A`]],
      ['#allowAccountLinking\nimport A from 0x1', [`${one} A`]],
    ] as const) {
      expect(brief(script), script).to.deep.equal(expected)
    }
  })

  it('ignores text that is not an import', () => {
    for (const script of [
      '',
      'transaction {}',
      '// import A from 0x1',
      '/* import A from 0x1 */',
      '/* /* */ import A from 0x1 */ transaction {}',
      'let s = "import A from 0x1"',
      String.raw`let s = "\" import A from 0x1"`,
      'let s = "\nimport A from 0x1\n"',
      'let important = 1',
      'let reimport = A',
      'import 0x1',
      'import A, B',
      'import "../contracts/A.cdc"',
      'import A from 0x12345678901234567',
      'import',
      'import "A',
      '/* import A from 0x1',
    ]) {
      expect(brief(script), script).to.deep.equal([])
    }
  })

  it('reads many declarations in any spelling, with line breaks and comments between tokens', () => {
    const gap = fc.constantFrom(
      ' ',
      '\n',
      '\r\n\t',
      ' // import No from 0x9\n',
      '/* import No /* 0x9 */ from */',
      '\u2028',
    )
    const name = fc.stringMatching(/^[A-Z][A-Za-z0-9_]{0,8}$/)
    const address = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })
    const alias = fc.option(name, { nil: undefined })
    const several = fc.record({
      kind: fc.constant('address' as const),
      names: fc.array(fc.tuple(name, alias), { minLength: 1, maxLength: 4 }),
      address,
    })
    const text = fc.record({ kind: fc.constantFrom('text' as const, 'bare' as const, 'file' as const), name })
    const declaration = fc.oneof(several, text)
    fc.assert(
      fc.property(fc.array(declaration, { maxLength: 6 }), fc.infiniteStream(gap), (declarations, gaps) => {
        const words = (...all: string[]): string => all.map((word) => `${word}${gaps.next().value ?? ' '}`).join('')
        const expected = new Set<string>()
        const script = declarations.map((one) => {
          if (one.kind !== 'address') {
            expected.add(`? ${one.name}`)
            if (one.kind === 'file') return words('import', one.name, 'from', `"./${one.name}.cdc"`)
            return words('import', one.kind === 'text' ? `"${one.name}"` : one.name)
          }
          const hex = one.address.toString(16)
          for (const [imported] of one.names) expected.add(`${hex.padStart(16, '0')} ${imported}`)
          const names = one.names.flatMap(([imported, as], i) => [
            ...(i > 0 ? [','] : []),
            imported,
            ...(as === undefined ? [] : ['as', as]),
          ])
          return words('import', ...names, 'from', `0x${hex}`)
        })
        expect(brief(`${script.join(';')} transaction { let text = "import No from 0x9" }`)).to.deep.equal([
          ...expected,
        ])
      }),
    )
  })

  it('terminates for any text', () => {
    const word = fc.constantFrom(
      'import ',
      'from ',
      'as ',
      'A',
      ',',
      '"',
      '/*',
      '*/',
      '//',
      '\n',
      '0x1',
      '\\',
      ' ',
      'é',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        for (const { name, address } of scriptImports(words.join(''))) {
          expect(name).to.match(/^[A-Za-z_]\w*$/)
          if (address !== undefined) expect(address).to.match(/^[0-9a-f]{16}$/)
        }
      }),
    )
  })
})

describe('scriptHash', () => {
  it('hashes the exact bytes, outer white space included', () => {
    const script = Buffer.from('  transaction {}\n')
    expect(scriptHash(script)).to.deep.equal(createHash('sha256').update(script).digest())
    expect(scriptHash(script)).not.to.deep.equal(scriptHash(Buffer.from('transaction {}')))
  })
})

describe('importsEvm', () => {
  it('searches for the exact text', () => {
    expect(importsEvm(Buffer.from('import EVM from 0xe467b9dd11fa00df\ntransaction {}'))).to.equal(true)
    for (const text of ['', 'import evm from 0x1', 'import  EVM', 'import FungibleToken', 'import "EVM"']) {
      expect(importsEvm(Buffer.from(text)), text).to.equal(false)
    }
  })
})
