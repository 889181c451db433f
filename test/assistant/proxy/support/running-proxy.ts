import { BlockList, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { startProxyServer } from '../../../../src/assistant/proxy/proxy-server.ts'
import type { ProxyOptions, ProxyServer } from '../../../../src/assistant/proxy/proxy-server.ts'
import type { UpstreamName } from '../../../../src/assistant/proxy/route-of.ts'
import { Metrics } from '../../../../src/platform/metrics.ts'

export interface RunProxyOptions extends Partial<Omit<ProxyOptions, 'upstreamOf'>> {
  /** Default: an unused port. */
  readonly urls?: Readonly<Partial<Record<UpstreamName, URL>>>
  /** Default 20,000. */
  readonly timeoutMs?: number
}

export interface RunningProxy extends ProxyServer {
  readonly url: string
  readonly metrics: Metrics
  /** Log lines as JSON. */
  readonly log: string[]
  /** Sends raw bytes. @returns everything received until the connection closed */
  raw(bytes: string): Promise<string>
}

const nobody = new URL('http://127.0.0.1:1')

/** The proxy on 127.0.0.1. */
export async function runProxy({
  urls = {},
  timeoutMs = 20_000,
  ...options
}: RunProxyOptions = {}): Promise<RunningProxy> {
  const metrics = new Metrics()
  const log: string[] = []
  const titles = { chat: 'the chat', ask: 'the query service', mcp: 'the MCP server' }
  const server = await startProxyServer({
    upstreamOf: (name) => ({ title: titles[name], url: urls[name] ?? nobody, timeoutMs }),
    log: pino({ level: 'debug' }, { write: (line: string) => void log.push(line) }),
    metrics,
    host: '127.0.0.1',
    port: 0,
    trustedProxies: new BlockList(),
    needsToken: false,
    closeGraceMs: 500,
    ...options,
  })
  return {
    ...server,
    metrics,
    log,
    url: `http://127.0.0.1:${server.port}`,
    raw: async (bytes) => {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(bytes, 'latin1')
      return text(socket)
    },
  }
}
