import { setTimeout as pass } from 'node:timers/promises'
import { tool } from 'ai'
import type { ToolSet } from 'ai'
import { expect } from 'chai'
import { z } from 'zod'
import type { ChatChunk, TurnOutcome } from '../../../../src/assistant/chat/chat-types.ts'
import { ApiError } from '../../../../src/platform/errors.ts'
import { Stopwatch } from '../../../support/stopwatch.ts'
import type { ProviderTurn } from '../support/provider-turn.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import { beginTurn, modelAt, protocols, collectTurn } from '../support/turns.ts'

const never = new Promise<void>(() => undefined)

/** Maximum time for a turn to end after a disconnect, ms. */
const maxToEnd = 1000

/** A tool that hangs and ignores its signal. Reports its calls and their signals. */
function hangingTool(): { readonly tools: ToolSet; readonly called: Promise<AbortSignal | undefined> } {
  const called = Promise.withResolvers<AbortSignal | undefined>()
  const hang = tool({
    inputSchema: z.object({}),
    execute: async (_input, { abortSignal }) => {
      called.resolve(abortSignal)
      await never
    },
  })
  return { tools: { hang }, called: called.promise }
}

for (const protocol of protocols) {
  describe(`turn cancellation over ${protocol}`, () => {
    const moments: readonly (readonly [string, ProviderTurn])[] = [
      ['before the provider answers', 'silence'],
      ['before the first word', ['', { until: never }]],
      ['in the middle of a text', ['It is', { until: never }]],
      ['in the middle of a thought', [{ reasoning: 'hm' }, { until: never }]],
    ]
    for (const [moment, turn] of moments) {
      it(`cancels the model call ${moment}`, async () => {
        await using provider = await startStreamingProvider(() => turn)
        const control = new AbortController()
        const answer = collectTurn({ model: modelAt(provider.url, protocol), signal: control.signal })
        await provider.called
        // The reply must have started.
        await pass(20)
        const leftAt = new Stopwatch()
        control.abort(new Error('gone'))
        await provider.gone
        const { chunks, outcome, error } = await answer
        await leftAt.expectBelow(maxToEnd)
        expect(outcome.end).to.equal('disconnected')
        expect(error).to.equal(undefined)
        expect(chunks.at(-1)).to.deep.equal({ type: 'abort' })
        expect(provider.running).to.equal(0)
      })
    }

    it('ends the turn despite a tool that ignores cancellation, and stops calling the model', async () => {
      await using provider = await startStreamingProvider(() => [
        { tool: 'hang', input: {} },
        { tool: 'hang', input: {} },
      ])
      const { tools, called } = hangingTool()
      const control = new AbortController()
      const answer = collectTurn({ model: modelAt(provider.url, protocol), tools, signal: control.signal })
      const signal = await called
      const leftAt = new Stopwatch()
      control.abort()
      const { message, outcome } = await answer
      await leftAt.expectBelow(maxToEnd)
      expect(signal?.aborted).to.equal(true)
      expect(outcome.end).to.equal('disconnected')
      expect(message.parts.filter((part) => 'state' in part && part.state === 'output-error')).to.have.length(2)
      expect(provider.calls).to.have.length(1)
    })

    it('stops waiting for a busy provider', async () => {
      await using provider = await startStreamingProvider(() => ({
        status: 429,
        message: 'slow down',
        retryAfter: '15',
      }))
      const control = new AbortController()
      const answer = collectTurn({ model: modelAt(provider.url, protocol), signal: control.signal })
      await provider.called
      await pass(20)
      const leftAt = new Stopwatch()
      control.abort()
      expect((await answer).outcome.end).to.equal('disconnected')
      await leftAt.expectBelow(maxToEnd)
    })

    it('skips the model call when the client has already disconnected', async () => {
      await using provider = await startStreamingProvider(() => ['7'])
      const { outcome, texts } = await collectTurn({
        model: modelAt(provider.url, protocol),
        signal: AbortSignal.abort(),
      })
      expect(outcome.end).to.equal('disconnected')
      expect(texts).to.deep.equal([])
      expect(provider.calls).to.deep.equal([])
    })

    it('cancels the model call when the answer is no longer read', async () => {
      await using provider = await startStreamingProvider(() => ['It is', { until: never }])
      let outcome: TurnOutcome | undefined
      const stream = beginTurn({
        model: modelAt(provider.url, protocol),
        watch: {
          started: () => undefined,
          toolEnded: () => undefined,
          ended: (reported) => {
            outcome = reported
          },
        },
      })
      for await (const chunk of stream) if (chunk.type === 'text-delta') break
      await provider.gone
      expect(outcome?.end).to.equal('disconnected')
      expect(provider.running).to.equal(0)
    })

    it('ends the turn at its timeout with a message', async () => {
      await using provider = await startStreamingProvider(({ step }) =>
        step === 0 ? ['I wait. ', { tool: 'hang', input: {} }] : ['done'],
      )
      const { tools } = hangingTool()
      let timeoutMs = 300
      const turn = (): ReturnType<typeof collectTurn> =>
        collectTurn({ model: modelAt(provider.url, protocol), tools, timeoutMs })
      let ended = await turn()
      // On a busy machine the timeout may be reached before the first text.
      while (ended.texts.length === 0) {
        timeoutMs *= 4
        ended = await turn()
      }
      const { error, outcome, texts, message } = ended
      expect(error).to.equal(
        `The answer timed out after ${timeoutMs / 1000} s. Ask a smaller question, or use the mode fast.`,
      )
      expect(outcome.end).to.equal('timeout')
      expect(texts).to.deep.equal(['I wait. '])
      expect(message.parts.find(({ type }) => type === 'tool-hang')).to.include({ state: 'output-error' })
    })

    it('reports the abort reason, such as a shutdown', async () => {
      await using provider = await startStreamingProvider(() => ['It is', { until: never }])
      const control = new AbortController()
      const chunks: ChatChunk[] = []
      let outcome: TurnOutcome | undefined
      const watch = {
        started: () => undefined,
        toolEnded: () => undefined,
        ended: (reported: TurnOutcome) => {
          outcome = reported
        },
      }
      for await (const chunk of beginTurn({ model: modelAt(provider.url, protocol), signal: control.signal, watch })) {
        chunks.push(chunk)
        if (chunk.type === 'text-delta')
          control.abort(new ApiError(503, 'stopping', 'The service is being stopped. Ask again in a minute.'))
      }
      expect(chunks.at(-1)).to.deep.equal({
        type: 'error',
        errorText: 'The service is being stopped. Ask again in a minute.',
      })
      expect(outcome?.end).to.equal('stopped')
      await provider.gone
    })

    it('releases all resources after many disconnects', async () => {
      await using provider = await startStreamingProvider(({ question }) =>
        question.endsWith('1') ? 'silence' : ['It is', { until: never }],
      )
      const model = modelAt(provider.url, protocol)
      const control = new AbortController()
      const turns = Array.from({ length: 40 }, (_, n) =>
        collectTurn({
          model,
          signal: control.signal,
          messages: [{ id: `${n}`, role: 'user', parts: [{ type: 'text', text: `Question ${n % 2}` }] }],
        }),
      )
      while (provider.calls.length < 40) await pass(5)
      expect(provider.running).to.equal(40)
      control.abort()
      const outcomes = await Promise.all(turns)
      expect(outcomes.every(({ outcome }) => outcome.end === 'disconnected')).to.equal(true)
      // The provider notices later; connections with a running call cannot be reused.
      while (provider.sockets > 0) await pass(5)
      expect(provider.running).to.equal(0)
    })
  })
}

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

describe('a signal shared by many turns', () => {
  it('has no listeners and timers after the turns end', async () => {
    await using provider = await startStreamingProvider(({ step }) =>
      step === 0 ? [{ tool: 'one', input: {} }] : ['7'],
    )
    const { signal } = new AbortController()
    let listeners = 0
    const counted: AbortSignal = Object.assign(signal, {
      addEventListener: (...given: Parameters<AbortSignal['addEventListener']>) => {
        listeners++
        EventTarget.prototype.addEventListener.apply(signal, given)
      },
      removeEventListener: (...given: Parameters<AbortSignal['removeEventListener']>) => {
        listeners--
        EventTarget.prototype.removeEventListener.apply(signal, given)
      },
    })
    const tools: ToolSet = { one: tool({ inputSchema: z.object({}), execute: () => 1 }) }
    // Keep-alive connections have timers, so they are opened first.
    for (const protocol of protocols) await collectTurn({ model: modelAt(provider.url, protocol), tools })
    const before = timers()
    for (const protocol of protocols)
      expect(
        (await collectTurn({ model: modelAt(provider.url, protocol), tools, signal: counted })).texts,
      ).to.deep.equal(['7'])
    expect(listeners).to.equal(0)
    while (timers() > before) await pass(5)
  })
})
