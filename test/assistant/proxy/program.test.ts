import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { cannotListen } from '../../../src/platform/http/cannot-listen.ts'
import { isServiceName, services, defaultServices } from '../../../src/services.ts'
import { startStreamingProvider } from '../chat/support/streaming-provider.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { FlowfarmProcess } from '../../support/flowfarm-process.ts'
import { startBackend } from './support/backend.ts'

describe('proxy as a service', () => {
  let database: TestDatabase
  const processes: FlowfarmProcess[] = []

  before(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    for (const farm of processes.splice(0)) await farm.end('SIGKILL')
  })
  after(() => database.drop())

  function start(names: readonly string[], variables: Record<string, string>): FlowfarmProcess {
    const farm = new FlowfarmProcess(names, {
      DB_URL: database.url,
      HOST: '127.0.0.1',
      PROXY_PORT: '0',
      CHAT_PORT: '0',
      MCP_SERVER_URL: 'http://127.0.0.1:1/mcp',
      TOOLS_PORT: '1',
      ...variables,
    })
    processes.push(farm)
    return farm
  }

  it('ends running responses with a message on shutdown', async () => {
    const never = new Promise<void>(() => undefined)
    await using provider = await startStreamingProvider(() => ['It is ', { until: never }])
    // It stops after its upstreams, regardless of the order on the command line.
    const farm = start(['chat', 'proxy'], {
      LLM_BASE_URL: provider.url,
      LLM_MODEL: 'local',
      CHAT_TOOL_CONNECT_MS: '200',
    })
    const url = String((await farm.logged(/Reverse proxy listening/))['url'])
    await farm.logged(/Chat listening/)
    const answer = await fetch(`${url}/api/chat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'How high?' }] }),
    })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let output = ''
    const read = async (): Promise<boolean> => {
      const { done, value = '' } = (await reader?.read()) ?? { done: true }
      output += value
      return !done
    }
    while (!output.includes('It is')) expect(await read(), output).to.equal(true)
    const ended = farm.end('SIGTERM')
    while (await read()) continue
    expect(output).to.include('"type":"error"').and.include('The service stopped')
    expect(await ended).to.equal(0)
    expect(farm.log.filter(({ level }) => level === 'error')).to.deep.equal([])
  })

  it('runs alone in its process with remote services and without a database', async () => {
    const [chat, ask] = [await startBackend('chat'), await startBackend('ask')]
    try {
      const farm = start(['proxy'], {
        PROXY_CHAT_URL: chat.url.origin,
        PROXY_ASK_URL: ask.url.origin,
        PROXY_MCP_URL: 'http://127.0.0.1:1',
        DB_URL: 'postgresql://127.0.0.1:1/nobody',
      })
      const url = String((await farm.logged(/Reverse proxy listening/))['url'])
      const answers = await Promise.all(
        ['/', '/api/v1/ask', '/mcp'].map(async (path) => (await fetch(`${url}${path}`)).text()),
      )
      expect(answers.slice(0, 2)).to.deep.equal(['chat GET /', 'ask GET /api/v1/ask'])
      expect(answers[2]).to.include('The MCP server is unavailable')
      expect(await farm.end('SIGTERM')).to.equal(0)
    } finally {
      await Promise.all([chat.stop(), ask.stop()])
    }
  })

  it('reports an invalid service variable and a port that is in use', async () => {
    const wrong = start(['proxy'], { PROXY_CHAT_URL: 'http://127.0.0.1:3001/base' })
    expect(await wrong.ended()).to.equal(1)
    expect(wrong.output()).to.include('PROXY_CHAT_URL must be a URL without a path')
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const taken = start(['proxy'], { PROXY_PORT: String(port) })
    expect(await taken.ended()).to.equal(1)
    expect(taken.output()).to.include(`PROXY_PORT ${port} is in use`)
    other.close()
    const { message } = cannotListen(Object.assign(new Error('no'), { code: 'EACCES' }), {
      variable: 'PROXY_PORT',
      port: 80,
      host: '0.0.0.0',
    })
    expect(message)
      .to.include('PROXY_PORT 80 requires privileges')
      .and.include('PROXY_PORT=8000')
      .and.include('ip_unprivileged_port_start=80')
  })

  it('is a default service only when PROXY_PORT is set', () => {
    const all = Object.keys(services).filter(isServiceName)
    expect(defaultServices({ PROXY_PORT: undefined })).to.deep.equal(all.filter((name) => name !== 'proxy'))
    expect(defaultServices({ PROXY_PORT: 0 })).to.deep.equal(all)
  })
})
