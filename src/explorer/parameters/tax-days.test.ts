import { expect } from 'chai'
import { ApiError } from '../../platform/errors.ts'
import { resolveTaxDays } from '../accounts/tax-report.ts'

const newest = '2025-07-01T12:00:00.000Z'

describe('resolveTaxDays', () => {
  it('returns the requested days', () => {
    expect(resolveTaxDays({ start_date: '2025-01-01', end_date: '2025-01-01' }, newest)).to.deep.equal({
      from: '2025-01-01',
      to: '2025-01-01',
    })
    expect(resolveTaxDays({ start_date: '2024-01-01', end_date: '2024-12-31' }, undefined)).to.deep.equal({
      from: '2024-01-01',
      to: '2024-12-31',
    })
  })

  it('defaults to a year', () => {
    expect(resolveTaxDays({}, newest)).to.deep.equal({ from: '2024-07-01', to: '2025-07-01' })
    expect(resolveTaxDays({ end_date: '2024-12-31' }, newest)).to.deep.equal({ from: '2024-01-01', to: '2024-12-31' })
    expect(resolveTaxDays({ start_date: '2024-01-01' }, newest)).to.deep.equal({ from: '2024-01-01', to: '2024-12-31' })
    expect(resolveTaxDays({}, undefined)).to.equal(undefined)
  })

  it('allows longer periods only if the report does', () => {
    const years = { start_date: '2018-01-01', end_date: '2025-12-31' }
    expect(resolveTaxDays(years, newest, Infinity)).to.deep.equal({ from: '2018-01-01', to: '2025-12-31' })
    expect(() => resolveTaxDays(years, newest)).to.throw(ApiError, /format=csv/)
    expect(() => resolveTaxDays({ start_date: '2025-01-02', end_date: '2025-01-01' }, newest, Infinity)).to.throw(
      ApiError,
    )
    expect(resolveTaxDays({}, newest, Infinity)).to.deep.equal({ from: '2024-07-01', to: '2025-07-01' })
  })

  it('stays within four-digit years', () => {
    expect(resolveTaxDays({ start_date: '9999-12-30' }, newest)).to.deep.equal({ from: '9999-12-30', to: '9999-12-31' })
    expect(resolveTaxDays({ end_date: '0001-01-02' }, newest)).to.deep.equal({ from: '0001-01-01', to: '0001-01-02' })
  })

  for (const [start, end] of [
    ['2025-01-02', '2025-01-01'],
    ['2024-01-01', '2025-01-01'],
  ] as const) {
    it(`rejects ${start} to ${end}`, () => {
      expect(() => resolveTaxDays({ start_date: start, end_date: end }, newest))
        .to.throw(ApiError)
        .with.property('field', 'end_date')
    })
  }
})
