import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { FlowfarmProcess } from '../../support/flowfarm-process.ts'
import { readChunks, answerTextOf } from './support/running-chat.ts'

describe('flowfarm as a chat service', () => {
  let database: TestDatabase
  let folder: string
  let program: FlowfarmProcess
  let origin: string

  before(async () => {
    database = await createTestDatabase()
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-chat-'))
    program = new FlowfarmProcess(['mcp', 'tools', 'chat'], {
      DB_URL: database.url,
      HOST: '127.0.0.1',
      MCP_PORT: '0',
      TOOLS_PORT: '0',
      CHAT_PORT: '0',
      CHAIN_ACCESS_NODE: '127.0.0.1:1',
      CHROMA_PERSIST_DIR: folder,
      LLM_PROVIDER: 'scripted',
      LOG_LEVEL: 'debug',
    })
    const { port } = await program.logged(/^Chat listening/)
    origin = `http://127.0.0.1:${String(port)}`
  })
  after(async () => {
    expect(await program.end('SIGTERM')).to.equal(0)
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it('answers an example question with statements run by its own MCP server', async () => {
    const settings = (await (await fetch(`${origin}/api/chat/settings`)).json()) as {
      is_scripted: boolean
      examples: string[]
    }
    expect(settings).to.include({ is_scripted: true })
    const [example] = settings.examples
    const response = await fetch(`${origin}/api/chat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: example }] }),
    })
    const chunks = await readChunks(response)
    expect(chunks.filter(({ type }) => type === 'data-notice')).to.deep.equal([])
    expect(chunks.find(({ type }) => type === 'tool-output-available'))
      .to.have.nested.property('output.structuredContent.sql')
      .that.matches(/select/i)
    expect(answerTextOf(chunks)).to.include('```sql')
    expect(chunks.at(-1)).to.have.nested.property('messageMetadata.isScripted', true)
  })

  it('logs the outcome of an answer, but no question, statement or answer text at any level', async () => {
    const ended = await program.logged(/^Answer ended/)
    expect(ended).to.include({ service: 'chat', mode: 'balanced', end: 'complete' })
    expect(ended).to.include.keys('requestId', 'steps', 'calls', 'firstMs', 'durationMs')
    expect(program.log.map((line) => JSON.stringify(line)).join('\n')).to.not.match(
      /transactions were there|tx_count|select /i,
    )
  })

  it('has the tools of both of its servers', async () => {
    const { tools } = (await (await fetch(`${origin}/api/chat/settings`)).json()) as { tools: string[] }
    expect(tools).to.include.members([
      'run_indexer_sql',
      'run_chain_script',
      'script_check',
      'search_docs',
      'fetch_api',
      'createChart',
      'loadSkill',
    ])
    expect(tools.filter((name) => name.startsWith('ask_') || name.startsWith('generate_'))).to.deep.equal([])
  })

  it('serves a page without external resources', async () => {
    const page = await fetch(`${origin}/`)
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-type')).to.match(/^text\/html/)
    expect(page.headers.get('content-security-policy')).to.match(
      /^default-src 'none'; script-src 'self'.*; img-src 'self' data:; .*connect-src 'self'/,
    )
  })
})
