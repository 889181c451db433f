import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { expect } from 'chai'
import { RenderedSkills, SkillList } from '../../../src/assistant/read-skills.ts'
import { inNetwork } from '../../../src/flow/core-contracts.ts'
import type { Network } from '../../../src/flow/network.ts'
import { clients } from './support/mcp-clients.ts'
import { runMcp } from './support/running-mcp.ts'
import type { RunningMcp } from './support/running-mcp.ts'
import { scriptedQueries } from './support/scripted-queries.ts'

const chain = {
  name: 'chain-language',
  description: 'Says: "how" it is\\written. 质押',
  content: '# Chain\n\nFLOW is in 0x{FlowToken}.\n',
}
const tables = { name: 'tables', description: 'What tables there are.', content: '# Tables\n' }
const uris = ['skill://chain-language/SKILL.md', 'skill://tables/SKILL.md']

describe('skills over MCP', () => {
  let mcp: RunningMcp
  let network: Network

  before(async () => {
    network = 'mainnet'
    mcp = await runMcp({
      queries: scriptedQueries({}),
      skills: new RenderedSkills(new SkillList([chain, tables]), (text) => inNetwork(text, network)),
    })
  })
  beforeEach(() => {
    network = 'mainnet'
  })
  after(() => mcp.stop())

  for (const { name, connect } of clients) {
    it(`are resources for ${name} and named in its instructions`, async () => {
      const client = await connect(mcp.url)
      expect(await client.resources()).to.include.members([
        'schema://indexer-ddl',
        'schema://script-reference',
        ...uris,
      ])
      expect(client.instructions).to.include(`Skills are resources of this server: ${uris.join(', ')}.`)
      expect(await client.read('skill://chain-language/SKILL.md')).to.equal(
        '---\nname: chain-language\ndescription: "Says: \\"how\\" it is\\\\written. 质押"\n---\n\n# Chain\n\nFLOW is in 0x1654653399040a61.\n',
      )
      expect(await client.read('skill://tables')).to.match(/^---\nname: tables\n/)
      for (const uri of [
        'skill://other',
        'skill://tables/other.md',
        'skill://chain-language/../tables/../../package.json',
        'skill://tables/SKILL.md/other',
      ]) {
        const failure = await client.read(uri).catch((error: unknown) => error)
        expect(failure, uri).to.be.instanceOf(Error)
      }
      await client.close()
    })
  }

  for (const [revision, pinned] of [
    ['2025-11-25', undefined],
    ['2026-07-28', '2026-07-28'],
  ] as const) {
    it(`are listed by the skills extension in revision ${revision} with valid digests`, async () => {
      const client = new Client(
        { name: 'flowfarm-test', version: '0.0.0' },
        pinned === undefined ? {} : { versionNegotiation: { mode: { pin: pinned } } },
      )
      await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url)))
      const skills = new SkillsClient(client)
      expect(client.getNegotiatedProtocolVersion()).to.equal(revision)
      expect(skills.supported).to.equal(true)
      const listed = await skills.list()
      expect(
        listed.skills.map(({ uri, frontmatter }) => [uri, frontmatter.name, frontmatter.description]),
      ).to.deep.equal([
        [uris[0], chain.name, chain.description],
        [uris[1], tables.name, tables.description],
      ])
      for (const { uri } of listed.skills) {
        const { skill } = await skills.get(uri)
        const file = await skills.read(skill)
        expect(file.verified, uri).to.equal(true)
        expect(file.body?.trim()).to.match(/^# /)
      }
      for (const uri of ['skill://other/SKILL.md', 'skill://tables', 'skill://tables/OTHER.md']) {
        const missing = await skills.get(uri).catch((error: unknown) => error)
        expect(String(missing), uri).to.include(`No skill is served at ${uri}`)
      }
      await client.close()
    })
  }

  it("include the network's addresses once the network is known", async () => {
    const read = async (): Promise<{ text: string | undefined; isVerified: boolean }> => {
      const client = new Client({ name: 'flowfarm-test', version: '0.0.0' })
      await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url)))
      const skills = new SkillsClient(client)
      const { skill } = await skills.get('skill://chain-language/SKILL.md')
      const { text, verified } = await skills.read(skill)
      await client.close()
      return { text, isVerified: verified }
    }
    expect((await read()).text).to.include('0x1654653399040a61')
    network = 'testnet'
    const { text, isVerified } = await read()
    expect(text).to.include('0x7e60df042a9c0868')
    expect(isVerified).to.equal(true)
  })
})
