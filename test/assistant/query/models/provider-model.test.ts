import { expect } from 'chai'
import { inOrder, startFakeProvider } from '../../../../scripts/eval/fake-provider.ts'
import type { FakeProvider, ProviderTurn } from '../../../../scripts/eval/fake-provider.ts'
import { ProviderModel } from '../../../../src/assistant/query/provider-model.ts'
import type { ModelRequest } from '../../../../src/assistant/query/write-sql.ts'
import { readConfig } from '../../../../src/config.ts'
import { ApiError } from '../../../../src/platform/errors.ts'
import { modelSettings } from '../../../../src/platform/llm/settings.ts'

const request = (signal = new AbortController().signal): ModelRequest => ({
  instructions: 'You write SQL.',
  messages: [{ role: 'user', content: 'Question: how high?' }],
  question: 'how high?',
  signal,
})

describe('provider model', () => {
  let provider: FakeProvider | undefined
  afterEach(async () => {
    await provider?.close()
    provider = undefined
  })

  const open = async (
    variables: Record<string, string>,
    turns: readonly ProviderTurn[],
    options = {},
  ): Promise<ProviderModel> => {
    provider = await startFakeProvider(inOrder(...turns))
    const found = modelSettings(
      readConfig(
        {
          LLM_PROVIDER: 'anthropic',
          LLM_API_KEY: 'key',
          LLM_MODEL: 'some-model',
          LLM_BASE_URL: provider.url,
          ...variables,
        },
        {},
      ),
    )
    if (typeof found === 'string' || !('settings' in found)) throw new Error('no model')
    return new ProviderModel({ settings: found.settings, retryBaseMs: 1, ...options })
  }

  const failure = async (reply: Promise<unknown>): Promise<ApiError> => {
    try {
      await reply
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
    throw new Error('it answered')
  }

  for (const [name, path, header] of [
    ['anthropic', '/v1/messages', 'x-api-key'],
    ['openai', '/v1/chat/completions', 'authorization'],
    ['openai-compatible', '/v1/chat/completions', 'authorization'],
  ] as const) {
    it(`sends a request of the kind ${name} in its protocol, with instructions, key and output limit`, async () => {
      const model = await open({ LLM_PROVIDER: name }, [{ text: 'SELECT 1' }])
      expect(await model.reply(request())).to.deep.equal({ text: 'SELECT 1', isCutOff: false })
      const [call] = provider?.calls ?? []
      expect(call).to.include({ path, model: 'some-model', instructions: 'You write SQL.' })
      expect(call?.messages).to.deep.equal([{ role: 'user', text: 'Question: how high?' }])
      expect(String(call?.headers[header])).to.match(/key$/)
      expect(call?.maxTokens).to.be.within(1000, 10_000)
    })

    it(`reports a truncated reply of the kind ${name}`, async () => {
      const model = await open({ LLM_PROVIDER: name }, [{ text: 'SELECT', isCutOff: true }])
      expect(await model.reply(request())).to.deep.equal({ text: 'SELECT', isCutOff: true })
    })
  }

  it('retries when the provider is busy or fails', async () => {
    const model = await open({}, [
      { status: 429, message: 'slow down', retryAfter: '0' },
      { status: 503, message: 'overloaded' },
      { text: 'SELECT 1' },
    ])
    expect((await model.reply(request())).text).to.equal('SELECT 1')
    expect(provider?.calls).to.have.length(3)
  })

  it("fails after three attempts with the provider's reason", async () => {
    const error = await failure((await open({}, [{ status: 500, message: 'broken inside.' }])).reply(request()))
    expect(error).to.include({
      status: 502,
      code: 'model-failed',
      message: 'The model anthropic/some-model failed: HTTP 500, broken inside.',
    })
    expect(provider?.calls).to.have.length(3)
  })

  it('does not wait for a retry delay beyond the deadline', async () => {
    const model = await open({}, [{ status: 429, message: 'come back tomorrow', retryAfter: '86400' }])
    const error = await failure(model.reply(request()))
    expect(error.message).to.include('HTTP 429, come back tomorrow')
    expect(provider?.calls).to.have.length(1)
  })

  it('does not retry permanent errors', async () => {
    const error = await failure((await open({}, [{ status: 401, message: 'no such key' }])).reply(request()))
    expect(error).to.include({ status: 502, code: 'model-failed' })
    expect(error.message).to.include('HTTP 401, no such key')
    expect(error.message).not.to.include(provider?.url)
    expect(provider?.calls).to.have.length(1)
  })

  it('times out when the provider is silent', async () => {
    const error = await failure((await open({}, ['silence'], { timeoutMs: 100 })).reply(request()))
    expect(error).to.include({ status: 502, code: 'model-failed' })
    expect(error.message).to.include('no reply within 0.1 s')
  })

  it('cancels the request when the caller disconnects', async () => {
    const model = await open({}, ['silence'])
    const controller = new AbortController()
    const reply = model.reply(request(controller.signal)).then(
      () => 'answered',
      (error: unknown) => error,
    )
    const reason = new Error('gone')
    await provider?.called
    controller.abort(reason)
    expect(await reply).to.equal(reason)
    expect((await provider?.gone)?.model).to.equal('some-model')
  })
})
