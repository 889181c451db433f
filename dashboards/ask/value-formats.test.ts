import { expect } from 'chai'
import { formatValue } from './value-formats.ts'

describe('formats of values', () => {
  it('separate thousands of amounts exactly, but not of names', () => {
    expect(formatValue('amount', 'numeric', '-12345678901234567890.50000000', true)).to.equal(
      '-12,345,678,901,234,567,890.50000000',
    )
    expect(formatValue('height', 'int8', '137390146', true)).to.equal('137390146')
    expect(formatValue('amount', 'numeric', '1234')).to.equal('1234')
    expect(formatValue('amount', 'numeric', 'NaN', true)).to.equal('NaN')
  })

  it('add the unit of percentages', () => {
    expect(formatValue('failed_percent', 'numeric', '12.5')).to.equal('12.5%')
    expect(formatValue('percent', 'text', '12.5')).to.equal('12.5')
  })

  it('show times without the marks of ISO 8601, with all digits that are not zero', () => {
    expect(formatValue('at', 'timestamptz', '2026-11-20T09:14:03.512Z')).to.equal('2026-11-20 09:14:03.512')
    expect(formatValue('at', 'timestamp', '2026-11-20T09:14:00.000Z')).to.equal('2026-11-20 09:14:00')
    expect(formatValue('at', 'timestamptz', '2026-11-20T09:14:00Z')).to.equal('2026-11-20 09:14:00')
    expect(formatValue('at', 'timestamptz', 'infinity')).to.equal('infinity')
    expect(formatValue('at', 'text', '2026-11-20T09:14:00Z')).to.equal('2026-11-20T09:14:00Z')
  })
})
