import { expect } from 'chai'
import { NodeRegistry } from './node-registry.ts'
import type { Transport } from '../transport/transport.ts'

/** A registry with unused transports; records which ones are closed. */
function registry() {
  const closed: string[] = []
  const connect = (endpoint: string): Transport => ({
    endpoint,
    unary: () => Promise.reject(new Error('not called')),
    close: async () => void closed.push(endpoint),
  })
  return { nodes: new NodeRegistry(connect), closed }
}

describe('NodeRegistry', () => {
  it('deduplicates nodes across URL spellings', () => {
    const { nodes } = registry()
    const node = nodes.acquire('Access.example:9000')
    expect(nodes.acquire('grpc://access.example')).to.equal(node)
    expect(nodes.acquire('grpcs://access.example')).not.to.equal(node)
    expect(nodes.acquire('access.example:9001')).not.to.equal(node)
  })

  it('closes a node when its last user releases it', async () => {
    const { nodes, closed } = registry()
    const node = nodes.acquire('a:1')
    nodes.acquire('a:1')
    await nodes.release(node)
    expect(closed).to.deep.equal([])
    await nodes.release(node)
    expect(closed).to.deep.equal(['a:1'])
    expect(nodes.acquire('a:1')).not.to.equal(node)
  })

  it('applies the lowest limit', () => {
    const { nodes } = registry()
    const { limit } = nodes.acquire('a:1')
    nodes.acquire('a:1', { requestsPerSecond: 50 })
    nodes.acquire('a:1', { requestsPerSecond: 100 })
    expect(limit.requestsPerSecond).to.equal(50)
  })

  it('recognizes the spork from the host name', () => {
    const { nodes } = registry()
    expect(nodes.acquire('access-001.mainnet17.nodes.onflow.org:9000')).to.include({
      rootHeight: 27_341_470,
      endHeight: 31_735_955,
      chainId: 'flow-mainnet',
      service: 'flow.access.AccessAPI',
      hasStream: false,
    })
    expect(nodes.acquire('access-001.candidate4.nodes.onflow.org:9000').service).to.equal('access.AccessAPI')
    expect(nodes.acquire('access.mainnet.nodes.onflow.org:9000').rootHeight).to.equal(undefined)
  })
})
