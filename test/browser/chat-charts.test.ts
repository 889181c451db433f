import { expect } from 'chai'
import { charts, replyWith, uses } from '../support/chat-worlds.ts'
import { askAndWait, phone } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { horizontalOverflow, expectUsable } from './page-checks.ts'

describe('charts in answers', () => {
  const session = useChatSession()

  for (const [kind, chart] of Object.entries(charts)) {
    it(`draws a chart: ${kind}`, async () => {
      const page = await session.open({ reply: () => replyWith(...uses('createChart', chart)) })
      await askAndWait(page)
      const plot = page.getByRole('slider', { name: chart.title })
      await plot.press('Home')
      const [label, value] = [chart.labels[0] ?? '', chart.datasets[0]?.data[0] ?? 0]
      expect(await plot.getAttribute('aria-valuetext')).to.match(
        new RegExp(`^${label}: .*${value.toLocaleString('en-US')}`),
      )
      const marks = plot.locator(kind === 'line' ? 'path.line' : '.column, .slice')
      expect(await marks.count()).to.equal({ bar: 14, line: 3, pie: 5, doughnut: 8, horizontalBar: 5 }[kind])
      const sizes = await Promise.all((await marks.all()).map((mark) => mark.boundingBox()))
      expect(Math.min(...sizes.map((box) => (box?.width ?? 0) * (box?.height ?? 0)))).to.be.greaterThan(0)
      await expectUsable(page, kind)
      await page.getByRole('button', { name: 'Table' }).click()
      const table = page.getByRole('region', { name: `Data of ${chart.title}` })
      expect(await table.locator('tbody tr').count()).to.equal(chart.labels.length)
      await page.setViewportSize(phone.viewport)
      await page.getByRole('button', { name: 'Chart', exact: true }).click()
      expect(await horizontalOverflow(page)).to.equal(0)
      expect(session.consoleMessages).to.deep.equal([])
    })
  }

  it('rejects invalid charts and shows their data', async () => {
    const page = await session.open({
      reply: () => replyWith(...uses('createChart', { ...charts.bar, labels: ['only one'] })),
    })
    await askAndWait(page)
    await page.getByRole('button', { name: /^Drew a chart/ }).click()
    await page.getByText('"only one"').first().waitFor()
    expect(await page.getByRole('slider').count()).to.equal(0)
  })
})
