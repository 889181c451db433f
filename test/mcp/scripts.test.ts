import { expect } from 'chai'
import { createRestScriptRunner } from '../../src/mcp/tools/script-runner.ts'
import { clients } from './support/mcp-clients.ts'
import type { ConnectedClient, ToolResult } from './support/mcp-clients.ts'
import { runMcp } from './support/running-mcp.ts'
import { scriptResult, startScriptNode } from './support/script-node.ts'
import type { ScriptNode } from './support/script-node.ts'
import { scriptedQueries } from './support/scripted-queries.ts'

const script = 'access(all) fun main(a: UFix64): UFix64 { return a } // 你好'
const argument = { type: 'UFix64', value: '12.50000000' }

describe('run_chain_script', () => {
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const connect = async (node: Pick<ScriptNode, 'url'>): Promise<ConnectedClient> => {
    const mcp = await runMcp({ queries: scriptedQueries(), chainRestUrl: node.url })
    stops.push(mcp.stop)
    const client = await clients[2]?.connect(mcp.url)
    if (client === undefined) throw new Error('no client')
    stops.push(client.close)
    return client
  }
  const node = async (...answer: Parameters<typeof startScriptNode>): Promise<ScriptNode> => {
    const started = await startScriptNode(...answer)
    stops.push(started.stop)
    return started
  }
  const codeOf = ({ isError, structuredContent }: ToolResult): unknown => (isError === true ? structuredContent?.['error_code'] : undefined)

  it('sends script and arguments as base64, and gives the typed value back', async () => {
    const { url, asked } = await node()
    const client = await connect({ url })
    const { structuredContent, content, isError } = await client.call('run_chain_script', { script, arguments: [argument] })
    expect(isError ?? false).to.equal(false)
    expect(structuredContent).to.deep.equal({ result: argument, error: null, error_code: null })
    expect(JSON.parse(content[0]?.text ?? '')).to.deep.equal({ result: argument })
    expect(asked).to.deep.equal([{ path: 'POST /v1/scripts', block: { block_height: 'sealed' }, script, arguments: [argument] }])
  })

  it('takes no arguments, and a block by height or id, not both', async () => {
    const { url, asked } = await node()
    const client = await connect({ url })
    const id = 'ab'.repeat(32)
    for (const at of [{ arguments: null }, { block_height: 42 }, { block_height: '18446744073709551615' }, { block_id: `0x${id.toUpperCase()}` }]) {
      expect((await client.call('run_chain_script', { script, ...at })).structuredContent).to.deep.include({ result: { type: 'Void' } })
    }
    expect(asked.map(({ block }) => block)).to.deep.equal([
      { block_height: 'sealed' }, { block_height: '42' }, { block_height: '18446744073709551615' }, { block_id: id },
    ])
    expect(codeOf(await client.call('run_chain_script', { script, block_height: 42, block_id: id }))).to.equal('two-blocks')
    const bad = await client.call('run_chain_script', { script, block_height: 'latest?x=1' })
    expect(bad.structuredContent).to.include({ error: 'Field "block_height" must be a height, sealed or final.', error_code: 'invalid-field' })
    const untyped = await client.call('run_chain_script', { script, arguments: [argument, { value: '1' }] })
    expect(untyped.structuredContent).to.include({ error: 'Field "arguments[1].type" must be the name of a Cadence type.' })
    expect(asked).to.have.length(4)
  })

  it('tells why a node refused a script', async () => {
    const { url } = await node((response) => response.writeHead(400).end('{"code":400,"message":"cannot find variable in this scope: `foo`"}'))
    const client = await connect({ url })
    const result = await client.call('run_chain_script', { script })
    expect(codeOf(result)).to.equal('script-failed')
    expect(result.structuredContent?.['error']).to.include('cannot find variable')
  })

  it('tells faults of nodes apart from those of scripts', async () => {
    const answers = ['"no base64!"', '"bm90IGpzb24="', '{', scriptResult({ value: '1' })]
    for (const text of answers) {
      const { url } = await node((response) => response.writeHead(200).end(text))
      expect(codeOf(await (await connect({ url })).call('run_chain_script', { script })), text).to.equal('chain-failed')
    }
    const { url } = await node((response) => response.writeHead(503).end('<html>busy</html>'))
    expect(codeOf(await (await connect({ url })).call('run_chain_script', { script }))).to.equal('chain-failed')
    expect(codeOf(await (await connect({ url: 'http://127.0.0.1:1' })).call('run_chain_script', { script }))).to.equal('chain-failed')
    const redirecting = await node((response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end())
    expect(codeOf(await (await connect(redirecting)).call('run_chain_script', { script }))).to.equal('chain-failed')
  })

  it('does not wait for ever, and keeps no more than a result may have', async () => {
    const silent = await node(() => undefined)
    const given = await createRestScriptRunner({ baseUrl: silent.url, timeoutMs: 20 }).run(script, [], {}).catch((error: unknown) => error)
    expect(given).to.include({ status: 504, code: 'script-timeout' })
    const endless = await node((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    const cut = await createRestScriptRunner({ baseUrl: endless.url }).run(script, [], {}).catch((error: unknown) => error)
    expect(cut).to.include({ status: 502, code: 'chain-failed' })
  })

  it('is told by base URLs with and without a slash and a path', async () => {
    const { url, asked } = await node()
    for (const base of [url, `${url}/`, `${url}/flow`]) await createRestScriptRunner({ baseUrl: base }).run(script, [], {})
    expect(asked.map(({ path }) => path)).to.deep.equal(['POST /v1/scripts', 'POST /v1/scripts', 'POST /flow/v1/scripts'])
  })
})
