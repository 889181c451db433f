import { dynamicTool, jsonSchema, tool } from 'ai'
import type { ToolSet } from 'ai'
import { expect } from 'chai'
import { z } from 'zod'
import { maxSteps } from '../../../../src/assistant/chat/chat-types.ts'
import { maxResultCharacters, maxToolCalls } from '../../../../src/assistant/chat/turn/bound-tools.ts'
import { ApiError } from '../../../../src/platform/errors.ts'
import type { ProviderTurn, StreamingCall } from '../support/provider-turn.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import type { StreamingProvider } from '../support/streaming-provider.ts'
import { beginTurn, modelAt, protocols, collectTurn } from '../support/turns.ts'

const add = tool({
  description: 'Adds.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})

for (const protocol of protocols) {
  describe(`a turn with tools over ${protocol}`, () => {
    let provider: StreamingProvider | undefined
    afterEach(async () => {
      const refused = provider?.refused ?? []
      await provider?.close()
      provider = undefined
      expect(refused).to.deep.equal([])
    })

    const start = async (
      script: (call: StreamingCall) => ProviderTurn | Promise<ProviderTurn>,
    ): Promise<StreamingProvider> => {
      provider = await startStreamingProvider(script)
      return provider
    }

    it('calls a tool, returns its result to the model, and streams the answer', async () => {
      const { url, calls } = await start(({ step }) =>
        step === 0 ? ['I add. ', { tool: 'add', input: { a: 3, b: 4 } }] : ['It is ', '7.'],
      )
      const answer = await collectTurn({ model: modelAt(url, protocol), tools: { add } })
      expect(answer.texts).to.deep.equal(['I add. ', 'It is 7.'])
      expect(answer.message.parts.find(({ type }) => type === 'tool-add'))
        .to.include({ state: 'output-available' })
        .and.deep.include({ input: { a: 3, b: 4 }, output: { sum: 7 } })
      expect(calls).to.have.length(2)
      expect(calls[0]?.tools.map(({ name }) => name)).to.deep.equal(['add'])
      expect(calls[0]?.instructions).to.equal('You answer questions.')
      expect(calls[1]?.messages.at(-1)?.toolResults).to.have.length(1).with.nested.property('[0].text', '{"sum":7}')
      expect(answer.error).to.equal(undefined)
    })

    it('reports the usage of all steps at the end', async () => {
      const { url } = await start(({ step }) =>
        step === 0
          ? [{ usage: { input: 100, output: 20 } }, { tool: 'add', input: { a: 1, b: 1 } }]
          : [{ usage: { input: 150, output: 7 } }, '2'],
      )
      const { chunks, message, outcome } = await collectTurn({ model: modelAt(url, protocol), tools: { add } })
      expect(chunks.at(-1)).to.have.property('type', 'finish')
      expect(message.metadata).to.deep.include({ mode: 'balanced', end: 'complete', steps: 2, isScripted: false })
      expect(message.metadata?.usage).to.include({ inputTokens: 250, outputTokens: 27, totalTokens: 277 })
      expect(message.metadata?.model).to.match(/claude-sonnet-4-6|some-model|gpt-5.4-mini/)
      expect(message.metadata?.durationMs).to.be.a('number')
      expect(outcome).to.deep.include({ end: 'complete', metadata: message.metadata })
    })

    it('runs the calls of one step concurrently and preserves their order for the model', async () => {
      const both = Promise.withResolvers<void>()
      let running = 0
      const meet = tool({
        inputSchema: z.object({ n: z.number() }),
        execute: async ({ n }) => {
          running++
          if (running === 2) both.resolve()
          await both.promise
          return n
        },
      })
      const { url, calls } = await start(({ step }) =>
        step === 0
          ? [
              { tool: 'meet', input: { n: 1 } },
              { tool: 'meet', input: { n: 2 } },
            ]
          : ['done'],
      )
      const { texts } = await collectTurn({ model: modelAt(url, protocol), tools: { meet } })
      expect(texts).to.deep.equal(['done'])
      expect(calls[1]?.messages.flatMap(({ toolResults }) => toolResults.map(({ text }) => text))).to.deep.equal([
        '1',
        '2',
      ])
    })

    it('returns calls of unknown tools and invalid arguments to the model as errors', async () => {
      const { url, calls } = await start(({ step }) =>
        step === 0
          ? [
              { tool: 'nothing', input: {} },
              { tool: 'add', arguments: '{"a": 3, "b' },
              { tool: 'add', input: { a: 'three', b: 4 } },
              { tool: 'constructor', input: {} },
            ]
          : ['I was wrong.'],
      )
      const { message, texts, chunks } = await collectTurn({ model: modelAt(url, protocol), tools: { add } })
      expect(texts).to.deep.equal(['I was wrong.'])
      const results = calls[1]?.messages.flatMap(({ toolResults }) => toolResults) ?? []
      expect(results.map(({ text }) => text)).to.have.length(4)
      expect(results[0]?.text).to.include("unavailable tool 'nothing'").and.include('add')
      expect(results[1]?.text).to.include('JSON')
      expect(results[2]?.text).to.include('Invalid input for tool add')
      expect(results[3]?.text).to.include("unavailable tool 'constructor'")
      expect(message.parts.filter((part) => 'state' in part && part.state === 'output-error')).to.have.length(4)
      const reported = chunks.filter((chunk) => chunk.type === 'tool-input-error')
      expect(reported).to.have.length(4)
      for (const { errorText } of reported)
        expect(errorText)
          .to.match(/^(?:Invalid input|Model tried)/)
          .and.not.include('AI_')
      expect(chunks.filter(({ type }) => type === 'tool-output-error')).to.deep.equal([])
    })

    it('returns the message of a failed tool to the model and the client, without its stack', async () => {
      const broken = tool({
        inputSchema: z.object({}),
        execute: (): Promise<string> =>
          Promise.reject(new ApiError(503, 'busy', `The table is locked. ${'x'.repeat(9000)}`)),
      })
      const { url, calls } = await start(({ step }) =>
        step === 0 ? [{ tool: 'broken', input: {} }] : ['It is locked.'],
      )
      const { message } = await collectTurn({ model: modelAt(url, protocol), tools: { broken } })
      const reported = calls[1]?.messages.at(-1)?.toolResults[0]
      const words = `The table is locked. ${'x'.repeat(3979)}`
      expect(reported?.text).to.equal(protocol === 'responses' ? JSON.stringify({ error: words }) : words)
      expect(message.parts.find(({ type }) => type === 'tool-broken')).to.include({
        state: 'output-error',
        errorText: words,
      })
      if (protocol === 'messages') expect(reported).to.have.property('isError', true)
    })

    it('removes the tools in the last step to force an answer', async () => {
      const { url, calls } = await start(({ step, body }) => {
        const mayCall = step < maxSteps - 1
        expect('tools' in body && JSON.stringify(body['tool_choice']) !== '{"type":"none"}').to.equal(mayCall)
        return mayCall ? [`Step ${step}. `, { tool: 'add', input: { a: step, b: 1 } }] : ['I found this much.']
      })
      const answer = await collectTurn({ model: modelAt(url, protocol), tools: { add } })
      expect(calls).to.have.length(maxSteps)
      expect(calls.at(-1)?.messages.at(-1)).to.have.property('role', 'user')
      expect(calls.at(-1)?.messages.at(-1)?.text).to.include('no more tools are available')
      expect(answer.texts.at(-1)).to.equal('I found this much.')
      expect(answer.message.metadata).to.include({ end: 'steps', steps: maxSteps })
    })

    it('adds a closing text when the model calls a removed tool', async () => {
      const { url, calls } = await start(() => [{ tool: 'add', input: { a: 1, b: 1 } }])
      const answer = await collectTurn({ model: modelAt(url, protocol), tools: { add } })
      expect(calls).to.have.length(maxSteps)
      expect(answer.error).to.equal(undefined)
      expect(answer.texts.at(-1)).to.include('The model used all steps before it answered')
      expect(answer.message.metadata).to.include({ end: 'steps' })
      expect(
        answer.message.parts.every(
          (part) =>
            !('state' in part) ||
            part.state === 'output-available' ||
            part.state === 'output-error' ||
            part.state === 'done',
        ),
      ).to.equal(true)
    })

    it('reports an empty answer', async () => {
      const { url } = await start(({ step, question }) =>
        question === 'silent' ? [] : step === 0 ? [{ tool: 'add', input: { a: 1, b: 1 } }] : [' \n'],
      )
      const model = modelAt(url, protocol)
      expect((await collectTurn({ model, tools: { add } })).texts.at(-1)).to.equal(
        'The model ended without an answer. Its tool results are above.',
      )
      const silent = await collectTurn({
        model,
        messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'silent' }] }],
      })
      expect(silent.texts).to.deep.equal(['The model gave no answer. Ask again or rephrase the question.'])
    })

    it('truncates long results for the model with a note and sends them whole to the client', async () => {
      const rows = Array.from({ length: 20_000 }, (_, n) => `row ${n}`)
      const long: ToolSet = {
        long: dynamicTool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => Promise.resolve({ rows }) }),
      }
      const { url, calls } = await start(({ step }) => (step < 6 ? [{ tool: 'long', input: {} }] : ['much']))
      const { message } = await collectTurn({ model: modelAt(url, protocol), tools: long })
      const results = calls.at(-1)?.messages.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)) ?? []
      expect(results).to.have.length(6)
      expect(results[0])
        .to.have.length.within(maxResultCharacters, maxResultCharacters + 200)
        .and.match(/\[Truncated: 60000 of \d+ characters\./)
      // Together they must fit into the model's context.
      expect(results.map(({ length }) => length).reduce((sum, length) => sum + length)).to.be.below(260_000)
      expect(results.at(-1)).to.match(/\[Truncated: 4000 of/)
      const first = message.parts.find(({ type }) => type === 'dynamic-tool')
      expect(first).to.have.nested.property('output.rows').with.length(20_000)
      // Equal text in each step keeps the provider's prompt cache valid.
      const earlier = calls[2]?.messages.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)) ?? []
      expect(earlier).to.deep.equal(results.slice(0, 2))
    })

    it('sends the client the truncated result when the full one is too large for a page', async () => {
      const huge: ToolSet = { huge: tool({ inputSchema: z.object({}), execute: () => 'x'.repeat(1_000_001) }) }
      const { url } = await start(({ step }) => (step === 0 ? [{ tool: 'huge', input: {} }] : ['much']))
      const { message } = await collectTurn({ model: modelAt(url, protocol), tools: huge })
      expect(message.parts.find(({ type }) => type === 'tool-huge'))
        .to.have.property('output')
        .that.is.a('string')
        .with.length.below(61_000)
    })

    it('limits the calls of a model that calls tools without end', async () => {
      let ran = 0
      const count: ToolSet = { count: tool({ inputSchema: z.object({}), execute: () => ++ran }) }
      const { url, calls } = await start(({ step }) =>
        step === 0 ? Array.from({ length: 100 }, () => ({ tool: 'count', input: {} })) : ['enough'],
      )
      const { texts } = await collectTurn({ model: modelAt(url, protocol), tools: count })
      expect(ran).to.equal(maxToolCalls)
      expect(texts).to.deep.equal(['enough'])
      expect(calls[1]?.messages.flatMap(({ toolResults }) => toolResults).at(-1)?.text).to.include(
        `Tool call limit reached (${maxToolCalls} per answer)`,
      )
    })

    it('streams reasoning in the deep mode only and returns it to the model between steps', async () => {
      const script = ({ step }: StreamingCall): ProviderTurn =>
        step === 0
          ? [{ reasoning: 'First ' }, { reasoning: 'add.' }, { tool: 'add', input: { a: 3, b: 4 } }]
          : [{ reasoning: 'Now say.' }, '7']
      const { url, calls } = await start(script)
      const deep = await collectTurn({ model: modelAt(url, protocol, 'deep'), mode: 'deep', tools: { add } })
      expect(deep.message.parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))).to.deep.equal([
        'First add.',
        'Now say.',
      ])
      expect(calls[1]?.messages.find(({ role }) => role === 'assistant')).to.include({ reasoning: 'First add.' })
      const balanced = await collectTurn({ model: modelAt(url, protocol), tools: { add } })
      expect(balanced.chunks.filter(({ type }) => type.startsWith('reasoning'))).to.deep.equal([])
      expect(balanced.texts).to.deep.equal(['7'])
      expect(deep.chunks.every((chunk) => !('providerMetadata' in chunk))).to.equal(true)
    })

    it('forwards each chunk before the next one arrives', async () => {
      const seen = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
      const { url } = await start(() => [
        'One',
        { until: seen[0].promise },
        ' two',
        { until: seen[1].promise },
        ' three',
      ])
      const words: string[] = []
      for await (const chunk of beginTurn({ model: modelAt(url, protocol) })) {
        if (chunk.type !== 'text-delta') continue
        // The provider sends the next chunk only after this one was read.
        words.push(chunk.delta)
        seen[words.length - 1]?.resolve()
      }
      expect(words).to.deep.equal(['One', ' two', ' three'])
    })

    it('reports the start, the tool calls and the outcome to an observer', async () => {
      const broken = tool({
        inputSchema: z.object({}),
        execute: (): Promise<string> => Promise.reject(new Error('no')),
      })
      const { url } = await start(({ step }) =>
        step === 0
          ? [
              { tool: 'add', input: { a: 1, b: 1 } },
              { tool: 'broken', input: {} },
              { tool: 'made-up', input: {} },
            ]
          : ['2'],
      )
      const reported: unknown[] = []
      const { outcome } = await collectTurn({
        model: modelAt(url, protocol),
        tools: { add, broken },
        watch: {
          started: (afterMs) => reported.push(typeof afterMs),
          toolEnded: ({ tool: name, isError, durationMs }) => {
            expect(durationMs).to.be.within(0, 20_000)
            reported.push(`${name} ${isError}`)
          },
          ended: ({ end }) => reported.push(end),
        },
      })
      expect(reported[0]).to.equal('number')
      expect(reported.slice(1, -1)).to.have.members(['add false', 'broken true', 'unknown true'])
      expect(reported.at(-1)).to.equal('complete')
      expect(outcome.end).to.equal('complete')
    })

    it('sends notices before the answer', async () => {
      const { url } = await start(() => ['7'])
      const { chunks } = await collectTurn({
        model: modelAt(url, protocol),
        notices: [{ code: 'tools-away', text: 'The EVM tools are away.' }],
      })
      expect(chunks.slice(0, 2)).to.deep.include.members([
        { type: 'data-notice', data: { code: 'tools-away', text: 'The EVM tools are away.' } },
      ])
    })
  })
}

describe('Anthropic prompt caching', () => {
  it('marks the instructions and the conversation so far', async () => {
    await using provider = await startStreamingProvider(({ step }) =>
      step < 5 ? [{ tool: 'add', input: { a: step, b: 1 } }] : ['done'],
    )
    await collectTurn({ model: modelAt(provider.url, 'messages'), tools: { add } })
    for (const { body } of provider.calls) {
      const marks = JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g)
      expect(marks).to.have.length(2)
      expect(body).to.have.nested.property('system[0].cache_control')
      expect(JSON.stringify((body['messages'] as unknown[]).at(-1))).to.include('cache_control')
    }
    expect(provider.refused).to.deep.equal([])
  })
})
