import { expect } from 'chai'
import fc from 'fast-check'
import { readChart } from '../tools/create-chart.ts'
import { chartOf } from './chart-of.ts'
import type { ResultTable } from './result-table.ts'

function table(rows: ResultTable['rows'], isCut = false): ResultTable {
  return { columns: Object.keys(rows[0] ?? {}), rows, isCut }
}

const title = 'A chart'
const chart = (rows: ResultTable['rows'], { isShares = false, isCut = false } = {}): ReturnType<typeof chartOf> =>
  chartOf(table(rows, isCut), { title, isShares })

describe('chart selection for rows', () => {
  it('selects a line chart for numbers of one magnitude over time, oldest first', () => {
    expect(
      chart([
        { day: '2026-11-03', tx_count: '300', failed: 10, gas_used: '9000000', fees: '0.01' },
        { day: '2026-11-02', tx_count: '200', failed: null, gas_used: '1', fees: '0.02' },
        { day: '2026-11-01', tx_count: '100', failed: 1, gas_used: '2', fees: '0.03' },
      ]),
    ).to.deep.equal({
      chartType: 'line',
      title,
      labels: ['2026-11-01', '2026-11-02', '2026-11-03'],
      datasets: [
        { label: 'tx count', data: [100, 200, 300] },
        { label: 'failed', data: [1, 0, 10] },
      ],
    })
  })

  it('selects a bar chart for one number over time, with minutes unless the times are days', () => {
    expect(
      chart([
        { day: '2026-11-02T00:00:00Z', n: 2 },
        { day: '2026-11-01T00:00:00.000Z', n: 1 },
      ]),
    ).to.deep.include({
      chartType: 'bar',
      labels: ['2026-11-01', '2026-11-02'],
      datasets: [{ label: 'n', data: [1, 2] }],
    })
    expect(
      chart([
        { at: '2026-11-02T10:30:59Z', n: 2 },
        { at: '2026-11-02T10:29:00Z', n: 1 },
      ]),
    ).to.deep.include({ labels: ['2026-11-02 10:29', '2026-11-02 10:30'] })
  })

  it('selects a pie chart for few shares and a doughnut chart for more, with every share', () => {
    const shares = (count: number): ResultTable['rows'] =>
      Array.from({ length: count }, (_, i) => ({ status: `s${i % 3}`, priority: `p${i}`, scheduled: String(i + 1) }))
    expect(chart(shares(4), { isShares: true })).to.deep.include({ chartType: 'pie', labels: ['p0', 'p1', 'p2', 'p3'] })
    expect(chart(shares(8), { isShares: true })).to.deep.include({
      chartType: 'doughnut',
      datasets: [{ label: 'scheduled', data: [1, 2, 3, 4, 5, 6, 7, 8] }],
    })
    expect(chart(shares(9), { isShares: true })).to.include({ chartType: 'horizontalBar' })
    expect(chart(shares(4), { isShares: true, isCut: true })).to.include({ chartType: 'bar' })
    expect(
      chart(
        [
          { name: 'a', n: -1 },
          { name: 'b', n: 1 },
        ],
        { isShares: true },
      ),
    ).to.include({ chartType: 'bar' })
    expect(
      chart(
        [
          { name: 'a', n: 0 },
          { name: 'b', n: 0 },
        ],
        { isShares: true },
      ),
    ).to.include({ chartType: 'bar' })
  })

  it('selects vertical bars for short names, and horizontal bars for long or many names, limited to the first rows', () => {
    expect(
      chart([
        { token: 'A.0ae53cb6e3f42a79.FlowToken', symbol: 'FLOW', holder_count: '5' },
        { token: 'A.e2f72218abeec2b9.FiatToken', symbol: 'USDC', holder_count: '3' },
      ]),
    ).to.deep.include({
      chartType: 'bar',
      labels: ['FLOW', 'USDC'],
      datasets: [{ label: 'holder count', data: [5, 3] }],
    })
    const many = chart(
      Array.from({ length: 20 }, (_, i) => ({ address: `0x${String(i).padStart(16, '0')}`, height: i, n: 20 - i })),
    )
    expect(many).to.deep.include({ chartType: 'horizontalBar' })
    expect(many?.labels).to.have.length(12)
    expect(many?.datasets[0]?.label).to.equal('n')
  })

  it('labels rows with the shortest distinct names', () => {
    const labels = (rows: ResultTable['rows']): readonly string[] | undefined => chart(rows)?.labels
    expect(
      labels([
        { contract: 'A.0ae53cb6e3f42a79.FlowToken', n: 1 },
        { contract: 'A.e2f72218abeec2b9.EVM', n: 2 },
      ]),
    ).to.deep.equal(['FlowToken', 'EVM'])
    expect(
      labels([
        { contract: 'A.0ae53cb6e3f42a79.Same', n: 1 },
        { contract: 'A.e2f72218abeec2b9.Same', n: 2 },
        { contract: 'A.e2f72218abeec2b9.Own', n: 3 },
      ]),
    ).to.deep.equal(['A.0ae53cb6e3f42a79.Same', 'A.e2f72218abeec2b9.Same', 'Own'])
    expect(
      labels([
        { status: 'failed', priority: 'high', n: 1 },
        { status: 'failed', priority: 'low', n: 2 },
        { status: 'done', priority: 'low', n: 2 },
      ]),
    ).to.deep.equal(['failed, high', 'failed, low', 'done, low'])
    expect(
      labels([
        { token: 'a', symbol: null, n: 1 },
        { token: 'b', symbol: 'B', n: 2 },
      ]),
    ).to.deep.equal(['a', 'b'])
    expect(
      labels([
        { node_id: '83277d4841730d1d', n: 1 },
        { node_id: 'dee1b715ae130058', n: 2 },
      ]),
    ).to.deep.equal(['83277d4841…', 'dee1b715ae…'])
    expect(
      labels([
        { epoch: '15', total: '1' },
        { epoch: '14', total: '2' },
      ]),
    ).to.deep.equal(['15', '14'])
  })

  it('returns no chart for rows that cannot be plotted', () => {
    for (const rows of [
      [],
      [{ n: 1 }],
      [
        { a: 'x', b: 'y' },
        { a: 'z', b: 'w' },
      ],
      [
        { a: 'x', n: 1 },
        { a: 'x', n: 2 },
      ],
      [
        { day: '2026-11-01', n: 1 },
        { day: '2026-11-01', n: 2 },
      ],
    ]) {
      expect(chart(rows), JSON.stringify(rows)).to.equal(undefined)
    }
  })

  it('returns a chart that createChart accepts for any rows', () => {
    const value = fc.oneof(
      fc.constantFrom('2026-11-01', '2026-11-02', '12', '-3.5', 'A.0ae53cb6e3f42a79.X', ''),
      fc.string(),
      fc.double(),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
    )
    const rows = fc.array(fc.record({ day: value, name: value, n: value, __proto__: value }), { maxLength: 250 })
    fc.assert(
      fc.property(rows, fc.boolean(), (some, isShares) => {
        const found = chart(some, { isShares })
        if (found !== undefined) expect(readChart(found)).to.deep.equal(found)
      }),
      { numRuns: 300 },
    )
  })
})
