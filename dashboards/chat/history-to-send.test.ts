import { expect } from 'chai'
import type { ChatMessage } from './contract.ts'
import { historyToSend } from './history-to-send.ts'

const say = (role: 'user' | 'assistant', id: string, text = id): ChatMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
})
const turns = (count: number, text?: string): ChatMessage[] =>
  Array.from({ length: count }, (_, i) => [say('user', `q${i}`), say('assistant', `a${i}`, text)]).flat()

describe('what of a conversation is sent', () => {
  it('is all of a short one', () => {
    const messages = [...turns(3), say('user', 'last')]
    expect(historyToSend(messages)).to.deep.equal(messages)
  })

  it('is the newest turns of one with too many messages, from a question on', () => {
    const sent = historyToSend([...turns(150), say('user', 'last')])
    expect(sent).to.have.lengthOf(199)
    expect(sent[0]?.id).to.equal('q51')
    expect(sent.at(-1)?.id).to.equal('last')
  })

  it('is as much as has room, counted in bytes', () => {
    const sent = historyToSend([...turns(10, '区'.repeat(200_000)), say('user', 'last')])
    expect(sent.map(({ id }) => id)).to.deep.equal(['q5', 'a5', 'q6', 'a6', 'q7', 'a7', 'q8', 'a8', 'q9', 'a9', 'last'])
  })

  it('is the question at least, however long it is', () => {
    expect(historyToSend([...turns(2), say('user', 'last', 'x'.repeat(4_000_000))]).map(({ id }) => id)).to.deep.equal([
      'last',
    ])
  })
})
