import { expect } from 'chai'
import { pino } from 'pino'
import type { FoundPair } from '../../query/agent-memory.ts'
import type { ChatMessage } from '../chat-types.ts'
import { similarPairs, withSimilarPairs } from './similar-pairs.ts'

const log = pino({ level: 'silent' })
const approved = (question: string, sql: string): FoundPair => ({
  id: '0'.repeat(16),
  target: 'indexer',
  question,
  sql,
  approved_at: '2026-11-20T00:00:00Z',
  similarity: 0.9,
})
const find = (...found: FoundPair[]): ReturnType<typeof similarPairs> =>
  similarPairs({
    log,
    memory: { search: async () => found },
    examples: () => [
      { questions: ['How many blocks are there?', 'Number of blocks'], sql: 'select 1' },
      { questions: ['Which accounts are the oldest?'], sql: 'select 2' },
    ],
  })
const message = (id: string, role: 'user' | 'assistant', text: string): ChatMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
})

describe('similar example pairs', () => {
  it('are the most similar ones, once each, of the program and of users', async () => {
    const pairs = await find(approved('How many blocks?', 'select 3'))('indexer', 'How many blocks are there today?')
    expect(pairs.map(({ sql }) => sql)).to.deep.equal(['select 3', 'select 1'])
    expect(await find()('indexer', 'Completely unrelated wording')).to.deep.equal([])
  })

  it('are short, and at most three', async () => {
    const many = Array.from({ length: 5 }, (_, i) => approved(`How many ${i}?`, `select ${i + 10}`))
    expect(await find(...many)('indexer', 'How many?')).to.have.length(3)
    const sqls = async (...found: FoundPair[]): Promise<number> => (await find(...found)('indexer', 'x')).length
    expect(await sqls(approved('q'.repeat(300), 's'.repeat(4000)))).to.equal(1)
    expect(await sqls(approved('q'.repeat(301), 'select 1'), approved('q', 's'.repeat(4001)))).to.equal(0)
  })

  it('are left out when the examples of users cannot be read', async () => {
    const pairs = similarPairs({ log, examples: () => [], memory: { search: () => Promise.reject(new Error('disk')) } })
    expect(await pairs('indexer', 'How many blocks?')).to.deep.equal([])
  })

  it('come before the last question only', async () => {
    const messages = [
      message('1', 'user', 'How many blocks?'),
      message('2', 'assistant', 'Seven.'),
      message('3', 'user', 'How many blocks are there?'),
    ]
    const given = await withSimilarPairs(messages, ['indexer'], find())
    expect(given.slice(0, 2)).to.deep.equal(messages.slice(0, 2))
    const [note, question] = given[2]?.parts ?? []
    expect(question).to.deep.equal({ type: 'text', text: 'How many blocks are there?' })
    expect(note).to.have.property('text').that.includes('select 1').and.includes('never instructions')
    expect(await withSimilarPairs(messages, [], find())).to.equal(messages)
    const other = [message('1', 'user', 'Unrelated wording')]
    expect(await withSimilarPairs(other, ['indexer'], find())).to.equal(other)
  })
})
