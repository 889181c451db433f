import { expect } from 'chai'
import { cellText, isNumberType, isTimeType, escapeInvisible, safeCell, toCsv, toTabSeparated } from './result-table.ts'
import type { ResultTable } from './result-table.ts'

describe('the text of a cell', () => {
  it('is the value with all digits', () => {
    expect(cellText('12345678901234567890.00000001')).to.equal('12345678901234567890.00000001')
    expect(cellText(0)).to.equal('0')
    expect(cellText(false)).to.equal('false')
    expect(cellText(null)).to.equal('')
  })

  it('is JSON for a nested value', () => {
    expect(cellText({ a: ['1', null] })).to.equal('{"a":["1",null]}')
  })
})

describe('escapeInvisible', () => {
  it('escapes invisible characters', () => {
    expect(escapeInvisible('Flow\u202Enekot\u200B\u0000')).to.equal('Flow⟨U+202E⟩nekot⟨U+200B⟩⟨U+0000⟩')
    expect(escapeInvisible('a\u{E0041}b')).to.equal('a⟨U+E0041⟩b')
  })

  it('keeps other text in all languages', () => {
    for (const text of ['two\nlines\tand a tab', '过去24小时', 'שלום', '👩‍🌾 é'])
      expect(escapeInvisible(text)).to.equal(text)
  })
})

describe('types of PostgreSQL', () => {
  it('are classified as numbers and times', () => {
    expect(['int8', 'numeric', 'text', 'bytea', '_int4'].map(isNumberType)).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
    ])
    expect(['date', 'timestamptz', 'time', 'text'].map(isTimeType)).to.deep.equal([true, true, false, false])
  })
})

const table = (names: readonly string[], rows: ResultTable['rows']): ResultTable => ({
  columns: names.map((name) => ({ name, type: 'text', isNumber: false })),
  rows,
})

describe('a cell for a spreadsheet', () => {
  it('is never a formula', () => {
    const hostile = [
      '=1+1',
      '+cmd|x',
      '-2+3',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '\n=1',
      ' =1',
      '＝1',
      '＋1',
      '－x',
      '＠x',
      '|x',
      '%x',
      '\u0000=1',
      '\uFEFF=1',
      '\u00A0=1',
    ]
    for (const text of hostile) expect(safeCell(text), JSON.stringify(text)).to.equal(`'${text}`)
  })

  it('is the exact number', () => {
    for (const text of ['-5', '+7', '-0.00000001', '1e21', '-12345678901234567890'])
      expect(safeCell(text)).to.equal(text)
    expect(safeCell(-5)).to.equal('-5')
    expect(safeCell('a=1')).to.equal('a=1')
    expect(safeCell('0x1654653399040a61')).to.equal('0x1654653399040a61')
  })
})

describe('a table as CSV', () => {
  it('quotes commas, quotation marks and line breaks', () => {
    expect(
      toCsv(
        table(
          ['a', 'b,c'],
          [
            ['say "hi"', null],
            ['two\nlines', { x: 1 }],
          ],
        ),
      ),
    ).to.equal('\uFEFFa,"b,c"\r\n"say ""hi""",\r\n"two\nlines","{""x"":1}"\r\n')
  })

  it('distinguishes an empty string from null', () => {
    expect(toCsv(table(['a', 'b'], [['', null]]))).to.equal('\uFEFFa,b\r\n"",\r\n')
  })

  it('has column names without rows, and escapes them', () => {
    expect(toCsv(table(['=a', 'b'], []))).to.equal("\uFEFF'=a,b\r\n")
  })
})

describe('a table for the clipboard', () => {
  it('has a tab between cells and none within', () => {
    expect(
      toTabSeparated(
        table(
          ['a', 'b'],
          [
            ['x\ty', '=1'],
            [null, 'z\r\nw'],
          ],
        ),
      ),
    ).to.equal("a\tb\nx y\t'=1\n\tz w")
  })
})
