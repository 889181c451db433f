import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { anyObject, startFaultyMcpServer } from './support/faulty-mcp-server.ts'
import type { FaultyMcpOptions, McpRequest } from './support/faulty-mcp-server.ts'
import { Stopwatch } from '../../../support/stopwatch.ts'
import { endAll, findUntil, freePort, never, odd, reasonOf, run, server, source } from './support/tool-sources.ts'

describe('MCP tools during outages and changes', () => {
  afterEach(endAll)

  describe('of an unavailable server', () => {
    it('report the outage only for configured servers, and the turn continues', async () => {
      const there = await odd()
      const nobody = `http://127.0.0.1:${await freePort()}/mcp`
      const tools = source([
        server(nobody),
        server(nobody, { name: 'evm', isConfigured: false }),
        server(there.url),
        server(nobody, { url: () => undefined, isConfigured: false }),
      ])
      const found = await tools.find(never)
      expect(found.missing).to.deep.equal([{ source: 'the server for Cadence', reason: 'connection refused' }])
      expect(Object.keys(found.tools)).to.deep.equal(['script_check'])
    })

    it('log an outage once and a recovery once', async () => {
      const lines: { level: number; msg: string }[] = []
      const log = pino(
        { level: 'info' },
        { write: (line: string) => lines.push(JSON.parse(line) as { level: number; msg: string }) },
      )
      const port = await freePort()
      const tools = source([server(`http://127.0.0.1:${port}/mcp`)], { retryMs: 0 }, log)
      for (let i = 0; i < 5; i++) await tools.find(never)
      expect(lines.map(({ msg }) => msg)).to.deep.equal(['MCP server is unavailable'])
      await odd({ port })
      expect(Object.keys((await tools.find(never)).tools)).to.deep.equal(['script_check'])
      expect(lines.map(({ msg }) => msg).slice(1)).to.deep.equal(['MCP server is available again'])
    })

    it('do not reconnect immediately', async () => {
      const there = await odd({
        handle: ({ response }) => {
          response.writeHead(503).end()
          return true
        },
      })
      const tools = source([server(there.url)], { retryMs: 60_000 })
      await tools.find(never)
      const { length } = there.requests
      const { missing } = await tools.find(never)
      expect(missing[0]?.reason).to.equal('it returned HTTP 503')
      expect(there.requests).to.have.length(length)
    })

    it('delay one turn by at most the timeout in total, and do not delay the next turn', async () => {
      const release = Promise.withResolvers<void>()
      const hang: FaultyMcpOptions = {
        handle: async () => {
          await release.promise
          return false
        },
      }
      const good = await odd({ tools: [{ name: 'search_docs', inputSchema: anyObject }] })
      const first = await odd(hang)
      const second = await odd(hang)
      const tools = source(
        [server(first.url), server(good.url), server(second.url, { name: 'evm', title: 'the server for the EVM' })],
        { connectMs: 900 },
      )
      const begin = performance.now()
      const watch = new Stopwatch()
      const found = await tools.find(never)
      expect(performance.now() - begin).to.be.above(895)
      await watch.expectBelow(3000)
      expect(Object.keys(found.tools)).to.deep.equal(['search_docs'])
      expect(found.missing).to.deep.equal([
        { source: 'the server for Cadence', reason: 'it did not respond within 0.9 s' },
        { source: 'the server for the EVM', reason: 'it did not respond within 0.9 s' },
      ])
      const again = new Stopwatch()
      expect((await tools.find(never)).missing).to.have.length(2)
      await again.expectBelow(850)
      // The attempt continues in the background; the next turn has the tools.
      release.resolve()
      await Promise.all([first.came('tools/list'), second.came('tools/list')])
      const later = await findUntil(tools, ({ missing }) => missing.length === 0)
      expect(Object.keys(later.tools)).to.deep.equal(['script_check', 'search_docs'])
    })

    it('stop waiting when the client disconnects', async () => {
      const there = await odd({ handle: () => new Promise(() => undefined) })
      const disconnect = new AbortController()
      const found = reasonOf(source([server(there.url)], { connectMs: 600_000 }).find(disconnect.signal))
      disconnect.abort(new Error('left'))
      expect(await found).to.equal('left')
    })

    it('time out in the background', async () => {
      const left = Promise.withResolvers<void>()
      const there = await odd({
        handle: ({ response }) => {
          response.on('close', left.resolve)
          return new Promise(() => undefined)
        },
      })
      const tools = source([server(there.url)], { connectMs: 20, attemptMs: 100, retryMs: 60_000 })
      await tools.find(never)
      await left.promise
      await findUntil(tools, ({ missing }) => missing[0]?.reason === 'it does not respond')
      expect(there.requested).to.deep.equal([])
    })
  })

  describe('of a server that changes during use', () => {
    it('reconnect after a restart within the same turn', async () => {
      for (const isModern of [true, false]) {
        const before = await startFaultyMcpServer({ isModern })
        const { tools } = await source([server(before.url)]).find(never)
        expect(await run(tools, 'script_check')).to.deep.equal({ content: [{ type: 'text', text: 'fine' }] })
        await before.stop()
        await odd({ port: before.port, isModern })
        expect(await run(tools, 'script_check'), String(isModern)).to.deep.equal({
          content: [{ type: 'text', text: 'fine' }],
        })
      }
    })

    it('open a new session when the server has dropped the old one', async () => {
      let isForgotten = true
      const there = await odd({
        isModern: false,
        handle: ({ call: requested, response }) => {
          if (requested.method !== 'tools/call' || !isForgotten) return false
          isForgotten = false
          response.writeHead(404).end()
          return true
        },
      })
      const { tools } = await source([server(there.url)]).find(never)
      expect(await run(tools, 'script_check')).to.deep.equal({ content: [{ type: 'text', text: 'fine' }] })
      expect(there.requested.filter((method) => method === 'initialize')).to.have.length(2)
      expect(there.requested).not.to.include('GET')
    })

    it('return an error when the server stays down, and the turn continues', async () => {
      const there = await startFaultyMcpServer()
      const tools = source([server(there.url)])
      const found = await tools.find(never)
      await there.stop()
      expect(await reasonOf(run(found.tools, 'script_check'))).to.equal(
        'The tool is unavailable: connection refused. Continue without it and say so.',
      )
      expect((await tools.find(never)).missing).to.have.length(1)
    })

    it('fail at once when the connection breaks within a response, streamed or not', async () => {
      for (const type of ['text/event-stream', 'application/json']) {
        const there = await odd({
          handle: ({ call: requested, response }) => {
            if (requested.method !== 'tools/call') return false
            response.writeHead(200, { 'Content-Type': type })
            response.write(
              type === 'application/json'
                ? '{"jsonrpc"'
                : 'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n',
              () => response.destroy(),
            )
            return true
          },
        })
        const { tools } = await source([server(there.url)], { callMs: 600_000 }).find(never)
        expect(await reasonOf(run(tools, 'script_check')), type).to.include('it closed')
        expect(
          there.requested.filter((method) => method === 'tools/call'),
          type,
        ).to.have.length(2)
      }
    })

    it('take the result from the event that carries it, then close the stream', async () => {
      const left = Promise.withResolvers<void>()
      const there = await odd({
        handle: ({ call: requested, response }) => {
          if (requested.method !== 'tools/call') return false
          response.on('close', left.resolve)
          response.writeHead(200, { 'Content-Type': 'text/event-stream' })
          const answer = JSON.stringify({
            jsonrpc: '2.0',
            id: requested.id,
            result: { resultType: 'complete', content: [{ type: 'text', text: 'a line\nand 中文' }] },
          })
          const events = Buffer.from(
            `: hello\r\n\r\nevent: message\r\ndata: {"jsonrpc":"2.0","id":${(requested.id ?? 0) + 1},"result":{}}\r\n\r\ndata: not json\n\ndata: ${answer}\n\n`,
          )
          // Split within characters.
          for (let i = 0; i < events.length; i += 7) response.write(events.subarray(i, i + 7))
          return true
        },
      })
      const { tools } = await source([server(there.url)], { callMs: 600_000 }).find(never)
      expect(await run(tools, 'script_check')).to.deep.equal({ content: [{ type: 'text', text: 'a line\nand 中文' }] })
      await left.promise
    })

    it('time out when a call takes too long, and accept another call', async () => {
      let calls = 0
      const there = await odd({
        handle: ({ call: requested }) =>
          requested.method === 'tools/call' && ++calls === 1 ? new Promise<boolean>(() => undefined) : false,
      })
      const { tools } = await source([server(there.url)], { callMs: 100 }).find(never)
      expect(await reasonOf(run(tools, 'script_check'))).to.equal(
        'The tool timed out. Request less, or continue without it and say so.',
      )
      expect(await run(tools, 'script_check')).to.deep.equal({ content: [{ type: 'text', text: 'fine' }] })
    })

    it('refresh an old list in the background without delaying the turn', async () => {
      let list = [{ name: 'script_check', inputSchema: anyObject }]
      const there = await odd({
        handle: ({ call: requested, reply }) => {
          if (requested.method === 'tools/list') reply({ tools: list })
          return requested.method === 'tools/list'
        },
      })
      const tools = source([server(there.url)], { freshMs: 0 })
      await tools.find(never)
      list = [{ name: 'search_docs', inputSchema: anyObject }]
      expect(Object.keys((await tools.find(never)).tools)).to.deep.equal(['script_check'])
      const { tools: later } = await findUntil(tools, (found) => 'search_docs' in found.tools)
      expect(Object.keys(later)).to.deep.equal(['search_docs'])
    })
  })

  it('close all connections, calls and attempts on close', async () => {
    const left: Promise<void>[] = []
    const hang = ({ response }: McpRequest): Promise<boolean> => {
      left.push(new Promise((resolve) => response.on('close', resolve)))
      return new Promise(() => undefined)
    }
    const hanging = await odd({ handle: (request) => (request.call.method === 'tools/call' ? hang(request) : false) })
    const silent = await odd({ handle: hang })
    const session = await odd({ isModern: false, tools: [{ name: 'search_docs', inputSchema: anyObject }] })
    const tools = source([server(hanging.url), server(session.url), server(silent.url)], {
      connectMs: 1,
      attemptMs: 600_000,
      callMs: 600_000,
    })
    let found = await tools.find(never)
    for (; found.missing.length > 1; found = await tools.find(never)) await turn()
    expect(Object.keys(found.tools)).to.deep.equal(['script_check', 'search_docs'])
    const call = reasonOf(run(found.tools, 'script_check'))
    while (left.length < 2) await turn()
    await tools.close()
    expect(await call).to.include('is unavailable')
    await Promise.all(left)
    expect(session.requested).to.include('DELETE')
    expect((await tools.find(never)).missing).to.have.length(3)
    expect(hanging.requested).to.deep.equal(['server/discover', 'tools/list'])
  })
})
