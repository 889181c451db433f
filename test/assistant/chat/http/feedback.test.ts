import { pino } from 'pino'
import { expect } from 'chai'
import { ChatFeedback, feedbackLimits, readFeedback } from '../../../../src/assistant/chat/records/chat-feedback.ts'
import { recordsPerMinute } from '../../../../src/assistant/chat/records/share-routes.ts'
import { SharedChats } from '../../../../src/assistant/chat/records/shared-chats.ts'
import { deleteExpiredRecords } from '../../../../src/assistant/chat/service.ts'
import { Lifecycle } from '../../../../src/platform/service.ts'
import { feedbackReport } from '../../../../scripts/eval/report.ts'
import { ProgramRun } from '../../../support/command-line.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runChat } from '../support/running-chat.ts'
import type { RunningChat } from '../support/running-chat.ts'

const key = 'V3h1kq0PZbW7xv2m8Yc4Tw'
const otherKey = 'gk2mI5nqRyqX0sFvZJ0r1A'
const proxied = { 'X-Forwarded-For': '203.0.113.7' }
const question = (text: string): object => ({ role: 'user', parts: [{ type: 'text', text }] })
const sql = 'SELECT count(*) FROM raw.blocks'
const chart = { chartType: 'bar', title: 'Blocks', labels: ['a'], datasets: [{ label: 'n', data: [1] }] }
const call = (toolName: string, input: object, output: object): object => ({
  type: 'dynamic-tool',
  toolName,
  toolCallId: toolName,
  state: 'output-available',
  input,
  output,
})
const answer = {
  role: 'assistant',
  metadata: { model: 'openai/gpt-5.4' },
  parts: [
    call('run_indexer_sql', { sql }, { structuredContent: { columns: ['n'], rows: [['secret row']], row_count: 1 } }),
    call('fetch_api', { url: 'https://a.example/?key=secret' }, { body: 'secret' }),
    call('createChart', chart, chart),
    { type: 'text', text: 'There are \u001b[31m7\u0000.' },
  ],
}
const bad = {
  key,
  answer_id: 'x7Kd02mPqA',
  rating: 'bad',
  reason: 'wrong-data',
  comment: 'Too \u0000 few.',
  messages: [question('How many blocks?'), answer],
}
const limited = (characters: number): string => 'c'.repeat(characters)

describe('feedback on answers', () => {
  let database: TestDatabase
  let running: RunningChat
  before(async () => {
    database = await createTestDatabase()
  })
  beforeEach(() => database.pool.query('DELETE FROM app.chat_feedback'))
  afterEach(() => running.stop())
  after(() => database.drop())

  const run = async (variables: Record<string, string> = {}): Promise<void> => {
    running = await runChat({ database, variables })
  }
  const send = async (
    body: object,
    headers: Record<string, string> = {},
    path = '',
  ): Promise<{ readonly status: number; readonly code?: string; readonly field?: string }> => {
    const response = await fetch(`${running.origin}/api/chat/feedback${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { ...((await response.json()) as object), status: response.status }
  }
  const stored = (): ReturnType<typeof readFeedback> => readFeedback(database.pool)

  it('is stored without rows and other tools, and replaced by a later rating', async () => {
    await run({ API_TOKEN: 'the-token' })
    const token = { Authorization: 'Bearer the-token' }
    expect((await send(bad)).status).to.equal(401)
    expect((await send(bad, token)).status).to.equal(200)
    const [first] = await stored()
    expect(first).to.deep.include({
      rating: 'bad',
      reason: 'wrong-data',
      comment: 'Too \u0000 few.',
      questions: ['How many blocks?'],
      statements: [{ target: 'indexer', sql, hasFailed: false }],
      charts: [{ chartType: 'bar', title: 'Blocks' }],
      answer: 'There are \u001b[31m7\u0000.',
      model: 'openai/gpt-5.4',
    })
    expect(JSON.stringify(first)).to.not.include('secret')
    expect((await send({ ...bad, rating: 'good', reason: 'correct', comment: '' }, token)).status).to.equal(200)
    expect((await stored()).map(({ rating, reason }) => [rating, reason])).to.deep.equal([['good', 'correct']])
    const { rows } = await database.pool.query('SELECT * FROM app.chat_feedback')
    expect(JSON.stringify(rows)).to.not.include(key)
  })

  it('is deleted by the key of its conversation only, one answer or all', async () => {
    await run()
    await send(bad)
    await send({ ...bad, answer_id: 'b' })
    await send({ ...bad, key: otherKey })
    expect((await send({ keys: [key], answer_id: 'b' }, {}, '/delete')).status).to.equal(200)
    expect(await stored()).to.have.lengthOf(2)
    await send({ keys: ['a'.repeat(22)] }, {}, '/delete')
    expect(await stored()).to.have.lengthOf(2)
    await send({ keys: [key] }, {}, '/delete')
    expect(await stored()).to.have.lengthOf(1)
    expect((await send({ keys: Array.from({ length: 100 }, () => otherKey) }, {}, '/delete')).status).to.equal(200)
    expect(await stored()).to.deep.equal([])
    expect((await send({ keys: Array.from({ length: 101 }, () => key) }, {}, '/delete')).status).to.equal(400)
  })

  it('cannot be read over HTTP', async () => {
    await run()
    await send(bad)
    for (const path of ['/api/chat/feedback', `/api/chat/feedback/${key}`, '/api/chat/feedback/delete'])
      expect((await running.get(path)).status, path).to.be.oneOf([404, 405])
  })

  it('is refused outside its limits', async () => {
    await run()
    const { commentCharacters } = feedbackLimits
    expect((await send({ ...bad, comment: limited(commentCharacters) })).status).to.equal(200)
    for (const [change, field] of [
      [{ comment: limited(commentCharacters + 1) }, 'comment'],
      [{ reason: 'correct' }, 'reason'],
      [{ reason: 'because' }, 'reason'],
      [{ rating: 'best' }, 'rating'],
      [{ key: 'short' }, 'key'],
      [{ answer_id: 'a'.repeat(65) }, 'answer_id'],
      [{ messages: [answer, question('And?')] }, 'messages'],
      [{ messages: [question('And?')] }, 'messages'],
    ] as const)
      expect(await send({ ...bad, ...change }), field).to.include({ status: 400, field })
    const many = Array.from({ length: 9 }, (_, i) => question(`${i}${limited(3000)}`))
    await send({ ...bad, messages: [...many, { ...answer, parts: [{ type: 'text', text: limited(100_000) }] }] })
    const [long] = await stored()
    expect(long?.questions.map(({ length }) => length)).to.deep.equal(
      Array.from({ length: feedbackLimits.questions }, () => feedbackLimits.questionCharacters),
    )
    expect(long?.answer).to.have.lengthOf(feedbackLimits.answerCharacters)
  })

  it('has a number per owner and in total, and a rate', async () => {
    const feedback = new ChatFeedback(database.pool, { perOwner: 2, total: 3 })
    const rate = (owner: string, messageId: string): Promise<string> =>
      feedback
        .rate(
          { owner, key, messageId },
          {
            rating: 'good',
            reason: 'correct',
            comment: '',
            questions: [],
            statements: [],
            charts: [],
            answer: '',
            model: null,
          },
        )
        .then(
          () => 'stored',
          (error: unknown) => (error as { code: string }).code,
        )
    await run()
    expect(await Promise.all(['1', '2', '3'].map((id) => rate('a', id)))).to.have.members([
      'stored',
      'stored',
      'feedback-full',
    ])
    const first = await rate('b', '4')
    expect([first, await rate('c', '5'), await rate('b', '4')]).to.deep.equal(['stored', 'feedback-full', 'stored'])
    const statuses: number[] = []
    for (let i = 0; i <= recordsPerMinute; i++) statuses.push((await send(bad, proxied)).status)
    expect(statuses.indexOf(429)).to.equal(recordsPerMinute)
  })

  it('and shared chats are deleted on a schedule when they expire', async () => {
    await run()
    await send(bad)
    await send({ ...bad, key: otherKey })
    await new SharedChats(database.pool, 1).create('a', { title: 'T', messages: [] })
    const log = pino({ level: 'silent' })
    const lifecycle = new Lifecycle(log)
    let deletions = 0
    const deleted = Promise.withResolvers<void>()
    const [shares, feedback] = [new SharedChats(database.pool, 1), new ChatFeedback(database.pool)]
    await database.pool.query(`
      UPDATE app.chat_feedback SET created_at = now() - interval '366 days' WHERE ctid = (SELECT min(ctid) FROM app.chat_feedback);
      UPDATE app.chat_shares SET expires_at = now()`)
    deleteExpiredRecords({
      lifecycle,
      log,
      shares,
      feedback: {
        deleteExpired: async () => {
          await feedback.deleteExpired()
          if (++deletions === 2) deleted.resolve()
        },
      },
      everyMs: 5,
    })
    await deleted.promise
    await lifecycle.stop('the test is over')
    expect(await stored()).to.have.lengthOf(1)
    expect((await database.pool.query('SELECT FROM app.chat_shares')).rowCount).to.equal(0)
  })

  it('is printed by npm run eval -- --feedback', async () => {
    await run()
    await send(bad)
    const [text, json] = await Promise.all(
      [['--feedback'], ['--feedback', '--json']].map(
        (args) => new ProgramRun('scripts/eval.ts', args, { DB_URL: database.url }).ended,
      ),
    )
    expect(text?.stdout.split('\n')).to.include.members([
      '1 rated answers: 0 good (0.0 %), 1 bad',
      '  bad: wrong-data: 1',
      '  question: How many blocks?',
      `  indexer: ${sql}`,
      '  chart: bar, Blocks',
      '  answer: There are [31m7 .',
      '  comment: Too few.',
    ])
    expect(JSON.parse(json?.stdout ?? '')).to.have.nested.property('[0].statements[0].sql', sql)
    expect(feedbackReport([])).to.deep.equal(['0 rated answers: 0 good (-), 0 bad'])
  })
})
