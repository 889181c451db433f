import { expect } from 'chai'
import fc from 'fast-check'
import { ApiError, FatalError } from '../../../platform/errors.ts'
import { ListedHosts, refuseWrites } from './listed-hosts.ts'

const hosts = new ListedHosts(['api.listed.test', 'Other.Listed.test'])

const refusalOf = (text: string): ApiError | undefined => {
  try {
    hosts.read(text)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

describe('listed hosts', () => {
  for (const url of [
    'https://api.listed.test',
    'https://api.listed.test/',
    'https://api.listed.test/v1/a?b=c&d=%20',
    'https://other.listed.test?x',
    'https://API.Listed.TEST/x',
    'https://api.listed.test:443/x',
    'https://api.listed.test/@user',
    'https://api.listed.test/价格?q=流',
    'https://api.listed.test/https://evil.test/',
  ]) {
    it(`allows ${url}`, () => expect(hosts.read(url).hostname).to.match(/^(?:api|other)\.listed\.test$/))
  }

  it('removes the fragment from URLs', () => {
    expect(hosts.read('https://api.listed.test/a#secret').href).to.equal('https://api.listed.test/a')
  })

  for (const url of [
    '',
    'api.listed.test',
    '/v1/a',
    '//api.listed.test/',
    'http://api.listed.test/',
    'ftp://api.listed.test/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    'https://evil.test/',
    'https://api.listed.test.evil.test/',
    'https://evilapi.listed.test/',
    'https://sub.api.listed.test/',
    'https://listed.test/',
    'https://api.listed.test./',
    'https://api.listed.test@evil.test/',
    'https://evil.test#@api.listed.test/',
    'https://evil.test\\@api.listed.test/',
    'https://user@api.listed.test/',
    'https://user:word@api.listed.test/',
    'https://:@api.listed.test/',
    'https://@api.listed.test/',
    'https://api.listed.test:444/',
    'https://api.listed.test:80/',
    'https://api.listed.test:22/',
    'https://api.listed.test:/',
    'https://api.listed.test:00443/',
    'https:api.listed.test/',
    'https:/api.listed.test/',
    'https:///api.listed.test/',
    'https:\\\\api.listed.test\\',
    'https://api.listed.test\\evil.test/',
    'https://ａpi.listed.test/',
    'https://api。listed。test/',
    'https://%61pi.listed.test/',
    'https://аpi.listed.test/',
    'https://api.lis\u00ADted.test/',
    'https://api.listed.test\u3002/',
    ' https://api.listed.test/',
    'https://api.listed.test/a b',
    'https://api.lis\nted.test/',
    'ht\ntps://api.listed.test/',
    'https://api.listed.test/\r\nHost: evil.test',
    'https://api.listed.test/\0',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://localhost/',
    'https://169.254.169.254/latest/meta-data/',
    'https://xn--api-.listed.test/',
    `https://api.listed.test/${'a'.repeat(2000)}`,
  ]) {
    it(`rejects ${JSON.stringify(url).slice(0, 80)}`, () => {
      const refusal = refusalOf(url)
      expect(refusal).to.include({ status: 400, code: 'url-refused', field: 'url' })
      expect(refusal?.message).to.include('api.listed.test, other.listed.test')
    })
  }

  it('reports why a URL is rejected', () => {
    expect(refusalOf('https://api.listed.test:444/')?.message).to.include('Port 444')
    expect(refusalOf('https://user:word@api.listed.test/')?.message)
      .to.include('contains credentials')
      .and.to.not.include('word@')
    expect(refusalOf('https://evil.test/x')?.message).to.equal(
      'evil.test is not allowed. Use https:// and one of these hosts, without a port: api.listed.test, other.listed.test.',
    )
  })

  it('allows only listed hosts for any surrounding text', () => {
    const part = fc.constantFrom(
      'https',
      'http',
      ':',
      '/',
      '//',
      '\\',
      '@',
      '.',
      '?',
      '#',
      '%2e',
      '%00',
      '\t',
      ' ',
      'api.listed.test',
      'evil.test',
      'user',
      '443',
      '[',
      ']',
      'xn--',
      '。',
      '\u00AD',
      '127.0.0.1',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
        for (const text of [parts.join(''), `https://${parts.join('')}`, `https://api.listed.test${parts.join('')}`]) {
          if (refusalOf(text) !== undefined) continue
          expect(text).to.match(/^https:\/\/(?:api|other)\.listed\.test(?::443)?(?:[/?#]|$)/)
          const { protocol, host, username } = hosts.read(text)
          expect({ protocol, host, username }).to.deep.equal({
            protocol: 'https:',
            host: 'api.listed.test',
            username: '',
          })
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('follows relative redirects and redirects to a listed host', () => {
    const base = new URL('https://api.listed.test/a/b?c')
    const to = (location: string): string => hosts.readRedirect(location, base).href
    expect([
      to('d'),
      to('/d'),
      to('?e'),
      to('//other.listed.test/x'),
      to('https://other.listed.test/y#z'),
    ]).to.deep.equal([
      'https://api.listed.test/a/d',
      'https://api.listed.test/d',
      'https://api.listed.test/a/b?e',
      'https://other.listed.test/x',
      'https://other.listed.test/y',
    ])
    for (const location of [
      '//evil.test/',
      'http://api.listed.test/',
      'https://api.listed.test:8443/',
      'https://u:p@api.listed.test/',
      'javascript:1',
      'https://',
      '/\\evil.test/',
      `/${'a'.repeat(2000)}`,
    ]) {
      expect(() => to(location), location).to.throw(ApiError, 'api.listed.test')
    }
  })

  it('accepts only host names', () => {
    for (const word of [
      'https://api.listed.test',
      'api.listed.test/',
      'api.listed.test:443',
      '*.listed.test',
      'user@api.listed.test',
      '127.0.0.1',
      '0x7f.1',
      '[::1]',
      'localhost',
      'api.listed.test.',
      '',
    ]) {
      expect(() => new ListedHosts([word]), word).to.throw(FatalError, 'FETCH_API_HOSTS')
    }
    expect(() => new ListedHosts(['none', 'a.test'])).to.throw(FatalError)
    expect(new ListedHosts(['none']).names).to.deep.equal([])
    expect(new ListedHosts(['A.test', 'a.test', 'bücher.test']).names).to.deep.equal(['a.test', 'xn--bcher-kva.test'])
  })
})

const refused = (path: string, method: 'GET' | 'POST', body?: unknown): boolean => {
  try {
    refuseWrites(new URL(path, 'https://api.listed.test'), method, body)
    return false
  } catch (error) {
    expect(error).to.be.instanceOf(ApiError).and.include({ code: 'write-refused' })
    return true
  }
}

describe('refuseWrites', () => {
  it('allows reads', () => {
    for (const path of [
      '/v1/transactions/0a',
      '/v1/blocks?height=sealed',
      '/api?module=account&action=balance&address=0x1',
      '/api/v2/transactions',
      '/v1/transactions',
      '/api?module=contract&action=getsourcecode',
      '/api/v2/smart-contracts/0x1',
      '/coins/verified',
      '/simple/price?ids=flow&action=sendable%20tokens'.replace('action', 'for'),
    ])
      expect(refused(path, 'GET'), path).to.equal(false)
    for (const method of [
      'eth_call',
      'eth_getLogs',
      'eth_blockNumber',
      'eth_chainId',
      'eth_estimateGas',
      'net_version',
      'web3_clientVersion',
      'debug_traceTransaction',
      'query',
      'address_info',
      'settings',
    ]) {
      expect(refused('/', 'POST', { jsonrpc: '2.0', id: 1, method, params: [] }), method).to.equal(false)
    }
    expect(refused('/v1/scripts', 'POST', { script: 'YQ==', arguments: [] })).to.equal(false)
    expect(refused('/graphql', 'POST', { query: '{ a }', variables: { method: 'eth_sendRawTransaction' } })).to.equal(
      false,
    )
    expect(refused('/', 'POST', { method: 7 })).to.equal(false)
  })

  it('rejects transactions sent to a node', () => {
    for (const path of [
      '/v1/transactions',
      '/v1/transactions/',
      '//v1//transactions',
      '/v1/Transactions?x',
      '/v1/%74ransactions',
      '/v1/%2574ransactions',
      '/v1%2ftransactions',
      '/v1/a/../transactions',
      '/v1\\transactions',
    ]) {
      expect(refused(path, 'POST', {}), path).to.equal(true)
    }
    for (const method of [
      'eth_sendRawTransaction',
      'ETH_SENDRAWTRANSACTION',
      'eth_sendTransaction',
      'eth_signTransaction',
      'personal_sign',
      'personal_unlockAccount',
      'eth_submitWork',
      'eth_sendUserOperation',
      'send',
      'admin_addPeer',
      'debug_setHead',
      'miner_start',
      'engine_newPayloadV3',
    ]) {
      const call = { jsonrpc: '2.0', id: 1, method, params: ['0x'] }
      expect(refused('/', 'POST', call), method).to.equal(true)
      expect(refused('/api/eth-rpc', 'POST', [{ method: 'eth_call' }, call]), method).to.equal(true)
      expect(refused('/', 'POST', { METHOD: method }), method).to.equal(true)
    }
  })

  it('rejects writes to an explorer', () => {
    for (const path of [
      '/api/v2/smart-contracts/0x1/verification/via/flattened-code',
      '/api/v2/smart-contracts/0x1/verif%69cation/via/x',
      '/api/v2/smart-contracts/0x1/audit-reports',
      '/api?module=contract&action=verify&contractSourceCode=x',
      '/api?module=contract&Action=verifysourcecode',
      '/api?action=balance&action=verify',
    ]) {
      for (const method of ['GET', 'POST'] as const) expect(refused(path, method), path).to.equal(true)
    }
  })

  it('accepts a path with invalid percent encoding', () => {
    expect(refused('/v1/%E0%A4%A/transactions', 'POST', {})).to.equal(true)
    expect(refused('/v1/%', 'POST', {})).to.equal(false)
  })
})
