import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { expect } from 'chai'
import type { EditorNetwork } from '../../../src/editor/editor-network.ts'
import { refuseDnsRebinding } from '../../../src/platform/http/guards.ts'
import { channelNames } from '../../../src/editor/settings.ts'
import { expectNotFoundPage } from '../../support/not-found-page.ts'
import { RawWebSocket } from '../../support/raw-websocket.ts'
import { lspWorld } from './support/lsp-world.ts'

const main = 'file:///main.cdc'
const start = { line: 0, character: 0 }

describe('language server channel', () => {
  it('responds to init with the network and the checker, then speaks LSP', async () => {
    await using world = await lspWorld()
    const client = await world.otherUser()
    client.send({ type: 'init', network: 'testnet' })
    const ready = await client.next(({ type }) => type === 'ready')
    expect(ready).to.deep.include({ network: 'testnet', server: { kind: 'parser', label: 'A double' } })
    expect(ready['capabilities']).to.deep.equal({
      textDocumentSync: { openClose: true, change: 2 },
      hoverProvider: true,
    })
    const { result } = await client.ask('initialize', { processId: null, rootUri: 'file:///', capabilities: {} }, 0)
    expect(result).to.deep.equal({ capabilities: ready['capabilities'], serverInfo: { name: 'A double' } })
    client.notify('initialized', {})
    client.didOpen(main, 'access(all) contract A {}')
    const diagnostics = await client.diagnosed(main, 'access(all) contract A {}')
    expect(diagnostics.params).to.deep.include({ uri: main, version: 1 })
    expect(await client.textAt(main)).to.equal('access(all) contract A {}')
  })

  it('rejects messages before init with a known error text, and requests by id', async () => {
    await using world = await lspWorld()
    const client = await world.otherUser()
    client.didOpen(main, 'x')
    expect(await client.next(({ type }) => type === 'error')).to.include({ message: 'Send init message first' })
    expect(await client.ask('textDocument/hover', {}, 'a')).to.deep.include({
      error: { code: -32_002, message: 'Send init message first' },
    })
    expect(client.received.filter(({ message }) => message === 'Send init message first')).to.have.length(2)
  })

  it('lists the available networks if init names an unknown one', async () => {
    await using world = await lspWorld()
    const client = await world.otherUser()
    for (const network of ['devnet', undefined, ['mainnet'], '__proto__']) {
      const from = client.received.length
      client.send({ type: 'init', network })
      expect(await client.next(({ type }) => type === 'error', from)).to.include({
        code: 'unknown-network',
        message: 'network: choose mainnet, testnet.',
      })
    }
    client.send({ type: 'init', network: 'mainnet' })
    await client.next(({ type }) => type === 'ready')
  })

  it('responds with an error to invalid JSON, messages and JSON-RPC, and continues', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    const answers: [unknown, number][] = [
      ['{', -32_700],
      ['', -32_700],
      [`${'['.repeat(5000)}${']'.repeat(5000)}`, -32_700],
      ['Content-Length: 2\r\n\r\n{}', -32_700],
      ['[]', -32_600],
      ['null', -32_600],
      ['{"jsonrpc":"2.0","method":7}', -32_600],
      ['{"jsonrpc":"2.0","id":{},"method":"a"}', -32_600],
    ]
    for (const [text, code] of answers) {
      const from = client.received.length
      client.send(text)
      expect(
        (await client.next(({ error }) => error !== undefined, from)).error?.code,
        String(text).slice(0, 40),
      ).to.equal(code)
    }
    const from = client.received.length
    client.socket.send(Buffer.from('{}'), { binary: true })
    await client.next(({ error }) => error?.code === -32_700, from)
    client.didOpen(main, 'still here')
    expect(await client.textAt(main)).to.equal('still here')
  })

  it('preserves the order of messages sent during the server start', async () => {
    await using world = await lspWorld()
    const client = await world.otherUser()
    client.send({ type: 'init', network: 'mainnet' })
    client.didOpen(main, 'v1')
    client.didOpen('file:///other.cdc', 'v1')
    for (let version = 2; version <= 20; version++) {
      client.didChange(main, `v${version}`, version)
      client.didChange('file:///other.cdc', `v${version}`, version) // consecutive changes of one document are merged
    }
    const { result } = await client.ask('textDocument/hover', { textDocument: { uri: main }, position: start })
    expect(result).to.include({ contents: 'v20', times: 20 })
    expect(client.received[0]).to.include({ type: 'ready' })
    expect(client.diagnosticsOf(main).flat()).to.deep.equal(Array.from({ length: 20 }, (_, i) => `v${i + 1}`))
  })

  it('applies incremental UTF-16 changes to a copy, and sends the server the full text', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    client.didOpen(main, 'let a = "😀"\r\nlet b = 2\n')
    client.didChange(main, 'x', 2, { start: { line: 0, character: 9 }, end: { line: 0, character: 11 } })
    client.didChange(main, 'c', 3, { start: { line: 1, character: 4 }, end: { line: 1, character: 5 } })
    expect(await client.textAt(main)).to.equal('let a = "x"\r\nlet c = 2\n')
  })

  it('isolates equal document names of connections on one network in one process', async () => {
    await using world = await lspWorld()
    const [one, other] = [await world.client(), await world.client()]
    one.didOpen(main, 'of one')
    other.didOpen(main, 'of the other')
    await one.diagnosed(main, 'of one')
    await other.diagnosed(main, 'of the other')
    expect([await one.textAt(main), await other.textAt(main)]).to.deep.equal(['of one', 'of the other'])
    expect(one.texts.join('')).to.not.include('of the other')
    expect(other.texts.join('')).to.not.include('of one')
    expect(world.workspaces.folders.size).to.equal(2)
    expect(world.server.pidOf('testnet')).to.equal(undefined)
  })

  it('ignores shutdown and exit from clients', async () => {
    await using world = await lspWorld()
    const [one, other] = [await world.client(), await world.client()]
    other.didOpen(main, 'stays')
    const pid = world.server.pidOf('mainnet')
    expect(await one.ask('shutdown', undefined, 1)).to.deep.include({ result: null })
    one.notify('exit', undefined)
    expect(await one.closeCode()).to.equal(1000)
    expect(await other.textAt(main)).to.equal('stays')
    expect(world.server.pidOf('mainnet')).to.equal(pid)
  })

  it('isolates request ids and cancellation of clients', async () => {
    await using world = await lspWorld()
    const [one, other] = [await world.client(), await world.client()]
    const about = { textDocument: { uri: main }, position: start }
    const waiting = one.ask('textDocument/never', about, 1)
    const asText = one.ask('textDocument/hover', about, '1')
    expect((await other.ask('textDocument/hover', about, 1)).id).to.equal(1)
    expect((await asText).id).to.equal('1')
    for (const id of [1, 2, 3, '1']) other.notify('$/cancelRequest', { id })
    await other.textAt(main)
    expect(one.received.some(({ id }) => id === 1)).to.equal(false)
    one.notify('$/cancelRequest', { id: 1 })
    expect((await waiting).error).to.deep.include({ code: -32_800 })
    const { result } = await one.ask('textDocument/state', about)
    expect((result as { cancelled: unknown[] }).cancelled).to.have.length(1)
  })

  it('rejects a duplicate id of a pending request', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    const about = { textDocument: { uri: main }, position: start }
    client.send({ jsonrpc: '2.0', id: 5, method: 'textDocument/never', params: about })
    expect((await client.ask('textDocument/hover', about, 5)).error).to.deep.include({ code: -32_600 })
  })

  it('forwards code and data of server errors, without the folder', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    const { error } = await client.ask('textDocument/fail', { textDocument: { uri: 'file:///a/b%20c.cdc' } })
    expect(error).to.deep.equal({
      code: -32_099,
      message: 'failed in /a/b%20c.cdc',
      data: { uri: 'file:///a/b%20c.cdc', why: 1 },
    })
  })

  it('hides the folders of other connections in locations and messages', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    client.didOpen(main, 'this !elsewhere and !path')
    const { params } = await client.diagnosed(main, 'cannot read /main.cdc nor file:///main.cdc')
    const [diagnostic] = (params?.['diagnostics'] as { relatedInformation: unknown[] }[] | undefined) ?? []
    expect(diagnostic?.relatedInformation).to.have.length(1)
    const { result } = await client.ask('textDocument/definition', { textDocument: { uri: main }, position: start })
    expect(result).to.deep.equal([{ uri: main, range: {} }])
    expect(client.texts.join('')).to.not.include(world.workspaces.root)
    expect(client.texts.join('')).to.not.include('passwd')
  })

  it('rejects documents outside the workspace of the connection', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    for (const uri of [
      'file:///../x.cdc',
      'file:///a/%2e%2e/%2e%2e/x.cdc',
      'file:///a%2f..%2fx',
      'http://a/x',
      'file://host/x',
      'file:///flow.json',
      'x',
      7,
    ]) {
      const { error } = await client.ask('textDocument/hover', { textDocument: { uri }, position: start })
      expect(error?.code, String(uri)).to.equal(-32_602)
      const from = client.received.length
      client.notify('textDocument/didOpen', { textDocument: { uri, text: 'x', version: 1 } })
      await client.next(({ method }) => method === 'window/showMessage', from)
    }
  })

  it('blocks methods that affect the whole server', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    for (const method of [
      'workspace/didChangeWorkspaceFolders',
      'workspace/didChangeConfiguration',
      '$/setTrace',
      'window/workDoneProgress/cancel',
    ]) {
      client.notify(method, { settings: 1 })
    }
    for (const method of ['workspace/willRenameFiles', 'exit2', 'textDocument/didOpen', '$/alive']) {
      expect((await client.ask(method, { textDocument: { uri: main } })).error?.code, method).to.equal(-32_601)
    }
    expect(
      (await client.ask('workspace/executeCommand', { command: 'cadence.server.flow.sendTransaction', arguments: [] }))
        .error?.code,
    ).to.equal(-32_602)
    expect(await client.textAt(main)).to.equal('')
  })

  it('responds to server requests for a client, and exposes no environment variables', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    const about = { textDocument: { uri: main } }
    await client.ask('textDocument/ask', about)
    const { result } = await client.ask('textDocument/state', about)
    const { calls, environment } = result as { calls: string[]; environment: string[] }
    expect(calls.map((call) => JSON.parse(call) as unknown)).to.deep.equal([
      { jsonrpc: '2.0', id: 77, result: [null, null] },
      { jsonrpc: '2.0', id: 78, error: { code: -32_601, message: 'Unknown method unknown/thing.' } },
    ])
    expect(environment.sort()).to.deep.equal(['HOME', 'PATH', 'TMPDIR'])
  })

  it('switches to another network on request, and stays on the same one', async () => {
    await using world = await lspWorld()
    const client = await world.client('mainnet')
    client.didOpen(main, 'on mainnet')
    client.send({ type: 'init', network: 'mainnet' })
    await client.next(({ type }) => type === 'ready', 1)
    expect(await client.textAt(main)).to.equal('on mainnet')
    const from = client.received.length
    client.send({ type: 'init', network: 'testnet' })
    await client.next(({ type, network }) => type === 'ready' && network === 'testnet', from)
    expect(await client.textAt(main)).to.equal('')
    expect(world.workspaces.folders.size).to.equal(1)
  })

  it('publishes empty diagnostics when a document closes, and none afterwards', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    client.didOpen(main, 'open')
    await client.diagnosed(main, 'open')
    client.notify('textDocument/didClose', { textDocument: { uri: main } })
    await client.textAt(main)
    expect(client.diagnosticsOf(main)).to.deep.equal([['open'], []])
  })

  it('deletes the folder of a closed connection', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    client.didOpen(main, 'x')
    await client.textAt(main)
    await client.close()
    await world.workspaces.untilFolders(0)
    expect(await world.metrics.registry.getSingleMetricAsString('flowfarm_lsp_documents')).to.match(
      /network="mainnet"} 0$/m,
    )
  })

  it('rejects foreign hostnames for this machine (DNS rebinding), and unavailable networks', async () => {
    const offered: EditorNetwork[] = ['testnet']
    await using world = await lspWorld({
      offered: () => offered,
      admit: (request) =>
        refuseDnsRebinding(
          request,
          channelNames({ HOST: '127.0.0.1', EDITOR_URL: 'https://editor.example', LSP_URL: 'wss://lsp.example' }),
        ),
    })
    const answerTo = async (host: string, more = ''): Promise<string> => {
      const raw = await RawWebSocket.open(world.server.port, '/lsp', more, host)
      raw.socket.destroy()
      return raw.answer
    }
    for (const host of [
      'rebound.example',
      'rebound.example:3002',
      'localhost.rebound.example',
      '127.0.0.1.rebound.example',
    ]) {
      expect(await answerTo(host, `Origin: http://${host}\r\n`), host)
        .to.match(/^HTTP\/1.1 403 /)
        .and.to.include('host-not-allowed')
      expect(await answerTo(host), host).to.match(/^HTTP\/1.1 403 /)
    }
    for (const host of ['localhost:3002', '127.0.0.1:3002', '[::1]:3002', 'lsp.example', 'EDITOR.example:3002'])
      expect(await answerTo(host), host).to.match(/^HTTP\/1.1 101 /)
    const client = await world.otherUser()
    for (const network of ['mainnet', 'emulator', '__proto__', null]) {
      const from = client.received.length
      client.send({ type: 'init', network })
      expect(await client.next(() => true, from)).to.deep.equal({
        type: 'error',
        code: 'unknown-network',
        message: 'network: choose testnet.',
      })
    }
    expect(world.server.pidOf('mainnet')).to.equal(undefined)
    offered.push('mainnet')
    client.send({ type: 'init', network: 'mainnet' })
    await client.next(({ type }) => type === 'ready')
  })

  it('accepts connections from allowed origins only, and reports its health', async () => {
    await using world = await lspWorld({ allowsOrigin: (origin) => origin === 'https://editor.example' })
    const status = async (path: string, headers: Record<string, string>): Promise<[number | undefined, string]> => {
      const requested = request({ port: world.server.port, path, headers })
      requested.end()
      const [answer] = (await once(requested, 'response')) as [IncomingMessage]
      let body = ''
      for await (const piece of answer) body += String(piece)
      return [answer.statusCode, body]
    }
    const upgrade = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version': '13',
    }
    expect((await status('/lsp', { ...upgrade, Origin: 'https://elsewhere.example' }))[0]).to.equal(403)
    expect((await status('/other', { ...upgrade, Origin: 'https://editor.example' }))[0]).to.equal(404)
    expect((await status('/lsp', {}))[0]).to.equal(426)
    await expectNotFoundPage(`http://127.0.0.1:${world.server.port}`)
    const client = await world.otherUser({ Origin: 'https://editor.example' })
    client.send({ type: 'init', network: 'mainnet' })
    await client.next(({ type }) => type === 'ready')
    const [code, body] = await status('/health', {})
    expect(code).to.equal(200)
    expect(JSON.parse(body)).to.deep.include({
      status: 'ok',
      connections: 1,
      networks: { mainnet: 'ready', testnet: 'idle' },
    })
  })
})
