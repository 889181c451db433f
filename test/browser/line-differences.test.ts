import { expect } from 'chai'
import { compareLines } from '../../dashboards/kit/line-differences.ts'

const numbered = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`).join('\n')

describe('line differences of hostile texts', () => {
  it('take bounded time and memory for any text', function () {
    this.timeout(60_000)
    const repeated = (count: number, lineAt: (i: number) => string): string =>
      Array.from({ length: count }, (_, i) => lineAt(i)).join('\n')
    const long = 'x'.repeat(50_000)
    const pairs: readonly (readonly [string, string, string])[] = [
      ['nothing in common', numbered('a', 40_000), numbered('b', 40_000)],
      ['2,000 edits, far apart', numbered('a', 20_000), repeated(20_000, (i) => (i % 20 === 0 ? `b${i}` : `a${i}`))],
      [
        'periods of two and three',
        repeated(20_000, (i) => `${i % 2}`),
        repeated(20_000, (i) => `${i % 3 === 0 ? 0 : 1}`),
      ],
      [
        'the same on a million lines',
        repeated(1_000_000, (i) => `${i % 2}`),
        repeated(1_000_000, (i) => `${i % 3 === 0 ? 0 : 1}`),
      ],
      [
        'few long lines',
        repeated(30, (i) => (i % 2 === 0 ? long : `${i}`)),
        repeated(30, (i) => (i % 3 === 0 ? long : `${-i}`)),
      ],
    ]
    for (const [what, before, after] of pairs) {
      const memory = process.memoryUsage().heapUsed
      const start = process.cpuUsage()
      compareLines(before, after)
      const { user } = process.cpuUsage(start)
      // Measured: at most 40 ms and 20 MB; an unbounded search for 2,000 edits takes 350 ms and 190 MB.
      expect(user / 1000, `CPU time of ${what}, ms`).to.be.below(what.includes('million') ? 1000 : 200)
      expect((process.memoryUsage().heapUsed - memory) / 1e6, `MB for ${what}`).to.be.below(
        what.includes('million') ? 400 : 100,
      )
    }
  })
})
