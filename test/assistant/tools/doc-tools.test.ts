import { expect } from 'chai'
import { readDocumentPages } from '../../../src/assistant/tools/doc-sections.ts'
import type { Network } from '../../../src/flow/network.ts'
import { hostileTexts } from '../../support/hostile-texts.ts'
import { clients } from '../mcp/support/mcp-clients.ts'
import type { ConnectedClient } from '../mcp/support/mcp-clients.ts'
import { runTools } from './support/running-tools.ts'
import type { RunningTools } from './support/running-tools.ts'

interface Found {
  readonly id: string
  readonly title: string
  readonly snippet: string
}

describe('documentation tools', () => {
  let tools: RunningTools
  let client: ConnectedClient

  before(async () => {
    const pages = await readDocumentPages()
    tools = await runTools({
      documents: () => [
        {
          id: 'skills/transfers',
          text: '# Transfers\n\nHow tokens move: deposits and withdrawals.\n\n## 手续费\n\n每笔交易都有手续费。\n',
        },
        ...pages,
      ],
    })
    const connected = await clients.at(-2)?.connect(tools.scriptUrl)
    if (connected === undefined) throw new Error('no client')
    client = connected
  })
  after(async () => {
    await client.close()
    await tools.stop()
  })

  const search = async (query: string, limit?: number): Promise<readonly Found[]> => {
    const { structuredContent, isError } = await client.call('search_docs', {
      query,
      ...(limit === undefined ? {} : { limit }),
    })
    expect(isError ?? false, query).to.equal(false)
    return structuredContent?.['results'] as readonly Found[]
  }

  it('find sections by words and identifiers, with typing errors, and in Chinese', async () => {
    const places: ReadonlyArray<readonly [query: string, id: string]> = [
      ['who may call the MCP server', 'docs/query-and-mcp#who-may-call'],
      ['MAX_REORG_DEPTH', 'docs/configuration#ingestion'],
      ['verifying webhook signatures', 'docs/webhooks#verifying'],
      ['verifyng', 'docs/webhooks#verifying'],
      ['balance_changes', 'docs/tables#appbalance_changes'],
      ['手续费', 'skills/transfers#手续费'],
      ['怎么备份', 'docs/operations#backup'],
    ]
    for (const [query, id] of places)
      expect(
        (await search(query)).map((found) => found.id),
        query,
      ).to.include(id)
    const [best] = await search('手续费是多少')
    expect(best).to.include({ id: 'skills/transfers#手续费', title: '手续费', snippet: '每笔交易都有手续费。' })
    expect(await search('the and of')).to.deep.equal([])
    expect(await search('transfer', 2)).to.have.length(2)
  })

  it('read every section that they find and every document that they list', async () => {
    const { structuredContent } = await client.call('browse_docs', {})
    const documents = structuredContent?.['documents'] as readonly {
      id: string
      title: string
      summary: string
      sections: number
    }[]
    expect(documents.map(({ id }) => id)).to.include.members(['skills/transfers', 'docs/feeds', 'docs/query-and-mcp'])
    expect(documents.find(({ id }) => id === 'skills/transfers')).to.deep.include({
      title: 'Transfers',
      summary: 'How tokens move: deposits and withdrawals.',
      sections: 2,
    })
    for (const { id, sections } of documents) {
      const listed = (await client.call('browse_docs', { id })).structuredContent?.['sections'] as readonly {
        id: string
      }[]
      expect(listed, id).to.have.length(sections)
      for (const section of [listed[0], listed.at(-1)]) {
        const { structuredContent: read, isError } = await client.call('get_doc', { id: section?.id })
        expect(isError ?? false, section?.id).to.equal(false)
        expect(String(read?.['text'])).to.have.length.greaterThan(1)
      }
    }
  })

  it('return long documents in pages that add up to the whole', async () => {
    const pages = await readDocumentPages()
    const whole = pages.find(({ id }) => id === 'docs/tables')?.text ?? ''
    const pieces: string[] = []
    for (let offset: number | null = 0; offset !== null;) {
      const { structuredContent = {}, content } = await client.call('get_doc', { id: 'docs/tables', offset })
      pieces.push(String(structuredContent['text']))
      offset = structuredContent['next_offset'] as number | null
      if (offset !== null) expect(content[0]?.text).to.include(`call get_doc with offset ${offset}`)
    }
    expect(pieces.length).to.be.greaterThan(3)
    const words = (text: string): string => text.replaceAll(/\s+/g, '')
    expect(words(pieces.join(''))).to.equal(words(whole))
  })

  it('return a section with its subsections and without its siblings', async () => {
    const { content } = await client.call('get_doc', { id: 'docs/query-and-mcp#tools' })
    expect(content[0]?.text)
      .to.match(/^### Tools\n/)
      .and.include('run_chain_script')
      .and.not.include('Who may call')
  })

  it('suggest ids similar to an unknown one and never read a path', async () => {
    const wrong = await client.call('get_doc', { id: 'docs/query-and-mcp#tool' })
    expect(wrong.isError).to.equal(true)
    expect(wrong.structuredContent).to.include({ error_code: 'no-such-document' })
    expect(wrong.structuredContent?.['error']).to.include('docs/query-and-mcp')
    for (const id of [
      '../package.json',
      'docs/../../package',
      '/etc/passwd',
      'docs/query-and-mcp.md',
      '__proto__',
      'constructor',
    ]) {
      for (const tool of ['get_doc', 'browse_docs'])
        expect((await client.call(tool, { id })).structuredContent, id).to.include({ error_code: 'no-such-document' })
    }
    for (const query of hostileTexts) {
      const { isError, structuredContent } = await client.call('search_docs', { query })
      if (isError === true) expect(structuredContent, query).to.include({ error_code: 'invalid-field' })
    }
  })
})

describe('documentation of a network that becomes known later', () => {
  it("includes the network's addresses and is built once per network", async () => {
    let network: Network = 'mainnet'
    const made: Network[] = []
    const tools = await runTools({
      network: () => network,
      documents: (known) => {
        made.push(known)
        return [{ id: 'docs/network', text: `# Network\n\nThis is ${known}.` }]
      },
    })
    const client = await clients.at(-1)?.connect(tools.scriptUrl)
    const read = async (): Promise<unknown> =>
      (await client?.call('get_doc', { id: 'docs/network' }))?.structuredContent?.['text']
    expect(await read()).to.include('This is mainnet.')
    await read()
    network = 'emulator'
    expect(await read()).to.include('This is emulator.')
    expect(
      (await client?.call('script_check', { code: 'import "FlowToken"\naccess(all) fun main() {}' }))?.content[0]?.text,
    ).to.include('0x0ae53cb6e3f42a79')
    expect(made).to.deep.equal(['mainnet', 'emulator'])
    await client?.close()
    await tools.stop()
  })
})
