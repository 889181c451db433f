import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { FlowfarmProcess } from '../../support/flowfarm-process.ts'
import { clients } from '../mcp/support/mcp-clients.ts'

describe('flowfarm with skills', function () {
  let database: TestDatabase
  let folder: string

  before(async () => {
    database = await createTestDatabase()
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-skills-'))
  })
  after(async () => {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const start = (environment: Record<string, string>): FlowfarmProcess =>
    new FlowfarmProcess(['mcp'], {
      DB_URL: database.url,
      HOST: '127.0.0.1',
      PORT: '0',
      MCP_PORT: '0',
      CHAIN_ACCESS_NODE: '127.0.0.1:1',
      CHROMA_PERSIST_DIR: folder,
      ...environment,
    })

  async function read(program: FlowfarmProcess): Promise<Readonly<Record<string, string>>> {
    const { port } = await program.logged(/^MCP server listening/)
    const client = await clients[0]?.connect(`http://127.0.0.1:${String(port)}/mcp`)
    if (client === undefined) throw new Error('no client')
    const texts: Record<string, string> = {}
    for (const uri of (await client.resources()).filter((each) => each.startsWith('skill:')))
      texts[uri] = await client.read(uri)
    await client.close()
    return texts
  }

  it('offers the bundled skills with the addresses of a network', async () => {
    const program = start({})
    const texts = await read(program)
    expect(Object.keys(texts)).to.deep.equal(
      ['cadence', 'evm-explorer-schema', 'indexer-schema', 'staking-questions', 'token-questions'].map(
        (name) => `skill://${name}/SKILL.md`,
      ),
    )
    expect(texts['skill://cadence/SKILL.md'])
      .to.include('import FlowToken from 0x1654653399040a61')
      .and.not.match(/0x\{/)
    expect(await program.end('SIGTERM')).to.equal(0)
  })

  it('offers the skills of a configured folder instead and reports an invalid one', async () => {
    for (const [name, text] of Object.entries({
      'our-own': '---\nname: our-own\ndescription: x\n---\n0x{FlowFees}\n',
      broken: '# Broken\n',
    })) {
      await mkdir(join(folder, 'skills', name), { recursive: true })
      await writeFile(join(folder, 'skills', name, 'SKILL.md'), text)
    }
    const program = start({ SKILLS_DIR: join(folder, 'skills') })
    const reported = await program.logged(/^Skill skipped/)
    expect(reported).to.include({
      file: join(folder, 'skills', 'broken', 'SKILL.md'),
      remedy: 'the first line must be ---, followed by name: and description:',
    })
    expect(await read(program)).to.deep.equal({
      'skill://our-own/SKILL.md': '---\nname: our-own\ndescription: "x"\n---\n\n0xf919ee77447b7497\n',
    })
    expect(await program.end('SIGTERM')).to.equal(0)
  })

  it('does not start with a missing folder and names the setting', async () => {
    const program = start({ SKILLS_DIR: join(folder, 'missing') })
    expect(await program.ended()).to.equal(1)
    expect(program.output()).to.include('set SKILLS_DIR to a readable folder')
  })
})
