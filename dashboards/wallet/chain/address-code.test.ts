import { expect } from 'chai'
import { chainOfAddress, isAddressOf, readAddress } from './address-code.ts'

describe('addresses that money is sent to', () => {
  it('belong to one chain each', () => {
    expect(
      [
        '0xf233dcee88fe0abe',
        '0x9a0766d93b6608b7',
        '0xee82856bf20e2aa6',
        '0x1d7e57aa55817448',
        '0x0000000000000001',
      ].map(chainOfAddress),
    ).to.deep.equal(['mainnet', 'testnet', 'emulator', 'mainnet', undefined])
  })

  it('are none with any one digit changed, or two of them swapped', () => {
    const digits = '1654653399040a61'
    for (let at = 0; at < 16; at++) {
      for (const other of '0123456789abcdef') {
        if (other !== digits[at])
          expect(
            isAddressOf(`0x${digits.slice(0, at)}${other}${digits.slice(at + 1)}`, 'mainnet'),
            `${at} ${other}`,
          ).to.equal(false)
      }
      const [one = '', two = ''] = [digits[at], digits[at + 1]]
      if (at < 15 && one !== two)
        expect(
          isAddressOf(`0x${digits.slice(0, at)}${two}${one}${digits.slice(at + 2)}`, 'mainnet'),
          `swap ${at}`,
        ).to.equal(false)
    }
  })

  it('are read with and without 0x, in any case, and whole', () => {
    expect(
      [' 0xF233DCEE88FE0ABE ', 'f233dcee88fe0abe', '0x1', 'f233dcee88fe0abe0', 'hello'].map(readAddress),
    ).to.deep.equal(['0xf233dcee88fe0abe', '0xf233dcee88fe0abe', undefined, undefined, undefined])
  })
})
