import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { alertExample, chatExamples } from '../../../src/assistant/chat/service.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { readChunks, runChat, answerTextOf } from './support/running-chat.ts'
import type { RunningChat, RunChatOptions } from './support/running-chat.ts'

interface Settings {
  readonly is_scripted: boolean
  readonly remedy: string | null
  readonly examples: readonly string[]
  readonly modes: readonly { readonly mode: string; readonly model: string }[]
}

describe('chat without a model', () => {
  let database: TestDatabase
  let chat: RunningChat | undefined

  before(async () => {
    database = await createTestDatabase()
    await database.pool.query(`insert into app.hourly_stats
      select '2026-10-31'::date + n, 12, 10, n * 1000, 0, n * 100, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0 from generate_series(1, 3) n`)
    await database.pool.query(
      `insert into app.daily_account_counts select '2026-10-31'::date + n, n * 500 from generate_series(1, 3) n`,
    )
  })

  afterEach(async () => {
    await chat?.stop()
    chat = undefined
  })

  after(() => database.drop())

  async function start(options: Partial<RunChatOptions> = {}): Promise<RunningChat> {
    chat = await runChat({
      database,
      hasMcp: true,
      ...options,
      variables: { LLM_PROVIDER: 'scripted', ...options.variables },
    })
    return chat
  }

  it('reports that it is scripted and which questions it supports', async () => {
    const settings = (await (await (await start()).get('/api/chat/settings')).json()) as Settings
    expect(settings).to.deep.include({
      is_scripted: true,
      remedy: null,
      modes: [{ mode: 'balanced', model: 'scripted/example-questions' }],
    })
    expect(settings.examples).to.deep.equal([
      ...chatExamples('mainnet').map(({ questions }) => questions[0]),
      alertExample,
    ])
  })

  it('answers an example question with a statement, its rows as a chart, and the SQL', async () => {
    const { ask } = await start()
    const chunks = await readChunks(await ask('  how many   transactions were there each DAY '))
    const inputs = chunks.flatMap((chunk) => (chunk.type === 'tool-input-available' ? [chunk] : []))
    expect(inputs.map(({ toolName }) => toolName)).to.deep.equal(['run_indexer_sql', 'createChart'])
    expect(JSON.stringify(inputs[0]?.input)).to.include('from app.daily_stats')
    const [result, chart] = chunks.flatMap((chunk) => (chunk.type === 'tool-output-available' ? [chunk.output] : []))
    expect(JSON.stringify(result)).to.include('3000')
    expect(chart).to.deep.equal({
      chartType: 'line',
      title: 'Transactions by day',
      labels: ['2026-11-01', '2026-11-02', '2026-11-03'],
      datasets: [
        { label: 'tx count', data: [1000, 2000, 3000] },
        { label: 'failed tx count', data: [100, 200, 300] },
        { label: 'active account count', data: [500, 1000, 1500] },
      ],
    })
    const printed = answerTextOf(chunks)
    expect(printed)
      .to.match(/^I will look that up in the indexed data\./)
      .and.include('**3 rows**')
      .and.include('| 2026-11-03 | 3,000 | 300 | 1,500 |')
    expect(printed).to.include('```sql\nselect day, tx_count').and.include('No language model is configured')
    expect(chunks.filter(({ type }) => type === 'text-delta')).to.have.length.above(20)
    const finish = chunks.at(-1)
    expect(finish).to.have.property('type', 'finish')
    expect(finish).to.have.nested.include({
      'messageMetadata.isScripted': true,
      'messageMetadata.model': 'scripted/example-questions',
      'messageMetadata.end': 'complete',
      'messageMetadata.steps': 3,
    })
  })

  it('says once in a conversation that a model is not configured', async () => {
    const { ask, post } = await start()
    const question = 'How many transactions were there each day?'
    const first = answerTextOf(await readChunks(await ask(question)))
    const messages = [question, first, question].map((content, i) => ({
      role: i === 1 ? 'assistant' : 'user',
      content,
    }))
    const second = answerTextOf(await readChunks(await post({ messages })))
    expect(second).to.include('**3 rows**').and.not.include('No language model is configured')
  })

  it('runs a statement again, with its limits and its errors', async () => {
    const { origin } = await start()
    const run = async (body: object): Promise<{ status: number; body: Record<string, unknown> }> => {
      const response = await fetch(`${origin}/api/chat/sql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const { body } = await run({ sql: 'select count(*) as days from app.daily_stats' })
    expect(body).to.have.nested.property('output.structuredContent.results[0].days', '3')
    expect((await run({ sql: 'delete from app.daily_stats' })).body['error']).to.match(/DELETE is not allowed/)
    expect((await run({ sql: 'select 1', target: 'evm' })).body['code']).to.equal('tools-missing')
    expect((await run({ sql: ' ' })).status).to.equal(400)
  })

  it('proposes an alert on an example question, which the user confirms', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-mail-'))
    try {
      const { ask, get, origin } = await start({ variables: { MAIL_FOLDER: folder } })
      expect(await (await get('/api/chat/settings')).json()).to.include({ sends_email: true })
      const chunks = await readChunks(await ask(`${alertExample}, every 2 minutes.`))
      const [proposal] = chunks.flatMap((chunk) => (chunk.type === 'tool-output-available' ? [chunk.output] : []))
      expect(proposal).to.deep.include({
        status: 'unconfirmed',
        action: 'create_alert',
        name: 'The newest indexed block is above 200 million',
        condition: { kind: 'compare', operator: '>', number: '200000000' },
        interval_seconds: 120,
      })
      expect(answerTextOf(chunks))
        .to.match(/^Review the alert and confirm it\./)
        .and.include('No language model')
      expect((await database.pool.query('SELECT FROM app.alerts')).rowCount).to.equal(0)
      const { status: _status, action: _action, ...input } = proposal as Record<string, unknown>
      const response = await fetch(`${origin}/api/chat/confirm`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ tool: 'create_alert', input: { ...input, email: 'ann@example.com' } }),
      })
      const created = (await response.json()) as { readonly error: string | null }
      expect(created).to.have.nested.property('output.structuredContent.alert.state', 'unconfirmed')
      const other = answerTextOf(await readChunks(await ask('Tell me when pigs fly')))
      expect(other).to.include('Only these example questions work')
    } finally {
      await chat?.stop()
      chat = undefined
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('answers Chinese questions in Chinese', async () => {
    const chunks = await readChunks(await (await start()).ask('每天的交易数量是多少？'))
    expect(JSON.stringify(chunks)).to.include('"title":"每天的交易数量是多少？"')
    const printed = answerTextOf(chunks)
    expect(printed)
      .to.match(/^我在已索引的链上数据中查询/)
      .and.include('**3 行**')
      .and.include('| 2026-11-03 | 3,000 |')
      .and.include('```sql')
  })

  it('reports a statement without rows and draws no chart', async () => {
    const chunks = await readChunks(await (await start()).ask('Which fungible tokens have the most holders?'))
    expect(chunks.filter(({ type }) => type === 'tool-input-available')).to.have.length(1)
    expect(answerTextOf(chunks)).to.include('**no rows**').and.include('```sql')
  })

  it('answers any other question with how to configure a model', async () => {
    const { ask } = await start()
    for (const question of [
      'Ignore that. What is the meaning of life?',
      'How many transactions were there each day? And blocks?',
      '',
    ]) {
      const chunks = await readChunks(await ask(question === '' ? '?' : question))
      expect(chunks.some(({ type }) => type.startsWith('tool'))).to.equal(false)
      expect(answerTextOf(chunks))
        .to.include('Only these example questions work')
        .and.include('- How many accounts were created each day?')
        .and.include('`LLM_BASE_URL`')
    }
    expect(answerTextOf(await readChunks(await ask('生命的意义是什么')))).to.include('这里没有模型')
  })

  it('answers a follow-up question', async () => {
    const { ask, post } = await start()
    const first = await readChunks(await ask('How many transactions were there each day?'))
    const output = first.find((chunk) => chunk.type === 'tool-output-available')?.output
    const user = (text: string) => ({ id: text, role: 'user', parts: [{ type: 'text', text }] })
    const before = {
      id: 'a',
      role: 'assistant',
      parts: [
        {
          type: 'dynamic-tool',
          toolName: 'run_indexer_sql',
          toolCallId: 'c1',
          state: 'output-available',
          input: { sql: 'select 1' },
          output,
        },
        { type: 'text', text: 'That is it.' },
      ],
    }
    const chunks = await readChunks(
      await post({
        messages: [
          user('How many transactions were there each day?'),
          before,
          user('Which fungible tokens have the most holders?'),
        ],
      }),
    )
    expect(JSON.stringify(chunks)).to.include('from app.ft_token_holders')
    expect(answerTextOf(chunks)).to.include('**no rows**')
  })

  it('reports a missing SQL tool and a failed statement', async () => {
    const without = await start({ hasMcp: false, variables: { CHAT_TOOL_CONNECT_MS: '200' } })
    expect(answerTextOf(await readChunks(await without.ask('How many accounts were created each day?'))))
      .to.include('The SQL tool is unavailable')
      .and.include('```sql')
    await without.stop()
    const { ask } = await start()
    await database.pool.query('alter view app.daily_stats rename column new_account_count to renamed')
    try {
      const chunks = await readChunks(await ask('How many accounts were created each day?'))
      expect(answerTextOf(chunks))
        .to.include('The statement failed')
        .and.include('new_account_count')
        .and.include('```sql')
    } finally {
      await database.pool.query('alter view app.daily_stats rename column renamed to new_account_count')
    }
  })
})

describe('chat example questions', () => {
  it('are available on every network, with addresses filled in', () => {
    for (const network of ['mainnet', 'testnet', 'emulator'] as const) {
      for (const { questions, sql } of chatExamples(network)) {
        expect(questions.join(' ') + sql).to.not.match(/\{\w+\}/)
        expect(questions[0]).to.not.match(/0x[0-9a-f]{16}/)
      }
    }
  })
})
