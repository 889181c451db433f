import { tool } from 'ai'
import { expect } from 'chai'
import { z } from 'zod'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import type { StreamingProvider } from '../support/streaming-provider.ts'
import { collectTurn, modelAt } from '../support/turns.ts'
import type { CollectedAnswer } from '../support/turns.ts'

const sql = 'SELECT max(height) FROM raw.blocks'
const question = { sql }
const inputs: unknown[] = []
const tools = {
  run_indexer_sql: tool({
    inputSchema: z.object({ sql: z.string() }),
    execute: (input) => {
      inputs.push(input)
      return `height 7 of ${input.sql}`
    },
  }),
}

const event = (delta: object, reason: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }], ...more })}\n\n`
const done = 'data: [DONE]\n\n'
const call = (fields: object): object => ({ tool_calls: [fields] })
const pieces = (text: string): readonly string[] => text.match(/.{1,3}/gsu) ?? []

/** First steps of servers, as they stream a call. */
const servers: Readonly<Record<string, readonly string[]>> = {
  'llama.cpp: arguments in small pieces, no usage': [
    event({ role: 'assistant', content: null }),
    event(call({ index: 0, id: 'x9', type: 'function', function: { name: 'run_indexer_sql', arguments: '' } })),
    ...pieces(JSON.stringify(question)).map((part) => event(call({ index: 0, function: { arguments: part } }))),
    event({}, 'tool_calls'),
    done,
  ],
  'Ollama: a whole call, finish reason stop, usage in a chunk without choices': [
    event({
      role: 'assistant',
      content: '',
      ...call({
        index: 0,
        id: 'call_1',
        type: 'function',
        function: { name: 'run_indexer_sql', arguments: JSON.stringify(question) },
      }),
    }),
    event({ role: 'assistant', content: '' }, 'stop'),
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })}\n\n`,
    done,
  ],
  'a server without ids of calls': [
    event({ role: 'assistant' }),
    event(
      call({ index: 0, type: 'function', function: { name: 'run_indexer_sql', arguments: JSON.stringify(question) } }),
    ),
    event({}, 'tool_calls'),
    done,
  ],
  'a server with empty ids and no index': [
    event(
      call({ id: '', type: 'function', function: { name: 'run_indexer_sql', arguments: JSON.stringify(question) } }),
    ),
    event({}, 'tool_calls'),
    done,
  ],
  'a server without type, role and end': [
    event(call({ index: 0, id: 'c', function: { name: 'run_indexer_sql', arguments: JSON.stringify(question) } })),
    event({}, 'tool_calls'),
  ],
  'a server that repeats the name in each piece': pieces(JSON.stringify(question))
    .map((part) =>
      event(call({ index: 0, id: 'c', type: 'function', function: { name: 'run_indexer_sql', arguments: part } })),
    )
    .concat(event({}, 'tool_calls'), done),
}

describe('a model of a local server', () => {
  let provider: StreamingProvider
  beforeEach(() => inputs.splice(0))
  afterEach(() => provider.close())

  const answerOf = async (...first: readonly string[]): Promise<CollectedAnswer> => {
    provider = await startStreamingProvider(({ step }) =>
      step === 0
        ? [{ raw: first.join('') }, { cut: 'clean' }]
        : [
            { raw: event({ content: 'It is ' }) + event({ content: '7.' }) + event({}, 'stop') + done },
            { cut: 'clean' },
          ],
    )
    return await collectTurn({ model: modelAt(provider.url, 'completions'), tools })
  }

  for (const [name, chunks] of Object.entries(servers)) {
    it(`calls a tool and answers: ${name}`, async () => {
      const { error, texts, outcome } = await answerOf(...chunks)
      expect(error).to.equal(undefined)
      expect(inputs).to.deep.equal([question])
      expect(texts).to.deep.equal(['It is 7.'])
      expect(outcome.end).to.equal('complete')
      expect(provider.refused).to.deep.equal([])
      expect(provider.calls[1]?.messages.at(-1)?.toolResults[0]?.text).to.equal(`height 7 of ${sql}`)
    })
  }

  it('is sent no key unless one is set', async () => {
    await answerOf(event({ content: 'Hello.' }), event({}, 'stop'), done)
    expect(provider.calls[0]?.headers['authorization']).to.equal('Bearer secret-of-the-provider')
    await provider.close()
    provider = await startStreamingProvider(() => ['Hello.'])
    await collectTurn({ model: modelAt(provider.url, 'completions', 'fast', { LLM_API_KEY: '' }) })
    expect(provider.calls[0]?.headers['authorization']).to.equal(undefined)
    expect(provider.calls[0]?.model).to.equal('some-model')
  })
})
