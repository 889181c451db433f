import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { cannotListen, portUser } from './cannot-listen.ts'

describe('process that uses a port', function () {
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    it(`is reported while it listens on ${host}, and not afterwards`, async function () {
      if (process.platform !== 'linux') this.skip()
      const server = createServer().listen(0, host)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      expect(portUser(port)).to.match(new RegExp(`^node .*\\(process ${process.pid}\\)$`))
      const error = cannotListen(Object.assign(new Error('taken'), { code: 'EADDRINUSE' }), {
        variable: 'HTTP_PORT',
        port,
        host,
      })
      expect(error.message).to.include(`HTTP_PORT ${port} is in use by node`).and.include('HTTP_PORT=0')
      server.close()
      await once(server, 'close')
      expect(portUser(port)).to.equal(undefined)
    })
  }
})
