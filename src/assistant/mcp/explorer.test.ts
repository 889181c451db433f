import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { createExplorer } from './explorer.ts'

const schema = z.object({ height: z.number() })

describe('reads of the explorer API', () => {
  async function serve(answer: RequestListener) {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return {
      url,
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      },
    }
  }
  const call = (client?: string) => ({ signal: new AbortController().signal, client })
  const codeOf = (read: Promise<unknown>): Promise<string> =>
    read.then(
      () => 'read',
      (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
    )

  it('report slow, large, unexpected and refused responses', async () => {
    await using api = await serve(({ url }, response) => {
      if (url === '/large') response.end(`{"height":${' '.repeat(8 * 1024 * 1024)}1}`)
      else if (url === '/limit') response.end('{"height":1}'.padEnd(8 * 1024 * 1024))
      else if (url === '/other') response.end('{"height":"1"}')
      else if (url === '/html') response.writeHead(404).end('<h1>Not found</h1>')
      else if (url === '/unknown') response.writeHead(404).end('{"code":"unknown-block","detail":"No such block."}')
    })
    const explorer = createExplorer(() => api.url)
    for (const [path, code] of [
      ['/limit', 'read'],
      ['/large', 'explorer-failed'],
      ['/other', 'explorer-failed'],
      ['/html', 'explorer-unavailable'],
      ['/unknown', 'unknown-block'],
    ] as const)
      expect(await codeOf(explorer.read(path, schema, call())), path).to.equal(code)
    expect(await codeOf(createExplorer(() => api.url, 50).read('/slow', schema, call()))).to.equal(
      'explorer-unavailable',
    )
  })

  it('of one client leave slots to others', async () => {
    const held: ServerResponse[] = []
    const leave = new AbortController()
    const { promise: isHeld, resolve } = Promise.withResolvers<void>()
    await using api = await serve(({ url }, response) => {
      if (url === '/fast') {
        response.end('{"height":1}')
        return
      }
      held.push(response)
      if (held.length === 16) resolve()
    })
    const explorer = createExplorer(() => api.url)
    const slow = Array.from({ length: 16 + 64 }, () =>
      codeOf(explorer.read('/slow', schema, { signal: leave.signal, client: 'one' })),
    )
    await isHeld
    expect(await codeOf(explorer.read('/slow', schema, call('one')))).to.equal('too-many-calls')
    expect(await codeOf(explorer.read('/fast', schema, call('two')))).to.equal('read')
    expect(held).to.have.length(16)
    leave.abort()
    await Promise.all(slow)
  })
})
