import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { expect } from 'chai'
import { expectNotFoundPage } from '../../support/not-found-page.ts'
import { clients } from '../mcp/support/mcp-clients.ts'
import { listTools, messageHeaders } from '../mcp/support/running-mcp.ts'
import { startEvmNode } from './support/evm-node.ts'
import { runTools } from './support/running-tools.ts'
import type { RunningTools } from './support/running-tools.ts'

const scriptTools = [
  'script_check',
  'script_symbols',
  'script_hover',
  'script_definition',
  'search_docs',
  'get_doc',
  'browse_docs',
]
const evmTools = ['evm_rpc', 'evm_getBalance', 'evm_call', 'evm_getLogs']

describe('tool servers', () => {
  let tools: RunningTools

  before(async () => {
    const node = await startEvmNode(() => '0x1')
    await node.stop()
    tools = await runTools({ evmRpcUrl: node.url })
  })
  after(() => tools.stop())

  /** Status of a message with headers that fetch cannot set. */
  const statusOf = async (url: string, headers: Record<string, string>): Promise<number> => {
    const sent = request(url, { method: 'POST', headers: { ...messageHeaders, ...headers } })
    sent.end(JSON.stringify(listTools))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode ?? 0
  }

  for (const { name, protocolVersion, connect } of clients) {
    it(`list their tools for ${name}, all read-only`, async () => {
      for (const [url, names] of [
        [tools.scriptUrl, scriptTools],
        [tools.evmUrl, evmTools],
      ] as const) {
        const client = await connect(url)
        expect(client.protocolVersion).to.equal(protocolVersion)
        expect(client.instructions).to.be.a('string')
        const listed = await client.tools()
        expect(listed.map((tool) => tool.name)).to.deep.equal(names)
        for (const tool of listed)
          expect(tool.annotations, tool.name).to.include({ readOnlyHint: true, destructiveHint: false })
        const { isError, structuredContent, content } = await client.call(names.at(-1) ?? '', { nonsense: true })
        expect(isError).to.equal(true)
        expect(structuredContent).to.include({ error_code: 'invalid-field' })
        expect(content[0]?.text).to.include('nonsense')
        await client.close()
      }
    })
  }

  it('omit the EVM tools without a node and report which variable to set', async () => {
    const without = await runTools()
    for (const { connect } of clients) {
      const client = await connect(without.evmUrl)
      expect(await client.tools()).to.deep.equal([])
      expect(client.instructions).to.include('EVM_RPC_URL')
      await client.close()
    }
    await without.stop()
  })

  it('serve only their paths, with POST', async () => {
    const statuses: Record<string, number> = {
      '/': 404,
      '/mcp': 404,
      '/script': 404,
      '/script/mcp/x': 404,
      '/evm': 404,
      '/health': 200,
      '/script/mcp': 405,
      '/evm/mcp/': 405,
    }
    for (const [path, status] of Object.entries(statuses))
      expect((await fetch(tools.origin + path)).status, path).to.equal(status)
    const unknown = await fetch(`${tools.origin}/mcp`)
    expect(await unknown.text()).to.include('/script/mcp and /evm/mcp')
    await expectNotFoundPage(tools.origin)
  })

  it('reject pages of other sites and unknown host names', async () => {
    const local = { Host: 'localhost:8086' }
    expect(await statusOf(tools.scriptUrl, local)).to.equal(200)
    expect(await statusOf(tools.scriptUrl, { Host: '[::1]:8086' })).to.equal(200)
    for (const headers of [
      { Host: 'evil.example' },
      { Host: 'localhost.evil.example' },
      { ...local, Origin: 'https://evil.example' },
      { ...local, Origin: 'null' },
      { Host: 'evil.example', Origin: 'http://localhost' },
    ]) {
      expect(await statusOf(tools.scriptUrl, headers), JSON.stringify(headers)).to.equal(403)
      expect(await statusOf(tools.evmUrl, headers), JSON.stringify(headers)).to.equal(403)
    }
  })

  it('accept any host name when they listen on all addresses', async () => {
    const open = await runTools({ host: '0.0.0.0' })
    expect(await statusOf(open.scriptUrl, { Host: 'tools.internal:8086' })).to.equal(200)
    expect(
      await statusOf(open.scriptUrl, { Host: 'tools.internal:8086', Origin: 'http://tools.internal:8086' }),
    ).to.equal(403)
    await open.stop()
  })

  it('count calls by tool and outcome', async () => {
    const client = await clients.at(-1)?.connect(tools.evmUrl)
    await client?.call('evm_getBalance', { address: `0x${'0'.repeat(40)}` })
    await client?.call('evm_getBalance', { address: 'x' })
    await client?.close()
    const text = await tools.metrics.registry.metrics()
    expect(text).to.match(/flowfarm_mcp_call_seconds_count\{tool="evm_getBalance",outcome="failed"\} 1/)
    expect(text).to.match(/flowfarm_mcp_call_seconds_count\{tool="evm_getBalance",outcome="refused"\} 1/)
  })
})
