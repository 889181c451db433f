import { createServer } from 'node:http'
import { expect } from 'chai'
import Koa from 'koa'
import { pino } from 'pino'
import { ApiError } from '../errors.ts'
import { Metrics } from '../metrics.ts'
import { errors } from './requests.ts'
import type { RequestState } from './requests.ts'
import { listenLocally } from '../../../test/support/listen-locally.ts'

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
    const server = createServer((request, response) => void handle(request, response))
    const { url, stop } = await listenLocally(server)
    for (const path of ['busy', 'busy', 'no-github', 'busy', 'no-github']) {
      expect((await fetch(`${url}/${path}`)).status).to.equal(503)
    }
    expect(lines.map((line) => (JSON.parse(line) as { code: string }).code)).to.deep.equal(['busy', 'no-github'])
    await stop()
  })
})
