import { expect } from 'chai'
import {
  truncateAmount,
  formatAmount,
  formatDollars,
  formatEvmAmount,
  formatFraction,
  initialOf,
  negated,
  sanitizeName,
  shorten,
  sumAmounts,
} from './text.ts'

describe('untrusted names', () => {
  it('are unchanged if short and plain, in any language', () => {
    for (const name of ['PebbleCoin', 'עברית', 'ภาษาไทย', 'नमस्ते', 'Zoë', '👨‍👩‍👧 club'])
      expect(sanitizeName(name)).to.equal(name)
  })

  it('are truncated and lose invisible characters', () => {
    expect(sanitizeName('x'.repeat(10_000))).to.equal(`${'x'.repeat(60)}…`)
    expect(sanitizeName('👨‍👩‍👧'.repeat(70))).to.equal(`${'👨‍👩‍👧'.repeat(60)}…`)
    expect(sanitizeName('\u202Egnp.exe\u202C\n\u0000')).to.equal('gnp.exe')
    expect(sanitizeName(`Z${'\u0300'.repeat(500)}a`)).to.equal(`Z${'\u0300'.repeat(3)}a`)
    expect([sanitizeName(' \u0000 '), sanitizeName('', 'Moss')]).to.deep.equal(['Unnamed', 'Moss'])
  })
})

describe('sums of amounts', () => {
  it('are exact for any number of decimals', () => {
    expect(sumAmounts(['0.1', '0.20000000', '9007199254740993'])).to.equal('9007199254740993.30000000')
    expect(sumAmounts(['0.5', negated('0.75'), '-2', negated('-1')])).to.equal('-1.25')
    expect([sumAmounts([]), sumAmounts(['1', '2']), sumAmounts(['0.00000001'])]).to.deep.equal(['0', '3', '0.00000001'])
  })
})

describe('amounts of EVM tokens', () => {
  it('are whole tokens where the decimals are known', () => {
    expect(formatEvmAmount('1500000000000000000', { type: 'ERC-20', decimals: 18 }, 'WFLOW')).to.equal('1.5 WFLOW')
    expect(formatEvmAmount('1500', { type: 'ERC-20', decimals: 0 }, 'POINTS')).to.equal('1,500 POINTS')
  })

  it('are labelled as raw units where they are not', () => {
    expect(formatEvmAmount('1000000', { type: 'ERC-20', decimals: null }, 'USDF')).to.equal(
      '1,000,000 raw units of USDF',
    )
    expect(formatEvmAmount('1', { type: 'ERC-20', decimals: null }, '')).to.equal('1 raw unit')
  })

  it('are counts for NFTs, regardless of the decimals', () => {
    expect(formatEvmAmount('3', { type: 'ERC-721', decimals: null }, 'BOATS')).to.equal('3 BOATS')
    expect(formatEvmAmount('1200', { type: 'ERC-1155', decimals: 18 }, '')).to.equal('1,200')
  })
})

describe('dollars', () => {
  it('have cents, and two significant digits below one dollar', () => {
    expect(['0', '0.00', '1234.5', '0.34', '0.00012345', '0.000000123', '0.00000001'].map(formatDollars)).to.deep.equal(
      ['$0', '$0', '$1,234.50', '$0.34', '$0.00012', '$0.00000012', '<$0.0000001'],
    )
  })

  it('are rounded exactly, with the sign first', () => {
    expect(
      ['9007199254740993.125', '-1234.5', '0.996', '-0.5', '0.00995', '999.995', 'n/a'].map(formatDollars),
    ).to.deep.equal(['$9,007,199,254,740,993.13', '-$1,234.50', '$1', '-$0.5', '$0.01', '$1,000.00', 'n/a'])
  })
})

describe('shortened ids', () => {
  it('keep their distinctive digits', () => {
    const ids = [
      '0xe03daebed8ca0615',
      '0x000000000000000000000002fd4ffeccbbaa9977',
      '0x0000000000000000000000030000000000000000',
    ]
    expect(ids.map((id) => shorten(id))).to.deep.equal(['0xe03d…0615', '0x0…2fd4…9977', '0x0…3000…0000'])
    expect(['0x0000000000000000', 'short', '0x0000000000000001'].map((id) => shorten(id))).to.deep.equal([
      '0x0000…0000',
      'short',
      '0x0…1',
    ])
  })
})

describe('amounts and shares', () => {
  it('have thousands separators; other text is unchanged', () => {
    const amounts = ['4000.00500000', '-1234567', '0.00000001', '12.', '', 'NaN', '1e9']
    expect(amounts.map(formatAmount)).to.deep.equal(['4,000.005', '-1,234,567', '0.00000001', '12.', '', 'NaN', '1e9'])
  })

  it('are truncated, except below one', () => {
    const cut = ['1234.56789', '2136830.99', '7', '-1.999', '0.00000005', '999999999999999999999.999'].map((amount) =>
      truncateAmount(amount, 2),
    )
    expect(cut).to.deep.equal(['1234.56', '2136830.99', '7', '-1.99', '0.00000005', '999999999999999999999.99'])
    expect(truncateAmount('2136830.13345678', 0)).to.equal('2136830')
  })

  it('are 100% only for all and 0% only for none', () => {
    const parts = [0, 0.00000599, 0.0001, 1 / 6, 0.29, 0.5, 0.999968, 1]
    expect(parts.map(formatFraction)).to.deep.equal(['0%', '<0.01%', '0.01%', '16.66%', '29%', '50%', '99.99%', '100%'])
  })
})

describe('initials', () => {
  it('are one letter for any name', () => {
    expect(['pebble', '\u202E\u0000', '👨‍👩‍👧 club', ''].map(initialOf)).to.deep.equal(['P', '?', '👨‍👩‍👧', '?'])
  })
})
