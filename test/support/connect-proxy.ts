import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

export interface ConnectProxyOptions {
  /** `user:password` */
  readonly credentials?: string
  readonly answer?: string
  /** Overrides the port of `host:port`. */
  readonly ports?: Readonly<Record<string, number>>
}

/** Resolves every name to 127.0.0.1. */
export class ConnectProxy {
  readonly targets: string[] = []
  readonly #server: Server
  readonly #options: ConnectProxyOptions
  readonly #sockets = new Set<Socket>()

  static async start(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(options)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  constructor(options: ConnectProxyOptions) {
    this.#options = options
    this.#server = createServer((_request, response) => response.writeHead(405).end())
    this.#server.on('connect', (request, client: Socket) => {
      this.#connect(request.url ?? '', request.headers['proxy-authorization'], client)
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  kill(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
  }

  #connect(target: string, authorization: string | undefined, client: Socket): void {
    this.targets.push(target)
    this.#keep(client)
    const { credentials, answer, ports } = this.#options
    const expected = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`
    if (answer !== undefined) return void client.end(answer)
    if (authorization !== expected) return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const node = connect(ports?.[target] ?? Number(target.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(node).pipe(client)
    })
    this.#keep(node)
    client.on('close', () => node.destroy())
    node.on('close', () => client.destroy())
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#sockets.delete(socket))
  }
}
