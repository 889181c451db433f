import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import type { DeployFeed, DeployMessage } from '../../../src/editor/lsp/deploy-subscriptions.ts'
import { ApiError, RetryableError } from '../../../src/platform/errors.ts'
import { clientFrame, RawWebSocket } from '../../support/raw-websocket.ts'
import { messagesOf } from './support/lsp-client.ts'
import { lspWorld } from './support/lsp-world.ts'

const main = 'file:///main.cdc'
const start = { line: 0, character: 0 }

describe('language server channel limits', () => {
  it('ignore an oversized document, notify its owner, and accept it once it is smaller', async () => {
    await using world = await lspWorld({ limits: { documentBytes: 100, connectionBytes: 150 } })
    const [client, other] = [await world.client(), await world.client()]
    client.didOpen(main, '😀'.repeat(26))
    await client.diagnosed(main, /not checked: it has more than 100 bytes/)
    await client.next(({ method }) => method === 'window/showMessage')
    client.didChange(main, 'x', 2, { start, end: start })
    expect(
      (await client.ask('textDocument/hover', { textDocument: { uri: main }, position: start })).error?.code,
    ).to.equal(-32_803)
    client.didChange(main, 'small', 3)
    expect(await client.textAt(main)).to.equal('small')
    client.didOpen('file:///b.cdc', 'y'.repeat(100))
    client.didOpen('file:///c.cdc', 'z'.repeat(100))
    await client.diagnosed('file:///c.cdc', /the open documents have more than 150 bytes/)
    other.didOpen(main, 'w'.repeat(100))
    expect(await other.textAt(main)).to.equal('w'.repeat(100))
  })

  it('bound the document memory per address and in total, and reuse released memory', async () => {
    await using world = await lspWorld({ limits: { addressBytes: 150, allBytes: 250 } })
    const [first, second] = [await world.client('mainnet', '192.0.2.7'), await world.client('mainnet', '192.0.2.7')]
    const [other, last] = [await world.client(), await world.client()]
    first.didOpen(main, 'x'.repeat(100))
    expect(await first.textAt(main)).to.equal('x'.repeat(100))
    second.didOpen(main, 'y'.repeat(100))
    await second.diagnosed(main, /not checked: the open documents of your address have more than 150 bytes/)
    other.didOpen(main, 'z'.repeat(100))
    expect(await other.textAt(main)).to.equal('z'.repeat(100))
    last.didOpen(main, 'w'.repeat(100))
    await last.diagnosed(main, /not checked: all open documents have more than 250 bytes/)
    await first.close()
    await world.workspaces.untilFolders(3)
    for (const client of [second, last]) {
      client.didChange(main, 'a'.repeat(75), 2)
      expect(await client.textAt(main)).to.equal('a'.repeat(75))
      client.didChange(main, '', 3)
      client.notify('textDocument/didClose', { textDocument: { uri: main } })
      await client.next(({ params }) => params?.['uri'] === main && messagesOf(params).length === 0)
    }
    second.didOpen(main, 'b'.repeat(150))
    expect(await second.textAt(main)).to.equal('b'.repeat(150))
  })

  it('close a silent socket, but no WebSocket', async () => {
    await using world = await lspWorld({ limits: { silentMs: 50 } })
    const client = await world.client()
    const silent = connect(world.server.port, '127.0.0.1')
    await once(silent, 'close')
    client.didOpen(main, 'fine')
    expect(await client.textAt(main)).to.equal('fine')
  })

  it('reject request ids that cannot round-trip', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    for (const id of ['9007199254740993', '-9007199254740993', '1e308', '1e400', 'true', '{}', '[1]']) {
      const from = client.received.length
      client.send(`{"jsonrpc":"2.0","id":${id},"method":"textDocument/hover","params":{}}`)
      expect(await client.next(() => true, from)).to.deep.include({ id: null })
    }
    for (const id of [Number.MAX_SAFE_INTEGER, -1, 1.5, '__proto__', 'constructor', ''])
      expect((await client.ask('shutdown', {}, id)).id).to.equal(id)
  })

  it('bound the open documents per connection', async () => {
    await using world = await lspWorld({ limits: { documentsPerConnection: 2 } })
    const client = await world.client()
    for (const name of ['a', 'b', 'c']) client.didOpen(`file:///${name}.cdc`, name)
    const { params } = await client.next(({ method }) => method === 'window/showMessage')
    expect(params?.['message']).to.equal(
      'textDocument/didOpen: too many open documents (limit 2); close one to open c.cdc.',
    )
    client.notify('textDocument/didClose', { textDocument: { uri: 'file:///a.cdc' } })
    client.didOpen('file:///c.cdc', 'c')
    expect(await client.textAt('file:///c.cdc')).to.equal('c')
  })

  it('reject oversized messages, and close the connection above a higher limit', async () => {
    await using world = await lspWorld({ limits: { messageBytes: 1000 } })
    const [client, other] = [await world.client(), await world.client()]
    client.didOpen(main, 'short')
    client.didChange(main, 'x'.repeat(1500), 2)
    await client.diagnosed(main, /limit 1000\b/)
    const { error } = await client.ask('textDocument/hover', {
      textDocument: { uri: main },
      position: start,
      more: 'x'.repeat(1500),
    })
    expect(error?.code).to.equal(-32_803)
    client.send(JSON.stringify({ x: 'x'.repeat(3000) }))
    expect(await client.closeCode()).to.equal(1009)
    other.didOpen(main, 'goes on')
    expect(await other.textAt(main)).to.equal('goes on')
  })

  it('bound concurrent requests and their duration', async () => {
    await using world = await lspWorld({ limits: { requestsPerConnection: 2, requestMs: 100 } })
    const client = await world.client()
    const about = { textDocument: { uri: main } }
    const waiting = [1, 2].map((id) => client.ask('textDocument/never', about, id))
    expect((await client.ask('textDocument/never', about, 3)).error?.message).to.match(/limit 2/)
    for (const { error } of await Promise.all(waiting))
      expect(error).to.include({ code: -32_803, message: 'The language server did not respond within 0.1 s.' })
    // The cancelled requests are unanswered, so they count for another `requestMs`.
    expect((await client.ask('textDocument/never', about)).error?.message).to.match(/limit 2/)
    let state = await client.ask('textDocument/state', about)
    while (state.error !== undefined) state = await client.ask('textDocument/state', about)
    expect((state.result as { cancelled: unknown[] }).cancelled).to.have.length(2)
  })

  it('count a cancelled request until the server responds', async () => {
    await using world = await lspWorld({ limits: { requestsPerConnection: 3 } })
    const client = await world.client()
    const about = { textDocument: { uri: main } }
    client.didOpen(main, 'fine')
    const cancel = async (id: number, method: string): Promise<void> => {
      const asked = client.ask(method, about, id)
      // The response shows that the first request has reached the server.
      await client.ask('textDocument/fail', about)
      client.notify('$/cancelRequest', { id })
      expect((await asked).error?.code).to.equal(-32_800)
      // The server has processed the cancellation.
      expect((await client.ask('textDocument/fail', about)).error?.code).to.equal(-32_099)
    }
    for (let id = 1; id <= 5; id++) await cancel(id, 'textDocument/late')
    for (let id = 6; id <= 7; id++) await cancel(id, 'textDocument/never')
    void client.ask('textDocument/never', about, 8)
    expect((await client.ask('textDocument/hover', about)).error?.message).to.match(/limit 3/)
  })

  it('throttle a fast sender without losing messages', async () => {
    await using world = await lspWorld({
      limits: { workPerSecond: 500, addressWorkPerSecond: 500, waitingBytes: 2000 },
    })
    const client = await world.client()
    client.didOpen(main, '0')
    for (let version = 1; version <= 2700; version++) client.didChange(main, String(version), version)
    expect(await client.textAt(main)).to.equal('2700')
  })

  it('close a connection whose client does not read, and serve others', async () => {
    await using world = await lspWorld({ limits: { unreadBytes: 1_000_000, pingMs: 60_000 } })
    const [slow, other] = [await world.client(), await world.client()]
    slow.socket.pause()
    for (let id = 0; id < 40; id++)
      slow.send({
        jsonrpc: '2.0',
        id,
        method: 'textDocument/giant',
        params: { textDocument: { uri: main }, bytes: 1_000_000 },
      })
    await world.workspaces.untilFolders(1)
    other.didOpen(main, 'fine')
    expect(await other.textAt(main)).to.equal('fine')
    expect(await world.metrics.registry.getSingleMetricAsString('flowfarm_lsp_closed_total')).to.match(
      /reason="slow"} [1-9]/,
    )
  })

  it('accept a huge server message, and treat an oversized one as a crash', async () => {
    await using world = await lspWorld({ limits: { serverMessageBytes: 3_000_000 } })
    const client = await world.client()
    client.didOpen(main, 'x !giant 2000000')
    const { params } = await client.diagnosed(main, /^x{1000}/)
    expect(messagesOf(params)[0]).to.have.length(2_000_000)
    client.didChange(main, 'x !giant 4000000', 2)
    await client.next(({ method }) => method === 'flow/documentSetAside')
  })

  it('bound connections per address and in total', async () => {
    await using world = await lspWorld({
      limits: { connectionsPerAddress: 2, connections: 3 },
      clientOf: ({ headers }) => ({ address: String(headers['x-test']), isLocal: false }),
    })
    const answer = async (address: string): Promise<string> => {
      const raw = await RawWebSocket.open(world.server.port, '/lsp', `X-Test: ${address}\r\n`)
      opened.push(raw)
      return raw.answer.split('\r\n', 1)[0] ?? ''
    }
    const opened: RawWebSocket[] = []
    expect(await answer('192.0.2.1')).to.match(/101/)
    expect(await answer('192.0.2.1')).to.match(/101/)
    expect(await answer('192.0.2.1')).to.match(/429/)
    expect(await answer('192.0.2.2')).to.match(/101/)
    expect(await answer('192.0.2.3')).to.match(/503/)
    for (const { socket } of opened) socket.destroy()
  })

  it('close only the connection that sends invalid WebSocket frames', async () => {
    await using world = await lspWorld()
    const other = await world.client()
    const broken: [number, Buffer][] = [
      [0x83, Buffer.from('x')],
      [0xf1, Buffer.from('x')],
      [0x81, Buffer.from([0xff, 0xfe])],
      [0x80, Buffer.from('x')],
    ]
    for (const [first, payload] of broken) {
      const raw = await RawWebSocket.open(world.server.port, '/lsp')
      raw.socket.write(clientFrame(first, payload))
      expect(await raw.closeCode()).to.be.oneOf([1002, 1007])
    }
    other.didOpen(main, 'fine')
    expect(await other.textAt(main)).to.equal('fine')
  })

  it('close a connection that does not respond to pings', async () => {
    await using world = await lspWorld({ limits: { pingMs: 30 } })
    const raw = await RawWebSocket.open(world.server.port, '/lsp')
    expect(await raw.closeCode()).to.equal(undefined)
  })
})

describe('contracts imported by documents of the channel', () => {
  it('are fetched in the background, reported to the client, and then the document is resent', async () => {
    await using world = await lspWorld({
      fetch: ({ address, name }) => Promise.resolve({ address, name, code: `contract ${name} {}` }),
    })
    const client = await world.client()
    client.didOpen(main, 'import FlowToken from 0x1654653399040a61', 5)
    const { params } = await client.next(({ method }) => method === 'flow/dependencyResolved')
    expect(params).to.deep.equal({
      address: '0x1654653399040a61',
      contractName: 'FlowToken',
      code: 'contract FlowToken {}',
    })
    const from = client.received.findIndex(({ method }) => method === 'flow/dependencyResolved')
    expect((await client.diagnosed(main, /import FlowToken/, from)).params).to.include({ version: 5 })
    expect(client.received.filter(({ method }) => method === 'flow/dependencyResolved')).to.have.length(1)
  })

  it('are requested once if missing, and retried after a temporary failure', async () => {
    const asked: string[] = []
    await using world = await lspWorld({
      fetch: ({ address, name }) => {
        asked.push(name)
        if (name === 'Busy' && asked.filter((one) => one === 'Busy').length === 1)
          throw new RetryableError('busy', 'no node answers')
        return Promise.resolve(name === 'Busy' ? { address, name, code: 'there' } : undefined)
      },
    })
    const client = await world.client()
    client.didOpen(main, 'import None from 0x1654653399040a61 import Busy from 0x1654653399040a61', 1)
    const { params } = await client.next(({ method }) => method === 'flow/dependencyUnresolved')
    expect(params).to.include({ contractName: 'None', message: 'the account has no such contract' })
    client.didChange(main, 'import None from 0x1654653399040a61', 2)
    await client.next(({ method }) => method === 'flow/dependencyResolved')
    await client.textAt(main)
    expect(asked.sort()).to.deep.equal(['Busy', 'Busy', 'None'])
  })
})

describe('contracts imported by one address', () => {
  it('are limited across connections, and the budget refills over time', async () => {
    const asked: string[] = []
    await using world = await lspWorld({
      limits: { contractsPerAddress: 4 },
      fetch: ({ name }) => {
        asked.push(name)
        return Promise.resolve(undefined)
      },
    })
    const imports = (names: readonly string[]): string =>
      names.map((name) => `import ${name} from 0x1654653399040a61`).join('\n')
    const first = await world.client('mainnet', '192.0.2.7')
    first.didOpen(main, imports(['A', 'B', 'C']))
    await first.next(({ params }) => params?.['contractName'] === 'C')
    await first.close()
    const second = await world.client('mainnet', '192.0.2.7')
    second.didOpen(main, imports(['D', 'E', 'F']))
    const { params } = await second.next(({ params: received }) => received?.['contractName'] === 'E')
    expect(params?.['message']).to.match(/reached its limit of contracts for now/)
    await second.next(({ params: received }) => received?.['contractName'] === 'D')
    const other = await world.client()
    other.didOpen(main, imports(['G']))
    await other.next(({ params: received }) => received?.['contractName'] === 'G')
    world.clock.advance(150_000)
    second.didChange(main, imports(['E', 'F']), 2)
    await second.next(
      ({ params: received }) =>
        received?.['contractName'] === 'E' && received['message'] === 'the account has no such contract',
    )
    expect(asked).to.deep.equal(['A', 'B', 'C', 'D', 'G', 'E'])
  })
})

describe('deployments in the language server channel', () => {
  /** A feed driven by the test. One project is private. */
  function handFeed(): DeployFeed & { readonly listeners: Map<string, Set<(message: DeployMessage) => void>> } {
    const listeners = new Map<string, Set<(message: DeployMessage) => void>>()
    return {
      listeners,
      subscribe: (projectId, token, send) => {
        if (projectId === 'private' && token !== 'mine')
          return Promise.reject(new ApiError(404, 'unknown-project', 'The project does not exist.'))
        const all = listeners.get(projectId) ?? new Set()
        listeners.set(projectId, all.add(send))
        return Promise.resolve(() => void all.delete(send))
      },
    }
  }

  it('are sent to subscribers, before and after init, until they unsubscribe', async () => {
    const deploys = handFeed()
    await using world = await lspWorld({ deploys, limits: { deploySubscriptions: 2 } })
    const client = await world.otherUser()
    client.send({ type: 'subscribe:deploy', project_id: 'a' })
    expect(await client.next(({ type }) => type === 'subscribed')).to.deep.equal({
      type: 'subscribed',
      project_id: 'a',
    })
    client.send({ type: 'init', network: 'mainnet' })
    await client.next(({ type }) => type === 'ready')
    client.send({ type: 'subscribe:deploy', project_id: 'private' })
    expect(await client.next(({ type }) => type === 'error')).to.deep.equal({
      type: 'error',
      code: 'unknown-project',
      message: 'The project does not exist.',
      project_id: 'private',
    })
    client.send({ type: 'subscribe:deploy', project_id: 'private', token: 'mine' })
    await client.next(({ type, project_id }) => type === 'subscribed' && project_id === 'private')
    client.send({ type: 'subscribe:deploy', project_id: 'c' })
    await client.next(({ code }) => code === 'too-many-subscriptions')
    const message: DeployMessage = { type: 'deploy:started', data: { project_id: 'a', sha: 'abc', branch: 'main' } }
    for (const send of deploys.listeners.get('a') ?? []) send(message)
    expect(await client.next(({ type }) => type === 'deploy:started')).to.deep.equal(message)
    client.send({ type: 'unsubscribe:deploy', project_id: 'a' })
    await client.next(({ type }) => type === 'unsubscribed')
    expect(deploys.listeners.get('a')?.size).to.equal(0)
    await client.close()
    await world.workspaces.untilFolders(0)
    expect(deploys.listeners.get('private')?.size).to.equal(0)
  })

  it('report a disabled feed and invalid messages', async () => {
    await using world = await lspWorld()
    const client = await world.otherUser()
    for (const [message, code] of [
      [{ type: 'subscribe:deploy', project_id: 'a' }, 'no-deployments'],
      [{ type: 'subscribe:deploy' }, 'bad-message'],
      [{ type: 'subscribe:deploy', project_id: 'a', token: 7 }, 'bad-message'],
      [{ type: 'other' }, 'unknown-type'],
    ] as const) {
      const from = client.received.length
      client.send(message)
      expect((await client.next(({ type }) => type === 'error', from)).code).to.equal(code)
    }
  })
})
