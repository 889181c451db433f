import { expect } from 'chai'
import { NodeRegistry } from './node-registry.ts'
import { SourceNodes } from './source-nodes.ts'
import type { SourceNodesOptions } from './source-nodes.ts'

const live = 'access.example:9000'
const rootOfMainnet28 = 137_390_146

function nodesOf(options: Partial<SourceNodesOptions> = {}) {
  const open = new Set<string>()
  const registry = new NodeRegistry((endpoint) => {
    open.add(endpoint)
    return {
      endpoint,
      unary: () => Promise.reject(new Error('not called')),
      close: async () => void open.delete(endpoint),
    }
  })
  const nodes = new SourceNodes({ liveEndpoints: [live], includesSporks: true, ...options }, registry)
  const servers = (height: number): string[] =>
    nodes
      .for(height)
      .filter((node) => node.mayServe(height))
      .map(({ endpoint }) => endpoint)
  return { nodes, open, servers }
}

describe('SourceNodes', () => {
  it('serves heights below its nodes from the past sporks of the network', () => {
    const { nodes, servers } = nodesOf()
    nodes.live[0]?.raiseRoot(rootOfMainnet28)
    expect(servers(rootOfMainnet28 - 1)).to.deep.equal([])
    nodes.addSporks('flow-mainnet')
    expect(servers(rootOfMainnet28)).to.deep.equal([live])
    expect(servers(rootOfMainnet28 - 1)).to.deep.equal(['access-001.mainnet27.nodes.onflow.org:9000'])
    expect(servers(27_341_470)).to.deep.equal(['access-001.mainnet17.nodes.onflow.org:9000'])
    expect(servers(1_065_711)).to.deep.equal(['access-001.candidate4.nodes.onflow.org:9000'])
    expect(servers(1_065_710)).to.deep.equal([])
  })

  it('does not use past sporks for heights that a configured node may serve', () => {
    const { nodes, servers } = nodesOf({ historicEndpoints: ['archive.example:9000'] })
    nodes.addSporks('flow-mainnet')
    expect(servers(27_341_470)).to.deep.equal([live, 'archive.example:9000'])
  })

  it('has no past sporks on a local chain, or when they are not included', () => {
    for (const [chainId, includesSporks] of [
      ['flow-emulator', true],
      ['flow-mainnet', false],
    ] as const) {
      const { nodes } = nodesOf({ includesSporks })
      nodes.addSporks(chainId)
      expect(nodes.all).to.deep.equal(nodes.live)
    }
  })

  it('adds a configured node of a past spork once, and releases all nodes', async () => {
    const configured = 'access-001.mainnet17.nodes.onflow.org:9000'
    const { nodes, open } = nodesOf({ historicEndpoints: [configured] })
    nodes.addSporks('flow-mainnet')
    expect(nodes.all.filter(({ endpoint }) => endpoint === configured)).to.have.length(1)
    expect(open.size).to.equal(nodes.all.length)
    await nodes.release()
    expect([...open]).to.deep.equal([])
  })

  it('uses the other nodes as live ones if none is live, and needs at least one', () => {
    const { nodes } = nodesOf({ liveEndpoints: [], historicEndpoints: ['a:1', 'grpc://a:1'] })
    expect(nodes.live.map(({ endpoint }) => endpoint)).to.deep.equal(['grpc://a:1'])
    expect(() => nodesOf({ liveEndpoints: [] })).to.throw('no access node is configured')
  })
})
