import { expect } from 'chai'
import fc from 'fast-check'
import { bearerToken, admitBearer, ownerOf, refuseDnsRebinding } from './guards.ts'
import { ApiError } from '../errors.ts'
import type { IncomingMessage } from 'node:http'
import { addressList } from '../limits/clients.ts'

describe('Authorization header token', () => {
  it('follows the scheme, in any case', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9._~+/=-]{1,80}$/),
        fc.constantFrom('Bearer', 'bearer', 'BEARER'),
        fc.nat(3),
        (token, scheme, spaces) => {
          expect(bearerToken(`${scheme} ${' '.repeat(spaces)}${token}${' '.repeat(spaces)}`)).to.equal(token)
        },
      ),
    )
  })

  it('is missing for another scheme, no token, or two tokens', () => {
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'xBearer a', 'Bearera'])
      expect(bearerToken(header), String(header)).to.equal(undefined)
  })
})

describe('query service token', () => {
  it('is not required if none is configured', () => {
    expect(admitBearer('', undefined)).to.equal(ownerOf(undefined))
    expect(admitBearer('Bearer whatever', undefined)).to.equal(ownerOf(undefined))
  })

  it('authenticates in any case of the scheme, with a separate history per token', () => {
    const owner = admitBearer('Bearer right', 'right')
    expect(admitBearer('bearer  right ', 'right')).to.equal(owner)
    expect(admitBearer('Bearer other', 'other')).not.to.equal(owner)
    expect(owner).not.to.include('right')
  })

  for (const [header, code] of [
    ['', 'missing-token'],
    ['right', 'missing-token'],
    ['Basic right', 'missing-token'],
    ['Bearer', 'missing-token'],
    ['Bearer wrong', 'wrong-token'],
    ['Bearer righ', 'wrong-token'],
    ['Bearer right2', 'wrong-token'],
    ['Bearer RIGHT', 'wrong-token'],
  ] as const) {
    it(`rejects "${header}"`, () => {
      expect(() => admitBearer(header, 'right'))
        .to.throw(ApiError)
        .that.includes({ status: 401, code })
    })
  }
})

function request(
  host: string | undefined,
  {
    remoteAddress = '127.0.0.1',
    localAddress = '127.0.0.1',
    via,
    httpVersion = '1.1',
  }: { remoteAddress?: string; localAddress?: string; via?: string; httpVersion?: string } = {},
): IncomingMessage {
  return { headers: { host, via }, httpVersion, socket: { remoteAddress, localAddress } } as unknown as IncomingMessage
}

describe('DNS rebinding protection', () => {
  it('rejects foreign host names from the local machine, for each of its addresses', () => {
    for (const at of [
      {},
      { remoteAddress: '::ffff:127.0.0.1' },
      { remoteAddress: '::1', localAddress: '::1' },
      { remoteAddress: '192.168.1.5', localAddress: '192.168.1.5' },
    ]) {
      expect(() => refuseDnsRebinding(request('rebound.example:3002', at), 'localhost'), JSON.stringify(at)).to.throw(
        /Host rebound.example is not a name/,
      )
    }
  })

  it('accepts own names, bare host names, trusted proxies, and other machines', () => {
    refuseDnsRebinding(request('LSP.example:3002'), ['0.0.0.0', 'lsp.example'])
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:1', 'machine', undefined])
      refuseDnsRebinding(request(host), '0.0.0.0')
    refuseDnsRebinding(request('rebound.example'), '0.0.0.0', addressList(['127.0.0.1']))
    refuseDnsRebinding(request('rebound.example', { via: '1.1 gate' }), '0.0.0.0')
    refuseDnsRebinding(request('rebound.example', { httpVersion: '1.0' }), '0.0.0.0')
    refuseDnsRebinding(
      request('rebound.example', { remoteAddress: '192.168.1.6', localAddress: '192.168.1.5' }),
      '0.0.0.0',
    )
  })
})
