import { expect } from 'chai'
import { createRestScriptRunner, limitScripts } from '../../../src/assistant/mcp/script-runners.ts'
import type { ConnectedClient } from './support/mcp-clients.ts'
import { codeOf, connectForScripts } from './support/script-client.ts'
import { scriptResult, startScriptNode } from './support/script-node.ts'
import type { ScriptNode } from './support/script-node.ts'

const script = 'access(all) fun main(a: UFix64): UFix64 { return a } // 你好'
const argument = { type: 'UFix64', value: '12.50000000' }

describe('run_chain_script over a REST API', () => {
  const stops: (() => Promise<void>)[] = []
  const atEnd = (stop: () => Promise<void>): void => void stops.push(stop)
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const connect = ({ url }: Pick<ScriptNode, 'url'>): Promise<ConnectedClient> =>
    connectForScripts(createRestScriptRunner(url), atEnd)
  const node = async (...answer: Parameters<typeof startScriptNode>): Promise<ScriptNode> => {
    const started = await startScriptNode(...answer)
    atEnd(started.stop)
    return started
  }

  it('sends script and arguments as base64 and returns the typed value', async () => {
    const { url, requested } = await node()
    const client = await connect({ url })
    const { structuredContent, content, isError } = await client.call('run_chain_script', {
      script,
      arguments: [argument],
    })
    expect(isError ?? false).to.equal(false)
    expect(structuredContent).to.deep.equal({ result: argument, error: null, error_code: null })
    expect(JSON.parse(content[0]?.text ?? '')).to.deep.equal({ result: argument })
    expect(requested).to.deep.equal([
      { path: 'POST /v1/scripts', block: { block_height: 'sealed' }, script, arguments: [argument] },
    ])
  })

  it('accepts no arguments, and a block by height or id but not both', async () => {
    const { url, requested } = await node()
    const client = await connect({ url })
    const id = 'ab'.repeat(32)
    for (const at of [
      { arguments: null },
      { block_height: 42 },
      { block_height: '900000000000000' },
      { block_height: 'sealed', arguments: [] },
      { block_id: `0x${id.toUpperCase()}` },
    ]) {
      expect((await client.call('run_chain_script', { script, ...at })).structuredContent).to.deep.include({
        result: { type: 'Void' },
      })
    }
    expect(requested.map(({ block }) => block)).to.deep.equal([
      { block_height: 'sealed' },
      { block_height: '42' },
      { block_height: '900000000000000' },
      { block_height: 'sealed' },
      { block_id: id },
    ])
    expect(codeOf(await client.call('run_chain_script', { script, block_height: 42, block_id: id }))).to.equal(
      'two-blocks',
    )
    const bad = await client.call('run_chain_script', { script, block_height: 'latest?x=1' })
    expect(bad.structuredContent).to.include({
      error: 'Field "block_height" must be a block height or "sealed".',
      error_code: 'invalid-field',
    })
    const untyped = await client.call('run_chain_script', { script, arguments: [argument, { value: '1' }] })
    expect(untyped.structuredContent).to.include({
      error: 'Field "arguments[1].type" must be the name of a Cadence type.',
    })
    expect(requested).to.have.length(5)
  })

  it('reports why a node rejected a script', async () => {
    const { url } = await node((response) =>
      response.writeHead(400).end('{"code":400,"message":"cannot find variable in this scope: `foo`"}'),
    )
    const client = await connect({ url })
    const result = await client.call('run_chain_script', { script })
    expect(codeOf(result)).to.equal('script-failed')
    expect(result.structuredContent?.['error']).to.include('cannot find variable')
  })

  it('reports that a node lacks the state of a block', async () => {
    const { url } = await node((response) =>
      response.writeHead(404).end('{"code":404,"message":"block height 7 is less than the spork root block height 9"}'),
    )
    const result = await (await connect({ url })).call('run_chain_script', { script, block_height: 7 })
    expect(codeOf(result)).to.equal('state-not-served')
    expect(result.structuredContent?.['error']).to.include('root block height 9')
  })

  it('distinguishes node failures from script failures', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const answers = [
      '"no base64!"',
      '"bm90IGpzb24="',
      '{',
      scriptResult({ value: '1' }),
      JSON.stringify(Buffer.from(`{"type":"Array","value":${deep}}`).toString('base64')),
    ]
    for (const text of answers) {
      const { url } = await node((response) => response.writeHead(200).end(text))
      expect(codeOf(await (await connect({ url })).call('run_chain_script', { script })), text.slice(0, 100)).to.equal(
        'chain-failed',
      )
    }
    const codeFor = async (status: number): Promise<unknown> => {
      const { url } = await node((response) => response.writeHead(status).end('<html>busy</html>'))
      return codeOf(await (await connect({ url })).call('run_chain_script', { script }))
    }
    expect(await codeFor(500)).to.equal('chain-failed')
    expect(await codeFor(503)).to.equal('chain-unavailable')
    const away = await (await connect({ url: 'http://127.0.0.1:1/secret-key' })).call('run_chain_script', { script })
    expect(codeOf(away)).to.equal('chain-unavailable')
    expect(JSON.stringify(away)).to.include('CHAIN_REST_URL').and.not.include('secret-key')
    const redirecting = await node((response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end())
    expect(codeOf(await (await connect(redirecting)).call('run_chain_script', { script }))).to.equal(
      'chain-unavailable',
    )
  })

  it('applies a timeout, a concurrency limit and a result limit', async () => {
    const silent = await node(() => undefined)
    const never = new AbortController().signal
    const scripts = limitScripts(createRestScriptRunner(silent.url), { timeoutMs: 20, max: 3, maxPerClient: 2 })
    const codeFor = (client: string): Promise<unknown> =>
      scripts
        .run(script, [], {}, { signal: never, client })
        .catch((error: unknown) => (error as { code?: unknown }).code)
    expect(await Promise.all(['one', 'one', 'one', 'other', 'other'].map(codeFor))).to.deep.equal([
      'script-timeout',
      'script-timeout',
      'too-many-calls',
      'script-timeout',
      'scripts-busy',
    ])
    expect(await codeFor('one')).to.equal('script-timeout')
    const endless = await node((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    const cut = await createRestScriptRunner(endless.url)
      .run(script, [], {}, never)
      .catch((error: unknown) => error)
    expect(cut).to.include({ status: 502, code: 'chain-failed' })
  })

  it('cancels the call to the node when the caller disconnects', async () => {
    const gone = Promise.withResolvers<void>()
    const { promise: began, resolve: begin } = Promise.withResolvers<void>()
    const waiting = await node((response) => {
      response.on('close', () => gone.resolve())
      begin()
    })
    const client = await connect(waiting)
    const disconnect = new AbortController()
    const call = client.call('run_chain_script', { script }, disconnect.signal).catch((error: unknown) => error)
    await began
    disconnect.abort()
    await gone.promise
    expect(await call).to.be.an('error')
  })

  it('accepts base URLs with and without a trailing slash and a path', async () => {
    const { url, requested } = await node()
    for (const base of [url, `${url}/`, `${url}/flow`])
      await createRestScriptRunner(base).run(script, [], {}, new AbortController().signal)
    expect(requested.map(({ path }) => path)).to.deep.equal([
      'POST /v1/scripts',
      'POST /v1/scripts',
      'POST /flow/v1/scripts',
    ])
  })
})
