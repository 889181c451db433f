import { expect } from 'chai'
import { readDraft, writeDraft } from './draft.ts'

describe('what is in the fields, in the address', () => {
  it('comes back as it was', () => {
    const draft = { target: 'evm', question: '过去24小时 & more?', sql: "SELECT '#', 50 % 7\nFROM blocks" } as const
    expect(readDraft(writeDraft(draft))).to.deep.equal(draft)
  })

  it('is nothing where there was nothing, and for addresses of something else', () => {
    expect(writeDraft({ target: 'indexer', question: ' ', sql: '' })).to.equal('')
    for (const hash of ['', '#', '#content', '#target=other'])
      expect(readDraft(hash)).to.deep.equal({ target: 'indexer', question: '', sql: '' })
  })
})
