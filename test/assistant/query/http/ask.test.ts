import { request as httpRequest } from 'node:http'
import { expect } from 'chai'
import { inOrder, startFakeProvider } from '../../../../scripts/eval/fake-provider.ts'
import type { FakeProvider, ProviderTurn } from '../../../../scripts/eval/fake-provider.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { Answered, RunningAsk } from '../support/running-ask.ts'

interface AskResult {
  readonly question: string
  readonly sql: string
  readonly results: Record<string, unknown>[]
  readonly columns: string[]
  readonly row_count: number
  readonly error: string | null
  readonly error_code: string | null
  readonly attempts: { sql: string; error: string | null }[]
  readonly model: string
  readonly prompt_version: string
}

const question = 'How much is one and one?'
const fenced = (sql: string): ProviderTurn => ({ text: `\`\`\`sql\n${sql}\n\`\`\`` })

describe('ask and generate_sql', () => {
  let db: TestDatabase
  let provider: FakeProvider | undefined
  let ask: RunningAsk | undefined
  before(async () => {
    db = await createTestDatabase()
  })
  afterEach(async () => {
    await ask?.stop()
    await provider?.close()
    ask = provider = undefined
  })
  after(() => db.drop())

  /** The service with a model that gives these replies in order. */
  const open = async (turns: readonly ProviderTurn[], variables: Record<string, string> = {}): Promise<RunningAsk> => {
    provider = await startFakeProvider(inOrder(...turns))
    ask = await runAsk(db, {
      LLM_PROVIDER: 'anthropic',
      LLM_API_KEY: 'key',
      LLM_MODEL: 'some-model',
      LLM_BASE_URL: provider.url,
      ...variables,
    })
    return ask
  }
  const put = async (turns: readonly ProviderTurn[], path = 'ask'): Promise<Answered<AskResult>> =>
    (await open(turns)).post<AskResult>(`/api/v1/${path}`, { question })
  const output = (): string => provider?.calls.at(-1)?.messages.at(-1)?.text ?? ''

  it("return the model's statement and its rows", async () => {
    const { status, body } = await put([fenced('SELECT 1 + 1 AS two')])
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      question,
      sql: 'SELECT 1 + 1 AS two',
      columns: ['two'],
      results: [{ two: 2 }],
      row_count: 1,
      error: null,
      error_code: null,
      attempts: [{ sql: 'SELECT 1 + 1 AS two', error: null }],
      model: 'anthropic/some-model',
    })
    expect(body.prompt_version).to.match(/^[0-9a-f]{12}$/)
    expect(output()).to.equal(`Question: ${question}`)
    expect(provider?.calls[0]?.instructions).to.include('CREATE TABLE raw.blocks (').and.include('# Examples')
  })

  it('generate a statement without running it', async () => {
    // It can be planned, but would fail when run.
    const { status, body } = await put([fenced('SELECT n / (n - 1) FROM generate_series(1, 2) AS n')], 'generate_sql')
    expect(status).to.equal(200)
    expect(body).to.include({ sql: 'SELECT n / (n - 1) FROM generate_series(1, 2) AS n', error: null })
    expect(body).not.to.have.property('results')
  })

  it('do not run a statement for ask with execute false', async () => {
    const service = await open([fenced('SELECT 1 AS one')])
    const { body } = await service.post<AskResult>('/api/v1/ask', { question, execute: false })
    expect(body).to.deep.include({ sql: 'SELECT 1 AS one', results: [], row_count: 0, error: null })
  })

  it('extract the statement from prose and send no prose to the database', async () => {
    const { body } = await put([
      { text: 'With pleasure. Here it is:\n\nSELECT 1 + 1 AS two;\n\nThis adds the numbers.' },
    ])
    expect(body).to.deep.include({ sql: 'SELECT 1 + 1 AS two', results: [{ two: 2 }] })
  })

  it('return a failed statement with its error to the model until it works', async () => {
    const { body } = await put([
      fenced('SELECT max(heigth) FROM raw.blocks'),
      fenced('SELECT count(*) AS n FROM raw.blocks'),
    ])
    expect(body.results).to.deep.equal([{ n: '0' }])
    expect(body.attempts).to.have.length(2)
    expect(body.attempts[0]?.error).to.include('heigth')
    expect(output()).to.include('heigth').and.include('SQLSTATE 42703').and.include('character')
    expect(provider?.calls.at(-1)?.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user'])
  })

  it('correct a statement that fails only at run time', async () => {
    const { body } = await put([fenced('SELECT n / (n - 1) FROM generate_series(1, 2) AS n'), fenced('SELECT 2 AS n')])
    expect(body.results).to.deep.equal([{ n: 2 }])
    expect(body.attempts[0]?.error).to.include('division by zero')
  })

  it('stop after two corrections with the last statement and its error', async () => {
    const { status, body } = await put([fenced('SELECT a'), fenced('SELECT b'), fenced('SELECT c')])
    expect(status).to.equal(200)
    expect(body).to.deep.include({ sql: 'SELECT c', results: [], row_count: 0, error_code: 'sql-failed' })
    expect(body.error).to.include('"c"')
    expect(body.attempts.map(({ sql }) => sql)).to.deep.equal(['SELECT a', 'SELECT b', 'SELECT c'])
    expect(provider?.calls).to.have.length(3)
  })

  it('run no statement that the gate rejects', async () => {
    await db.pool.query('CREATE TABLE public.precious AS SELECT 1 AS n')
    const { body } = await put([
      fenced('DROP TABLE public.precious'),
      fenced('SELECT pg_sleep(1)'),
      fenced('SELECT * FROM app.developer_keys'),
    ])
    expect(body.error_code).to.equal('sql-relation')
    expect(body.attempts.map(({ error }) => error?.slice(0, 12))).not.to.include(undefined)
    expect((await db.pool.query('SELECT n FROM public.precious')).rowCount).to.equal(1)
    await db.pool.query('DROP TABLE public.precious')
  })

  it('repeat the request when the reply has no statement or a partial one', async () => {
    const { body } = await put([
      { text: 'I would rather not.' },
      { text: '```sql\nSELECT 1 +', isCutOff: true },
      fenced('SELECT 2 AS two'),
    ])
    expect(body.results).to.deep.equal([{ two: 2 }])
    expect(provider?.calls[1]?.messages.at(-1)?.text).to.include('no SELECT statement')
    expect(provider?.calls[2]?.messages.at(-1)?.text).to.include('cut off')
  })

  it("return the model's text when it writes no statement", async () => {
    const service = await open([{ text: 'I only talk about the weather.' }])
    const { status, body } = await service.post('/api/v1/ask', { question })
    expect([status, body.code]).to.deep.equal([502, 'model-without-sql'])
    expect(body.detail).to.include('I only talk about the weather.')
  })

  it('report why the model failed', async () => {
    const service = await open([{ status: 400, message: 'the prompt is too long' }])
    for (const path of ['ask', 'generate_sql']) {
      const { status, body } = await service.post(`/api/v1/${path}`, { question })
      expect([status, body.code]).to.deep.equal([502, 'model-failed'])
      expect(body.detail).to.include('the prompt is too long')
    }
  })

  it('time out and return the statement', async () => {
    const service = await open([fenced('SELECT count(*) FROM generate_series(1, 100000000000) AS n')], {
      QUERY_TIMEOUT_S: '1',
    })
    const { status, body } = await service.post<AskResult>('/api/v1/ask', { question })
    expect(status).to.equal(200)
    expect(body).to.include({ error_code: 'sql-timeout', row_count: 0 })
    expect(body.sql).to.include('generate_series')
    expect(provider?.calls).to.have.length(1)
  })

  it('stop calling the model when the client disconnects', async () => {
    const service = await open(['silence'])
    const gone = httpRequest(`${service.origin}/api/v1/ask`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    })
    gone.on('error', () => undefined)
    gone.end(JSON.stringify({ question }))
    await provider?.called
    gone.destroy()
    expect((await provider?.gone)?.model).to.equal('some-model')
    expect((await service.get<unknown[]>('/api/v1/history')).body).to.deep.equal([])
  })

  it('send the model approved examples of similar questions', async () => {
    const service = await open([fenced('SELECT 1')])
    await service.post('/api/v1/memory', { question: 'How much are one and one?', sql: 'SELECT 1 + 1 AS approved' })
    await service.post('/api/v1/ask', { question })
    expect(output()).to.include('SELECT 1 + 1 AS approved').and.include(`Question: ${question}`)
    await service.post('/api/v1/ask', { question: '哪些账户最大？' })
    expect(output()).not.to.include('approved')
  })

  it('report which variable to set without a model while other routes work', async () => {
    ask = await runAsk(db)
    for (const path of ['ask', 'generate_sql', 'indexer/ask']) {
      const { status, headers, body } = await ask.post(`/api/v1/${path}`, { question })
      expect([status, body.code]).to.deep.equal([503, 'no-model'])
      expect(body.detail).to.include('LLM_API_KEY')
      expect(headers.get('retry-after')).to.equal(null)
    }
    expect((await ask.post('/api/v1/run_sql', { sql: 'SELECT 1' })).status).to.equal(200)
  })

  it('answer only the example questions with the scripted model', async () => {
    ask = await runAsk(db, { LLM_PROVIDER: 'scripted' })
    const {
      body: { data },
    } = await ask.get<{ data: { questions: string[]; sql: string }[] }>('/api/v1/examples?target=indexer')
    for (const one of data[0]?.questions ?? []) {
      const { status, body } = await ask.post<AskResult>('/api/v1/ask', { question: ` ${one.toUpperCase()} ` })
      expect(status).to.equal(200)
      expect(body).to.include({ sql: data[0]?.sql, error: null, model: 'scripted/example-questions' })
    }
    const { status, body } = await ask.post('/api/v1/ask', { question })
    expect([status, body.code]).to.deep.equal([503, 'no-model'])
    expect(body.detail).to.include('example questions').and.include('LLM_API_KEY')
  })

  for (const [name, body, field] of [
    ['no question', {}, 'question'],
    ['blanks', { question: '  ' }, 'question'],
    ['a book', { question: 'x'.repeat(4001) }, 'question'],
    ['a number', { question: 1 }, 'question'],
    ['another field', { question, mode: 'deep' }, 'mode'],
  ] as const) {
    it(`reject ${name} without calling a model`, async () => {
      const service = await open([fenced('SELECT 1')])
      const answer = await service.post('/api/v1/ask', body)
      expect([answer.status, answer.body.field]).to.deep.equal([400, field])
      expect(provider?.calls).to.have.length(0)
    })
  }
})
