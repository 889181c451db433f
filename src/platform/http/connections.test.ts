import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { serializePipelinedRequests, isClientDisconnect, ConnectionLimit } from './connections.ts'
import Koa from 'koa'

describe('serializePipelinedRequests', () => {
  let server: Server
  /** Paths in the order in which they started. */
  let started: (string | undefined)[]
  let answer: (response: ServerResponse, path: string | undefined) => void

  beforeEach(async () => {
    started = []
    answer = (response, path) => void response.end(path)
    server = createServer(
      serializePipelinedRequests((request, response) => {
        started.push(request.url)
        answer(response, request.url)
      }),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })

  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  async function open(requests: string): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(requests)
    return socket
  }

  const ask = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`

  it('starts a request after the response to the one before it', async () => {
    const opened = Promise.withResolvers<ServerResponse>()
    answer = (response) => opened.resolve(response)
    const socket = await open(ask('/1') + ask('/2') + ask('/3', 'Connection: close\r\n'))
    const first = await opened.promise
    // Another connection is not blocked, and its response proves that earlier data has been read.
    answer = (response, path) => void response.end(path)
    await text(await open(ask('/other', 'Connection: close\r\n')))
    expect(started).to.deep.equal(['/1', '/other'])
    first.end('/1')
    expect((await text(socket)).match(/\/\d$|\/\d(?=HTTP)/gm)).to.deep.equal(['/1', '/2', '/3'])
    expect(started).to.deep.equal(['/1', '/other', '/2', '/3'])
  })

  it('starts no more requests for a disconnected client', async () => {
    const opened = Promise.withResolvers<ServerResponse>()
    answer = (response) => opened.resolve(response)
    const socket = await open(ask('/1') + ask('/2'))
    const response = await opened.promise
    socket.destroy()
    await once(response, 'close')
    answer = (last, path) => void last.end(path)
    await text(await open(ask('/other', 'Connection: close\r\n')))
    expect(started).to.deep.equal(['/1', '/other'])
  })

  it('disconnects a client with more than a hundred pending requests', async () => {
    answer = () => undefined
    const socket = await open(ask('/1').repeat(101))
    const other = await open(ask('/1').repeat(102))
    other.on('error', () => undefined)
    other.resume()
    await once(other, 'close')
    expect(socket.destroyed).to.equal(false)
    expect(started).to.deep.equal(['/1', '/1'])
    socket.destroy()
  })
})

describe('connection limit', () => {
  const servers: Server[] = []

  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })

  async function start(limit: ConnectionLimit): Promise<(from?: string) => Promise<'open' | 'closed'>> {
    const server = createServer((_request, response) => response.end('x')).listen(0, '127.0.0.1')
    servers.push(server)
    limit.watch(server)
    await once(server, 'listening')
    return async (localAddress = '127.0.0.1') => {
      const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, localAddress })
      socket.on('error', () => undefined).resume()
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      const answered = once(socket, 'data').then(() => 'open' as const)
      return Promise.race([answered, once(socket, 'close').then(() => 'closed' as const)])
    }
  }

  it('counts all its servers', async () => {
    const limit = new ConnectionLimit(3)
    const [one, other] = await Promise.all([start(limit), start(limit)])
    expect([await one(), await other(), await one(), await other(), await one()]).to.deep.equal([
      'open',
      'open',
      'open',
      'closed',
      'closed',
    ])
  })

  it('closes a connection of the client with the most', async function () {
    // Only Linux has all of 127.0.0.0/8.
    if (process.platform !== 'linux') this.skip()
    const open = await start(new ConnectionLimit(3))
    const crowd = [await open(), await open(), await open(), await open()]
    expect(crowd).to.deep.equal(['open', 'open', 'open', 'closed'])
    expect([await open('127.0.0.2'), await open()]).to.deep.equal(['open', 'closed'])
  })
})

describe('client disconnect', () => {
  for (const leave of ['end', 'destroy'] as const) {
    it(`is detected by the error, even in the middle of a body: ${leave}`, async () => {
      const app = new Koa()
      const received = Promise.withResolvers<unknown>()
      app.on('error', received.resolve)
      const began = Promise.withResolvers<void>()
      app.use(async (context) => {
        began.resolve()
        context.respond = false
        await received.promise
      })
      const handle = app.callback()
      const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{"mess')
      await began.promise
      socket[leave]()
      const error = await received.promise
      expect(isClientDisconnect(error), String(error)).to.equal(true)
      socket.destroy()
      server.close()
      server.closeAllConnections()
    })
  }

  it('is not reported for other errors', () => {
    expect(isClientDisconnect(new Error('no'))).to.equal(false)
    expect(isClientDisconnect('ECONNRESET')).to.equal(false)
  })
})
