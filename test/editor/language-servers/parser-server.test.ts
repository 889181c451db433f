import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parserProgram } from '../../../src/editor/language-server/find-language-server.ts'
import { ServerDriver } from './server-driver.ts'

const token = `import Base from "./_/base.cdc"

/// A token.
access(all) contract Token {

    /// How many there are.
    access(all) var supply: UFix64

    access(all) resource Vault {
        access(all) var balance: UFix64
        init(balance: UFix64) {
            self.balance = balance
        }
        access(all) fun join(_ other: @Vault) {
            self.balance = self.balance + other.balance
            destroy other
        }
    }

    access(all) fun make(): @Vault {
        let vault <- create Vault(balance: 1.0)
        let kept: &Base.Store? = nil
        return <- vault
    }

    init() {
        self.supply = 0.0
    }
}
`

/** Position of the n-th occurrence of a substring. */
function placeOf(text: string, piece: string, nth = 0): [line: number, character: number] {
  let at = -1
  for (let i = 0; i <= nth; i++) at = text.indexOf(piece, at + 1)
  assert.ok(at >= 0, piece)
  const before = text.slice(0, at)
  return [before.split('\n').length - 1, at - before.lastIndexOf('\n') - 1]
}

describe('Cadence 1.0 parser language server', () => {
  let folder: string
  let server: ServerDriver

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parser-server-'))
    await mkdir(join(folder, '_'))
    await writeFile(join(folder, 'flow.json'), '{}')
    await writeFile(
      join(folder, '_/base.cdc'),
      '/// The base.\naccess(all) contract Base {\n    /// Keeps.\n    access(all) /* 😀 */ resource Store {\n        access(all) fun keep() {}\n    }\n}\n',
    )
    server = await ServerDriver.start(parserProgram(), folder)
  })

  after(async () => {
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  it('advertises its actual capabilities', () => {
    assert.match(parserProgram().label, /syntax only, no types/)
    assert.equal(server.initialized?.serverInfo?.name, parserProgram().label)
  })

  it('reports no false errors, and correct positions after any characters', async () => {
    assert.deepEqual(await server.open('token.cdc', token), [])
    const bad = '/* 😀 é */ access(all) fun main() { let a = "😀漢" + }\n/* ü */ pub fun x() {}'
    const found = await server.open('bad.cdc', bad)
    assert.deepEqual(
      found.map(({ range: { start } }) => [start.line, start.character]),
      [[0, bad.indexOf('}')]],
    )
    const old = '/* 😀\r\n */ pub contract A {\r\n  pub let x: Int\r\n init() { self.x = 1 } }'
    const hints = await server.open('old.cdc', old)
    assert.deepEqual(
      hints.map(({ range: { start, end }, message }) => [start.line, start.character, end.character, message]),
      [
        [1, 4, 7, '`pub` is no longer a valid access keyword: write access(all)'],
        [2, 2, 5, '`pub` is no longer a valid access keyword: write access(all)'],
      ],
    )
  })

  it('applies incremental changes in UTF-16 units, and checks the latest version', async () => {
    await server.open('parts.cdc', 'let a = "😀"\nlet b = 1\n')
    const { uri } = { uri: server.uri('parts.cdc') }
    const before = server.publishedCount('parts.cdc')
    await server.notify('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [
        { range: { start: { line: 0, character: 9 }, end: { line: 0, character: 11 } }, text: 'x' },
        { range: { start: { line: 1, character: 8 }, end: { line: 1, character: 9 } }, text: '' },
      ],
    })
    for (let version = 3; version < 40; version++) {
      await server.notify('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text: `access(all) let a = "x"\n//${version}\n` }],
      })
    }
    assert.deepEqual(await server.diagnostics('parts.cdc', (all) => all.at(-1)?.version === 39), [])
    assert.ok(server.publishedCount('parts.cdc') - before < 20, 'not each version is checked')
  })

  it('returns document symbols, and the previous ones while the text does not parse', async () => {
    const names = async () =>
      (await server.symbols('token.cdc')).flatMap(({ name, children = [] }) => [
        name,
        ...children.map((child) => child.name),
      ])
    assert.deepEqual(await names(), ['Token', 'supply', 'Vault', 'make', 'init'])
    await server.change('token.cdc', `${token}\naccess(`, 2)
    assert.deepEqual(await names(), ['Token', 'supply', 'Vault', 'make', 'init'])
    await server.change('token.cdc', token, 3)
    const folds = await server.request<{ startLine: number }[]>('textDocument/foldingRange', {
      textDocument: { uri: server.uri('token.cdc') },
    })
    assert.ok(folds.length > 3)
  })

  it('shows a declaration and its doc comment on hover', async () => {
    assert.match(
      (await server.hover('token.cdc', ...placeOf(token, 'supply = 0'))) ?? '',
      /var supply: UFix64[^]*How many there are\./,
    )
    assert.match(
      (await server.hover('token.cdc', ...placeOf(token, 'Base.Store'))) ?? '',
      /contract Base[^]*The base\./,
    )
    assert.match((await server.hover('token.cdc', ...placeOf(token, 'Store?'))) ?? '', /resource Store[^]*Keeps\./)
    assert.match((await server.hover('token.cdc', ...placeOf(token, 'UFix64'))) ?? '', /8 decimal/)
    assert.equal(await server.hover('token.cdc', 1, 0), undefined)
  })

  it('resolves definitions by scope and into imported files', async () => {
    const own = await server.definition('token.cdc', ...placeOf(token, 'vault\n'))
    assert.deepEqual([own?.uri, own?.range.start.line], [server.uri('token.cdc'), placeOf(token, 'let vault')[0]])
    const parameter = await server.definition('token.cdc', ...placeOf(token, 'balance\n        }'))
    assert.equal(parameter?.range.start.line, placeOf(token, 'init(balance')[0])
    const store = await server.definition('token.cdc', ...placeOf(token, 'Store?'))
    assert.deepEqual([store?.uri, store?.range.start], [server.uri('_/base.cdc'), { line: 3, character: 34 }])
    const contract = await server.definition('token.cdc', ...placeOf(token, 'Base from'))
    assert.deepEqual([contract?.uri, contract?.range.start], [server.uri('_/base.cdc'), { line: 1, character: 21 }])
  })

  it('renames by scope, only symbols that the document declares', async () => {
    const rename = (piece: string, newName: string) => {
      const [line, character] = placeOf(token, piece)
      return server.request<{ changes: Record<string, { range: { start: { line: number } } }[]> } | null>(
        'textDocument/rename',
        { textDocument: { uri: server.uri('token.cdc') }, position: { line, character }, newName },
      )
    }
    const edits = Object.values((await rename('vault <-', 'purse'))?.changes ?? {}).flat()
    assert.deepEqual(
      edits.map(({ range }) => range.start.line),
      [placeOf(token, 'let vault')[0], placeOf(token, 'return <- vault')[0]],
    )
    assert.equal(await rename('Base.Store', 'Other'), null)
    await assert.rejects(rename('vault <-', 'a b'), /not a Cadence identifier/)
  })

  it('completes members, names in scope and keywords in incomplete text', async () => {
    const labelsAt = async (text: string, version: number) => {
      const at = text.indexOf('|')
      const code = text.replace('|', '')
      await server.change('token.cdc', code, version)
      const before = text.slice(0, at)
      return (
        await server.completions('token.cdc', before.split('\n').length - 1, at - before.lastIndexOf('\n') - 1)
      ).map(({ label }) => label)
    }
    assert.deepEqual((await labelsAt(token.replace('self.supply = 0.0', 'self.|'), 10)).toSorted(), [
      'Vault',
      'make',
      'supply',
    ])
    assert.deepEqual((await labelsAt(token.replace('destroy other', 'other.|'), 11)).toSorted(), ['balance', 'join'])
    assert.deepEqual(await labelsAt(token.replace('&Base.Store? = nil', '&Base.|'), 12), ['Store'])
    const inCode = await labelsAt(token.replace('return <- vault', 'ret|'), 13)
    for (const label of ['return', 'vault', 'kept', 'Token', 'Base', 'panic']) assert.ok(inCode.includes(label), label)
    const outside = await labelsAt(`${token}\n|`, 14)
    assert.ok(outside.includes('transaction') && outside.includes('contract') && !outside.includes('return'))
    const members = await labelsAt(
      token.replace('    init() {\n        self.supply', '    |\n    init() {\n        self.supply'),
      15,
    )
    assert.ok(members.includes('access(all)') && members.includes('event') && !members.includes('import'))
    assert.deepEqual(await labelsAt('access(all) fun main() {\n  let x = [1, 2].|', 16), [])
    await server.change('token.cdc', token, 17)
  })

  it('reads no file outside the project of a document', async () => {
    const other = await mkdtemp(join(tmpdir(), 'other-project-'))
    try {
      await writeFile(join(other, 'secret.cdc'), 'access(all) contract Secret { access(all) fun hidden() {} }')
      await symlink(join(other, 'secret.cdc'), join(folder, 'link.cdc'))
      await symlink(other, join(folder, 'linked'))
      for (const path of [
        `../${other.split('/').at(-1)}/secret.cdc`,
        `${other}/secret.cdc`,
        './link.cdc',
        './linked/secret.cdc',
      ]) {
        const text = `import Secret from "${path}"\naccess(all) fun main() { Secret. }`
        await server.open('spy.cdc', text)
        assert.deepEqual(await server.completions('spy.cdc', 1, 'access(all) fun main() { Secret.'.length), [], path)
        const definition = await server.definition('spy.cdc', 0, 8)
        assert.equal(definition?.uri, server.uri('spy.cdc'), path)
      }
    } finally {
      await rm(other, { recursive: true })
    }
  })

  it('survives nested, large and empty texts, and continues for other documents', async () => {
    const nested = await server.open(
      'nested.cdc',
      `access(all) fun main() { let a = ${'('.repeat(100_000)}1${')'.repeat(100_000)} }`,
    )
    assert.match(nested[0]?.message ?? '', /nested|not checked/)
    const deep = await server.open('deep.cdc', `access(all) fun main() { let a = ${'-'.repeat(200_000)}1 }`)
    assert.ok(deep.length >= 0)
    const large = await server.open('large.cdc', `//${'x'.repeat(1_000_001)}`)
    assert.match(large[0]?.message ?? '', /not checked: it has 1000003 characters/)
    const broken = await server.open('broken.cdc', 'access(all) let a = "\uD83D\uDE00\uD83D"\nlet b = \uDE00')
    assert.equal(broken[0]?.range.start.line, 1)
    for (const text of [
      '',
      '\0',
      '\uFEFFaccess(all) fun main() {}',
      '*/',
      '"',
      '/*',
      '{{{{',
      ')',
      'import',
      '\\(',
      '"\\(',
    ])
      await server.open(`odd.cdc`, text)
    assert.deepEqual(await server.change('token.cdc', token, 18), [])
  })

  it('handles requests for closed documents and invalid positions', async () => {
    assert.deepEqual(await server.completions('nowhere.cdc', 0, 0), [])
    assert.equal(await server.hover('token.cdc', 99_999, 99_999), undefined)
    assert.equal(await server.definition('nowhere.cdc', 0, 0), null)
  })
})
