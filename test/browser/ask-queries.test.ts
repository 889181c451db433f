import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { ranSql } from '../support/ask-worlds.ts'
import { useAskSession } from './ask-session.ts'
import { expectUsable } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const

const editor = (page: Page): Locator => page.getByRole('textbox', { name: 'SQL' })
const run = (page: Page): Promise<void> => page.getByRole('button', { name: 'Run', exact: true }).click()

describe('charts on the query page', () => {
  const session = useAskSession()

  it('show several series below zero and let the user hide them', async () => {
    const days = Array.from({ length: 9 }, (_, i) =>
      ['A', 'B', 'C'].map((token, j) => ({
        day: `2026-11-0${i + 1}`,
        token,
        change: String((i - 4) * (j + 1) * 1000),
        failed_percent: '1.5',
        at: '2026-11-20T09:14:03.512Z',
      })),
    ).flat()
    const types = { day: 'date', token: 'text', change: 'numeric', failed_percent: 'numeric', at: 'timestamptz' }
    const page = await session.open({ replies: { run_sql: { body: ranSql('SELECT 1', types, days) } } }, phone)
    await editor(page).fill('SELECT 1')
    await run(page)
    await page.getByRole('cell', { name: '1.5%' }).first().waitFor()
    await page.getByRole('cell', { name: '2026-11-20 09:14:03.512' }).first().waitFor()
    await page.getByRole('tab', { name: 'Chart' }).click()
    await page.getByRole('slider', { name: 'C, B, A by day' }).press('Home')
    await page.getByRole('button', { name: 'C -12,000' }).waitFor()
    await expectUsable(page, 'a chart with several series')
    const legend = page.getByRole('group', { name: 'Series' })
    await legend.getByRole('button', { name: /^C/ }).click()
    await page.getByRole('slider', { name: 'B, A by day' }).waitFor()
    for (const name of [/^A/, /^B/]) await legend.getByRole('button', { name }).click()
    await page.getByRole('slider', { name: 'B by day' }).waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })
})

describe('saved queries on the query page', () => {
  const session = useAskSession()
  const lastRun = (): unknown => session.service.calls.findLast(({ call }) => call === 'POST /api/v1/run_sql')?.body

  it('ask for the parameters of a statement and send them apart from it', async () => {
    const page = await session.open()
    const sql = "SELECT {{since}}, {{limit}}, '{{text}}' -- {{comment}}"
    await editor(page).fill(sql)
    const fields = page.getByRole('group', { name: 'Parameters' })
    await fields.getByLabel('since', { exact: true }).fill('2026-11-01')
    expect(await fields.getByRole('combobox').count()).to.equal(2)
    expect(await fields.getByLabel('Type of limit').inputValue()).to.equal('number')
    await fields.getByLabel('Type of limit').selectOption('Text')
    await fields.getByLabel('limit', { exact: true }).fill("5' OR true")
    await expectUsable(page, 'parameters')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(lastRun()).to.deep.equal({
      target: 'indexer',
      sql,
      parameters: [
        { name: 'since', type: 'date', value: '2026-11-01' },
        { name: 'limit', type: 'text', value: "5' OR true" },
      ],
    })
    await page.waitForURL(/parameter=since%3Adate%3A2026-11-01/)
    await page.reload()
    expect(await fields.getByLabel('limit', { exact: true }).inputValue()).to.equal("5' OR true")
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('run with their defaults, are replaced by name, and deleted', async () => {
    const page = await session.open()
    await page.getByRole('tab', { name: 'Queries' }).click()
    await page.getByRole('button', { name: /^Blocks since a day/ }).click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(lastRun()).to.deep.nested.include({ 'parameters[1]': { name: 'max_height', type: 'number', value: '100' } })
    await page.getByLabel('max_height', { exact: true }).fill('200')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Save query' })
    expect(await dialog.getByLabel('Name').inputValue()).to.equal('Blocks since a day')
    await expectUsable(page, 'saving')
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await page.getByText('Query saved.').waitFor()
    expect(session.service.world.queries).to.have.length(1)
    expect(session.service.world.queries[0]).to.deep.nested.include({ 'parameters[1].value': '200' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByLabel('Name').fill('Other')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Delete query “Other”' }).click()
    await expectUsable(page, 'deleting')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete query “Other”' }).waitFor({ state: 'detached' })
    expect(session.service.world.queries).to.have.length(1)
  })

  it('are in the sheet on phones, and explain how to start', async () => {
    const page = await session.open({ queries: [] }, phone)
    await page.getByRole('button', { name: 'Tables and queries' }).click()
    await page.getByRole('tab', { name: 'Queries' }).click()
    await page.getByText('No saved queries yet').waitFor()
    await expectUsable(page, 'no queries')
    await page.getByRole('button', { name: 'Close' }).click()
    await editor(page).fill('SELECT {{first}}, {{second}}')
    await page.getByLabel('second', { exact: true }).waitFor()
    await expectUsable(page, 'parameters on a phone')
    await run(page)
    await page.getByRole('heading', { name: 'Result' }).waitFor()
  })

  it('are shared by a link that contains the statement', async () => {
    const page = await session.open({}, { permissions: ['clipboard-read', 'clipboard-write'] })
    await editor(page).fill('SELECT {{n}} AS n')
    await page.getByLabel('n', { exact: true }).fill('7')
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByText('Link copied.').waitFor()
    const url = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(decodeURIComponent(new URL(url).hash)).to.equal('#sql=SELECT+{{n}}+AS+n&parameter=n:text:7')
  })
})
