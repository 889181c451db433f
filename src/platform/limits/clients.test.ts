import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { addressList, clientReader, isListed, clientNetwork } from './clients.ts'
import fc from 'fast-check'

const request = (remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

const proxies = addressList(['10.0.0.0/8', '2001:db8::/32', '127.0.0.1'])
const clientOf = clientReader(proxies)

describe('client address', () => {
  const cases: readonly (readonly [what: string, remote: string, forwarded: string | undefined, address: string])[] = [
    ['is the other end of the socket', '203.0.113.5', undefined, '203.0.113.5'],
    ['is IPv4 where it is IPv4 in IPv6', '::ffff:203.0.113.5', undefined, '203.0.113.5'],
    ['is not taken from headers of clients that are not proxies', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['is what our proxy saw', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'is what our proxy saw, whatever the client wrote before',
      '10.0.0.1',
      '1.1.1.1, 127.0.0.1,198.51.100.1',
      '198.51.100.1',
    ],
    ['is seen through several proxies', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.2.0.1, 2001:db8::7', '198.51.100.1'],
    ['is the last proxy when all are', '10.0.0.1', '10.0.0.9, 10.0.0.3', '10.0.0.9'],
    ['is that of the proxy where it says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['is that of the proxy where it says nonsense', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['is read with a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['is read with a port, IPv6', '10.0.0.1', '[2001:470::1]:4711', '2001:470::1'],
    ['is read from IPv4 in IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
  ]
  for (const [what, remote, forwarded, address] of cases) {
    it(what, () => {
      expect(
        clientOf(request(remote, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })).address,
      ).to.equal(address)
    })
  }

  it('is local only without a proxy', () => {
    expect(clientOf(request('127.0.0.1')).isLocal).to.equal(true)
    expect(clientOf(request('::1')).isLocal).to.equal(true)
    expect(clientOf(request('::ffff:127.0.0.2')).isLocal).to.equal(true)
    expect(clientOf(request('203.0.113.5')).isLocal).to.equal(false)
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      expect(clientOf(request('127.0.0.1', { [header]: '127.0.0.1' })).isLocal, header).to.equal(false)
    }
  })
})

describe('address list', () => {
  it('contains addresses and networks', () => {
    expect(isListed(proxies, '10.255.0.1')).to.equal(true)
    expect(isListed(proxies, '11.0.0.1')).to.equal(false)
    expect(isListed(proxies, '2001:db8:1::1')).to.equal(true)
    expect(isListed(proxies, 'no address')).to.equal(false)
    expect(isListed(addressList([]), '10.0.0.1')).to.equal(false)
  })
})

const v4 = fc.ipV4()
const group = fc.integer({ min: 0, max: 0xffff })

describe('client identity', () => {
  it('is the IPv4 address, even in IPv4-mapped IPv6 form', () => {
    fc.assert(
      fc.property(v4, (address) => {
        expect(clientNetwork(address)).to.equal(address)
        for (const prefix of ['::ffff:', '::FFFF:']) expect(clientNetwork(`${prefix}${address}`)).to.equal(address)
      }),
    )
  })

  it('is the IPv6 network, in any notation', () => {
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 8, maxLength: 8 }),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (groups, others) => {
          const hex = groups.map((one) => one.toString(16))
          const network = clientNetwork(hex.join(':'))
          expect(network).to.equal(`${hex.slice(0, 4).join(':')}::/64`)
          expect(clientNetwork(hex.map((one) => one.padStart(4, '0').toUpperCase()).join(':'))).to.equal(network)
          expect(clientNetwork([...hex.slice(0, 4), ...others.map((one) => one.toString(16))].join(':'))).to.equal(
            network,
          )
          expect(clientNetwork(`${hex.slice(0, 7).join(':')}::`)).to.equal(network)
          expect(clientNetwork(`fe80::${hex[7]}%eth0`)).to.equal('fe80:0:0:0::/64')
        },
      ),
    )
  })

  it('differs between networks', () => {
    expect(clientNetwork('2001:db8:0:1::1')).to.not.equal(clientNetwork('2001:db8:0:2::1'))
    expect(clientNetwork('::1')).to.equal('0:0:0:0::/64')
  })
})
