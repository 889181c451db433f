import { expect } from 'chai'
import { multiplyDecimals } from './formats.ts'

describe('products of decimal numbers', () => {
  for (const [left, right, product] of [
    ['0.00000570', '0.3861', '0.00000220077'],
    ['10.00000000', '2', '20'],
    ['0', '12.5', '0'],
    ['-1.5', '0.2', '-0.3'],
    ['184467440737.09551615', '0.00000001', '1844.6744073709551615'],
  ] as const) {
    it(`${left} times ${right} is ${product}`, () => expect(multiplyDecimals(left, right)).to.equal(product))
  }
})
