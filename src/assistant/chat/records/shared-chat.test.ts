import { expect } from 'chai'
import { ApiError } from '../../../platform/errors.ts'
import { readSharedChat, shareLimits } from './shared-chat.ts'
import type { SharedChat } from './shared-chat.ts'

const question = { role: 'user', parts: [{ type: 'text', text: 'How many?' }] }
const chat = (...parts: object[]): object => ({ title: 'Title', messages: [question, { role: 'assistant', parts }] })
const partsOf = (...parts: object[]): unknown => readSharedChat(chat(...parts)).messages[1]?.parts
const text = { type: 'text', text: 'Seven.' }

function problemOf(body: unknown): { status: number; code: string; field: unknown } {
  try {
    readSharedChat(body)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { status: error.status, code: error.code, field: error.field }
  }
  throw new Error('The chat was accepted.')
}

const sqlCall = (output: unknown, more: object = {}): object => ({
  type: 'dynamic-tool',
  toolName: 'run_indexer_sql',
  toolCallId: 'c1',
  state: 'output-available',
  input: { sql: 'SELECT 1 AS one', api_key: 'secret' },
  output,
  ...more,
})
const rows = (count: number): readonly object[] => Array.from({ length: count }, (_, i) => ({ n: i }))

describe('a snapshot of a chat', () => {
  it('has questions, answers, statements, tables and charts', () => {
    const chart = { chartType: 'bar', title: 'T', labels: ['a'], datasets: [{ label: 'n', data: [1] }] }
    const table = { columns: ['n'], column_types: ['int8'], results: [{ n: '7' }], row_count: 1, truncated: false }
    const shared = readSharedChat({
      title: ' Title ',
      messages: [
        { ...question, id: 'private-id' },
        {
          role: 'assistant',
          parts: [
            { type: 'step-start' },
            { type: 'reasoning', text: 'thoughts' },
            { type: 'data-notice', data: {} },
            sqlCall({ content: [{ type: 'text', text: 'raw' }], structuredContent: table, _meta: 'secret' }),
            { type: 'tool-createChart', toolCallId: 'c2', state: 'output-available', input: chart, output: chart },
            { ...text, providerMetadata: { openai: { itemId: 'secret' } } },
            { type: 'source-url', sourceId: 's', url: 'https://developers.flow.com/', title: 'Flow' },
          ],
          metadata: { model: 'openai/gpt-5.4', usage: { totalTokens: 5 } },
        },
      ],
    })
    expect(shared satisfies SharedChat).to.deep.equal({
      title: 'Title',
      messages: [
        { id: 'm0', role: 'user', parts: [{ type: 'text', text: 'How many?', state: 'done' }] },
        {
          id: 'm1',
          role: 'assistant',
          metadata: { model: 'openai/gpt-5.4' },
          parts: [
            {
              type: 'dynamic-tool',
              toolName: 'run_indexer_sql',
              toolCallId: 'messages[1].parts[3]',
              state: 'output-available',
              input: { sql: 'SELECT 1 AS one' },
              output: {
                content: [],
                structuredContent: {
                  columns: ['n'],
                  column_types: ['int8'],
                  rows: [['7']],
                  row_count: 1,
                  truncated: false,
                },
              },
            },
            {
              type: 'dynamic-tool',
              toolName: 'createChart',
              toolCallId: 'messages[1].parts[4]',
              input: { chartType: 'bar', title: 'T' },
              state: 'output-available',
              output: chart,
            },
            { type: 'text', text: 'Seven.', state: 'done' },
            { type: 'source-url', sourceId: 's', url: 'https://developers.flow.com/', title: 'Flow' },
          ],
        },
      ],
    })
  })

  it('has no input, output or error of other tools', () => {
    const secret = 'Bearer of-the-user'
    const call = {
      type: 'dynamic-tool',
      toolName: 'fetch_api',
      toolCallId: 'c',
      input: { url: `https://a/?key=${secret}` },
    }
    for (const outcome of [
      { state: 'output-available', output: { body: secret } },
      { state: 'output-available', output: { isError: true, content: [{ type: 'text', text: secret }] } },
      { state: 'output-error', errorText: secret },
      { state: 'input-available' },
    ])
      expect(JSON.stringify(partsOf(text, { ...call, ...outcome })), outcome.state).to.not.include(secret)
    expect(
      partsOf(text, sqlCall(undefined, { state: 'output-error', errorText: 'no such column' })),
    ).to.have.nested.property('[1].errorText', 'no such column')
  })

  it('shortens tables and cells', () => {
    const long = 'x'.repeat(shareLimits.cellCharacters + 1)
    const output = (count: number): unknown => ({
      columns: ['n'],
      rows: [[long], [{ a: [{}] }], [undefined], ...rows(count - 3)],
      row_count: count,
    })
    for (const [count, truncated] of [
      [shareLimits.rows, false],
      [shareLimits.rows + 1, true],
    ] as const) {
      const parts = partsOf(text, sqlCall(output(count))) as readonly { output: { structuredContent: object } }[]
      const table = parts[1]?.output.structuredContent
      expect(table).to.include({ truncated, row_count: shareLimits.rows })
      expect(table).to.have.nested.property('rows[0][0]', `${long.slice(0, shareLimits.cellCharacters - 1)}…`)
      expect(table).to.have.nested.property('rows[1][0]', '{"a":[{}]}')
      expect(table).to.have.nested.property('rows[2][0]', null)
    }
  })

  it('has limits', () => {
    const many = (count: number): object => ({
      title: 'T',
      messages: Array.from({ length: count }, () => ({ role: 'assistant', parts: [text] })),
    })
    const columns = (count: number): object =>
      sqlCall({ columns: Array.from({ length: count }, (_, i) => `c${i}`), rows: [] })
    const padding = (bytes: number): object =>
      chat(...Array.from({ length: 8 }, () => ({ type: 'text', text: 'y'.repeat(bytes) })))
    for (const [atLimit, above, field] of [
      [many(shareLimits.messages), many(shareLimits.messages + 1), 'messages'],
      [
        chat(...Array.from({ length: shareLimits.parts }, () => text)),
        chat(...Array.from({ length: shareLimits.parts + 1 }, () => text)),
        'messages[1].parts',
      ],
      [
        chat(text, columns(shareLimits.columns)),
        chat(text, columns(shareLimits.columns + 1)),
        'messages[1].parts[1].output.columns',
      ],
      [{ ...chat(text), title: 't'.repeat(200) }, { ...chat(text), title: 't'.repeat(201) }, 'title'],
    ] as const) {
      readSharedChat(atLimit)
      expect(problemOf(above)).to.deep.equal({ status: 400, code: 'invalid-field', field })
    }
    readSharedChat(padding(60_000))
    expect(problemOf(padding(70_000))).to.deep.equal({ status: 413, code: 'share-too-large', field: undefined })
    const huge = { chartType: 'bar', title: 'T', labels: Array.from({ length: 201 }, String), datasets: [] }
    expect(
      problemOf(chat(text, { type: 'tool-createChart', toolCallId: 'c', state: 'output-available', output: huge }))
        .code,
    ).to.equal('invalid-field')
  })

  it('must have the shape of a chat', () => {
    for (const body of [
      undefined,
      [],
      {},
      { title: '', messages: [question] },
      { title: 'T', messages: 'x' },
      { title: 'T', messages: [question] },
      { title: 'T', messages: [{ role: 'system', parts: [text] }] },
      { title: 'T', messages: [{ role: 'assistant', parts: [null] }] },
      chat({ type: 'text', text: 7 }),
      chat({ type: 'dynamic-tool', toolName: '<script>', state: 'output-available' }),
      chat(sqlCall({}, { input: { sql: 7 } })),
      chat(text, { type: 'source-url', sourceId: 's', url: 'x'.repeat(shareLimits.urlCharacters + 1) }),
    ])
      expect(problemOf(body), JSON.stringify(body)).to.include({ status: 400, code: 'invalid-field' })
  })
})
