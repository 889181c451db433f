import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { expect } from 'chai'
import { startFakeProvider } from '../../../../scripts/eval/fake-provider.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'

/** A port that is unused until the proxy starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('EVM explorer database', () => {
  let db: TestDatabase
  before(async () => {
    db = await createTestDatabase()
  })
  after(() => db.drop())

  /** Forwards to the test server, at a socket file or a port. */
  async function listen(port: number, sockets: Set<Socket>): Promise<Server> {
    const { hostname, port: serverPort } = new URL(db.url)
    const host = decodeURIComponent(hostname)
    const server = createServer((client) => {
      const target = host.startsWith('/')
        ? connect(`${host}/.s.PGSQL.${serverPort || '5432'}`)
        : connect(Number(serverPort || '5432'), host)
      for (const socket of [client, target]) {
        sockets.add(socket)
        // The end of either connection closes the other.
        socket.on('error', () => undefined).on('close', () => [client, target].forEach((end) => end.destroy()))
      }
      client.pipe(target).pipe(client)
    }).listen({ host: '127.0.0.1', port })
    await once(server, 'listening')
    return server
  }

  it('may be unavailable at startup: other routes work, and it connects later', async () => {
    const port = await freePort()
    const url = new URL(db.url)
    const evmUrl = `postgresql://${url.username || 'postgres'}:${url.password}@127.0.0.1:${port}${url.pathname}`
    const provider = await startFakeProvider(() => ({ text: 'SELECT 1' }))
    const ask = await runAsk(db, {
      EVM_EXPLORER_DATABASE_URL: evmUrl,
      LLM_PROVIDER: 'anthropic',
      LLM_API_KEY: 'key',
      LLM_BASE_URL: provider.url,
    })
    const sockets = new Set<Socket>()
    let server: Server | undefined
    try {
      expect((await ask.get('/health')).body)
        .to.have.property('targets')
        .that.deep.equals(['indexer', 'evm'])
      expect((await ask.post('/api/v1/run_sql', { sql: 'SELECT 1' })).status).to.equal(200)
      const away = await ask.post('/api/v1/evm/run_sql', { sql: 'SELECT 1' })
      expect([away.status, away.body.code]).to.deep.equal([503, 'sql-unavailable'])
      expect(away.headers.get('retry-after')).to.equal('5')
      expect((await ask.post('/api/v1/evm/ask', { question: 'How many?' })).status).to.equal(503)
      expect(provider.calls).to.have.length(0)

      server = await listen(port, sockets)
      let status = 503
      while (status === 503) status = (await ask.post('/api/v1/evm/run_sql', { sql: 'SELECT 1' })).status
      expect(status).to.equal(200)
      expect((await ask.post('/api/v1/evm/ask', { question: 'How many?' })).status).to.equal(200)
    } finally {
      await ask.stop()
      await provider.close()
      for (const socket of sockets) socket.destroy()
      server?.close()
    }
  })
})
