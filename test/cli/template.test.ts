import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { scriptTemplate } from '../../src/flow/code/script-template.ts'
import { runCommandLine } from '../support/command-line.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

const script = 'import Stones from 0x179b6b1cb6755e31\n\n// for a friend\ntransaction { execute { Stones.polish() } }\n'
const { normalHash } = scriptTemplate(script, 'mainnet')

describe('operator templates', () => {
  let database: TestDatabase
  let folder: string

  before(async () => {
    database = await createTestDatabase()
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-template-'))
    await writeFile(join(folder, 'polish.cdc'), script)
    await writeFile(
      join(folder, 'variant.cdc'),
      script.replace('// for a friend', '/* for another */').replace('{ execute', '{\n  execute'),
    )
  })

  after(async () => {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const run = async (...args: readonly string[]): Promise<{ code: unknown; text: string }> => {
    const { code, stdout, stderr } = await runCommandLine('template', args, { DB_URL: database.url })
    return { code, text: stdout + stderr }
  }
  const polish = (): string => join(folder, 'polish.cdc')

  it('are computed from a script file without a database', async () => {
    const { code, stdout } = await runCommandLine('template', ['show', '--file', polish(), '--json'], {})
    expect(code).to.equal(0)
    expect(JSON.parse(stdout)).to.deep.equal({
      normal_hash: normalHash,
      category: 'contract_call',
      label: '',
      found_by: 'imports',
    })
    expect((await run('show', '--file', polish())).text).to.equal(
      `${normalHash}\ncontract_call, no label (by imports)\n`,
    )
  })

  it('can be added, replaced (also by a script variant), listed and removed', async () => {
    const add = async (file: string, label: string): Promise<unknown> =>
      (await run('add', '--file', join(folder, file), '--category', 'NFT_MINT', '--label', label)).code
    expect(await add('polish.cdc', 'Polish a stone')).to.equal(0)
    expect(await add('variant.cdc', 'Polish stones')).to.equal(0)
    const { rows } = await database.pool.query(
      `select encode(normal_hash, 'hex') as hash, category, label from app.script_templates`,
    )
    expect(rows).to.deep.equal([{ hash: normalHash, category: 'NFT_MINT', label: 'Polish stones' }])
    expect((await run('list')).text).to.match(new RegExp(`NFT_MINT +Polish stones +${normalHash}`))
    expect((await run('remove', '--file', polish())).text).to.equal('Removed.\n')
    expect((await run('remove', '--file', polish())).text).to.equal('This script has no own template.\n')
    expect((await run('list')).text).to.equal('No own templates.\n')
  })

  it('report missing arguments', async () => {
    for (const [args, complaint] of [
      [['show'], '--file is missing'],
      [['show', '--file', join(folder, 'nowhere.cdc')], 'cannot be read'],
      [['add', '--file', polish(), '--category', 'X'], '--label is missing'],
      [['show', '--file', polish(), '--network', 'moon'], '"moon"'],
    ] as const) {
      const { code, text } = await run(...args)
      expect(code, text).to.equal(1)
      expect(text).to.include(complaint)
    }
  })
})
