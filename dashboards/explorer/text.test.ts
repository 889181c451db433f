import { expect } from 'chai'
import { sayName, sumAmounts } from './text.ts'

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
