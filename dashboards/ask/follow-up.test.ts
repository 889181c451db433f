import { expect } from 'chai'
import type { SqlResult } from './draft.ts'
import { earlierAnswer } from './follow-up.ts'

const result = (columns: readonly string[], results: SqlResult['results']): SqlResult => ({
  target: 'indexer',
  sql: 'SELECT 1',
  columns,
  column_types: columns.map(() => 'text'),
  results,
  row_count: results.length,
  truncated: false,
  truncated_by: null,
  duration_ms: 1,
  error: null,
})

describe('a follow-up question', () => {
  it('sends the statement with a bounded sample of its result', () => {
    const columns = Array.from({ length: 60 }, (_, i) => `c${i}`)
    const row = Object.fromEntries(columns.map((name) => [name, 'x'.repeat(500)]))
    const sent = earlierAnswer({ kind: 'run', target: 'indexer', sql: 'SELECT 1' }, result(columns, Array(9).fill(row)))
    expect(sent.question).to.equal('Run this statement.')
    expect(sent.columns).to.have.length(50)
    expect(sent.rows).to.have.length(5)
    expect(sent.rows[0]).to.have.length(50)
    expect(sent.rows[0]?.[0]).to.have.length(200)
  })

  it('keeps the questions before it, the newest if they are too long', () => {
    const first = earlierAnswer({ kind: 'ask', target: 'indexer', question: 'Fees?' }, result([], []))
    const second = earlierAnswer(
      { kind: 'ask', target: 'indexer', question: 'By day.', earlier: first },
      result(['fee'], [{ fee: null }]),
    )
    expect(second).to.deep.include({ question: 'Fees?\nThen: By day.', rows: [['']] })
    const long = earlierAnswer(
      { kind: 'ask', target: 'indexer', question: 'z', earlier: { ...first, question: 'y'.repeat(5000) } },
      result([], []),
    )
    expect(long.question).to.have.length(4000)
    expect(long.question.endsWith('Then: z')).to.equal(true)
  })
})
