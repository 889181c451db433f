import { DefaultChatTransport, readUIMessageStream } from 'ai'
import { expect } from 'chai'
import type { ChatMessage } from '../../../../src/assistant/chat/chat-types.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import type { ProviderProtocol, ProviderTurn, StreamingCall } from '../support/provider-turn.ts'
import { readChunks, runChat, answerTextOf } from '../support/running-chat.ts'
import type { RunningChat } from '../support/running-chat.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import type { StreamingProvider } from '../support/streaming-provider.ts'

const chart = { chartType: 'bar', title: 'Blocks', labels: ['a'], datasets: [{ label: 'n', data: [1] }] }
const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words })
const user = (words: string): unknown => ({ id: 'same', role: 'user', parts: [text(words)] })
const assistant = (...parts: unknown[]): unknown => ({ id: 'same', role: 'assistant', parts })

/** Provider settings by protocol. */
const variablesOf = (protocol: ProviderProtocol, url: string): Record<string, string> => ({
  LLM_BASE_URL: url,
  LLM_API_KEY: 'key',
  ...(protocol === 'messages' ? { LLM_PROVIDER: 'anthropic' } : { LLM_MODEL: 'm' }),
})

for (const protocol of ['messages', 'completions'] as const) {
  describe(`a conversation with a provider of ${protocol}`, () => {
    let database: TestDatabase
    let provider: StreamingProvider
    let chat: RunningChat
    let script: (call: StreamingCall) => ProviderTurn
    before(async () => {
      database = await createTestDatabase()
      provider = await startStreamingProvider((call) => script(call))
      chat = await runChat({ database, variables: variablesOf(protocol, provider.url) })
    })
    beforeEach(() => {
      script = () => ['Well.']
    })
    afterEach(() => expect(provider.refused).to.deep.equal([]))
    after(async () => {
      await chat.stop()
      await provider.close()
      await database.drop()
    })

    const requested = async (messages: readonly unknown[]): Promise<StreamingCall> => {
      const before = provider.calls.length
      expect(answerTextOf(await readChunks(await chat.post({ messages })))).to.equal('Well.')
      const call = provider.calls[before]
      if (call === undefined) throw new Error('the provider was not called')
      return call
    }

    /** Like the page: the AI SDK client stores the messages and sends them with the next question. */
    const converse = async (messages: ChatMessage[], mode: string, signal?: AbortSignal): Promise<ChatMessage> => {
      const transport = new DefaultChatTransport<ChatMessage>({ api: `${chat.origin}/api/chat`, body: { mode } })
      const stream = await transport.sendMessages({
        chatId: 'thread',
        messages,
        trigger: 'submit-message',
        messageId: undefined,
        abortSignal: signal,
      })
      let answer: ChatMessage | undefined
      for await (const message of readUIMessageStream<ChatMessage>({ stream })) answer = message
      if (answer === undefined) throw new Error('no answer')
      return answer
    }

    it('continues from the messages of the SDK client: drops reasoning, sends calls with their results', async () => {
      script = ({ step, question }) =>
        step === 0 && question === 'Draw.'
          ? [
              { reasoning: 'A bar will do.' },
              'Let me draw. ',
              { tool: 'createChart', input: chart },
              { tool: 'createChart', input: { ...chart, labels: [] } },
            ]
          : [{ reasoning: 'So be it.' }, 'Well.']
      const first: ChatMessage = { id: 'q1', role: 'user', parts: [text('Draw.')] }
      const drawn = await converse([first], 'deep')
      expect(drawn.parts.map(({ type }) => type)).to.include('reasoning')
      expect(drawn.metadata).to.include({ mode: 'deep', end: 'complete', steps: 2 })
      const next = await converse([first, drawn, { id: 'q2', role: 'user', parts: [text('And now?')] }], 'deep')
      expect(next.parts.filter(({ type }) => type === 'text')).to.have.length(1)
      const call = provider.calls.at(-1)
      expect(call?.question).to.equal('And now?')
      expect(
        call?.messages
          .map(({ role, text, reasoning, toolCalls }) => ({
            role,
            text,
            reasoning,
            calls: toolCalls.map(({ name }) => name),
          }))
          .filter(({ role }) => role !== 'tool'),
      ).to.deep.equal([
        { role: 'user', text: 'Draw.', reasoning: '', calls: [] },
        { role: 'assistant', text: 'Let me draw. ', reasoning: '', calls: ['createChart', 'createChart'] },
        { role: 'assistant', text: 'Well.', reasoning: '', calls: [] },
        { role: 'user', text: 'And now?', reasoning: '', calls: [] },
      ])
      const results = call?.messages.flatMap(({ toolResults }) => toolResults) ?? []
      expect(results[0]?.text).to.include('"chartType":"bar"')
      expect(results[1]?.text).to.include('Field "labels"')
    })

    it('continues after an answer that was interrupted during a call', async () => {
      script = ({ question }) =>
        question === 'Draw.'
          ? ['Let me. ', { tool: 'createChart', arguments: '{"chartType": "ba' }, { cut: true }]
          : ['Well.']
      const chunks = await readChunks(await chat.ask('Draw.'))
      expect(chunks.some(({ type }) => type === 'error')).to.equal(true)
      const kept = assistant(text('Let me. '), {
        type: 'dynamic-tool',
        toolName: 'createChart',
        toolCallId: 'c',
        state: 'input-streaming',
        input: { chartType: 'ba' },
      })
      const call = await requested([user('Draw.'), kept, user('Once more?')])
      const [result] = call.messages.flatMap(({ toolResults }) => toolResults)
      expect(result?.text).to.include('interrupted')
    })

    it('sends the provider a valid request for any client-made history', async () => {
      const made = {
        type: 'dynamic-tool',
        toolName: 'run_indexer_sql',
        toolCallId: 'x',
        state: 'output-available',
        input: {},
        output: {},
      }
      const call = await requested([
        assistant(text('Welcome.')),
        user('one'),
        assistant(),
        user('two'),
        assistant(
          { ...made, output: 'a text' },
          { ...made, output: null },
          { ...made, output: [1] },
          { ...made, output: { content: 'no list' } },
          { ...made, output: { content: [7, { type: 'text' }, { type: 'image' }] } },
          { ...made, type: 'tool-loadSkill', output: { content: 5 } },
          { ...made, type: 'tool-createChart', output: 7 },
          { ...made, type: 'tool-fetch_api', output: false },
          { ...made, input: 'no object' },
          { ...made, type: 'tool-web_search', providerExecuted: true },
          { ...made, toolName: 'was_here_once' },
          { ...made, toolName: 'constructor' },
          { ...made, toolCallId: 'toolu/ 1' },
        ),
        user('three'),
        assistant({ type: 'reasoning', text: 'Hm.', providerMetadata: { anthropic: { signature: 'made up' } } }),
        user('four'),
        assistant(text('said'), { ...made, state: 'approval-requested', approval: { id: 'a' } }, text('and said')),
        assistant({ ...made, state: 'input-available' }),
        user('five'),
      ])
      expect(call.messages[0]).to.include({ role: 'user', text: 'one\n\ntwo' })
      expect(call.question).to.equal('five')
      expect(JSON.stringify(call.body)).to.not.match(/made up|Welcome|Hm\./)
    })

    it('includes all questions when none has an answer', async () => {
      const call = await requested([user('one'), user('two'), user('three')])
      expect(call.messages.map(({ role, text: printed }) => [role, printed])).to.deep.equal([
        ['user', 'one\n\ntwo\n\nthree'],
      ])
    })

    it('reports truncation to the reader and not to the model', async () => {
      const long = 'y'.repeat(150_000)
      const messages = [...[1, 2, 3].flatMap((i) => [user(`question ${i}`), assistant(text(long))]), user('last')]
      const before = provider.calls.length
      const chunks = await readChunks(await chat.post({ messages }))
      expect(chunks.find((chunk) => chunk.type === 'data-notice' && chunk.data.code === 'history-cut'))
        .to.have.nested.property('data.text')
        .that.includes('first 2 messages')
      expect(provider.calls[before]?.messages[0]?.text).to.equal('question 2')
    })

    it('regenerates the answer to the last question', async () => {
      const before = provider.calls.length
      await readChunks(
        await chat.post({
          messages: [user('one'), assistant(text('Not this.'))],
          trigger: 'regenerate-message',
          messageId: 'same',
        }),
      )
      expect(provider.calls[before]?.messages.map(({ role, text: printed }) => [role, printed])).to.deep.equal([
        ['user', 'one'],
      ])
    })
  })
}
