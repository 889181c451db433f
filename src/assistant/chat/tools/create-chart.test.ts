import { asSchema } from 'ai'
import { expect } from 'chai'
import { createChart, readChart } from './create-chart.ts'

const chart = {
  chartType: 'bar',
  title: 'Transactions',
  labels: ['Mon', 'Tue'],
  datasets: [{ label: 'Sealed', data: [1, 2] }],
}

describe('createChart', () => {
  it('returns charts of every type unchanged', () => {
    for (const chartType of ['bar', 'line', 'pie', 'doughnut', 'horizontalBar']) {
      expect(readChart({ ...chart, chartType })).to.deep.equal({ ...chart, chartType })
    }
  })

  it('accepts SQL number strings, and numbers as labels', () => {
    const read = readChart({
      ...chart,
      labels: [2025, 'now'],
      datasets: [{ label: 'FLOW', data: ['12.50000000', ' -1e3 '] }],
    })
    expect(read).to.deep.include({ labels: ['2025', 'now'], datasets: [{ label: 'FLOW', data: [12.5, -1000] }] })
  })

  it('rejects an invalid chart with instructions to correct it', () => {
    const refused: readonly (readonly [unknown, string])[] = [
      [
        { ...chart, datasets: [{ label: 'Sealed', data: [1, 2, 3] }] },
        'Field "datasets[0].data" has 3 numbers for 2 labels. Give one number per label.',
      ],
      [
        { ...chart, datasets: [...chart.datasets, { label: 'Failed', data: [1] }] },
        'Field "datasets[1].data" has 1 numbers for 2 labels. Give one number per label.',
      ],
      [{ ...chart, chartType: 'radar' }, 'Field "chartType" must be one of bar, line, pie, doughnut, horizontalBar.'],
      [
        { ...chart, datasets: [{ label: 'Sealed', data: [1, '1,000'] }] },
        'Field "datasets[0].data[1]" must be a number without separators or units.',
      ],
      [
        { ...chart, datasets: [{ label: 'Sealed', data: [1, '1e999'] }] },
        'Field "datasets[0].data[1]" must be a number without separators or units.',
      ],
      [
        { ...chart, datasets: [{ label: 'Sealed', data: [1, null] }] },
        'Field "datasets[0].data[1]" must be a number without separators or units.',
      ],
      [{ ...chart, labels: [], datasets: [{ label: 'Sealed', data: [] }] }, 'Field "labels" must not be empty.'],
      [
        { ...chart, labels: Array.from({ length: 201 }, () => 'x') },
        'Field "labels" must have at most 200 labels: aggregate, or use fewer rows.',
      ],
      [{ ...chart, datasets: [] }, 'Field "datasets" must not be empty.'],
      [{ ...chart, title: 'x'.repeat(201) }, 'Field "title" must have at most 200 characters.'],
      [{ ...chart, onClick: 'alert(1)' }, 'Field "onClick" is unknown; known: chartType, title, labels, datasets.'],
      ['a chart', 'The body must be an object.'],
      [undefined, 'The body must be an object.'],
    ]
    for (const [input, words] of refused) expect(() => readChart(input), words).to.throw(words)
  })

  it('requires one dataset without negative values and with a positive sum for a pie chart', () => {
    for (const chartType of ['pie', 'doughnut']) {
      expect(() => readChart({ ...chart, chartType, datasets: [...chart.datasets, ...chart.datasets] })).to.throw(
        'takes one dataset, got 2',
      )
      expect(() => readChart({ ...chart, chartType, datasets: [{ label: 'x', data: [1, -1] }] })).to.throw(
        'needs non-negative values',
      )
      expect(() => readChart({ ...chart, chartType, datasets: [{ label: 'x', data: [0, 0] }] })).to.throw(
        'A ' + chartType + ' chart needs a non-zero value',
      )
    }
    expect(readChart({ ...chart, datasets: [{ label: 'x', data: [0, -1] }] }).datasets).to.have.length(1)
  })

  it('has an input schema without unions, which some providers reject', async () => {
    const reported = JSON.stringify(await asSchema(createChart.inputSchema).jsonSchema)
    expect(reported)
      .to.include('"enum":["bar","line","pie","doughnut","horizontalBar"]')
      .and.include('"items":{"type":"number"}')
    expect(reported).not.to.include('anyOf')
    expect(reported).not.to.include('$schema')
  })
})
