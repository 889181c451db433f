import { expect } from 'chai'
import {
  amountProblem,
  chainOfAddress,
  erc20Amount,
  erc20Problem,
  erc20Units,
  isAddressOf,
  maxToSend,
  plainAmount,
  readAddress,
} from './amounts.ts'

describe('amounts of FLOW', () => {
  it('are formatted exactly', () => {
    expect([
      plainAmount('1234567.50000000'),
      plainAmount('0.00000001'),
      plainAmount('100.00000000'),
      plainAmount('184467440737.09551615'),
    ]).to.deep.equal(['1,234,567.5', '0.00000001', '100', '184,467,440,737.09551615'])
  })

  it('accept decimal text up to the available balance', () => {
    for (const good of ['1', '0.00000001', '9.99']) expect(amountProblem(good, '10.00000000'), good).to.equal(undefined)
    for (const bad of [
      '',
      '0',
      '0.0',
      '-1',
      '1e3',
      '1,5',
      '.5',
      '1.123456789',
      ' 1',
      '0x1',
      '9.99000001',
      '999999999999',
      '184467440737.09551616',
    ])
      expect(amountProblem(bad, '10.00000000'), bad).to.be.a('string')
    expect(amountProblem('999999999999', undefined)).to.be.a('string')
    expect([maxToSend('10.00000000'), maxToSend('0.00100000')]).to.deep.equal([999_000_000n, 0n])
  })
})

describe('amounts of ERC-20 tokens', () => {
  const all = 2n ** 256n - 1n

  it('follow the decimals of the contract', () => {
    for (const [text, decimals, units] of [
      ['1', 0, 1n],
      ['1.5', 6, 1_500_000n],
      ['0.000000000000000001', 18, 1n],
      ['1', 255, undefined],
      ['0.' + '0'.repeat(254) + '1', 255, 1n],
      ['1.5', 0, undefined],
      ['1.1234567', 6, undefined],
      ['', 6, undefined],
      ['-1', 6, undefined],
      ['1e3', 6, undefined],
      ['.5', 6, undefined],
      [String(all), 0, all],
      [String(all + 1n), 0, undefined],
    ] as const)
      expect(erc20Units(text, decimals), `${text} with ${decimals}`).to.equal(units)
    for (const units of [0n, 1n, 1_500_000n, all])
      for (const decimals of [0, 6, 18, 255]) expect(erc20Units(erc20Amount(units, decimals), decimals)).to.equal(units)
    expect([erc20Amount(1_500_000n, 6), erc20Amount(100n, 0), erc20Amount(2_000_000n, 6)]).to.deep.equal([
      '1.5',
      '100',
      '2',
    ])
  })

  it('are sent up to the balance', () => {
    const token = { decimals: 6, value: 2_500_000n, symbol: 'USDF' }
    expect(erc20Problem('2.5', token)).to.equal(undefined)
    expect(erc20Problem('2.500001', token)).to.equal('You can send at most 2.5 USDF.')
    expect(erc20Problem('0', token)).to.match(/greater than 0/)
    expect(erc20Problem('2.0000001', token)).to.match(/at most 6 decimals/)
  })
})

describe('addresses', () => {
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

  it('detect a changed digit and swapped digits', () => {
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

  it('are read in full length, with or without 0x, in any case', () => {
    expect(
      [' 0xF233DCEE88FE0ABE ', 'f233dcee88fe0abe', '0x1', 'f233dcee88fe0abe0', 'hello'].map(readAddress),
    ).to.deep.equal(['0xf233dcee88fe0abe', '0xf233dcee88fe0abe', undefined, undefined, undefined])
  })
})
