import { expect } from 'chai'
import fc from 'fast-check'
import { clientNetwork } from './client-network.ts'

const v4 = fc.ipV4()
const group = fc.integer({ min: 0, max: 0xffff })

describe('what counts as one client', () => {
  it('is an address of IPv4, also where a socket for both writes it as one of IPv6', () => {
    fc.assert(
      fc.property(v4, (address) => {
        expect(clientNetwork(address)).to.equal(address)
        for (const prefix of ['::ffff:', '::FFFF:']) expect(clientNetwork(`${prefix}${address}`)).to.equal(address)
      }),
    )
  })

  it('is the network of one of IPv6, however it is written', () => {
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

  it('is another for another network', () => {
    expect(clientNetwork('2001:db8:0:1::1')).to.not.equal(clientNetwork('2001:db8:0:2::1'))
    expect(clientNetwork('::1')).to.equal('0:0:0:0::/64')
  })
})
