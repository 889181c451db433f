import { expect } from 'chai'
import type { ChatMessage } from '../contract.ts'
import { answerText, threadMarkdown } from './thread-text.ts'

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

describe('a conversation as a file', () => {
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

  it('is copied without what the tools did', () => {
    expect(answerText(answer)).to.equal('Let me look.\n\nIt is **one**.')
  })
})
