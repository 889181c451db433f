import { expect } from 'chai'
import fc from 'fast-check'
import { cadenceParser } from '../../support/cadence-parser.ts'
import { transactionScript } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { namedDangers, rightOf } from '../../../dashboards/wallet/fcl/transaction-summary.ts'
import { readScript } from '../../../dashboards/wallet/fcl/script-facts.ts'

interface Parameter {
  readonly Identifier: { readonly Identifier: string }
  readonly TypeAnnotation: { readonly AnnotatedType: ParsedType }
}
interface ParsedType {
  readonly Type: string
  readonly ReferencedType?: { readonly Identifier?: { readonly Identifier: string } }
  readonly Authorization?: Readonly<
    Record<
      'ConjunctiveElements' | 'DisjunctiveElements',
      readonly { readonly Identifier: { readonly Identifier: string } }[] | undefined
    >
  > | null
}

describe('permissions of a script', () => {
  it("are read from the wallet's own scripts", () => {
    expect(readScript(transactionScript('send-flow', 'testnet'))).to.deep.equal({
      accounts: [{ name: 'signer', type: 'auth(BorrowValue) &Account', entitlements: ['BorrowValue'] }],
      imports: [
        { names: ['FungibleToken'], from: '0x9a0766d93b6608b7' },
        { names: ['FlowToken'], from: '0x7e60df042a9c0868' },
      ],
      hasHiddenCharacters: false,
    })
  })

  it('match the Cadence parser, whatever surrounds them', async () => {
    const parse = await cadenceParser()
    const gap = fc.constantFrom(
      '',
      ' ',
      '\n',
      ' // transaction { prepare(x: &Account) {} }\n',
      '/* prepare(a: auth(Keys) &Account) /* } */ */',
      '\t',
    )
    const right = fc.constantFrom('BorrowValue', 'SaveValue', 'Keys', 'Storage', 'FungibleToken.Withdraw')
    const type = fc.oneof(
      fc.constantFrom('&Account', '&AnyStruct', '&Account?', '@{A.B}'),
      fc
        .tuple(fc.array(right, { minLength: 1, maxLength: 3 }), fc.constantFrom(',', '|'), gap)
        .map(([rights, between, g]) => `auth(${rights.join(between + g)})${g} &${g}Account`),
    )
    const parameter = fc
      .tuple(fc.constantFrom('', 'label ', '_ '), fc.constantFrom('a', 'prepare', 'signer'), gap, type)
      .map(([label, name, g, kind]) => `${label}${name}${g}:${g}${kind}`)
    const head = fc.constantFrom(
      '',
      'import A from 0x01\n',
      'access(all) fun f(_ a: auth(Keys) &Account): String { return "} transaction { prepare(b: &Account) {} }" }\n',
    )
    const fields = fc.constantFrom('', 'let prepare: Int\n', 'var v: @{A.B}\n let f: fun(Int): {Int: String}\n')
    const script = fc
      .tuple(
        head,
        gap,
        fc.constantFrom('', '()', '(amount: UFix64, to: [{A: B}])'),
        fields,
        gap,
        fc.array(parameter, { maxLength: 3 }),
        fc.constantFrom('', ','),
      )
      .map(
        ([first, g, parameters, own, h, list, end]) =>
          `${first}${g}transaction${parameters}${g}{ ${own}${h}prepare${g}(${list.join(`,${g}`)}${list.length > 0 ? end : ''}) { let s = "x" } }`,
      )
    let agreed = 0
    fc.assert(
      fc.property(script, (code) => {
        const { program, error } = parse(code)
        const found = program?.Declarations?.find(({ Type }) => Type === 'TransactionDeclaration') as
          | {
              readonly Prepare?: {
                readonly FunctionDeclaration: {
                  readonly ParameterList: { readonly Parameters: readonly Parameter[] | null }
                }
              }
            }
          | undefined
        if (error !== undefined || found === undefined) return
        agreed++
        const expected = (found.Prepare?.FunctionDeclaration.ParameterList.Parameters ?? []).map(
          ({ Identifier, TypeAnnotation: { AnnotatedType: kind } }) => ({
            name: Identifier.Identifier,
            rights:
              kind.Type === 'ReferenceType' && kind.ReferencedType?.Identifier?.Identifier === 'Account'
                ? (kind.Authorization?.ConjunctiveElements ?? kind.Authorization?.DisjunctiveElements ?? []).length
                : undefined,
          }),
        )
        expect(
          readScript(code).accounts?.map(({ name, entitlements }) => ({ name, rights: entitlements?.length })),
          code,
        ).to.deep.equal(expected)
      }),
      { numRuns: 200 },
    )
    expect(agreed).to.be.greaterThan(50)
  })

  it('are undefined if strings may hide code, or if there are two transactions', () => {
    const hiding = [
      'access(all) fun f() { "\\(g("} transaction { prepare(a: &Account) {} } access(all) fun h() {"))" }\ntransaction { prepare(a: auth(Keys) &Account) {} }',
      'transaction { execute {} }  transaction { prepare(a: auth(Keys) &Account) {} }',
      'transaction { prepare(a: &Account',
      '',
      'access(all) fun main() {}',
      'transaction { prepare(a: "&Account") {} }',
    ]
    for (const code of hiding) expect(readScript(code).accounts, code).to.equal(undefined)
    expect(readScript('transaction { execute { log(1) } }').accounts).to.deep.equal([])
    expect(readScript('transaction { prepare(a: AuthAccount) {} }').accounts?.[0]?.entitlements).to.equal(undefined)
    expect(
      readScript('transaction { prepare(a: auth(mapping M) &Account) {} }').accounts?.[0]?.entitlements?.map(
        (name) => rightOf(name).weight,
      ),
    ).to.deep.equal(['bad'])
  })

  it('include the imports and their sources', () => {
    const code =
      'import Crypto\nimport "FlowToken"\nimport A, B from 0xAB; import C as D from 0x02\n// import E from 0x03\nimport 0x04\nimport F\n from\n "./f.cdc"\ntransaction { execute { let x = "import G from 0x05" } }'
    expect(readScript(code).imports).to.deep.equal([
      { names: ['Crypto'], from: undefined },
      { names: [], from: '"FlowToken"' },
      { names: ['A', 'B'], from: '0xab' },
      { names: ['C as D'], from: '0x02' },
      { names: [], from: '0x04' },
      { names: ['F'], from: '"./f.cdc"' },
    ])
  })

  it('include imports in any position', async () => {
    const parse = await cadenceParser()
    for (const code of [
      'import A from 0x01 import B from 0x02',
      'transaction {} import A from 0x01 /* */ import B from 0x02',
      'import A from 0x01import B from 0x02',
      'import\nA\nfrom\n0x01;import B from 0x02',
    ]) {
      const found = parse(code).program?.Declarations?.filter(({ Type }) => Type === 'ImportDeclaration')
      expect(found?.length, code).to.equal(2)
      expect(readScript(code).imports, code).to.deep.equal([
        { names: ['A'], from: '0x01' },
        { names: ['B'], from: '0x02' },
      ])
    }
    expect(
      readScript('import"A"\nimport B from"b.cdc"\ntransaction { execute { log("from") log("import C from 0x03") } }')
        .imports,
    ).to.deep.equal([
      { names: [], from: '"A"' },
      { names: ['B'], from: '"b.cdc"' },
    ])
  })

  it('are read without errors from very long scripts', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (code) => void readScript(code)))
    for (const part of ['\n', ' ', '(', '/*', 'import ', 'transaction{prepare(', '"', 'a:', 'auth('])
      readScript(part.repeat(Math.ceil(300_000 / part.length)))
    readScript(`transaction { prepare(a: ${' '.repeat(300_000)}x) {} }`)
  })

  it('include entitlements to a whole account in any position', () => {
    expect(namedDangers('/* Keys */ "AddContract" AddKeys').map(({ name }) => name)).to.deep.equal([
      'Keys',
      'AddContract',
    ])
    expect(rightOf('constructor')).to.include({ weight: 'bad' })
  })
})
