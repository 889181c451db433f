import assert from 'node:assert/strict'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { ApiError, FatalError, RetryableError } from '../../../src/platform/errors.ts'
import { createImportWorkspaces } from '../../../src/editor/imports/create-import-workspaces.ts'
import type {
  ContractWorkspaces,
  ImportWorkspacesOptions,
} from '../../../src/editor/imports/create-import-workspaces.ts'
import type { ContractSource } from '../../../src/editor/imports/account-cache.ts'

const one = '1111111111111111'
const two = '2222222222222222'
const log = pino({ level: 'silent' })
const never = new AbortController().signal

/** Accounts set by a test, with a request count for each. */
class MadeAccounts implements ContractSource {
  readonly accounts = new Map<string, Map<string, string>>()
  readonly requested: string[] = []
  failure: Error | undefined
  held: Promise<void> | undefined

  set(address: string, name: string, code: string): void {
    this.accounts.set(address, (this.accounts.get(address) ?? new Map<string, string>()).set(name, code))
  }

  async contractsOf(
    network: string,
    address: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    this.requested.push(`${network} ${address}`)
    await this.held
    signal.throwIfAborted()
    if (this.failure !== undefined) throw this.failure
    const contracts = this.accounts.get(address)
    return contracts === undefined ? undefined : new Map(contracts)
  }
}

describe('import workspaces', () => {
  let root: string
  let accounts: MadeAccounts
  let workspaces: ContractWorkspaces
  let time = 1_000_000

  async function open(options: Partial<ImportWorkspacesOptions> = {}): Promise<ContractWorkspaces> {
    return createImportWorkspaces({ root, source: accounts, log, now: () => time, ...options })
  }

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'import-workspaces-'))
    accounts = new MadeAccounts()
    accounts.set(one, 'A', 'import B from 0x2222222222222222\naccess(all) contract A {}')
    accounts.set(two, 'B', 'access(all) contract B {}')
    workspaces = await open()
  })

  afterEach(async () => {
    await workspaces.close()
    await rm(root, { recursive: true })
  })

  it('fetch transitive imports of a document once for all connections', async () => {
    const text = 'import A from 0x1111111111111111\naccess(all) fun main() {}\n'
    const first = await workspaces.open('mainnet')
    assert.deepEqual(await first.prepare('a/b.cdc', text), { text, missing: [{ address: one, name: 'A' }] })
    const other = await workspaces.open('mainnet')
    await Promise.all([first, other, first].map((workspace) => workspace.fetch({ address: one, name: 'A' }, never)))
    assert.deepEqual(accounts.requested, [`mainnet ${one}`, `mainnet ${two}`])
    const { text: prepared, missing } = await first.prepare('a/b.cdc', text)
    assert.deepEqual(missing, [])
    const [, path = ''] = /^import A from "(\.\.\/_\/\w+\.cdc)" *\naccess/.exec(prepared) ?? []
    assert.equal(prepared.length, text.length)
    assert.match(
      await readFile(join(first.folder, 'a', path), 'utf8'),
      /import B from "\.\/\w+\.cdc" +\naccess\(all\) contract A/,
    )
    await first.prepare('importer.cdc', 'import "./a/b.cdc"')
    assert.equal(await readFile(join(first.folder, 'a/b.cdc'), 'utf8'), prepared)
    assert.equal((await stat(join(first.folder, 'a', path))).mode & 0o222, 0)
    // Other connections are notified too, and share the bytes.
    assert.equal((await workspaces.open('mainnet').then((third) => third.prepare('a.cdc', text))).missing.length, 1)
    await other.prepare('a/b.cdc', text)
    assert.equal((await stat(join(other.folder, 'a', path))).ino, (await stat(join(first.folder, 'a', path))).ino)
    assert.deepEqual(first.describe(path.slice(3), 1), { contract: { address: one, name: 'A' }, firstLine: 0 })
    assert.deepEqual(first.describe(pathToFileURL(join(first.folder, path.slice(3))).href, 1), {
      contract: { address: one, name: 'A' },
      firstLine: 0,
    })
    for (const other of ['_/../flow.json', 'file://host/a', 'file:///a%2fb', 'file:///%', 'file:', '_/', ''])
      assert.equal(first.describe(other, 0), undefined, other)
  })

  it('separate networks and accounts', async () => {
    accounts.set(two, 'A', 'access(all) contract A { let two: Int }')
    const workspace = await workspaces.open('testnet')
    for (const address of [one, two]) await workspace.fetch({ address, name: 'A' }, never)
    const read = async (address: string) => {
      const { text } = await workspace.prepare('main.cdc', `import A from 0x${address}\n`)
      return readFile(join(workspace.folder, /"(.*)"/.exec(text)?.[1] ?? ''), 'utf8')
    }
    assert.match(await read(two), /let two/)
    assert.doesNotMatch(await read(one), /let two/)
    const mainnet = await workspaces.open('mainnet')
    assert.equal((await mainnet.prepare('main.cdc', `import A from 0x${one}\n`)).missing.length, 1)
  })

  it('report missing contracts, and retry later', async () => {
    const workspace = await workspaces.open('mainnet')
    const text = 'import New from 0x1111111111111111\nimport Lost from 0x3333333333333333\n'
    assert.equal((await workspace.prepare('main.cdc', text)).missing.length, 2)
    assert.equal(await workspace.fetch({ address: one, name: 'New' }, never), undefined)
    assert.equal(await workspace.fetch({ address: '3333333333333333', name: 'Lost' }, never), undefined)
    assert.deepEqual((await workspace.prepare('main.cdc', text)).missing, [])
    accounts.set(one, 'New', 'access(all) contract New {}')
    time += 31_000
    assert.equal((await workspace.prepare('main.cdc', text)).missing.length, 2)
    assert.equal((await workspace.fetch({ address: one, name: 'New' }, never))?.code, 'access(all) contract New {}')
  })

  it('refresh contracts periodically, and use cached ones during an outage', async () => {
    const workspace = await workspaces.open('mainnet')
    const text = 'import B from 0x2222222222222222\n'
    await workspace.fetch({ address: two, name: 'B' }, never)
    const before = await workspace.prepare('main.cdc', text)
    const generation = workspace.generation
    accounts.set(two, 'B', 'access(all) contract B { let more: Int }')
    time += 601_000
    assert.equal((await workspace.prepare('main.cdc', text)).missing.length, 1)
    accounts.failure = new RetryableError('down', 'no node answers')
    assert.equal((await workspace.fetch({ address: two, name: 'B' }, never))?.code, 'access(all) contract B {}')
    accounts.failure = undefined
    time += 601_000
    assert.match((await workspace.fetch({ address: two, name: 'B' }, never))?.code ?? '', /more/)
    const after = await workspace.prepare('main.cdc', text)
    assert.notEqual(after.text, before.text)
    assert.ok(workspace.generation > generation)
  })

  it('throw a temporary error during an outage, and the reason of an aborted signal', async () => {
    const workspace = await workspaces.open('mainnet')
    accounts.failure = new RetryableError('down', 'no node answers')
    await assert.rejects(workspace.fetch({ address: one, name: 'A' }, never), RetryableError)
    accounts.failure = undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    accounts.held = promise
    const disconnect = new AbortController()
    const left = workspace.fetch({ address: one, name: 'A' }, disconnect.signal)
    const stayed = workspace.fetch({ address: one, name: 'A' }, never)
    disconnect.abort(new Error('left'))
    await assert.rejects(left, /left/)
    resolve()
    assert.equal((await stayed)?.name, 'A')
  })

  it('resolve names to documents of the connection and core contracts of its network', async () => {
    accounts.set('f233dcee88fe0abe', 'FungibleToken', 'access(all) contract interface FungibleToken {}')
    const workspace = await workspaces.open('mainnet')
    const text = 'import "FungibleToken"\nimport "Own" // mine\nimport "Nobody"\n'
    const { missing } = await workspace.prepare('scripts/main.cdc', text)
    assert.deepEqual(missing, [{ address: 'f233dcee88fe0abe', name: 'FungibleToken' }])
    await workspace.fetch({ address: 'f233dcee88fe0abe', name: 'FungibleToken' }, never)
    const generation = workspace.generation
    await workspace.prepare('contracts/Own.cdc', 'access(all) contract Own {}')
    assert.ok(workspace.generation > generation)
    const { text: prepared } = await workspace.prepare('scripts/main.cdc', text)
    assert.match(
      prepared,
      /^import "\.\.\/_\/\w+\.cdc"\nimport "\.\.\/contracts\/Own\.cdc" \/\/ mine\nimport "Nobody"\n$/,
    )
    assert.deepEqual(workspace.importersOf('contracts/Own.cdc'), ['scripts/main.cdc'])
    // A document takes precedence over a contract of the chain.
    await workspace.prepare('FungibleToken.cdc', 'access(all) contract interface FungibleToken {}')
    assert.match((await workspace.prepare('scripts/main.cdc', text)).text, /^import "\.\.\/FungibleToken\.cdc"/)
    await workspace.remove('FungibleToken.cdc')
    assert.match((await workspace.prepare('scripts/main.cdc', text)).text, /^import "\.\.\/_\//)
    await assert.rejects(lstat(join(workspace.folder, 'FungibleToken.cdc')))
  })

  it('terminate for cyclic and very many imports', async () => {
    accounts.contractsOf = async (_network, address) => {
      const next = (BigInt(`0x${address}`) + 1n).toString(16).padStart(16, '0')
      return new Map([
        ['N', `import N from 0x${next}\naccess(all) contract N {}`],
        [
          'Wide',
          `${Array.from({ length: 500 }, (_, i) => `import N from 0x${(i + 1000).toString(16)}`).join('\n')}\naccess(all) contract Wide {}`,
        ],
      ])
    }
    const workspace = await workspaces.open('mainnet')
    for (const name of ['N', 'Wide']) {
      await workspace.fetch({ address: one, name }, never)
      await workspace.prepare(`${name}.cdc`, `import ${name} from 0x${one}\n`)
    }
    assert.ok((await readdir(join(workspace.folder, '_'))).length < 400)
    const many = Array.from({ length: 5000 }, (_, i) => `import N from 0x${(i + 1).toString(16)}`).join('\n')
    assert.ok((await workspace.prepare('many.cdc', many)).missing.length <= 300)
  })

  it('limit imports per document and in total', async () => {
    const workspace = await workspaces.open('mainnet')
    const list = (from: number, count: number): string =>
      Array.from({ length: count }, (_, i) => `A${from + i}`).join(', ')
    const bomb = await workspace.prepare('bomb.cdc', `import Good from 0x1\nimport ${list(0, 40_000)} from 0x1\n`)
    assert.deepEqual(
      bomb.missing.map(({ name }) => name),
      ['Good'],
    )
    for (let n = 0; n < 24; n++) await workspace.prepare(`${n}.cdc`, `import ${list(n * 400, 400)} from 0x1\n`)
    await assert.rejects(
      workspace.prepare('more.cdc', `import ${list(0, 400)} from 0x1\n`),
      (error: unknown) => error instanceof ApiError && error.code === 'too-many-imports',
    )
    // Changed and closed documents release their share.
    await workspace.prepare('0.cdc', 'access(all) contract Own {}\n')
    await workspace.remove('1.cdc')
    assert.equal((await workspace.prepare('more.cdc', `import ${list(0, 400)} from 0x1\n`)).missing.length, 400)
    assert.match((await workspace.prepare('name.cdc', 'import "Own"       \n')).text, /"\.\/0\.cdc"/)
    await workspace.remove('0.cdc')
    assert.match((await workspace.prepare('name.cdc', 'import "Own"       \n')).text, /"Own"/)
  })

  it('write documents inside the folder only', async () => {
    const workspace = await workspaces.open('mainnet')
    for (const path of [
      '../a.cdc',
      '/a.cdc',
      'a/../../b.cdc',
      '_/a.cdc',
      'flow.json',
      'sub/flow.json',
      'a\\b.cdc',
      'a\0.cdc',
      '',
      '.',
      'a//b.cdc',
      `${'a/'.repeat(20)}b.cdc`,
      `${'a'.repeat(300)}.cdc`,
      '\uD83D.cdc',
    ]) {
      await assert.rejects(
        workspace.prepare(path, ''),
        (error: unknown) => error instanceof ApiError && error.code === 'invalid-path',
        path,
      )
    }
    const outside = join(root, 'outside.cdc')
    await writeFile(outside, 'mine')
    await symlink(outside, join(workspace.folder, 'link.cdc'))
    await assert.rejects(workspace.prepare('link.cdc', 'theirs'), /path|folder/)
    await symlink(root, join(workspace.folder, 'linked'))
    await assert.rejects(
      workspace.prepare('linked/outside.cdc', 'theirs'),
      (error: unknown) => error instanceof ApiError && error.code === 'path-taken',
    )
    assert.equal(await readFile(outside, 'utf8'), 'mine')
    await workspace.prepare('x.cdc', '')
    await assert.rejects(
      workspace.prepare('x.cdc/y.cdc', ''),
      (error: unknown) => error instanceof ApiError && error.code === 'path-taken',
    )
    await assert.rejects(
      workspace.prepare('large.cdc', 'x'.repeat(2_000_001)),
      (error: unknown) => error instanceof ApiError && error.status === 413,
    )
    assert.doesNotMatch(await readFile(join(workspace.folder, 'flow.json'), 'utf8'), /contracts/)
  })

  it('write the latest of many texts only when another document imports it', async () => {
    const workspace = await workspaces.open('mainnet')
    const written = (): Promise<string> => readFile(join(workspace.folder, 'lib/main.cdc'), 'utf8')
    await Promise.all(Array.from({ length: 50 }, (_, i) => workspace.prepare('lib/main.cdc', `// ${i}`)))
    assert.equal(await written(), '// 0')
    await workspace.prepare('user.cdc', 'import Main from "./lib/../lib/main.cdc"\n')
    assert.equal(await written(), '// 49')
    await Promise.all(Array.from({ length: 50 }, (_, i) => workspace.prepare('lib/main.cdc', `// again ${i}`)))
    assert.equal(await written(), '// again 49')
    await workspace.prepare('user.cdc', '')
    await workspace.prepare('lib/main.cdc', 'access(all) contract Main {}')
    assert.equal(await written(), '// again 49')
    await workspace.prepare('other.cdc', 'import "Main"            \n')
    assert.equal(await written(), 'access(all) contract Main {}')
    await workspace.remove('lib/main.cdc')
    await workspace.prepare('lib/main.cdc', '// new')
    assert.equal(await written(), '// new')
  })

  it('limit the number of files for any combination of imports', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `C${i}`)
    for (const name of names) accounts.set(one, name, `access(all) contract ${name} {}\n//${'x'.repeat(1_000_000)}`)
    const workspace = await workspaces.open('mainnet')
    for (const name of names) await workspace.fetch({ address: one, name }, never)
    const bytes = async (): Promise<number> => {
      const files = await readdir(join(workspace.folder, '_'))
      return (
        await Promise.all(files.map(async (name) => (await stat(join(workspace.folder, '_', name))).size))
      ).reduce((sum, size) => sum + size, 0)
    }
    const pairs = names.flatMap((name, at) => names.slice(at + 1).map((other) => `${name}, ${other}`))
    const prepared: string[] = []
    for (const pair of [...pairs, ...pairs.slice(0, 1)]) {
      const { text } = await workspace.prepare('main.cdc', `import ${pair} from 0x1111111111111111`)
      prepared.push(text)
      assert.ok((await bytes()) < 43_000_000, 'so many')
      const [, path = ''] = /"(.+)"/.exec(text) ?? []
      assert.equal(
        (await stat(join(workspace.folder, path))).size > 2_000_000,
        true,
        'what the document leads to is there',
      )
    }
    assert.equal(prepared.at(-1), prepared[0], 'what is needed again has its name again')
    assert.ok((await bytes()) > 2_000_000)
  })

  it('delete their folders, including those of killed processes', async () => {
    const dead = join(root, `flowfarm-editor-${hostname().replaceAll(/[^\w.-]/g, '_')}-999999999-abcdef`)
    const alive = join(root, `flowfarm-editor-${hostname().replaceAll(/[^\w.-]/g, '_')}-${process.pid}-abcdef`)
    for (const folder of [dead, alive]) await mkdir(folder)
    const others = await open()
    await assert.rejects(lstat(dead))
    await lstat(alive)
    const workspace = await others.open('mainnet')
    const { folder } = workspace
    await workspace.close()
    await assert.rejects(lstat(folder))
    await assert.rejects(workspace.prepare('a.cdc', ''), /closed/)
    const second = await others.open('mainnet')
    await others.close()
    await assert.rejects(lstat(second.folder))
    await rm(alive, { recursive: true })
  })

  it('reject an unusable folder', async () => {
    const file = join(root, 'file')
    await writeFile(file, '')
    for (const bad of [file, join(root, 'a@b')])
      await assert.rejects(
        open({ root: bad }),
        (error: unknown) => error instanceof FatalError && /EDITOR_FOLDER/.test(error.message),
      )
  })
})
