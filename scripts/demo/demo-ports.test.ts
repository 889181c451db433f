import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { checkPorts, demoPorts, portOffsets } from './demo-ports.ts'

describe('ports of the demo', () => {
  const servers: Server[] = []

  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  async function busyPort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  it('are the usual ones, with 8000 for the proxy', () => {
    expect(readConfig({}, {}, demoPorts(8080))).to.include({
      PORT: 8080,
      ASK_PORT: 8084,
      MCP_PORT: 8085,
      TOOLS_PORT: 8086,
      CHAT_PORT: 3001,
      LSP_PORT: 3002,
      HTTP_PORT: 3003,
      WALLET_PORT: 3004,
      PROXY_PORT: 8000,
    })
  })

  it('follow another PORT at fixed distances, unless they are set', () => {
    const config = readConfig({}, { PORT: '9000', MCP_PORT: '9999' }, demoPorts(9000))
    expect(config).to.include({
      CHAT_PORT: 9100,
      LSP_PORT: 9200,
      HTTP_PORT: 9300,
      ASK_PORT: 9400,
      MCP_PORT: 9999,
      TOOLS_PORT: 9600,
      WALLET_PORT: 9700,
      PROXY_PORT: 9800,
    })
    expect(Object.values(demoPorts(0))).to.deep.equal(Object.keys(portOffsets).map(() => '0'))
  })

  it('do not overlap with those of demos on neighboring ports', () => {
    const { PROXY_PORT, CHAT_PORT, LSP_PORT, HTTP_PORT, ASK_PORT, MCP_PORT, TOOLS_PORT, WALLET_PORT } = readConfig(
      {},
      {},
      demoPorts(8080),
    )
    const usual = [8080, PROXY_PORT, CHAT_PORT, LSP_PORT, HTTP_PORT, ASK_PORT, MCP_PORT, TOOLS_PORT, WALLET_PORT]
    const others = [8081, 8082, 8083, 8090, 8100, 8179].flatMap((port) => [
      port,
      ...Object.values(demoPorts(port)).map(Number),
    ])
    expect(new Set([...usual, ...others]).size).to.equal(7 * 9)
  })

  it('must fit above PORT', () => {
    expect(demoPorts(64_735)).to.include({ PROXY_PORT: '65535' })
    expect(() => demoPorts(64_736)).to.throw('Choose a PORT of at most 64735')
  })

  it('are all checked at once, with the program that uses each and what to set', async () => {
    const [first, second] = [await busyPort(), await busyPort()]
    const variables = { HOST: '127.0.0.1', PORT: String(first), WALLET_PORT: String(second), CHAT_PORT: '0' }
    const config = readConfig(variables, {}, demoPorts(0))
    const error = await checkPorts(config).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    )
    expect(error?.message.split('\n')).to.have.lengthOf(4)
    expect(error?.message)
      .to.match(new RegExp(`PORT ${first} is in use by .*${process.platform === 'linux' ? process.pid : ''}`))
      .and.include(`WALLET_PORT ${second} is in use`)
      .and.include(`PORT=${first + 1} npm run demo`)
    for (const server of servers.splice(0)) {
      server.close()
      await once(server, 'close')
    }
    await checkPorts(config)
  })
})
