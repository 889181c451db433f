import { Agent } from 'node:http'
import { Agent as TlsAgent, globalAgent as globalTlsAgent } from 'node:https'
import { connect, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Proxy } from '../../platform/outbound/config-proxy.ts'
import { authorityOf } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'

const maxResponseHead = 16 * 1024
const tunnelTimeoutMs = 10_000
const endOfHead = Buffer.from('\r\n\r\n')

/** CONNECT, RFC 9110, 9.3.6. Emits `connect` once the proxy has connected; earlier writes wait. */
export class ProxyTunnel extends Duplex {
  readonly #proxy: Proxy
  readonly #authority: string
  readonly #socket: Socket
  readonly #timer: NodeJS.Timeout
  #head = Buffer.alloc(0)
  #isOpen = false
  #pending: (() => void) | undefined

  constructor(proxy: Proxy, node: Pick<Endpoint, 'host' | 'port'>) {
    super({ allowHalfOpen: false })
    this.#proxy = proxy
    this.#authority = authorityOf(node)
    this.#timer = setTimeout(() => this.#fail(`no response within ${tunnelTimeoutMs} ms`), tunnelTimeoutMs)
    this.#socket = connect({ host: proxy.host, port: proxy.port })
    this.#socket.setNoDelay(true)
    this.#socket.on('connect', () => this.#socket.write(this.#request()))
    this.#socket.on('data', (bytes) => this.#receive(bytes))
    this.#socket.on('end', () => (this.#isOpen ? this.push(null) : this.#fail('it closed the connection')))
    this.#socket.on('error', (error: Error) => (this.#isOpen ? this.destroy(error) : this.#fail(error.message, error)))
    this.#socket.on('close', () => this.destroy())
  }

  get connecting(): boolean {
    return !this.#isOpen
  }

  setNoDelay(isOn: boolean): void {
    this.#socket.setNoDelay(isOn)
  }

  setKeepAlive(isOn: boolean, afterMs: number): void {
    this.#socket.setKeepAlive(isOn, afterMs)
  }

  /** This and the next two are methods that HTTP agents require of sockets. */
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms)
    return this
  }

  ref(): this {
    this.#socket.ref()
    return this
  }

  unref(): this {
    this.#socket.unref()
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const write = (): unknown => this.#socket.write(chunk, done)
    if (this.#isOpen) write()
    else this.#pending = write
  }

  override _final(done: () => void): void {
    this.#socket.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    this.#socket.destroy()
    done(error)
  }

  #request(): string {
    const { credentials } = this.#proxy
    const authorization =
      credentials === undefined ? '' : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`
    return `CONNECT ${this.#authority} HTTP/1.1\r\nHost: ${this.#authority}\r\n${authorization}\r\n`
  }

  #receive(bytes: Buffer): void {
    if (this.#isOpen) return this.#give(bytes)
    this.#head = Buffer.concat([this.#head, bytes])
    const end = this.#head.indexOf(endOfHead)
    if (end === -1) {
      if (this.#head.length > maxResponseHead) this.#fail(`its response has a header of over ${maxResponseHead} bytes`)
      return
    }
    const [line = ''] = this.#head.toString('latin1', 0, end).split('\r\n', 1)
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1]
    if (status === undefined) return this.#fail('its response is not HTTP')
    if (!status.startsWith('2'))
      return this.#fail(`it responded ${JSON.stringify(line.slice(0, 200))}`, undefined, status)
    clearTimeout(this.#timer)
    this.#isOpen = true
    const rest = this.#head.subarray(end + endOfHead.length)
    this.#head = Buffer.alloc(0)
    this.emit('connect')
    this.#pending?.()
    this.#pending = undefined
    if (rest.length > 0) this.#give(rest)
  }

  #give(bytes: Buffer): void {
    if (!this.push(bytes)) this.#socket.pause()
  }

  #fail(reason: string, cause?: Error, status?: string): void {
    const { host, port, variable } = this.#proxy
    const advice =
      status === '407'
        ? `Set user name and password in ${variable}: http://user:password@host:port.`
        : `Check ${variable}, or add the node to no_proxy.`
    const proxy = authorityOf({ host, port })
    const message = `Cannot connect to ${this.#authority} through the proxy ${proxy}: ${reason}. ${advice}`
    this.destroy(new Error(message, { cause }))
  }
}

export function tunnelAgent(proxy: Proxy, node: Endpoint): Agent {
  if (!node.tls) {
    const agent = new Agent({ keepAlive: true })
    agent.createConnection = () => new ProxyTunnel(proxy, node)
    return agent
  }
  const { ca } = globalTlsAgent.options
  const agent = new TlsAgent({ keepAlive: true })
  agent.createConnection = () =>
    connectTls({
      socket: new ProxyTunnel(proxy, node),
      ...(isIP(node.host) === 0 ? { servername: node.host } : { host: node.host }),
      ...(ca === undefined ? {} : { ca }),
    })
  return agent
}
