import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { answered, askWorld, dayTypes, daysSql, ranSql } from '../support/ask-worlds.ts'
import { useAskSession } from './ask-session.ts'
import { expectUsable } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const
const { health } = askWorld()

const editor = (page: Page): Locator => page.getByRole('textbox', { name: 'SQL' })

describe('the schema on the query page', () => {
  const session = useAskSession()

  it('is browsed and searched, and inserts tables and columns', async () => {
    const page = await session.open()
    const side = page.getByRole('complementary', { name: 'Tables and queries' })
    await side.getByRole('button', { name: 'sales 41.2k rows' }).click()
    await side.getByText("The price, in Flow's unit.").waitFor()
    await expectUsable(page, 'an open table')
    await side.getByRole('button', { name: 'Insert own_top_shot.sales' }).click()
    expect(await editor(page).innerText()).to.equal('SELECT *\nFROM own_top_shot.sales\nLIMIT 100')
    await page.keyboard.type(' OFFSET')
    await side.getByRole('button', { name: 'price numeric' }).click()
    expect(await editor(page).innerText()).to.match(/LIMIT 100 OFFSET price$/)
    await side.getByRole('searchbox', { name: 'Search tables' }).fill('symbol')
    await side.getByRole('button', { name: 'symbol text' }).waitFor()
    expect(await side.getByRole('button', { name: /^sales/ }).count()).to.equal(0)
    await side.getByRole('searchbox').fill('no such table')
    await side.getByText('No matching tables').waitFor()
    await page.getByRole('button', { name: 'Tables and queries' }).click()
    await side.waitFor({ state: 'detached' })
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('lists metrics with their definition, and opens their SQL', async () => {
    const page = await session.open()
    const side = page.getByRole('complementary', { name: 'Tables and queries' })
    await side.getByText('Metrics', { exact: false }).first().click()
    await side.getByText('Deducted transaction fees.').waitFor()
    await expectUsable(page, 'metrics')
    await side.getByRole('button', { name: 'fees FLOW' }).click()
    expect(await editor(page).innerText()).to.equal('SELECT 2')
    await side.getByRole('searchbox', { name: 'Search tables' }).fill('Deducted')
    await side.getByRole('button', { name: 'fees FLOW' }).waitFor()
    expect(await side.getByRole('button', { name: 'tx_count' }).count()).to.equal(0)
    expect(await side.getByText('No matching tables').count()).to.equal(0)
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('shows sample rows on request', async () => {
    const page = await session.open()
    await page.getByRole('button', { name: /^blocks/ }).click()
    await page.getByRole('button', { name: 'Sample rows of raw.blocks' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sample rows of raw.blocks' })
    await dialog.getByText('137390146').waitFor()
    await expectUsable(page, 'sample rows')
    expect(session.service.calls.map(({ call }) => call)).to.include('GET /api/v1/schema/raw.blocks/rows')
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  it('is a sheet on phones, which closes when a table is inserted', async () => {
    const page = await session.open({}, phone)
    await page.getByRole('button', { name: 'Tables and queries' }).click()
    const sheet = page.getByRole('dialog', { name: 'Tables and queries' })
    await sheet.getByRole('button', { name: /^blocks/ }).click()
    await expectUsable(page, 'the sheet')
    await sheet.getByRole('button', { name: 'Insert raw.blocks' }).click()
    await sheet.waitFor({ state: 'detached' })
    expect(await editor(page).innerText()).to.include('FROM raw.blocks')
  })

  it('completes columns of the tables in the statement, functions and tables', async () => {
    const page = await session.open()
    await page.getByText('ft_transfers').waitFor()
    await editor(page).fill('SELECT  FROM raw.blocks')
    await page.keyboard.press('Control+Home')
    for (let i = 0; i < 'SELECT '.length; i++) await page.keyboard.press('ArrowRight')
    await page.keyboard.type('heig')
    await page.getByRole('option', { name: /^height/ }).waitFor()
    await expectUsable(page, 'completions')
    await page.keyboard.press('Enter')
    expect(await editor(page).innerText()).to.equal('SELECT height FROM raw.blocks')
    await page.keyboard.type(', date_tr')
    await page.getByRole('option', { name: /^date_trunc/ }).waitFor()
    await page.keyboard.press('Enter')
    expect(await editor(page).innerText()).to.equal('SELECT height, date_trunc( FROM raw.blocks')
    expect(session.consoleMessages).to.deep.equal([])
  })
})

describe('the model on the query page', () => {
  const session = useAskSession()
  const question = 'How many transactions were there on each of the last 14 days?'

  it('refines the statement by follow-up questions', async () => {
    const refined = answered(
      'Only the last week.',
      ranSql('SELECT 7', dayTypes, [{ day: '2026-11-20', transactions: '7', fees: '1' }]),
    )
    const page = await session.open()
    await page.getByRole('textbox', { name: 'Question' }).fill(question)
    await page.keyboard.press('Enter')
    await page.getByText('14 rows, 3.1 s').waitFor()
    session.service.world = { ...askWorld(), replies: { ask: { body: refined } } }
    await page.getByRole('textbox', { name: 'Follow-up' }).fill('Only the last week.')
    await page.keyboard.press('Enter')
    await page.getByText('Follow-up: Only the last week.').waitFor()
    expect(await editor(page).innerText()).to.equal('SELECT 7')
    expect(await page.getByRole('button', { name: 'Save as example' }).count()).to.equal(0)
    await expectUsable(page, 'a refined answer')
    const asked = session.service.calls.findLast(({ call }) => call === 'POST /api/v1/ask')
    const { earlier, ...sent } = (asked ?? { body: {} }).body as {
      earlier: { question: string; sql: string; columns: string[]; rows: string[][] }
    }
    expect(sent).to.deep.equal({ target: 'indexer', question: 'Only the last week.' })
    expect(earlier).to.deep.include({ question, sql: daysSql, columns: Object.keys(dayTypes) })
    expect(earlier.rows).to.have.length(5)
    expect(earlier.rows[0]).to.deep.equal(['2026-11-07', '10400', '812.50000000'])
  })

  it('explains the SQL in words until it changes', async () => {
    const page = await session.open({}, phone)
    await editor(page).fill(daysSql)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('Only sealed ones of the last 14 days.').waitFor()
    await expectUsable(page, 'an explanation')
    await editor(page).focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' DESC')
    await page.getByText('Only sealed ones of the last 14 days.').waitFor({ state: 'detached' })
  })

  it('has no follow-ups without a model, and says why it explains nothing', async () => {
    const page = await session.open({
      health: { ...health, model: null, remedy: 'Set LLM_API_KEY to the key of your model.' },
      replies: {
        ...askWorld().replies,
        explain_sql: { status: 503, body: { status: 503, code: 'no-model', detail: 'No model.' } },
      },
    })
    await editor(page).fill('SELECT 1')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Follow-up' }).count()).to.equal(0)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('Explanations need a model. Set LLM_API_KEY to the key of your model.').waitFor()
    await expectUsable(page, 'no explanation')
  })
})
