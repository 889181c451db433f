import { tool } from 'ai'
import { expect } from 'chai'
import { z } from 'zod'
import type { ChatMode } from '../../../../src/assistant/chat/chat-types.ts'
import type { ProviderProtocol, StreamingCall } from '../support/provider-turn.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import { modelAt, collectTurn } from '../support/turns.ts'

/** Provider request by mode. */
async function requestFor(
  protocol: ProviderProtocol,
  mode: ChatMode,
  variables: Record<string, string> = {},
): Promise<StreamingCall> {
  await using provider = await startStreamingProvider(() => ['7'])
  const { texts, error } = await collectTurn({ model: modelAt(provider.url, protocol, mode, variables), mode })
  expect({ texts, error }).to.deep.equal({ texts: ['7'], error: undefined })
  return await provider.called
}

describe('provider request', () => {
  it('has a reasoning budget in the deep mode, plus tokens for the answer', async () => {
    const { body, maxTokens, model } = await requestFor('messages', 'deep')
    expect(model).to.equal('claude-opus-4-6')
    expect(body).to.deep.include({ thinking: { type: 'enabled', budget_tokens: 10_000 } })
    expect(maxTokens).to.equal(26_384)
  })

  it('has no budget for a model that rejects one', async () => {
    const { body, maxTokens } = await requestFor('messages', 'deep', { CHAT_MODEL_DEEP: 'claude-opus-4-8' })
    expect(body).to.deep.include({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    })
    expect(maxTokens).to.equal(32_768)
  })

  it('has no reasoning options in the other modes', async () => {
    for (const mode of ['fast', 'balanced'] as const) {
      expect((await requestFor('messages', mode)).body).not.to.have.property('thinking')
      expect((await requestFor('responses', mode)).body).not.to.have.property('reasoning')
    }
    expect((await requestFor('messages', 'fast')).model).to.equal('claude-haiku-4-5')
  })

  it('has high effort and no storage for OpenAI', async () => {
    const { body, path } = await requestFor('responses', 'deep')
    expect(path).to.equal('/v1/responses')
    expect(body).to.deep.include({ reasoning: { effort: 'high', summary: 'auto' }, store: false, model: 'gpt-5.4' })
  })

  it('has only common options for self-hosted servers, plus the request for usage', async () => {
    for (const mode of ['fast', 'balanced', 'deep'] as const) {
      const { body, headers } = await requestFor('completions', mode)
      expect(Object.keys(body)).to.have.members(['model', 'max_tokens', 'messages', 'stream', 'stream_options'])
      expect(headers.authorization).to.equal('Bearer secret-of-the-provider')
    }
  })

  it("has Anthropic's web search, whose results come with the answer", async () => {
    await using provider = await startStreamingProvider(({ step }) =>
      step === 0
        ? [
            'I look it up. ',
            { search: 'flow price', found: [{ url: 'https://flow.com/price', title: 'Price' }] },
            'It is 7.',
          ]
        : ['It is still 7.'],
    )
    const model = modelAt(provider.url, 'messages', 'balanced', { CHAT_WEB_SEARCH: 'true' })
    const answer = await collectTurn({ model, tools: model.providerTools })
    expect(provider.calls[0]?.tools).to.have.length(1).with.nested.property('[0].type', 'web_search_20250305')
    expect(answer.error).to.equal(undefined)
    expect(answer.texts).to.deep.equal(['I look it up. ', 'It is 7.'])
    expect(answer.message.parts.find(({ type }) => type === 'tool-web_search'))
      .to.include({ state: 'output-available', providerExecuted: true })
      .and.deep.nested.include({ input: { query: 'flow price' }, 'output[0].url': 'https://flow.com/price' })
    expect(answer.message.parts.find(({ type }) => type === 'source-url')).to.include({
      url: 'https://flow.com/price',
      title: 'Price',
    })
    expect(provider.calls).to.have.length(1)
  })

  it("has OpenAI's web search, whose sources come with the answer", async () => {
    await using provider = await startStreamingProvider(({ step }) =>
      step === 0
        ? [
            { search: 'flow price', found: [{ url: 'https://flow.com/price', title: 'Price' }] },
            { tool: 'look', input: {} },
          ]
        : ['It is 7.'],
    )
    const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const model = modelAt(provider.url, 'responses', 'balanced', { CHAT_WEB_SEARCH: 'true' })
    const answer = await collectTurn({ model, tools: { ...model.providerTools, look } })
    expect(provider.refused).to.deep.equal([])
    expect(provider.calls[0]?.tools.map(({ type }) => type)).to.deep.equal(['web_search', undefined])
    expect(provider.calls[0]?.body).to.deep.include({
      max_tool_calls: 5,
      include: ['web_search_call.action.sources', 'reasoning.encrypted_content'],
    })
    expect(answer.error).to.equal(undefined)
    expect(answer.texts).to.deep.equal(['It is 7.'])
    expect(answer.message.parts.find(({ type }) => type === 'tool-web_search'))
      .to.include({ state: 'output-available', providerExecuted: true })
      .and.deep.nested.include({ 'output.action.query': 'flow price' })
    expect(answer.message.parts.find(({ type }) => type === 'source-url')).to.include({ url: 'https://flow.com/price' })
  })
})
