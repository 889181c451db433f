import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { pino } from 'pino'
import { ApiError } from '../errors.ts'
import { Metrics } from '../metrics.ts'
import { errors } from './requests.ts'
import type { RequestState } from './requests.ts'

describe('the log of failed requests', () => {
  it('has one line for each code that clients can cause at will', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const app = new Koa<RequestState>()
    app.use(errors({ log, metrics: new Metrics() }))
    app.use(({ path }) => {
      throw new ApiError(503, path.slice(1), 'Unavailable.')
    })
    const handle = app.callback()
    const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    for (const path of ['busy', 'busy', 'no-github', 'busy', 'no-github']) {
      expect((await fetch(`http://127.0.0.1:${port}/${path}`)).status).to.equal(503)
    }
    expect(lines.map((line) => (JSON.parse(line) as { code: string }).code)).to.deep.equal(['busy', 'no-github'])
    server.closeAllConnections()
    server.close()
  })
})
