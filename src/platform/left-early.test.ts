import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { expect } from 'chai'
import { hasLeftEarly } from './left-early.ts'

describe('who has left', () => {
  for (const leave of ['end', 'destroy'] as const) {
    it(`is known by the error, also in the middle of a body: ${leave}`, async () => {
      const app = new Koa()
      const told = Promise.withResolvers<unknown>()
      app.on('error', told.resolve)
      const began = Promise.withResolvers<void>()
      app.use(async (context) => {
        began.resolve()
        context.respond = false
        await told.promise
      })
      const handle = app.callback()
      const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{"mess')
      await began.promise
      socket[leave]()
      const error = await told.promise
      expect(hasLeftEarly(error), String(error)).to.equal(true)
      socket.destroy()
      server.close()
      server.closeAllConnections()
    })
  }

  it('is nobody by any other error', () => {
    expect(hasLeftEarly(new Error('no'))).to.equal(false)
    expect(hasLeftEarly('ECONNRESET')).to.equal(false)
  })
})
