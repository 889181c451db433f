import { expect } from 'chai'
import type { ChatMessage } from './messages.ts'
import { findWords, answerText, threadMarkdown, threadTitle, groupByAge } from './thread-text.ts'

const answer: ChatMessage = {
  id: 'a',
  role: 'assistant',
  metadata: { model: 'anthropic/x' },
  parts: [
    { type: 'text', text: 'Let me look.\n' },
    {
      type: 'dynamic-tool',
      toolName: 'run_indexer_sql',
      toolCallId: '1',
      state: 'output-available',
      input: { sql: 'SELECT `` ``` 1' },
      output: { structuredContent: { columns: ['name'], rows: [{ name: 'a|b\nc' }], row_count: 1, truncated: false } },
    },
    {
      type: 'tool-createChart',
      toolCallId: '2',
      state: 'output-available',
      input: {},
      output: { chartType: 'bar', title: 'T', labels: ['x'], datasets: [{ label: 'n', data: [2] }] },
    },
    { type: 'text', text: ' It is **one**.' },
  ] as ChatMessage['parts'],
}

describe('a conversation as Markdown', () => {
  it('has questions, answers, SQL and rows', () => {
    const question: ChatMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'How many?' }] }
    expect(threadMarkdown('How many?', [question, answer])).to.equal(`# How many?

## Question

How many?

## Answer of anthropic/x

Let me look.

*Ran SQL · 1 row*

\`\`\`\`sql
SELECT \`\` \`\`\` 1
\`\`\`\`

| name |
| --- |
| a\\|b c |

*Drew a chart*

|  | n |
| --- | --- |
| x | 2 |

It is **one**.
`)
  })

  it('is copied without tool calls', () => {
    expect(answerText(answer)).to.equal('Let me look.\n\nIt is **one**.')
  })
})

describe('title of a conversation', () => {
  it('is its question on one line', () => {
    expect(threadTitle(' How many\n transactions? ')).to.equal('How many transactions?')
    expect(threadTitle('\n')).to.equal('New chat')
  })

  it('is cut between words, or within a long word', () => {
    expect(threadTitle('Which accounts sent the most FLOW in the last seven days, and to whom?')).to.equal(
      'Which accounts sent the most FLOW in the last seven days…',
    )
    expect(Array.from(threadTitle('𝒻'.repeat(80)))).to.have.lengthOf(60)
  })
})

describe('search', () => {
  const text = 'How many transfers?\nThere were **12** transfers of the FLOW token, mostly from one account.'

  it('finds all words in any case and order, and shows the text around those that are not in the title', () => {
    expect(findWords('token FLOW', 'Transfers of FLOW', text)).to.deep.equal({
      excerpt: ['…were **12** transfers of the FLOW ', 'token', ', mostly from one account.'],
    })
    expect(findWords('how', 'Transfers', text)?.excerpt).to.deep.equal([
      '',
      'How',
      ' many transfers? There were **12** transfers of the FLOW token, mostly from one ',
    ])
    expect(findWords('transfers', 'Transfers', text)).to.deep.equal({})
    expect(findWords('flow staking', 'Transfers', text)).to.equal(undefined)
    expect(findWords('İstanbul', '', 'In İSTANBUL and İstanbul')).to.deep.equal({})
  })
})

describe('groups of conversations', () => {
  it('are by day', () => {
    const noon = new Date(2026, 10, 22, 12).getTime()
    const hour = 3_600_000
    const at = (hoursAgo: number) => ({
      id: String(hoursAgo),
      title: '',
      createdAt: 0,
      updatedAt: noon - hoursAgo * hour,
    })
    const groups = groupByAge([at(0), at(11), at(13), at(35), at(37), at(150), at(200)], noon)
    expect(groups.map(({ name, threads }) => `${name}: ${threads.map(({ id }) => id).join(' ')}`)).to.deep.equal([
      'Today: 0 11',
      'Yesterday: 13 35',
      'Last 7 days: 37 150',
      'Earlier: 200',
    ])
    expect(groupByAge([], noon)).to.deep.equal([])
  })
})
