import { expect } from 'chai'
import { inOrder, startFakeProvider } from '../../../../scripts/eval/fake-provider.ts'
import type { FakeProvider } from '../../../../scripts/eval/fake-provider.ts'

const messages = [{ role: 'user', content: 'How high?' }]
const anthropicHeaders = { 'anthropic-version': '2023-06-01', 'x-api-key': 'key' }

describe('fake provider', () => {
  let provider: FakeProvider
  before(async () => {
    provider = await startFakeProvider(
      inOrder({ text: 'SELECT 1' }, { status: 429, message: 'Slow down', retryAfter: '7' }),
    )
  })
  after(() => provider.close())

  const post = async (
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; body: unknown }> => {
    const response = await fetch(`${provider.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  for (const [what, path, body, headers, status, message] of [
    [
      'no version',
      '/v1/messages',
      { model: 'm', max_tokens: 5, messages },
      { 'x-api-key': 'key' },
      400,
      'anthropic-version',
    ],
    [
      'no key',
      '/v1/messages',
      { model: 'm', max_tokens: 5, messages },
      { 'anthropic-version': '2023-06-01' },
      401,
      'x-api-key',
    ],
    ['no limit of the reply', '/v1/messages', { model: 'm', messages }, anthropicHeaders, 400, 'max_tokens'],
    [
      'instructions among the messages',
      '/v1/messages',
      { model: 'm', max_tokens: 5, messages: [{ role: 'system', content: 'x' }] },
      anthropicHeaders,
      400,
      'role',
    ],
    ['no messages', '/v1/chat/completions', { model: 'm', messages: [] }, {}, 400, 'messages'],
    ['no JSON', '/v1/chat/completions', '{', {}, 400, 'Invalid JSON'],
    ['another path', '/messages', { model: 'm', max_tokens: 5, messages }, anthropicHeaders, 404, '/messages'],
  ] as const) {
    it(`rejects ${what} like the real providers and does not count it`, async () => {
      const refused = await post(path, body, headers)
      expect(refused.status).to.equal(status)
      expect(refused.body).to.have.nested.property('error.message').that.includes(message)
      expect(provider.calls).to.deep.equal([])
    })
  }

  it('formats replies and errors for each protocol and parses conversation turns', async () => {
    const output = await post(
      '/v1/messages',
      { model: 'm', max_tokens: 5, system: [{ type: 'text', text: 'You write SQL.' }], messages },
      anthropicHeaders,
    )
    expect(output.body).to.deep.include({
      role: 'assistant',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'SELECT 1' }],
    })
    const busy = await post('/v1/messages', { model: 'm', max_tokens: 5, messages }, anthropicHeaders)
    expect([busy.status, busy.headers.get('retry-after')]).to.deep.equal([429, '7'])
    expect(busy.body).to.deep.equal({ type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } })
    const other = await post('/v1/chat/completions', {
      model: 'm',
      max_tokens: 5,
      messages: [
        { role: 'system', content: 'You write SQL.' },
        { role: 'user', content: 'How low?' },
      ],
    })
    expect(other.body).to.deep.equal({
      error: { message: 'Slow down', type: 'rate_limit_exceeded', param: null, code: null },
    })
    expect(provider.calls.map(({ question, turn, instructions }) => [question, turn, instructions])).to.deep.equal([
      ['How high?', 0, 'You write SQL.'],
      ['How high?', 1, ''],
      ['How low?', 0, 'You write SQL.'],
    ])
  })
})
