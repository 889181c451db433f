import { expect } from 'chai'
import fc from 'fast-check'
import { addressAtIndex, addressBytes, addressDigits, addressText, isValidAddress, parseAddress } from './address.ts'
import { coreContracts, feeReceivers } from './core-contracts.ts'
import { chainIdToNetwork, networks } from './network.ts'

describe('addresses', () => {
  it('writes and reads all 8-byte values', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
        const text = addressText(bytes)
        expect(text).to.equal(`0x${Buffer.from(bytes).toString('hex')}`)
        expect(addressDigits(bytes)).to.equal(text.slice(2))
        expect(addressBytes(text)).to.deep.equal(Buffer.from(bytes))
      }),
    )
  })

  it('gives a system transaction’s empty address as the zero address', () => {
    expect(addressText(Buffer.alloc(0))).to.equal('0x0000000000000000')
  })

  it('is that of the last 8 bytes of longer ones, as on the chain', () => {
    expect(addressText(Buffer.from('ff0102030405060708', 'hex'))).to.equal('0x0102030405060708')
  })

  it('reads what people write', () => {
    expect(parseAddress('1654653399040A61')).to.equal('0x1654653399040a61')
    expect(parseAddress('0x1')).to.equal('0x0000000000000001')
    for (const text of ['', '0x', '0xg', '12345678901234567', ' 1', '0x0x1'])
      expect(parseAddress(text)).to.equal(undefined)
    expect(() => addressBytes('flow')).to.throw(RangeError)
  })

  it('knows the core contract accounts as valid on their network and on no other', () => {
    for (const network of networks) {
      for (const address of [...Object.values(coreContracts(network)), ...feeReceivers(network)]) {
        for (const other of networks)
          expect(isValidAddress(address, other), `${address} on ${other}`).to.equal(other === network)
      }
    }
  })

  it('makes the service account and the first contract accounts', () => {
    for (const network of networks) {
      const core = coreContracts(network)
      const first = [1, 2, 3, 4].map((index) => addressAtIndex(index, network).slice(2))
      expect(first).to.deep.equal([core.service, core.fungibleToken, core.flowToken, core.flowFees])
    }
  })

  it('accepts the account of every index and refuses it when up to six bits are wrong', () => {
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

  it('refuses the zero address', () => {
    for (const network of networks) expect(isValidAddress('0x0', network)).to.equal(false)
  })
})

describe('chainIdToNetwork', () => {
  it('knows the chains of the three networks', () => {
    expect(chainIdToNetwork('flow-mainnet')).to.equal('mainnet')
    expect(chainIdToNetwork('flow-testnet')).to.equal('testnet')
    expect(chainIdToNetwork('flow-emulator')).to.equal('emulator')
    expect(chainIdToNetwork('flow-previewnet')).to.equal(undefined)
  })
})
