import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { DeveloperKeys } from '../../../src/platform/auth/developer-keys.ts'
import { ScriptNode } from '../../support/script-node.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { FlowfarmProcess } from '../../support/flowfarm-process.ts'
import { clients } from './support/mcp-clients.ts'
import type { ConnectedClient } from './support/mcp-clients.ts'
import { listTools, messageHeaders, throughProxy } from './support/running-mcp.ts'
import { Stopwatch } from '../../support/stopwatch.ts'

describe('flowfarm as an MCP server', () => {
  let database: TestDatabase
  let node: ScriptNode
  let folder: string
  let program: FlowfarmProcess
  let url: string
  let client: ConnectedClient

  before(async () => {
    database = await createTestDatabase()
    node = await ScriptNode.start({ script: ({ args }) => args[0] ?? { type: 'Void' } })
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-mcp-'))
    program = new FlowfarmProcess(['api', 'mcp'], {
      DB_URL: database.url,
      HOST: '127.0.0.1',
      PORT: '0',
      MCP_PORT: '0',
      CHAIN_ACCESS_NODE: node.endpoint,
      CHROMA_PERSIST_DIR: folder,
      MCP_ADMIN_KEY: 'admin-secret',
      MCP_RATE_LIMIT: '2',
      LLM_PROVIDER: 'scripted',
      MCP_ALLOWED_HOSTS: 'mcp.example',
    })
    await program.logged(/^API listening/)
    const { port } = await program.logged(/^MCP server listening/)
    url = `http://127.0.0.1:${String(port)}/mcp`
    const connected = await clients.at(-1)?.connect(url)
    if (connected === undefined) throw new Error('no client')
    client = connected
  })
  after(async () => {
    await client.close()
    expect(await program.end('SIGTERM')).to.equal(0)
    await node.stop()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it('runs SQL on the database with exact values and read-only', async () => {
    const { structuredContent } = await client.call('run_indexer_sql', {
      sql: "SELECT count(*) AS blocks, 0.1::numeric AS tenth, '\\xAB'::bytea AS bytes FROM raw.blocks",
    })
    expect(structuredContent).to.deep.include({
      results: [{ blocks: '0', tenth: '0.1', bytes: '0xab' }],
      column_types: ['int8', 'numeric', 'bytea'],
    })
    const refused = {
      'DROP TABLE raw.blocks': 'sql-keyword',
      'SELECT pg_sleep(1)': 'sql-function',
      'SELECT * FROM app.developer_keys': 'sql-relation',
    }
    for (const [sql, code] of Object.entries(refused)) {
      const result = await client.call('run_indexer_sql', { sql })
      expect(result.isError, sql).to.equal(true)
      expect(result.structuredContent, sql).to.include({ error_code: code })
    }
    const wrong = await client.call('run_indexer_sql', { sql: 'SELECT heigth FROM raw.blocks' })
    expect(wrong.structuredContent).to.include({ error_code: 'sql-failed', sql_state: '42703' })
  })

  it('describes its tables, queries a node, and answers example questions', async () => {
    expect(await client.read('schema://indexer-ddl'))
      .to.include('raw.blocks')
      .and.not.include('developer_keys')
    expect(
      (await client.call('run_chain_script', { script: 'access(all) fun main() {}' })).structuredContent,
    ).to.deep.include({ result: { type: 'Void' } })
    expect(node.scripts).to.have.length(1)
    const unknown = await client.call('ask_indexer', { question: 'What is the weather like?' })
    expect(unknown.isError).to.equal(true)
    expect(unknown.structuredContent?.['error']).to.be.a('string')
  })

  it('verifies developer keys with the API, counts their requests, and accepts the admin key', async () => {
    const { text: key } = await new DeveloperKeys(database.pool).create({ name: 'test', tier: 'free' })
    const statusOf = async (shown: Record<string, string>): Promise<number> =>
      (
        await fetch(url, {
          method: 'POST',
          headers: { ...messageHeaders, ...throughProxy, ...shown },
          body: JSON.stringify(listTools),
        })
      ).status
    expect(await statusOf({})).to.equal(401)
    expect(await statusOf({ Authorization: `Bearer ${key}x` })).to.equal(401)
    expect(await statusOf({ Authorization: `Bearer ${key}` })).to.equal(200)
    expect(await statusOf({ 'X-API-Key': key })).to.equal(200)
    expect(await statusOf({ 'X-API-Key': key })).to.equal(429)
    expect(await statusOf({ Authorization: 'Bearer admin-secret' })).to.equal(200)
  })

  it('cancels the statement of a disconnected caller', async () => {
    const running = async (): Promise<number> => {
      const { rows } = await database.pool.query<{ count: number }>(
        "select count(*)::int from pg_stat_activity where state = 'active' and query like '%generate_series(1, 4000000000)%' and pid <> pg_backend_pid()",
      )
      return rows[0]?.count ?? 0
    }
    for (const { name, connect } of clients) {
      const leaver = await connect(url)
      const call = leaver
        .call('run_indexer_sql', { sql: 'SELECT sum(a) FROM generate_series(1, 4000000000) AS series(a)' })
        .catch((error: unknown) => error)
      while ((await running()) === 0);
      const left = new Stopwatch()
      await leaver.close()
      while ((await running()) > 0);
      await left.expectBelow(5000, name)
      await call
    }
  })

  it('logs neither keys nor questions', () => {
    expect(program.log.map((line) => JSON.stringify(line)).join('\n')).to.not.match(/admin-secret|fs_live_|weather/)
  })
})
