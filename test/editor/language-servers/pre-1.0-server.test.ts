import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { oldProgram } from '../../../src/editor/language-servers/program/built-in-programs.ts'
import { SpokenServer } from './spoken-server.ts'

function isInstalled(): boolean {
  try {
    return createRequire(import.meta.url).resolve('@onflow/cadence-language-server') !== ''
  } catch {
    return false // an optional package
  }
}

describe('the checker of Cadence 0.42', () => {
  let root: string
  let server: SpokenServer

  before(async function () {
    if (!isInstalled()) this.skip()
    root = await mkdtemp(join(tmpdir(), 'old-server-'))
    for (const project of ['one', 'two']) {
      await mkdir(join(root, project))
      await writeFile(join(root, project, 'flow.json'), '{}')
      await writeFile(join(root, project, 'Base.cdc'), `pub contract Base { pub fun ${project}(): Int { return 1 } }`)
    }
    server = await SpokenServer.start(oldProgram(), root)
  })

  after(async () => {
    await server?.[Symbol.asyncDispose]()
    if (root !== undefined) await rm(root, { recursive: true })
  })

  it('checks types of code from before 1.0', async () => {
    assert.deepEqual(await server.open('one/good.cdc', 'pub fun main(): Int { return 1 }'), [])
    const [fault] = await server.open('one/bad.cdc', 'pub fun main(): Int {\n  return "text"\n}')
    assert.match(fault?.message ?? '', /mismatched types/)
    assert.equal(fault?.range.start.line, 1)
    assert.match((await server.hover('one/good.cdc', 0, 9)) ?? '', /fun/)
    assert.match(oldProgram().label, /before 1\.0/)
  })

  it('imports from the project of a document, each from its own', async () => {
    for (const project of ['one', 'two']) {
      const other = project === 'one' ? 'two' : 'one'
      assert.deepEqual(
        await server.open(
          `${project}/main.cdc`,
          `import Base from "./Base.cdc"\npub fun main(): Int { return Base.${project}() }`,
        ),
        [],
      )
      assert.notDeepEqual(
        await server.change(
          `${project}/main.cdc`,
          `import Base from "./Base.cdc"\npub fun main(): Int { return Base.${other}() }`,
          2,
        ),
        [],
      )
    }
  })

  it('imports nothing from elsewhere', async () => {
    for (const path of ['../two/Base.cdc', join(root, 'two/Base.cdc'), '/etc/passwd', '/proc/self/environ.cdc']) {
      const found = await server.open('one/spy.cdc', `import Base from "${path}"\npub fun main() {}`)
      assert.match(found[0]?.message ?? '', /cannot find|checking of imported|unresolved|import/i, path)
    }
  })

  it('answers what it does not know, and stays when a project is left', async () => {
    await assert.rejects(server.request('$/alive', {}))
    await server.open('two/last.cdc', 'pub fun main() {}')
    for (const path of ['main', 'last'])
      await server.notify('textDocument/didClose', { textDocument: { uri: server.uri(`two/${path}.cdc`) } })
    assert.deepEqual(await server.open('two/again.cdc', 'pub fun main() {}'), [])
    assert.equal(await server.request('shutdown', undefined), null)
    assert.deepEqual(await server.open('one/after.cdc', 'pub fun main() {}'), [])
  })
})
