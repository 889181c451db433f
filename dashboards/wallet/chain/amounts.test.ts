import { expect } from 'chai'
import { amountProblem, mostToSend, plainAmount } from './amounts.ts'

describe('amounts of FLOW', () => {
  it('are written exactly, however large', () => {
    expect([
      plainAmount('1234567.50000000'),
      plainAmount('0.00000001'),
      plainAmount('100.00000000'),
      plainAmount('184467440737.09551615'),
    ]).to.deep.equal(['1,234,567.5', '0.00000001', '100', '184,467,440,737.09551615'])
  })

  it('are taken as decimal texts alone, and up to what an account can give', () => {
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
    expect([mostToSend('10.00000000'), mostToSend('0.00100000')]).to.deep.equal([999_000_000n, 0n])
  })
})
