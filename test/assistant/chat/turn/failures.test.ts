import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tool } from 'ai'
import type { ToolSet } from 'ai'
import { expect } from 'chai'
import { z } from 'zod'
import type { ChatChunk } from '../../../../src/assistant/chat/chat-types.ts'
import type { ProviderTurn, ReplyPiece } from '../support/provider-turn.ts'
import { inTurn, startStreamingProvider } from '../support/streaming-provider.ts'
import { modelAt, protocols, messageBy, collectTurn } from '../support/turns.ts'
import type { CollectedAnswer } from '../support/turns.ts'

const tools: ToolSet = {
  add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => a + b }),
}

interface Failed extends CollectedAnswer {
  /** Number of provider calls. */
  readonly requests: number
}

for (const protocol of protocols) {
  const name = {
    messages: 'anthropic/claude-sonnet-4-6',
    completions: 'openai-compatible/some-model',
    responses: 'openai/gpt-5.4-mini',
  }[protocol]

  describe(`a turn with a failing provider over ${protocol}`, () => {
    const answerTo = async (...turns: readonly ProviderTurn[]): Promise<Failed> => {
      await using provider = await startStreamingProvider(inTurn(...turns))
      const answer = await collectTurn({ model: modelAt(provider.url, protocol), tools })
      return { ...answer, requests: provider.calls.length }
    }

    for (const [what, turn] of [
      ['busy', { status: 429, message: 'slow down', retryAfter: '0' }],
      ['broken', { status: 503, message: 'unavailable' }],
      ['overloaded', { status: 529, message: 'Overloaded' }],
      ['cut off before a word', [{ cut: true }]],
      ['silent', [{ cut: 'clean' }]],
    ] as const satisfies readonly (readonly [string, ProviderTurn])[]) {
      it(`retries before any output: ${what}`, async () => {
        const { texts, requests, error } = await answerTo(turn, turn, ['It is 7.'])
        expect({ texts, requests, error }).to.deep.equal({ texts: ['It is 7.'], requests: 3, error: undefined })
      })
    }

    it('retries when the stream starts with a temporary error', async () => {
      const { texts, requests } = await answerTo([{ failure: 'Overloaded' }], ['It is 7.'])
      expect({ texts, requests }).to.deep.equal({ texts: ['It is 7.'], requests: 2 })
    })

    it('retries in a later step and does not repeat tool calls', async () => {
      let ran = 0
      const count: ToolSet = { count: tool({ inputSchema: z.object({}), execute: () => ++ran }) }
      await using provider = await startStreamingProvider(
        inTurn([{ tool: 'count', input: {} }], { status: 500, message: 'broken' }, ['Once.']),
      )
      const { texts } = await collectTurn({ model: modelAt(provider.url, protocol), tools: count })
      expect(texts).to.deep.equal(['Once.'])
      expect(ran).to.equal(1)
    })

    it("fails after three attempts with the provider's reason", async () => {
      const { error, requests, outcome } = await answerTo({ status: 500, message: 'broken inside.' })
      expect({ error, requests }).to.deep.equal({
        error: `The model ${name} failed: HTTP 500, broken inside.`,
        requests: 3,
      })
      expect(outcome.end).to.equal('failed')
    })

    it('fails without a retry when the requested delay is too long, and reports the delay', async () => {
      const { error, requests } = await answerTo({ status: 429, message: 'tokens used up', retryAfter: '120' })
      expect({ error, requests }).to.deep.equal({
        error: `The model ${name} failed: HTTP 429, tokens used up. Try again in 120 s.`,
        requests: 1,
      })
    })

    it('does not retry permanent errors and never exposes the API key', async () => {
      const { error, requests } = await answerTo({ status: 401, message: 'Incorrect key: secret-of-the-provider' })
      expect({ error, requests }).to.deep.equal({
        error: `The model ${name} failed: HTTP 401, Incorrect key: …. Check LLM_API_KEY.`,
        requests: 1,
      })
    })

    it("reports what to do when the conversation exceeds the model's context", async () => {
      const { error } = await answerTo({ status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' })
      expect(error).to.match(/too long.*\. Start a new chat, or ask a smaller question\.$/)
    })

    for (const contentType of ['text/html; charset=utf-8', 'application/json']) {
      it(`reports which setting to check for a response of type ${contentType}`, async () => {
        let requests = 0
        const server = createServer((_request, response) => {
          requests++
          response.writeHead(200, { 'Content-Type': contentType }).end('{"answer": "<html>"}')
        }).listen(0, '127.0.0.1')
        await once(server, 'listening')
        try {
          const { error } = await collectTurn({
            model: modelAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, protocol),
          })
          expect(error).to.equal(
            `The model ${name} failed: its reply cannot be read, it is ${contentType.split(';')[0]}, not an event stream. Check LLM_BASE_URL.`,
          )
          expect(requests).to.equal(1)
        } finally {
          server.close()
          server.closeAllConnections()
        }
      })
    }

    for (const [what, end] of [
      ['is cut off', [{ cut: true }]],
      ['ends without an end', [{ cut: 'clean' }]],
      ['fails', [{ failure: 'Overloaded' }]],
    ] as const satisfies readonly (readonly [string, readonly ReplyPiece[]])[]) {
      it(`preserves the partial answer and reports the failure: the stream ${what}`, async () => {
        const { error, requests, texts, message, chunks, outcome } = await answerTo(['It is', ' nearly', ...end])
        expect(requests).to.equal(1)
        expect(texts).to.deep.equal(['It is nearly'])
        expect(error).to.match(
          new RegExp(
            `^The model ${name} stopped early: (the connection was closed within the reply|Overloaded)\\. The reply so far is kept. Ask again\\.$`,
          ),
        )
        expect(chunks.at(-1)).to.have.property('type', 'error')
        expect(message.parts.every((part) => !('state' in part) || part.state === 'done')).to.equal(true)
        expect(message.metadata).to.include({ steps: 1 }).and.not.have.property('end')
        expect(outcome.end).to.equal('failed')
      })
    }

    it('produces a valid history for the next question after any interruption', async () => {
      const replies: readonly (readonly ReplyPiece[])[] = [
        [{ tool: 'add', arguments: '{"a": 1' }, { cut: true }],
        [{ tool: 'add', input: { a: 1, b: 2 } }, { cut: true }],
        [{ tool: 'add', input: { a: 1, b: 2 } }, 'and', { failure: 'Overloaded' }],
        [{ reasoning: 'hm' }, { cut: true }],
        ['I add. ', { tool: 'add', input: { a: 1, b: 2 } }, { end: 'length' }],
      ]
      for (const reply of replies) {
        await using provider = await startStreamingProvider(inTurn(reply, ['Again, it is 3.']))
        const model = modelAt(provider.url, protocol)
        const broken = await collectTurn({ model, tools })
        const open = broken.message.parts.filter(
          (part) => 'state' in part && !['done', 'output-available', 'output-error'].includes(part.state ?? ''),
        )
        expect(open, JSON.stringify(reply)).to.deep.equal([])
        const again = await collectTurn({
          model,
          tools,
          messages: [messageBy('user', 'One and two?'), broken.message, messageBy('user', 'Again?')],
        })
        expect(again.texts, JSON.stringify(reply)).to.deep.equal(['Again, it is 3.'])
        expect(provider.refused).to.deep.equal([])
      }
    })

    it('does not run tool calls of a truncated reply', async () => {
      let ran = 0
      const count: ToolSet = { count: tool({ inputSchema: z.object({}), execute: () => ++ran }) }
      for (const end of [
        { cut: true },
        { cut: 'clean' },
        { end: 'length' },
        { end: 'refusal' },
        { failure: 'Overloaded' },
      ] as const satisfies readonly ReplyPiece[]) {
        await using provider = await startStreamingProvider(() => ['I count. ', { tool: 'count', input: {} }, end])
        const { message } = await collectTurn({ model: modelAt(provider.url, protocol), tools: count })
        expect(
          message.parts
            .filter(({ type }) => type === 'tool-count')
            .every((part) => 'state' in part && part.state === 'output-error'),
          JSON.stringify(end),
        ).to.equal(true)
        expect(provider.calls).to.have.length(1)
      }
      expect(ran).to.equal(0)
    })

    it('reports a refusal by the provider after the partial answer', async () => {
      const { texts, error, message } = await answerTo(['I was about to', { end: 'refusal' }])
      expect(texts).to.deep.equal([
        'I was about to',
        'The model provider declined to answer. Rephrase the question, or ask something else.',
      ])
      expect(error).to.equal(undefined)
      expect(message.metadata).to.include({ end: 'refused' })
      expect((await answerTo([{ end: 'refusal' }])).texts).to.have.length(1)
    })

    it('reports that an answer reached the output limit', async () => {
      const cut = await answerTo(['It is long and', { end: 'length' }])
      expect(cut.texts).to.deep.equal(['It is long and'])
      expect(cut.message.metadata).to.include({ end: 'length' })
      const never = await answerTo([{ tool: 'add', arguments: '{"a": 1' }, { end: 'length' }])
      expect(never.texts).to.deep.equal([
        'The model reached its output limit before it answered. Ask a smaller question.',
      ])
      expect(never.requests).to.equal(1)
    })

    it('reports a readable error without a stack when the response is not from a provider', async () => {
      for (const raw of ['<html>not found</html>\n\n', 'data: {"no": "sense"}\n\n', 'data: {"id": \n\n']) {
        const { error, chunks } = await answerTo([{ raw }, { cut: 'clean' }])
        expect(error, raw)
          .to.match(/^The model .* (failed|stopped early): /)
          .and.not.include('    at ')
        expect(kinds(chunks).at(-1)).to.equal('error')
      }
    })
  })
}

describe('an unreachable provider', () => {
  it('is reported with the setting to check', async () => {
    const provider = await startStreamingProvider(() => [])
    await provider.close()
    for (const protocol of protocols) {
      const { error } = await collectTurn({ model: modelAt(provider.url, protocol) })
      expect(error).to.match(/failed: Cannot connect.*Check LLM_BASE_URL and the network\.$/)
    }
  })

  it('reports an unknown model with the variable of its mode', async () => {
    await using provider = await startStreamingProvider(() => ({ status: 404, message: 'model: claude-haiku-4-5' }))
    const { error } = await collectTurn({ model: modelAt(provider.url, 'messages', 'fast'), mode: 'fast' })
    expect(error).to.match(/Check CHAT_MODEL_FAST and LLM_BASE_URL\.$/)
  })
})

describe('library output', () => {
  it('is suppressed: errors and warnings about settings', async () => {
    const printed: unknown[] = []
    const warned = (warning: Error): void => void printed.push(warning.message)
    const { error } = console
    Object.assign(console, { error: (...words: unknown[]) => void printed.push(words) })
    process.on('warning', warned)
    try {
      await using provider = await startStreamingProvider(
        inTurn({ status: 400, message: 'no' }, ['It is', { failure: 'broken' }], ['7']),
      )
      // A model that cannot disable reasoning, about which the library warns.
      const model = modelAt(provider.url, 'messages', 'balanced', { LLM_MODEL: 'claude-opus-5-5' })
      const answers = [await collectTurn({ model }), await collectTurn({ model }), await collectTurn({ model })]
      expect(answers.map(({ error: received }) => received === undefined)).to.deep.equal([false, false, true])
      // Process warnings arrive later.
      await new Promise((resolve) => setImmediate(resolve))
      expect(printed).to.deep.equal([])
    } finally {
      Object.assign(console, { error })
      process.off('warning', warned)
    }
  })
})

describe('an internal error', () => {
  it('is reported without details', async () => {
    const model = {
      ...modelAt('http://127.0.0.1:1', 'completions'),
      get model(): never {
        throw new Error('of no concern to anybody')
      },
    }
    const { error, outcome } = await collectTurn({ model })
    expect(error).to.equal('The answer failed because of an internal error. Ask again.')
    expect(outcome.end).to.equal('failed')
  })
})

function kinds(chunks: readonly ChatChunk[]): readonly string[] {
  return chunks.map(({ type }) => type)
}
