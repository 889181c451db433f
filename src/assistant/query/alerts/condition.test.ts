import { expect } from 'chai'
import fc from 'fast-check'
import { compareDecimals, fires, readCondition, UnsuitableValue } from './condition.ts'
import type { AlertCondition, LastReading } from './condition.ts'

const never: LastReading = { isMet: null, value: null, firedAt: null }
const hour = 3_600_000
const at = (ms: number): Date => new Date(ms)

describe('the condition of an alert', () => {
  it('compares decimals exactly', () => {
    const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), fc.nat(30))
    const textOf = ([digits, places]: readonly [bigint, number]): string => {
      const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0')
      const point = text.length - places
      return `${digits < 0n ? '-' : ''}${text.slice(0, point)}${places === 0 ? '' : `.${text.slice(point)}`}`
    }
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [left, right] = [a[0] * 10n ** BigInt(b[1]), b[0] * 10n ** BigInt(a[1])]
        expect(compareDecimals(textOf(a), textOf(b))).to.equal(left < right ? -1 : left > right ? 1 : 0)
      }),
    )
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
        expect(compareDecimals(String(a), String(b))).to.equal(Math.sign(a === b ? 0 : a - b))
      }),
    )
  })

  it('needs a number to compare, and a value that can be stored', () => {
    const above: AlertCondition = { kind: 'compare', operator: '>', number: '5' }
    for (const value of ['abc', '', 'NaN', '1e9999', '0x10', ' 7', true, { a: 1 }, '1'.repeat(1001)])
      expect(() => readCondition(above, [[value]], never), JSON.stringify(value)).to.throw(UnsuitableValue)
    expect(() => readCondition({ kind: 'changed' }, [['x'.repeat(1001)]], never)).to.throw('limit 1000')
    expect(readCondition({ kind: 'rows' }, [['x'.repeat(1001)]], never).value).to.have.length(1000)
    expect(readCondition(above, [['9'.repeat(1000)]], never).isMet).to.equal(true)
    expect(readCondition(above, [], never)).to.deep.equal({ isMet: false, value: null })
    expect(readCondition(above, [[null]], never).isMet).to.equal(false)
  })

  it('reports each change of a value, and nothing at the first run', () => {
    const value = fc.option(fc.constantFrom('1', '2', '3'))
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        let last = never
        let fired = 0
        for (const each of values) {
          const reading = readCondition({ kind: 'changed' }, each === null ? [] : [[each]], last)
          const isFiring = fires({ kind: 'changed' }, reading, last, { now: at(0), repeatHours: null })
          if (isFiring) fired++
          last = { ...reading, firedAt: isFiring ? at(0) : last.firedAt }
        }
        expect(fired).to.equal(values.filter((each, i) => i > 0 && each !== values[i - 1]).length)
      }),
    )
  })

  it('fires when it becomes true, and repeats after the given hours only', () => {
    const history = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 3 * hour })), { minLength: 1 })
    fc.assert(
      fc.property(history, fc.option(fc.integer({ min: 1, max: 4 })), (runs, repeatHours) => {
        let [last, now, wasMet, firedAt] = [never, 0, false, Number.NEGATIVE_INFINITY]
        for (const [isMet, wait] of runs) {
          now += wait
          const reading = readCondition({ kind: 'rows' }, isMet ? [['1']] : [], last)
          const isFiring = fires({ kind: 'rows' }, reading, last, { now: at(now), repeatHours })
          const isDue = repeatHours !== null && now - firedAt >= repeatHours * hour
          expect(isFiring).to.equal(isMet && (!wasMet || isDue))
          if (isFiring) firedAt = now
          wasMet = isMet
          last = { ...reading, firedAt: Number.isFinite(firedAt) ? at(firedAt) : null }
        }
      }),
    )
  })
})
