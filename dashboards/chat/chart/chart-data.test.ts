import { expect } from 'chai'
import fc from 'fast-check'
import { pieSlices, readChart, valueText } from './chart-data.ts'

const given = { chartType: 'bar', title: 'Fees', labels: ['a', 'b'], datasets: [{ label: 'FLOW', data: [1, 2.5] }] }

describe('what a chart is drawn of', () => {
  it('is read of what the tool gave', () => {
    expect(readChart(given)).to.deep.equal({
      kind: 'bar',
      title: 'Fees',
      labels: ['a', 'b'],
      sets: [{ label: 'FLOW', values: [1, 2.5] }],
    })
  })

  it('is nothing where it does not fit', () => {
    for (const wrong of [
      { chartType: 'radar' },
      { chartType: 'constructor' },
      { labels: [] },
      { labels: ['a'] },
      { labels: 'ab' },
      { labels: [{}, {}] },
      { datasets: [] },
      { datasets: [{ label: 'x', data: [1] }] },
      { datasets: [{ label: 'x', data: [1, '2'] }] },
      { datasets: [{ label: 'x', data: [1, null] }] },
      { datasets: [{ label: 'x', data: [1, Infinity] }] },
      { datasets: Array(9).fill(given.datasets[0]) },
    ])
      expect(readChart({ ...given, ...wrong }), JSON.stringify(wrong)).to.equal(undefined)
  })

  it('never throws, whatever a model wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (labels, datasets) => {
        readChart({ ...given, labels, datasets })
        readChart(labels)
      }),
    )
  })

  it('is said exactly', () => {
    expect(valueText(1234567.891)).to.equal('1,234,567.891')
  })
})

describe('the slices of a pie', () => {
  const pie = (values: readonly number[]) =>
    pieSlices({ kind: 'pie', title: '', labels: values.map((_, i) => `l${i}`), sets: [{ label: '', values }] })

  it('are its values, without those of nothing', () => {
    expect(pie([2, 0, 1])).to.deep.equal([
      { label: 'l0', value: 2, place: 0 },
      { label: 'l2', value: 1, place: 1 },
    ])
  })

  it('are the seven largest and the rest where there are many', () => {
    const slices = pie([1, 9, 8, 7, 6, 5, 4, 3, 2])
    expect(slices.map(({ label, value }) => `${label} ${value}`)).to.deep.equal([
      'l1 9',
      'l2 8',
      'l3 7',
      'l4 6',
      'l5 5',
      'l6 4',
      'l7 3',
      '2 others 3',
    ])
  })

  it('are none where there is no whole', () => {
    expect(pie([1, -1])).to.deep.equal([])
    expect(pie([0, 0])).to.deep.equal([])
  })
})
