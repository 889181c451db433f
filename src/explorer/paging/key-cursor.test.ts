import { expect } from 'chai'
import { keyCursor, keyParts } from './pages.ts'

const cursor = keyCursor({ amount: keyParts.amount, address: keyParts.evmAddress })
const address = `0x${'a1'.repeat(20)}`

describe('keyCursor', () => {
  it('round-trips keys', () => {
    for (const amount of ['0', '500.00000000', '-3', '1'.repeat(78)]) {
      const text = cursor.format({ amount, address })
      expect(cursor.parameter.parse(text)).to.equal(text)
      expect(cursor.parse(text)).to.deep.equal({ amount, address })
    }
    expect(keyCursor({ height: keyParts.height }).format({ height: 7 })).to.equal('7')
  })

  it('treats an empty cursor as the first page', () => {
    expect(cursor.parameter.parse('')).to.equal('')
    expect(cursor.parse('')).to.equal(undefined)
    expect(cursor.parse(undefined)).to.equal(undefined)
  })

  it('rejects incomplete keys', () => {
    for (const text of [
      '5',
      `5:${address}:`,
      `:${address}`,
      `5:${address.toUpperCase()}`,
      `5:${address}0`,
      `5.:${address}`,
      `1e5:${address}`,
      `NaN:${address}`,
      `${'1'.repeat(79)}:${address}`,
      `5:${address}\n`,
      ` 5:${address}`,
    ]) {
      expect(cursor.parameter.safeParse(text).success, text).to.equal(false)
    }
  })
})
