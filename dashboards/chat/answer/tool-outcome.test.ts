import { expect } from 'chai'
import type { MessagePart } from '../messages.ts'
import { readToolCall, readToolRows, describeToolCall } from './tool-outcome.ts'
import type { ToolOutcome } from './tool-outcome.ts'

const part = (state: string, rest: object, name = 'run_indexer_sql'): MessagePart =>
  ({ type: 'dynamic-tool', toolName: name, toolCallId: '1', state, input: { sql: 'SELECT 1' }, ...rest }) as MessagePart
const outcome = (state: string, rest: object, isLive = false): ToolOutcome | undefined =>
  readToolCall(part(state, rest), isLive)?.outcome

describe('a tool call', () => {
  it('is read from both kinds of parts', () => {
    expect(readToolCall(part('input-available', {}), true)).to.deep.equal({
      id: '1',
      name: 'run_indexer_sql',
      input: { sql: 'SELECT 1' },
      outcome: { is: 'running' },
    })
    const own = {
      type: 'tool-createChart',
      toolCallId: '2',
      state: 'output-available',
      input: {},
      output: { a: 1 },
    } as MessagePart
    expect(readToolCall(own, false)).to.deep.equal({
      id: '2',
      name: 'createChart',
      input: {},
      outcome: { is: 'done', output: { a: 1 } },
    })
    expect(readToolCall({ type: 'text', text: 'tool-x' }, false)).to.equal(undefined)
  })

  it('is incomplete if the answer ended before it', () => {
    for (const state of ['input-streaming', 'input-available'])
      expect(outcome(state, {})).to.deep.equal({ is: 'incomplete' })
  })

  it('is unwrapped from its MCP envelope', () => {
    const text = [{ type: 'text', text: '{"a":1}' }]
    expect(outcome('output-available', { output: { content: text, structuredContent: { a: 2 } } })).to.deep.equal({
      is: 'done',
      output: { a: 2 },
    })
    expect(outcome('output-available', { output: { content: text } })).to.deep.equal({ is: 'done', output: { a: 1 } })
    expect(outcome('output-available', { output: { content: [{ type: 'text', text: '{broken' }] } })).to.deep.equal({
      is: 'done',
      output: '{broken',
    })
    expect(outcome('output-available', { output: null })).to.deep.equal({ is: 'done', output: null })
  })

  it('has its error in each form', () => {
    expect(outcome('output-error', { errorText: 'no' })).to.deep.equal({ is: 'failed', error: 'no' })
    expect(
      outcome('output-available', { output: { isError: true, structuredContent: { error: 'no column' } } }),
    ).to.include({ is: 'failed', error: 'no column' })
    expect(
      outcome('output-available', { output: { isError: true, content: [{ type: 'text', text: 'timed out' }] } }),
    ).to.include({ is: 'failed', error: 'timed out' })
    expect(outcome('output-available', { output: { isError: true, content: [] } })).to.include({ is: 'failed' })
    expect(outcome('output-available', { output: { error: 'refused' } })).to.include({ is: 'failed', error: 'refused' })
    expect(outcome('output-available', { output: { error: null, rows: [] } })).to.include({ is: 'done' })
  })
})

describe('rows of a tool', () => {
  it('are read by name and by position', () => {
    const byName = readToolRows({
      columns: ['day', 'n'],
      column_types: ['date', 'int8'],
      rows: [{ day: 'x', n: '1' }],
      row_count: 1,
      truncated: true,
      duration_ms: 12,
    })
    expect(byName).to.deep.equal({
      columns: [
        { name: 'day', type: 'date', isNumber: false },
        { name: 'n', type: 'int8', isNumber: true },
      ],
      rows: [['x', '1']],
      rowCount: 1,
      isTruncated: true,
      durationMs: 12,
    })
    expect(readToolRows({ columns: ['day', 'n'], rows: [['x', '1']] })).to.deep.include({
      rows: [['x', '1']],
      rowCount: 1,
      isTruncated: false,
    })
    expect(
      readToolRows({
        columns: ['day', 'n'],
        rows: [
          ['x', '1'],
          ['y', null],
        ],
      })?.columns.map(({ isNumber }) => isNumber),
    ).to.deep.equal([false, true])
  })

  it('are undefined for other output', () => {
    for (const other of ['text', null, 3, [], {}, { columns: [1], rows: [] }, { columns: ['a'], rows: 'x' }])
      expect(readToolRows(other)).to.equal(undefined)
  })
})

describe('description of a tool call', () => {
  const words = (name: string, input: object, outcomeOf: ToolOutcome) => {
    const { text, subject, notes } = describeToolCall({ id: '1', name, input: { ...input }, outcome: outcomeOf })
    return [text, subject, ...notes].filter((word) => word !== undefined).join(' · ')
  }

  it('has action and result', () => {
    const rows = { columns: ['a'], rows: [[1]], row_count: 14, truncated: false, duration_ms: 210 }
    expect(words('run_indexer_sql', {}, { is: 'done', output: rows })).to.equal('Ran SQL · 14 rows · 0.2 s')
    expect(words('run_indexer_sql', {}, { is: 'done', output: { ...rows, truncated: true, row_count: 500 } })).to.equal(
      'Ran SQL · first 500 rows · 0.2 s',
    )
    expect(words('run_evm_sql', {}, { is: 'running' })).to.equal('Running SQL on the EVM database')
    expect(
      words('fetch_api', { url: 'https://api.coingecko.com/x?y' }, { is: 'done', output: { status: 200 } }),
    ).to.equal('Fetched · api.coingecko.com · status 200')
    expect(words('loadSkill', { name: 'cadence' }, { is: 'failed', error: 'no' })).to.equal(
      'Read the skill · cadence · failed',
    )
  })

  it('uses the name of unknown tools', () => {
    expect(words('constructor', {}, { is: 'incomplete' })).to.equal('Used · constructor · incomplete')
  })
})
