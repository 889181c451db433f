import { expect } from 'chai'
import { connectDirectly, proxyFor } from './config-proxy.ts'
import { FatalError } from '../errors.ts'

const node = { host: 'access.mainnet.nodes.onflow.org', port: 9000 }
const proxy = { https_proxy: 'http://proxy:3128' }

describe('proxyFor', () => {
  it('returns undefined if no proxy is set', () => {
    expect(proxyFor(node, {})).to.equal(undefined)
    expect(proxyFor(node, { https_proxy: ' ' })).to.equal(undefined)
  })

  it('prefers grpc_proxy to https_proxy to http_proxy, with default port 80', () => {
    const all = { grpc_proxy: 'http://a', https_proxy: 'b:1', http_proxy: 'http://[::1]:2' }
    expect(proxyFor(node, all)).to.deep.equal({ host: 'a', port: 80, credentials: undefined, variable: 'grpc_proxy' })
    expect(proxyFor(node, { ...all, grpc_proxy: '' })).to.include({ host: 'b', port: 1 })
    expect(proxyFor(node, { http_proxy: all.http_proxy })).to.include({ host: '::1', port: 2, variable: 'http_proxy' })
  })

  it('decodes percent-encoded credentials', () => {
    expect(proxyFor(node, { https_proxy: 'http://u:p%3Aq@h' })?.credentials).to.equal('u:p:q')
    expect(proxyFor(node, { https_proxy: 'http://u@h' })?.credentials).to.equal('u:')
  })

  it('rejects proxies other than HTTP, without credentials in the message', () => {
    for (const text of ['https://u:secret@h', 'socks5://u:secret@h', 'http://u:secret@', 'http://u:secret%zz@h']) {
      expect(() => proxyFor(node, { https_proxy: text })).to.throw(FatalError, /https_proxy/)
      expect(() => proxyFor(node, { https_proxy: text })).not.to.throw(/secret/)
    }
  })

  const excepted: [host: string, noProxy: string, isExcepted: boolean][] = [
    ['access.mainnet.nodes.onflow.org', 'onflow.org', true],
    ['access.mainnet.nodes.onflow.org', ' .ONFLOW.org ', true],
    ['access.mainnet.nodes.onflow.org', '*.onflow.org', true],
    ['access.mainnet.nodes.onflow.org', 'access.mainnet.nodes.onflow.org:9000', true],
    ['access.mainnet.nodes.onflow.org', 'access.mainnet.nodes.onflow.org:443', false],
    ['access.mainnet.nodes.onflow.org', '*', true],
    ['access.mainnet.nodes.onflow.org', 'a,', false],
    ['badonflow.org', 'onflow.org', false],
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '10.0.0.0/8', false],
    ['10.1.2.3', '10.0.0.0/x,10.0.0.0/33,/8', false],
    ['10.1.2.3', '2.3', false],
    ['fd00::1', '[fd00::]/8', true],
    ['::1', '[::1]:9000', true],
    ['::1', '::1', true],
  ]
  for (const [host, noProxy, isExcepted] of excepted) {
    it(`${isExcepted ? 'leaves out' : 'is used for'} ${host} with no_proxy=${noProxy}`, () => {
      const found = proxyFor({ host, port: 9000 }, { ...proxy, no_proxy: noProxy })
      expect(found === undefined).to.equal(isExcepted)
    })
  }

  it('prefers no_grpc_proxy to no_proxy', () => {
    expect(proxyFor(node, { ...proxy, no_grpc_proxy: 'x', no_proxy: '*' })).not.to.equal(undefined)
  })

  it('skips hosts that the process connects to directly, and preserves the configured exceptions', () => {
    const environment: Record<string, string> = { ...proxy, no_proxy: 'example.org' }
    connectDirectly('127.0.0.1', environment)
    for (const host of ['127.0.0.1', 'a.example.org'])
      expect(proxyFor({ host, port: 1 }, environment)).to.equal(undefined)
    expect(proxyFor(node, environment)).not.to.equal(undefined)
  })
})
