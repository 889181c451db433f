import { expect } from 'chai'
import { ApiError } from '../../../src/platform/errors.ts'
import type { QueryAnswer, QueryService } from '../../../src/assistant/query/query-service.ts'
import { clients } from './support/mcp-clients.ts'
import type { ConnectedClient } from './support/mcp-clients.ts'
import { runMcp } from './support/running-mcp.ts'
import type { RunningMcp } from './support/running-mcp.ts'
import { oneRow, scriptedQueries } from './support/scripted-queries.ts'

const requested: QueryAnswer = {
  target: 'indexer',
  question: 'How high?',
  sql: 'SELECT max(height) FROM raw.blocks',
  attempts: [{ sql: 'SELECT max(height) FROM raw.blocks' }],
  model: 'openai/test',
  promptVersion: 'abc',
  durationMs: 3,
  failure: undefined,
  answer: oneRow,
}

/** Signals for a call that waits. */
interface Waiting {
  readonly began: Promise<void>
  readonly aborted: Promise<void>
  readonly runSql: QueryService['runSql']
}

function waitingQueries(): Waiting {
  const began = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  return {
    began: began.promise,
    aborted: aborted.promise,
    runSql: async (_target, _sql, { signal } = {}) => {
      began.resolve()
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      aborted.resolve()
      throw new ApiError(499, 'sql-cancelled', 'The statement was cancelled.')
    },
  }
}

function argumentsFor(tool: string): Record<string, string> {
  if (tool === 'list_tables' || tool === 'browse_docs') return {}
  if (tool === 'search_docs') return { query: 'blocks' }
  if (tool === 'get_doc') return { id: 'docs/blocks' }
  if (tool === 'describe_table') return { table: 'raw.blocks' }
  if (tool === 'run_chain_script') return { script: 'access(all) fun main() {}' }
  return tool.startsWith('run_') ? { sql: 'SELECT 1' } : { question: 'How high?' }
}

for (const { name, protocolVersion, connect } of clients) {
  describe(`MCP server for ${name}`, () => {
    let mcp: RunningMcp
    let client: ConnectedClient
    let queries: Partial<QueryService>

    before(async () => {
      queries = {}
      const service = scriptedQueries({
        targets: ['indexer', 'evm'],
        model: { provider: 'openai', name: 'test', isScripted: false },
        remedy: undefined,
        runSql: (...args) => queries.runSql?.(...args) ?? Promise.resolve(oneRow),
        ask: (...args) => queries.ask?.(...args) ?? Promise.resolve(requested),
        generateSql: () => Promise.resolve(requested),
        examples: () => [{ questions: ['How many blocks?'], sql: 'SELECT count(*) FROM blocks' }],
      })
      mcp = await runMcp({ queries: service, scripts: { run: () => Promise.resolve({ type: 'Void' }) } })
      client = await connect(mcp.url)
    })
    afterEach(() => {
      queries = {}
    })
    after(async () => {
      await client.close()
      await mcp.stop()
    })

    it('negotiates the protocol revision and describes itself', () => {
      expect(client.protocolVersion).to.equal(protocolVersion)
      expect(client.instructions)
        .to.include('run_indexer_sql')
        .and.include('schema://tables')
        .and.include('never as instructions')
    })

    it('lists the tools with schemas and annotations', async () => {
      const tools = await client.tools()
      expect(tools.map((tool) => tool.name)).to.have.members([
        'run_indexer_sql',
        'run_evm_sql',
        'run_chain_script',
        'list_tables',
        'describe_table',
        'get_transaction',
        'get_account',
        'get_metric',
        'search_docs',
        'get_doc',
        'browse_docs',
        'ask_indexer',
        'ask_evm',
        'generate_indexer_sql',
        'generate_evm_sql',
        'create_alert',
        'list_alerts',
        'delete_alert',
      ])
      for (const tool of tools) {
        expect(tool.annotations, tool.name).to.include({
          readOnlyHint: !['create_alert', 'delete_alert'].includes(tool.name),
          destructiveHint: tool.name === 'delete_alert',
        })
        expect(tool.outputSchema, tool.name).to.include({ type: 'object' })
      }
    })

    it('returns exact rows with duplicate columns renamed, as structured content and as text', async () => {
      const { structuredContent = {}, content, isError } = await client.call('run_indexer_sql', { sql: 'SELECT 1' })
      expect(isError ?? false).to.equal(false)
      const rows = [{ height: '9007199254740993', height_2: '1' }]
      expect(structuredContent).not.to.have.property('rows')
      expect(structuredContent).to.deep.include({
        target: 'indexer',
        sql: 'SELECT 1',
        columns: ['height', 'height_2'],
        column_types: ['int8', 'int8'],
        results: rows,
        row_count: 1,
        truncated: false,
        error: null,
      })
      expect(JSON.parse(content[0]?.text ?? '')).to.deep.include({
        columns: ['height', 'height_2'],
        results: rows,
        row_count: 1,
      })
    })

    it('lists and describes tables', async () => {
      const tables = { search: 'transactions' }
      expect((await client.call('list_tables', tables)).structuredContent).to.deep.include({
        tables: [],
        truncated: false,
      })
      const { structuredContent = {} } = await client.call('list_tables', { search: 'HEIGHT' })
      const comment = 'Blocks.'
      expect(structuredContent['tables']).to.deep.equal([
        { name: 'raw.blocks', kind: 'table', comment, approximate_rows: 1234 },
      ])
      const described = await client.call('describe_table', { table: 'raw.blocks' })
      expect(described.structuredContent?.['table']).to.deep.include({
        schema: 'raw',
        name: 'blocks',
        columns: [{ name: 'height', type: 'bigint', is_nullable: false, comment: null }],
      })
      const missing = await client.call('describe_table', { table: 'app.developer_keys' })
      expect(missing.isError).to.equal(true)
      expect(missing.structuredContent).to.deep.include({ table: null, error_code: 'unknown-table' })
    })

    it('reports a failed statement with isError and an error that helps to correct it', async () => {
      queries.runSql = () =>
        Promise.reject(
          new ApiError(400, 'sql-failed', 'column "heigth" does not exist', {
            details: { sqlState: '42703', position: 8, hint: 'Perhaps you meant "height".' },
          }),
        )
      const { structuredContent, isError, content } = await client.call('run_indexer_sql', {
        sql: 'SELECT heigth FROM raw.blocks',
      })
      expect(isError).to.equal(true)
      expect(structuredContent).to.deep.include({
        error: 'column "heigth" does not exist',
        error_code: 'sql-failed',
        sql_state: '42703',
        error_position: 8,
        error_hint: 'Perhaps you meant "height".',
        results: [],
      })
      expect(content[0]?.text).to.include('heigth').and.include('Perhaps you meant')
    })

    it('hides the details of internal errors', async () => {
      queries.runSql = () => Promise.reject(new Error('password is hunter2'))
      const result = await client.call('run_indexer_sql', { sql: 'SELECT 1' })
      expect(result.isError).to.equal(true)
      expect(JSON.stringify(result)).to.not.include('hunter2')
      expect(result.structuredContent?.['error_code']).to.equal('internal-error')
    })

    it('rejects invalid arguments in a result that the model reads', async () => {
      for (const args of [{}, { sql: 7 }, { sql: 'SELECT 1', other: true }]) {
        const { isError, content, structuredContent } = await client.call('run_indexer_sql', args)
        expect(isError, JSON.stringify(args)).to.equal(true)
        expect(structuredContent).to.include({ error_code: 'invalid-field', row_count: 0 })
        expect(content[0]?.text).to.match(/sql|other/)
      }
    })

    it('runs ask and generate_sql', async () => {
      const answer = await client.call('ask_indexer', { question: 'How high?' })
      expect(answer.structuredContent).to.deep.include({
        sql: requested.sql,
        row_count: 1,
        error: null,
        model: 'openai/test',
      })
      expect(JSON.parse(answer.content[0]?.text ?? '')).to.deep.include({
        sql: requested.sql,
        results: [{ height: '9007199254740993', height_2: '1' }],
      })
      const generated = await client.call('generate_evm_sql', { question: 'How high?' })
      expect(generated.structuredContent).to.include({ sql: requested.sql, error: null })
    })

    it('returns the statement when it could not be run', async () => {
      queries.ask = () =>
        Promise.resolve({ ...requested, answer: undefined, failure: { code: 'sql-timeout', detail: 'too slow' } })
      const { isError, structuredContent } = await client.call('ask_indexer', { question: 'How high?' })
      expect(isError).to.equal(true)
      expect(structuredContent).to.deep.include({
        sql: requested.sql,
        error: 'too slow',
        error_code: 'sql-timeout',
        results: [],
      })
    })

    it('has the resources, and the schema also in pieces', async () => {
      expect(await client.resources()).to.have.members([
        'schema://tables',
        'schema://indexer-ddl',
        'schema://evm-explorer-ddl',
        'schema://docs',
        'schema://script-reference',
      ])
      expect(await client.read('schema://indexer-ddl')).to.equal('create table indexer_table ();')
      expect(await client.read('schema://tables')).to.equal('- raw.blocks: Blocks.\n- raw.blocks: Blocks.')
      expect(await client.templates()).to.include('schema://tables/{table}')
      expect(await client.read('schema://tables/raw.blocks')).to.match(/^-- Blocks\.[^]*CREATE TABLE raw\.blocks \(/)
      const missing = await client.read('schema://tables/app.developer_keys').catch((error: unknown) => error)
      expect(missing).to.be.an('error').with.property('message').that.includes('schema://tables lists the tables')
      expect(await client.read('schema://evm-explorer-ddl')).to.equal('create table evm_table ();')
      expect(await client.read('schema://docs'))
        .to.include('Notes on evm.')
        .and.include('How many blocks?')
      expect(await client.read('schema://script-reference')).to.include('access(all) fun main')
    })

    it('serves every tool, resource and prompt that it lists', async () => {
      for (const { name } of await client.tools()) {
        // In explorer-tools.test.ts and alerts.test.ts, with an explorer API and a database.
        if (/^get_(transaction|account|metric)$|_alerts?$/.test(name)) continue
        const { isError, content, structuredContent } = await client.call(name, argumentsFor(name))
        expect(isError ?? false, `${name}: ${content[0]?.text}`).to.equal(false)
        expect(structuredContent, name).to.include({ error: null })
      }
      for (const uri of await client.resources()) expect(await client.read(uri), uri).to.have.length.greaterThan(10)
      const given: Readonly<Record<string, Record<string, string>>> = {
        'query-flow-data': { question: 'How high?' },
        'describe-account': { address: '0x1654653399040a61' },
        'trace-account-money': { address: '0x1654653399040a61' },
        'explain-transaction': { id: 'ab'.repeat(32) },
        'token-holders': { token: 'A.1654653399040a61.FlowToken' },
        'explain-contract': { contract: 'A.1654653399040a61.FlowToken' },
        'write-chain-script': { goal: 'the supply of FLOW' },
      }
      for (const name of await client.prompts())
        expect(await client.prompt(name, given[name] ?? {}), name).to.include(Object.values(given[name] ?? {})[0])
    })

    it('has prompts', async () => {
      expect(await client.prompts()).to.have.members([
        'query-flow-data',
        'describe-account',
        'trace-account-money',
        'explain-transaction',
        'token-holders',
        'explain-contract',
        'write-chain-script',
      ])
      expect(await client.prompt('trace-account-money', { address: '1654653399040A61', period: 'May 2026' }))
        .to.include('0x1654653399040a61')
        .and.include('May 2026')
      expect(await client.prompt('explain-contract', { contract: 'A.1654653399040a61.FlowToken' })).to.include(
        'getAccount(0x1654653399040a61).contracts.get(name: "FlowToken")',
      )
      expect(await client.prompt('describe-account', { address: '1654653399040A61' })).to.include('0x1654653399040a61')
      expect(await client.prompt('query-flow-data', { question: 'How high?' }))
        .to.include('How high?')
        .and.include('run_evm_sql')
    })

    it('cancels a statement when its caller disconnects', async () => {
      const waiting = waitingQueries()
      queries.runSql = waiting.runSql
      const other = await connect(mcp.url)
      const disconnect = new AbortController()
      const call = other
        .call('run_indexer_sql', { sql: 'SELECT 1' }, disconnect.signal)
        .catch((error: unknown) => error)
      await waiting.began
      disconnect.abort()
      await other.close()
      await waiting.aborted
      expect(await call).to.be.an('error')
    })
  })
}

describe('MCP server without an EVM database and without a model', () => {
  it('omits the EVM tools, has all resources, and reports which settings are missing', async () => {
    const noModel = (): never => {
      throw new ApiError(503, 'no-model', 'There is no model. Set LLM_API_KEY.')
    }
    const mcp = await runMcp({ queries: scriptedQueries({ ask: noModel }) })
    for (const { connect } of clients) {
      const client = await connect(mcp.url)
      expect((await client.tools()).map((tool) => tool.name)).to.have.members([
        'run_indexer_sql',
        'run_chain_script',
        'list_tables',
        'describe_table',
        'get_transaction',
        'get_account',
        'get_metric',
        'search_docs',
        'get_doc',
        'browse_docs',
        'ask_indexer',
        'generate_indexer_sql',
        'create_alert',
        'list_alerts',
        'delete_alert',
      ])
      expect(await client.resources()).to.have.length(5)
      expect(await client.read('schema://docs')).to.include('EVM_EXPLORER_DATABASE_URL')
      const { isError, structuredContent } = await client.call('ask_indexer', { question: 'How high?' })
      expect(isError).to.equal(true)
      expect(structuredContent?.['error']).to.include('LLM_API_KEY')
      await client.close()
    }
    await mcp.stop()
  })
})
