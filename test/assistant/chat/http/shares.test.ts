import { expect } from 'chai'
import { shareLimits } from '../../../../src/assistant/chat/records/shared-chat.ts'
import { SharedChats } from '../../../../src/assistant/chat/records/shared-chats.ts'
import { readsPerMinute, recordsPerMinute } from '../../../../src/assistant/chat/records/share-routes.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runChat } from '../support/running-chat.ts'
import type { RunningChat } from '../support/running-chat.ts'

interface Body {
  readonly code?: string
  readonly token: string
  readonly revoke_key: string
  readonly expires_at: string
  readonly messages: readonly object[]
}

const proxied = { 'X-Forwarded-For': '203.0.113.7' }
const hostile = '<img src=x onerror=alert(1)>\u0000\ud800'
const chat = {
  title: 'Shared </script>',
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'How many?' }] },
    { role: 'assistant', parts: [{ type: 'text', text: hostile }] },
  ],
}

describe('shared chats over HTTP', () => {
  let database: TestDatabase
  let running: RunningChat
  before(async () => {
    database = await createTestDatabase()
  })
  beforeEach(() => database.pool.query('DELETE FROM app.chat_shares'))
  afterEach(() => running.stop())
  after(() => database.drop())

  const run = async (variables: Record<string, string> = {}): Promise<void> => {
    running = await runChat({ database, variables })
  }
  const send = async (
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ readonly status: number; readonly body: Body }> => {
    const response = await fetch(`${running.origin}/api/chat/shares${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }
  const read = async (
    token: string,
  ): Promise<{ readonly status: number; readonly body: Body; readonly headers: Headers }> => {
    const response = await running.get(`/api/chat/shares/${token}`)
    return { status: response.status, body: (await response.json()) as Body, headers: response.headers }
  }

  it('are read by their token, without API_TOKEN, until they are revoked', async () => {
    await run({ API_TOKEN: 'the-token' })
    const token = { Authorization: 'Bearer the-token' }
    expect((await send('', chat)).status).to.equal(401)
    const { status, body: share } = await send('', chat, token)
    expect(status).to.equal(200)
    expect(Date.parse(share.expires_at) - Date.now()).to.be.closeTo(30 * 86_400_000, 60_000)
    const { body: shared, headers } = await read(share.token)
    expect(shared).to.deep.include({
      title: 'Shared </script>',
      messages: [
        { id: 'm0', role: 'user', parts: [{ type: 'text', text: 'How many?', state: 'done' }] },
        { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: hostile.toWellFormed(), state: 'done' }] },
      ],
    })
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('x-robots-tag')).to.equal('noindex')
    const { rows } = await database.pool.query('SELECT * FROM app.chat_shares')
    expect(JSON.stringify(rows)).to.not.include(share.token).and.not.include(share.revoke_key)
    const revoke = { revoke_key: share.revoke_key }
    expect((await send(`/${share.token}/revoke`, revoke)).status).to.equal(401)
    const other = { revoke_key: share.token }
    expect((await send(`/${share.token}/revoke`, other, token)).status).to.equal(404)
    expect((await read(share.token)).status).to.equal(200)
    expect((await send(`/${share.token}/revoke`, revoke, token)).status).to.equal(200)
    expect(await read(share.token))
      .to.deep.include({ status: 404 })
      .and.have.nested.property('body.code', 'unknown-share')
  })

  it('expire', async () => {
    await run({ CHAT_SHARE_DAYS: '1' })
    const { body: share } = await send('', chat)
    await database.pool.query('UPDATE app.chat_shares SET expires_at = now()')
    expect((await read(share.token)).status).to.equal(404)
    await send('', chat)
    const { rows } = await database.pool.query('SELECT count(*)::int AS count FROM app.chat_shares')
    expect(rows).to.deep.equal([{ count: 1 }])
  })

  it('are unknown by any other token', async () => {
    await run()
    for (const token of ['x', 'a'.repeat(22), 'a'.repeat(5000), '%00', encodeURIComponent("' OR true --")])
      expect((await read(token)).body.code, token).to.equal('unknown-share')
  })

  it('are refused above their limits', async () => {
    await run()
    const padded = (characters: number): object => ({
      ...chat,
      messages: [
        ...chat.messages,
        ...Array.from({ length: 8 }, () => ({
          role: 'assistant',
          parts: [{ type: 'text', text: 'y'.repeat(characters) }],
        })),
      ],
    })
    expect((await send('', padded(shareLimits.bytes / 8 - 200))).status).to.equal(200)
    expect((await send('', padded(shareLimits.bytes / 8))).body.code).to.equal('share-too-large')
    expect((await send('', padded(1_000_000))).body.code).to.equal('body-too-large')
    expect((await send('', '['.repeat(100_000))).body.code).to.equal('too-deep')
  })

  it('have a number per owner and in total', async () => {
    const snapshot = { title: 'T', messages: [] }
    const shares = new SharedChats(database.pool, 1, { perOwner: 2, total: 3 })
    const codeOf = (owner: string): Promise<unknown> =>
      shares.create(owner, snapshot).then(
        () => 'created',
        (error: unknown) => (error as { code: string }).code,
      )
    await run()
    expect(await Promise.all(['a', 'a', 'a'].map(codeOf))).to.have.members(['created', 'created', 'shares-full'])
    expect(await codeOf('b')).to.equal('created')
    expect(await codeOf('c')).to.equal('shares-full')
  })

  it('are created and read at a limited rate', async () => {
    await run()
    const statuses: number[] = []
    for (let i = 0; i <= recordsPerMinute; i++) statuses.push((await send('', chat, proxied)).status)
    expect(statuses.indexOf(429)).to.equal(recordsPerMinute)
    expect((await send('', chat, { 'X-Forwarded-For': '203.0.113.8' })).status).to.equal(200)
    const reads: number[] = []
    for (let i = 0; i <= readsPerMinute; i++) reads.push((await read('unknown')).status)
    expect(reads.indexOf(429)).to.equal(readsPerMinute)
  })

  it('can be disabled', async () => {
    await run({ CHAT_SHARE_DAYS: '0' })
    expect((await send('', chat)).body.code).to.equal('sharing-disabled')
    expect(await (await running.get('/api/chat/settings')).json()).to.include({ share_days: 0 })
  })
})
