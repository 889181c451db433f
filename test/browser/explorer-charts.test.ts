import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { useExplorerSession } from './explorer-session.ts'
import { horizontalOverflow, expectAccessible, tabTo, untilLoaded } from './page-checks.ts'

/** Makes the API return this many days, with increasing counts. */
async function mockDays(page: Page, count: number): Promise<void> {
  await page.route(
    (url) => url.pathname === '/insights/daily',
    async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { data: Record<string, unknown>[] }
      const data = Array.from({ length: count }, (_, i) => ({
        ...body.data[0],
        date: new Date(Date.UTC(2026, 2, 31) - (count - 1 - i) * 86_400_000).toISOString().slice(0, 10),
        block_count: 100,
        tx_count: 1000 + i,
        new_accounts: 0,
        fees: `${i}.00000001`,
      }))
      await route.fulfill({ json: { ...body, data: data.toReversed() } })
    },
  )
}

/** Makes the API return an increasing value for each day of the range. */
async function mockMetric(page: Page, metric: string, isKnown: boolean): Promise<void> {
  await page.route(
    (url) => url.pathname === `/insights/metrics/${metric}`,
    async (route) => {
      const { searchParams } = new URL(route.request().url())
      const from = Date.parse(searchParams.get('from') ?? '')
      const count = (Date.parse(searchParams.get('to') ?? '') - from) / 86_400_000 + 1
      const points = Array.from({ length: count }, (_, i) => ({
        timestamp: new Date(from + i * 86_400_000).toISOString(),
        value: isKnown && i > 0 ? `${1000 * i}.50` : null,
      }))
      await route.fulfill({ json: { data: [{ metric, points }] } })
    },
  )
}

/** Chart labels that overlap or extend beyond the chart. */
const overlaps = `[...document.querySelectorAll('.time-chart svg')].flatMap((svg) => {
  const outer = svg.getBoundingClientRect()
  const boxes = [...svg.querySelectorAll('text')].map((text) => text.getBoundingClientRect())
  return boxes.flatMap((a, i) => [
    ...(a.left < outer.left - 1 || a.right > outer.right + 1 ? ['outside'] : []),
    ...boxes.slice(i + 1).filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).map(() => 'overlapping'),
  ])
})`

describe('explorer charts', () => {
  const session = useExplorerSession()

  it('show the volume in dollars and the stake by the metrics, if known', async () => {
    const prepare = async (opened: Page): Promise<void> => {
      await mockDays(opened, 20)
      await mockMetric(opened, 'usd_volume', true)
      await mockMetric(opened, 'staked', false)
    }
    for (const options of [{}, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }] as const) {
      const page = await session.open('/charts', { prepare, ...options })
      const plot = page.getByRole('region', { name: 'Token volume', exact: true }).getByRole('slider')
      await plot.waitFor()
      expect(await plot.getAttribute('aria-valuetext')).to.equal('2026-03-31: $19,000.50 so far')
      await untilLoaded(page)
      expect(await page.getByRole('region', { name: 'Staked', exact: true }).count()).to.equal(0)
      await expectAccessible(page, 'metrics')
      expect(await horizontalOverflow(page)).to.equal(0)
    }
  })

  it('show values by keyboard, pointer and table', async () => {
    const page = await session.open('/charts', { prepare: (opened) => mockDays(opened, 60) })
    const chart = page.getByRole('region', { name: 'Transactions', exact: true })
    const plot = chart.getByRole('slider', { name: 'Transactions' })
    await tabTo(page, plot)
    expect(await plot.getAttribute('aria-valuetext')).to.equal('2026-03-31: 1,059 so far')
    await page.keyboard.press('ArrowLeft')
    await chart.getByText('1,058', { exact: true }).first().waitFor()
    expect(await plot.getAttribute('aria-valuetext')).to.equal('2026-03-30: 1,058')
    for (const [key, text] of [
      ['PageDown', '2026-03-23: 1,051'],
      ['Home', '2026-03-02: 1,030'],
      ['ArrowLeft', '2026-03-02: 1,030'],
      ['End', '2026-03-31: 1,059 so far'],
    ] as const) {
      await page.keyboard.press(key)
      await page.waitForFunction(`document.activeElement.getAttribute('aria-valuetext') === '${text}'`)
    }
    const box = await plot.boundingBox()
    if (box === null) throw new Error('The chart is not visible.')
    await page.mouse.move(box.x + box.width - 14, box.y + 60)
    await chart.locator('rect.selected.partial').waitFor()
    await page.mouse.move(0, 0)
    await chart.locator('rect.selected').waitFor({ state: 'detached' })
    expect(await chart.getByRole('row').count()).to.equal(30)
    expect(await chart.getByRole('row').first().innerText()).to.match(/2026-03-02\s+1,030/)
    expect(session.consoleMessages).to.deep.equal([])
  })

  for (const [where, viewport] of [
    ['wide', { width: 1440, height: 900 }],
    ['on a phone', { width: 360, height: 740 }],
  ] as const) {
    it(`have readable axes ${where}, for one day and a year, light and dark`, async () => {
      for (const count of [1, 30, 365]) {
        const page = await session.open('/charts?days=365', { viewport, prepare: (opened) => mockDays(opened, count) })
        await untilLoaded(page)
        expect(await page.evaluate(overlaps), `${count} days`).to.deep.equal([])
        expect(await horizontalOverflow(page)).to.equal(0)
        if (count === 30) await expectAccessible(page, `${count} days`)
      }
    })
  }

  it('show the selected number of days, stored in the URL', async () => {
    const page = await session.open('/charts', { prepare: (opened) => mockDays(opened, 90) })
    const bars = page.getByRole('region', { name: 'Transactions', exact: true }).locator('.bars rect')
    await bars.nth(29).waitFor()
    expect(await bars.count()).to.equal(30)
    await page.getByRole('button', { name: '90 days' }).click()
    await bars.nth(89).waitFor()
    expect(new URL(page.url()).search).to.equal('?days=90')
    await page.reload()
    await bars.nth(89).waitFor()
  })

  it('show the daily volume of a token and a collection', async () => {
    for (const [path, charts] of [
      ['/token/A.0ae53cb6e3f42a79.FlowToken?tab=volume', ['FlowToken transferred per day', 'Transfers per day']],
      ['/nft/A.179b6b1cb6755e31.RiverStones?tab=volume', ['Transfers per day']],
    ] as const) {
      const page = await session.open(path)
      const volume = page.getByRole('region', { name: 'Volume' })
      for (const chart of charts) {
        await volume.getByRole('slider', { name: chart }).waitFor()
        expect(await volume.getByRole('table', { name: chart }).getByRole('row').count(), chart).to.equal(30)
      }
      expect(await volume.getByRole('slider').count()).to.equal(charts.length)
    }
  })

  it('show stakes and payouts per epoch', async () => {
    const page = await session.open('/nodes')
    const paid = page.getByRole('slider', { name: 'Paid out per epoch' })
    await paid.waitFor()
    expect(await paid.getAttribute('aria-valuetext')).to.equal('Epoch 3: 120,000 FLOW')
    await page.getByText('as of epoch 1').waitFor()
    await page.getByText('epochs are too short to estimate').waitFor()
    expect(await page.evaluate(overlaps)).to.deep.equal([])
  })
})
