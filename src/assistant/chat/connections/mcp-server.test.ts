import { expect } from 'chai'
import { toolDescriptions } from './mcp-client.ts'
import { mcpServers } from './mcp-server.ts'

const nothing = {
  flowfarm: () => undefined,
  flowfarmKey: undefined,
  script: undefined,
  evm: undefined,
  tools: () => undefined,
}

describe('chat MCP servers', () => {
  it('defaults to the flowfarm servers and requires them only when they are configured', () => {
    let port = 1
    const [flowfarm, script, evm] = mcpServers({ ...nothing, tools: () => `http://127.0.0.1:${port}` })
    port = 8086
    expect([flowfarm?.url(), script?.url(), evm?.url()]).to.deep.equal([
      undefined,
      'http://127.0.0.1:8086/script/mcp',
      'http://127.0.0.1:8086/evm/mcp',
    ])
    expect([flowfarm?.isConfigured, script?.isConfigured, evm?.isConfigured]).to.deep.equal([true, false, false])
    expect([flowfarm?.isOurs, script?.isOurs, evm?.isOurs]).to.deep.equal([true, true, true])
  })

  it('treats other servers as foreign and sends them no flowfarm key', () => {
    const [flowfarm, script, evm] = mcpServers({
      ...nothing,
      flowfarm: () => 'http://own.example/mcp',
      flowfarmKey: 'k',
      script: 'https://s.example/mcp',
      evm: 'https://e.example/mcp',
      tools: () => 'http://127.0.0.1:8086',
    })
    expect([flowfarm?.key, script?.key, evm?.key]).to.deep.equal(['k', undefined, undefined])
    expect([script?.url(), evm?.url()]).to.deep.equal(['https://s.example/mcp', 'https://e.example/mcp'])
    expect([script, evm].map((server) => [server?.isOurs, server?.isConfigured])).to.deep.equal([
      [false, true],
      [false, true],
    ])
  })

  it('gives servers disjoint tools with flowfarm descriptions and omits tools that call a second model', () => {
    const names = mcpServers(nothing).flatMap(({ tools }) => tools)
    expect(new Set(names).size).to.equal(names.length)
    expect(names.filter((name) => /^(ask|generate)_/.test(name))).to.deep.equal([])
    expect(Object.keys(toolDescriptions)).to.have.members(names)
  })
})
