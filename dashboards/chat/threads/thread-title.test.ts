import { expect } from 'chai'
import { threadTitle } from './thread-title.ts'

describe('the title of a conversation', () => {
  it('is its question in one line', () => {
    expect(threadTitle(' How many\n transactions? ')).to.equal('How many transactions?')
    expect(threadTitle('\n')).to.equal('New chat')
  })

  it('is cut between words, or where there are none within a line', () => {
    expect(threadTitle('Which accounts sent the most FLOW in the last seven days, and to whom?')).to.equal(
      'Which accounts sent the most FLOW in the last seven days…',
    )
    expect(Array.from(threadTitle('𝒻'.repeat(80)))).to.have.lengthOf(60)
  })
})
