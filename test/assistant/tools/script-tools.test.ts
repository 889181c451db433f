import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { ApiError } from '../../../src/platform/errors.ts'
import { ScriptParser } from '../../../src/flow/cadence/script-parser.ts'
import { filesBelow, readRepositoryFile } from '../../support/repository.ts'
import { clients } from '../mcp/support/mcp-clients.ts'
import type { ConnectedClient } from '../mcp/support/mcp-clients.ts'
import { runTools } from './support/running-tools.ts'
import type { RunningTools } from './support/running-tools.ts'

const source = `import FungibleToken from 0xf233dcee88fe0abe
/* 你好 */ import "FlowToken"

access(all) contract Bank: Lender {
  access(all) entitlement Borrow
  /// What is kept for each customer.
  access(self) let kept: @{Address: {FungibleToken.Vault}}
  access(Borrow) fun take(_ amount: UFix64, of customer: Address): UFix64 {
    let left = self.rest(customer) - amount
    log("left \\(left)")
    return left
  }
  access(contract) view fun rest(_ customer: Address): UFix64 { return 0.0 }
  access(all) event Taken(amount: UFix64)
  init() { self.kept <- {} }
}
access(all) fun main(customer: Address): UFix64 {
  let left = "😀"; let vault <- FlowToken.createEmptyVault(vaultType: Type<@FlowToken.Vault>())
  destroy vault
  return Bank.take(1.0, of: customer)
}
`

interface Finding {
  readonly message: string
  readonly line: number
  readonly column: number
  readonly source: string
  readonly hint: string | null
}

describe('Cadence tools', () => {
  let tools: RunningTools
  let client: ConnectedClient

  before(async () => {
    tools = await runTools()
    const connected = await clients.at(-1)?.connect(tools.scriptUrl)
    if (connected === undefined) throw new Error('no client')
    client = connected
    // The first source starts the parser.
    await client.call('script_check', { code: 'let x = 1' })
  })
  after(async () => {
    await client.close()
    await tools.stop()
  })

  const check = async (
    code: string,
  ): Promise<{
    readonly is_valid: boolean
    readonly errors: readonly Finding[]
    readonly warnings: readonly Finding[]
    readonly kinds: readonly string[]
    readonly note: string
  }> => {
    const { structuredContent, isError } = await client.call('script_check', { code })
    expect(isError ?? false, JSON.stringify(structuredContent)).to.equal(false)
    return structuredContent as never
  }

  it('find no errors in valid Cadence 1.0, including syntax newer than the parser', async () => {
    const { is_valid, errors, warnings, kinds, note } = await check(
      source.replace('"FlowToken"', 'FlowToken from 0x1654653399040a61'),
    )
    expect(errors).to.deep.equal([])
    expect(warnings).to.deep.equal([])
    expect({ is_valid, kinds }).to.deep.equal({ is_valid: true, kinds: ['contract', 'script'] })
    expect(note).to.include('not checked').and.include('String templates')
    expect(await check('import FlowToken as Flow from 0x1654653399040a61\naccess(all) fun main() {}')).to.deep.include({
      is_valid: true,
      warnings: [],
    })
  })

  it('report errors with position, line and fix', async () => {
    const { is_valid, errors } = await check('/* 你好\n */ access(all) fun main() { let a = "😀"; pub let b = 1 }\n')
    expect(is_valid).to.equal(false)
    expect(errors[0]).to.deep.include({ line: 2, source: '*/ access(all) fun main() { let a = "😀"; pub let b = 1 }' })
    const old = await check('pub fun main(): Int {\n  return 1\n}')
    expect(old.errors).to.deep.equal([
      {
        message: '`pub` is no longer a valid access keyword',
        line: 1,
        column: 1,
        source: 'pub fun main(): Int {',
        hint: 'Replace it with access(all).',
      },
    ])
    const cut = await check('access(all) fun main(): Int {\n  return 1\n')
    expect(cut.errors[0]).to.include({ message: "expected token '}'", line: 3, column: 1 })
    const behind = await check('access(all) fun main() { let a = "你😀"; return § }')
    expect(behind.errors[0]).to.include({ line: 1, column: 47 })
  })

  it('warn about code that parses but is rejected by nodes', async () => {
    const code =
      'import "FungibleToken"\nimport FlowToken from 0x7e60df042a9c0868\nimport Crypto\nimport Mine from 0x0000000000000001\nfun main() {}\naccess(all) struct S { let x: Int; init() { self.x = 1 } }'
    const { is_valid, warnings } = await check(code)
    expect(is_valid).to.equal(true)
    expect(warnings.map(({ line, hint }) => [line, hint])).to.deep.equal([
      [1, 'Write import FungibleToken from 0xf233dcee88fe0abe.'],
      [2, 'Use 0x1654653399040a61.'],
      [5, 'Add access(all) or a narrower modifier.'],
      [6, 'Add access(all) or a narrower modifier.'],
    ])
    expect((await check('access(all) let x = 1')).warnings.map(({ message }) => message)).to.deep.equal([
      'the source declares nothing to run',
    ])
    expect(
      (await check('transaction { let x: Int prepare(a: &Account) { self.x = 1 } execute {} }')).warnings,
    ).to.deep.equal([])
  })

  it('list declarations with their lines and report errors in the source', async () => {
    const { structuredContent = {} } = await client.call('script_symbols', { code: source })
    const symbols = structuredContent['symbols'] as readonly {
      kind: string
      name: string
      access: string | null
      signature: string
      doc: string | null
      line: number
      end_line: number
      members?: readonly { kind: string; name: string; access: string; doc: string | null }[]
    }[]
    expect(symbols.map(({ kind, name, access, line, end_line }) => [kind, name, access, line, end_line])).to.deep.equal(
      [
        ['import', 'FungibleToken', null, 1, 1],
        ['import', 'FlowToken', null, 2, 2],
        ['contract', 'Bank', 'access(all)', 4, 16],
        ['function', 'main', 'access(all)', 17, 21],
      ],
    )
    expect(symbols[2]?.signature).to.equal('access(all) contract Bank: Lender')
    expect(symbols[2]?.members?.map(({ kind, name, access }) => [kind, name, access])).to.deep.equal([
      ['entitlement', 'Borrow', 'access(all)'],
      ['field', 'kept', 'access(self)'],
      ['function', 'take', 'access(Borrow)'],
      ['function', 'rest', 'access(contract)'],
      ['event', 'Taken', 'access(all)'],
      ['special function', 'init', null],
    ])
    expect(symbols[2]?.members?.[1]?.doc).to.equal('What is kept for each customer.')
    expect((await client.call('script_symbols', { code: 'pub fun a() {}' })).structuredContent).to.include({
      has_errors: true,
    })
  })

  it('describe a name by position or by itself', async () => {
    const means: ReadonlyArray<readonly [at: object, meaning: RegExp]> = [
      [{ name: 'left', line: 11 }, /^constant left, declared on line 9: let left = self\.rest\(customer\) - amount$/],
      [{ line: 20, column: 15 }, /^function take of Bank, declared on line 8: access\(Borrow\) fun take/],
      [{ name: 'rest', line: 9 }, /^function rest of Bank, declared on line 13/],
      [{ name: 'customer', line: 20 }, /^parameter customer, declared on line 17: customer: Address$/],
      [{ name: 'self', line: 15 }, /^contract Bank, declared on line 4/],
      [{ name: 'Vault', line: 7 }, /^Vault of the imported contract FungibleToken.*0xf233dcee88fe0abe on mainnet/],
      [
        { name: 'createEmptyVault' },
        /^createEmptyVault of the imported contract FlowToken.*0x1654653399040a61 on mainnet/,
      ],
      [{ name: 'FlowToken', line: 2 }, /^The imported contract FlowToken/],
      [{ name: 'log' }, /emulator/],
      [{ name: 'UFix64' }, /8 decimals/],
      [{ name: 'Lender' }, /^Lender is not declared in this source/],
    ]
    for (const [at, meaning] of means) {
      const { structuredContent, isError } = await client.call('script_hover', { code: source, ...at })
      expect(isError ?? false, JSON.stringify(at)).to.equal(false)
      expect(structuredContent?.['meaning'], JSON.stringify(at)).to.match(meaning)
    }
    const definition = await client.call('script_definition', { code: source, name: 'take', line: 20 })
    expect(definition.structuredContent).to.deep.include({
      kind: 'function',
      name: 'take',
      container: 'Bank',
      line: 8,
      column: 22,
    })
  })

  it('find members by the types of the source and terminate on cyclic types', async () => {
    const last = 'access(all) fun main(s: &S): Int { let a: a = 1; let b: S = s.next!; a.n; b.own.n; return b.next!.n }'
    const code = `access(all) struct S { access(all) let next: S?; access(all) let own: own; access(all) let n: Int; init() {} }\n${last}`
    const at = (text: string, word: string): object => ({
      line: 2,
      column: last.indexOf(text) + text.indexOf(word) + 1,
    })
    const means: ReadonlyArray<readonly [at: object, meaning: RegExp]> = [
      [at('s.next', 'next'), /^field next of S/],
      [at('b.next', 'next'), /^field next of S/],
      [at('!.n }', 'n'), /^field n of S, declared on line 1/],
      [at('a.n', 'a'), /^constant a/],
      [at('.n;', 'n'), /^Probably field n of S/],
      [at('own.n;', 'n;'), /^Probably field n of S/],
    ]
    for (const [place, meaning] of means)
      expect(
        (await client.call('script_hover', { code, ...place })).structuredContent?.['meaning'],
        JSON.stringify(place),
      ).to.match(meaning)
  })

  it('report why no description is available', async () => {
    const refused: ReadonlyArray<readonly [tool: string, at: object, code: string]> = [
      ['script_hover', {}, 'no-place'],
      ['script_hover', { line: 1 }, 'no-place'],
      ['script_hover', { line: 3, column: 1 }, 'no-name-there'],
      ['script_hover', { line: 99, column: 1 }, 'no-name-there'],
      ['script_hover', { name: 'absent' }, 'no-name-there'],
      ['script_definition', { name: 'UFix64' }, 'not-declared-here'],
      ['script_hover', { name: '../x' }, 'invalid-field'],
    ]
    for (const [tool, at, code] of refused) {
      const { structuredContent, isError } = await client.call(tool, { code: source, ...at })
      expect({ isError, code: structuredContent?.['error_code'] }, JSON.stringify(at)).to.deep.equal({
        isError: true,
        code,
      })
    }
    const broken = await client.call('script_hover', { code: '§', name: 'a' })
    expect(broken.structuredContent?.['error']).to.include('script_check')
    expect(
      (await client.call('script_check', { code: `"${'你'.repeat(40_000)}"` })).structuredContent?.['error'],
    ).to.match(/at most 102400 bytes/)
  })

  it('return a result for any input and continue to work', async () => {
    const bad = [
      '\0',
      '\ud800',
      '"',
      '/*',
      '"\\(',
      '"\\u{110000}"',
      '((((',
      '}}}}',
      'import',
      'import 0x',
      'let x: @AnyResource{A} <- y',
      'access(',
      'access(all) fun',
      '#',
      'transaction {',
      '(',
      '[',
      '{',
      '-',
      '&',
      'a<',
      'fun(): Int {return ',
      '!',
      'if true {',
      'a ? ',
      '/*',
      '"\\(',
      'pub ',
    ].flatMap((text, i) => (i < 15 ? [text] : [text.repeat(1000), `let a = ${text.repeat(3000)}`]))
    for (const code of bad) {
      for (const tool of ['script_check', 'script_symbols']) {
        const { structuredContent, isError } = await client.call(tool, { code })
        const reported = isError === true ? structuredContent?.['error_code'] : 'answered'
        expect(reported, `${tool} ${JSON.stringify(code.slice(0, 40))}`).to.be.oneOf([
          'answered',
          'script-too-deep',
          'script-timeout',
        ])
      }
      await client.call('script_hover', { code, line: 1, column: 1 })
    }
    expect((await check('access(all) fun main() {}')).is_valid).to.equal(true)
  })

  it('accept the examples of the documentation', async () => {
    const pages = [...filesBelow(['skills'], /SKILL\.md$/), 'src/assistant/tools/script-reference.md']
    const blocks = pages
      .flatMap((page) =>
        [...readRepositoryFile(page).matchAll(/^```cadence\n([^]*?)^```/gm)].map(([, code = '']) => ({ page, code })),
      )
      .filter(({ code }) => !/^scripts\/\w+\.cdc$/m.test(code))
    expect(blocks.length).to.be.greaterThan(3)
    for (const { page, code } of blocks) {
      const { errors } = await check(code)
      expect(errors, `${page}: ${code.slice(0, 100)}`).to.deep.equal([])
    }
  })

  it('return the result of the right source to each concurrent caller', async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => client.call('script_symbols', { code: `access(all) fun f${i}() {}` })),
    )
    for (const [i, { structuredContent }] of results.entries())
      expect(structuredContent?.['symbols']).to.have.nested.property('[0].name', `f${i}`)
  })
})

describe('Cadence parser', () => {
  const signal = new AbortController().signal
  // Exceeds the time limit: more than a second of work.
  const long = { kind: 'symbols', code: 'access(all) fun main() {}\n'.repeat(15_000) } as const
  const short = { kind: 'symbols', code: 'access(all) fun main() {}' } as const
  const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'answered',
      (error: unknown) => (error instanceof ApiError ? error.code : error),
    )

  it('stops parsing at its timeout and continues to work, without blocking other work', async () => {
    const parser = new ScriptParser({ cpuLimitMs: 300 })
    let output: unknown
    const slow = codeOf(parser.read(long, signal)).then((code) => (output = code))
    for (let turn = 0; turn < 3; turn++) await setImmediate()
    expect(output).to.equal(undefined)
    expect(await slow).to.equal('script-timeout')
    expect(await codeOf(parser.read(short, signal))).to.equal('answered')
    await parser.close()
  })

  it('rejects work above its limit, discards work of disconnected callers, and stops on close', async () => {
    const parser = new ScriptParser({ maxWaiting: 3, cpuLimitMs: 60_000 })
    const disconnect = new AbortController()
    // The first call starts the thread; the others wait for it.
    const running = codeOf(parser.read(long, signal))
    const left = codeOf(parser.read(short, disconnect.signal))
    const waiting = codeOf(parser.read(short, signal))
    expect(await codeOf(parser.read(short, signal))).to.equal('scripts-busy')
    disconnect.abort(new ApiError(499, 'left', 'left'))
    expect(await left).to.equal('left')
    expect(await codeOf(parser.read(short, AbortSignal.abort(new ApiError(499, 'gone', 'gone'))))).to.equal('gone')
    expect(await running).to.equal('answered')
    expect(await waiting).to.equal('answered')
    const last = codeOf(parser.read(long, signal))
    await parser.close()
    expect(await last).to.equal('scripts-busy')
    expect(await codeOf(parser.read(short, signal))).to.equal('scripts-busy')
  })

  it('stops its thread when idle and starts another on demand', async () => {
    const reported: string[] = []
    let ended = Promise.withResolvers<void>()
    const parser = new ScriptParser({
      idleMs: 1,
      onThread: (event) => {
        reported.push(event)
        if (event === 'ended') ended.resolve()
      },
    })
    for (let round = 0; round < 2; round++) {
      expect(await codeOf(parser.read(short, signal))).to.equal('answered')
      await ended.promise
      ended = Promise.withResolvers<void>()
    }
    expect(reported).to.deep.equal(['started', 'ended', 'started', 'ended'])
    await parser.close()
  })
})
