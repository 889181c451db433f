import { expect } from 'chai'
import { sayName, shorten, sumAmounts } from './text.ts'

describe('names that somebody gave', () => {
  it('are said as they are where they are short and plain, whatever the language', () => {
    for (const name of ['PebbleCoin', 'עברית', 'ภาษาไทย', 'नमस्ते', 'Zoë', '👨‍👩‍👧 club']) expect(sayName(name)).to.equal(name)
  })

  it('are cut, and lose what would reach beyond their place', () => {
    expect(sayName('x'.repeat(10_000))).to.equal(`${'x'.repeat(60)}…`)
    expect(sayName('👨‍👩‍👧'.repeat(70))).to.equal(`${'👨‍👩‍👧'.repeat(60)}…`)
    expect(sayName('\u202Egnp.exe\u202C\n\u0000')).to.equal('gnp.exe')
    expect(sayName(`Z${'\u0300'.repeat(500)}a`)).to.equal(`Z${'\u0300'.repeat(3)}a`)
    expect([sayName(' \u0000 '), sayName('', 'Moss')]).to.deep.equal(['without a name', 'Moss'])
  })
})

describe('sums of amounts', () => {
  it('are exact, whatever their decimals', () => {
    expect(sumAmounts(['0.1', '0.20000000', '9007199254740993'])).to.equal('9007199254740993.30000000')
    expect([sumAmounts([]), sumAmounts(['1', '2']), sumAmounts(['0.00000001'])]).to.deep.equal(['0', '3', '0.00000001'])
  })
})

describe('shortened ids', () => {
  it('keep what tells them apart', () => {
    const ids = ['0xe03daebed8ca0615', '0x000000000000000000000002fd4ffeccbbaa9977', '0x0000000000000000000000030000000000000000']
    expect(ids.map((id) => shorten(id))).to.deep.equal(['0xe03d…0615', '0x0…2fd4…9977', '0x0…3000…0000'])
    expect(['0x0000000000000000', 'short', '0x0000000000000001'].map((id) => shorten(id))).to.deep.equal(['0x0000…0000', 'short', '0x0…1'])
  })
})
