import { expect } from 'chai'
import { readDraft, writeDraft, faultText } from './draft.ts'

describe('URL fragment of the draft', () => {
  it('round-trips', () => {
    const parameters = [
      { name: 'since', type: 'date', value: '2026-11-01' },
      { name: 'text', type: 'text', value: 'a:b&c=d' },
    ] as const
    const draft = {
      target: 'evm',
      question: '过去24小时 & more?',
      sql: "SELECT '#', 50 % 7\nFROM blocks",
      parameters,
    } as const
    expect(readDraft(writeDraft(draft))).to.deep.equal(draft)
  })

  it('is empty for an empty draft, and ignores unknown fragments', () => {
    expect(writeDraft({ target: 'indexer', question: ' ', sql: '', parameters: [] })).to.equal('')
    for (const hash of ['', '#', '#content', '#target=other', '#parameter=a:json:1', '#parameter=a'])
      expect(readDraft(hash)).to.deep.equal({ target: 'indexer', question: '', sql: '', parameters: [] })
  })
})

describe('error of a statement', () => {
  it("has its position and PostgreSQL's hint", () => {
    const failure = {
      sql: "SELECT '🌱',\n  hieght FROM raw.blocks",
      error: 'column "hieght" does not exist',
      error_position: 15,
      error_hint: 'Perhaps you meant "height".',
    }
    expect(faultText(failure)).to.equal(
      'column "hieght" does not exist. The error is in line 2 at “hieght”. Perhaps you meant "height".',
    )
  })

  it('is the message alone without a position and a hint', () => {
    expect(faultText({ sql: 'SELECT 1', error: 'It took too long.', error_position: null, error_hint: null })).to.equal(
      'It took too long.',
    )
    expect(faultText({ sql: 'SELECT 1', error: 'x', error_position: 99 })).to.equal('x.')
    expect(faultText({ sql: '', error: '没有。' })).to.equal('没有。')
  })
})
