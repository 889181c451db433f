import { expect } from 'chai'
import { FatalError } from '../../platform/errors.ts'
import { authorityOf, parseEndpoint } from './endpoint.ts'

describe('parseEndpoint', () => {
  const short = (text: string): unknown[] => {
    const { protocol, tls, host, port, pathPrefix } = parseEndpoint(text)
    return [protocol, tls, host, port, pathPrefix]
  }

  it('parses a bare host as gRPC without TLS on port 9000', () => {
    const plain = ['grpc', false, 'access.mainnet.nodes.onflow.org', 9000, '']
    expect(short('access.mainnet.nodes.onflow.org:9000')).to.deep.equal(plain)
    expect(short(' access.mainnet.nodes.onflow.org ')).to.deep.equal(plain)
    expect(short('grpc://access.mainnet.nodes.onflow.org')).to.deep.equal(plain)
    expect(short('127.0.0.1:3569')).to.deep.equal(['grpc', false, '127.0.0.1', 3569, ''])
    expect(short('localhost:80')).to.deep.equal(['grpc', false, 'localhost', 80, ''])
  })

  it('detects TLS and gRPC-web from the scheme', () => {
    expect(short('grpcs://node.example:443')).to.deep.equal(['grpc', true, 'node.example', 443, ''])
    expect(short('grpcs://node.example')).to.deep.equal(['grpc', true, 'node.example', 9000, ''])
    expect(short('https://mainnet.onflow.org')).to.deep.equal(['grpc-web', true, 'mainnet.onflow.org', 443, ''])
    expect(short('http://localhost:8080/')).to.deep.equal(['grpc-web', false, 'localhost', 8080, ''])
    expect(short('https://gateway.example/flow/')).to.deep.equal(['grpc-web', true, 'gateway.example', 443, '/flow'])
  })

  it('parses bracketed IPv6 addresses', () => {
    const endpoint = parseEndpoint('[::1]:9000')
    expect(endpoint.host).to.equal('::1')
    expect(authorityOf(endpoint)).to.equal('[::1]:9000')
  })

  it('rejects other values and lists the accepted formats', () => {
    const noAddress = ['', 'host:port', 'host:99999', 'host:0', 'grpc://', 'a b:9000']
    const notAccepted = ['ftp://node', 'host:9000/path', 'http://u:p@h', 'u:p@h:9000', 'https://h/?x=1']
    for (const value of [...noAddress, ...notAccepted]) {
      expect(() => parseEndpoint(value), value)
        .to.throw(FatalError, JSON.stringify(value.replace('u:p', '…')))
        .with.property('message')
        .that.contains('grpcs://host:port')
    }
  })
})
