import { expect } from 'chai'
import fc from 'fast-check'
import { addressAtIndex, addressBytes, addressDigits, addressText, isValidAddress, parseAddress } from './address.ts'
import { coreContracts, feeReceivers } from './core-contracts.ts'
import { chainIdToNetwork, networks } from './network.ts'

describe('addresses', () => {
  it('formats and parses all 8-byte values', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
        const text = addressText(bytes)
        expect(text).to.equal(`0x${Buffer.from(bytes).toString('hex')}`)
        expect(addressDigits(bytes)).to.equal(text.slice(2))
        expect(addressBytes(text)).to.deep.equal(Buffer.from(bytes))
      }),
    )
  })

  it('formats the empty address of a system transaction as the zero address', () => {
    expect(addressText(Buffer.alloc(0))).to.equal('0x0000000000000000')
  })

  it('uses the last 8 bytes of longer values, as the chain does', () => {
    expect(addressText(Buffer.from('ff0102030405060708', 'hex'))).to.equal('0x0102030405060708')
  })

  it('parses common spellings', () => {
    expect(parseAddress('1654653399040A61')).to.equal('0x1654653399040a61')
    expect(parseAddress('0x1')).to.equal('0x0000000000000001')
    for (const text of ['', '0x', '0xg', '12345678901234567', ' 1', '0x0x1'])
      expect(parseAddress(text)).to.equal(undefined)
    expect(() => addressBytes('flow')).to.throw(RangeError)
  })

  it('accepts core contract accounts only on their own network', () => {
    for (const network of networks) {
      for (const address of [...Object.values(coreContracts(network)), ...feeReceivers(network)]) {
        for (const other of networks)
          expect(isValidAddress(address, other), `${address} on ${other}`).to.equal(other === network)
      }
    }
  })

  it('generates the service account and the first contract accounts', () => {
    for (const network of networks) {
      const core = coreContracts(network)
      const first = [1, 2, 3, 4].map((index) => addressAtIndex(index, network).slice(2))
      expect(first).to.deep.equal([core.service, core.fungibleToken, core.flowToken, core.flowFees])
    }
  })

  it('accepts the account of every index and rejects up to six wrong bits', () => {
    const flips = fc.uniqueArray(fc.integer({ min: 0, max: 63 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 45 - 1 }),
        fc.constantFrom(...networks),
        flips,
        (index, network, bits) => {
          const address = addressAtIndex(index, network)
          expect(isValidAddress(address, network)).to.equal(true)
          const wrong = bits.reduce((value, bit) => value ^ (1n << BigInt(bit)), BigInt(address))
          expect(isValidAddress(wrong.toString(16), network)).to.equal(false)
        },
      ),
    )
  })

  it('rejects the zero address', () => {
    for (const network of networks) expect(isValidAddress('0x0', network)).to.equal(false)
  })
})

describe('chainIdToNetwork', () => {
  it('maps the chain ids of the three networks', () => {
    expect(chainIdToNetwork('flow-mainnet')).to.equal('mainnet')
    expect(chainIdToNetwork('flow-testnet')).to.equal('testnet')
    expect(chainIdToNetwork('flow-emulator')).to.equal('emulator')
    expect(chainIdToNetwork('flow-previewnet')).to.equal(undefined)
  })
})
