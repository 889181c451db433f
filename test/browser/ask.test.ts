import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { answered, askWorld, dayTypes, daysSql, hostileRun, ranSql } from '../support/ask-worlds.ts'
import { useAskSession } from './ask-session.ts'
import { expectUsable, tabTo } from './page-checks.ts'

const question = 'How many transactions were there on each of the last 14 days?'
const phone = { viewport: { width: 360, height: 740 } } as const
const { health } = askWorld()
const noModel = { ...health, model: null, remedy: 'Set LLM_API_KEY to the key of your model.' }

const editor = (page: Page): Locator => page.getByRole('textbox', { name: 'SQL' })
const questionBox = (page: Page): Locator => page.getByRole('textbox', { name: 'Question' })
const cells = (page: Page, column: number): Promise<string[]> =>
  page.locator(`table.result tbody td:nth-child(${column})`).allInnerTexts()

async function run(page: Page, sql = 'SELECT 1'): Promise<void> {
  await editor(page).fill(sql)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
}

describe('the query page', () => {
  const session = useAskSession()

  it('answers a question with SQL, rows and a chart', async () => {
    const page = await session.open()
    await questionBox(page).fill(question)
    await page.keyboard.press('Enter')
    await page.getByText('14 rows, 3.1 s').waitFor()
    expect(await editor(page).innerText()).to.equal(daysSql)
    expect((await cells(page, 3))[0]).to.equal('812.50000000')
    await page.getByRole('tab', { name: 'Chart' }).click()
    await page.getByRole('slider', { name: 'transactions, fees by day' }).waitFor()
    await expectUsable(page, 'a chart')
    await page.getByRole('button', { name: /^transactions 12,547/ }).click()
    await page.getByRole('slider', { name: 'fees by day' }).press('Home')
    await page.getByRole('button', { name: 'fees 812.50000000' }).waitFor()
    expect(session.service.calls.find(({ call }) => call === 'POST /api/v1/ask')?.body).to.deep.equal({
      target: 'indexer',
      question,
    })
    await expectUsable(page, 'an answer')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('shows generated SQL for editing before it runs on the selected database', async () => {
    const page = await session.open()
    await page.getByLabel('Database').selectOption('evm')
    await questionBox(page).fill(question)
    await page.getByRole('button', { name: 'Write SQL only' }).click()
    await page.getByText('SQL is ready').first().waitFor()
    await editor(page).focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' LIMIT 3')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    const sent = session.service.calls.filter(({ call }) => call.startsWith('POST')).map(({ body }) => body)
    expect(sent).to.deep.equal([
      { target: 'evm', question },
      { target: 'evm', sql: `${daysSql} LIMIT 3` },
    ])
  })

  it('runs an example question and shows the number of attempts of the model', async () => {
    const tried = answered(question, ranSql(daysSql, dayTypes, []))
    const page = await session.open({
      replies: {
        ...askWorld().replies,
        ask: {
          body: {
            ...tried,
            attempts: [
              { sql: 'x', error: 'no' },
              { sql: daysSql, error: null },
            ],
          },
        },
      },
    })
    await page.getByRole('button', { name: question }).first().click()
    await page.getByText('14 rows, 12 ms').waitFor()
    expect(await questionBox(page).inputValue()).to.equal(question)
    expect(await editor(page).innerText()).to.equal(daysSql)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('0 rows, 3.1 s, 2 attempts').waitFor()
    await page.getByText('The query returned no rows.').waitFor()
    expect(await page.getByRole('columnheader').allInnerTexts()).to.deep.equal(['day', 'transactions', 'fees'])
  })

  it('cancels the model request on Cancel, but not on a double click on Ask', async () => {
    const page = await session.open({ replies: { ask: 'never' } })
    await questionBox(page).fill(question)
    await page.getByRole('button', { name: 'Ask', exact: true }).dblclick()
    await page.getByText('Writing and running the SQL…').waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).to.equal(true)
    await expectUsable(page, 'a page that waits for the model')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('The request was cancelled.').waitFor()
    await session.service.left()
  })

  it('cancels a running query', async () => {
    const page = await session.open({ replies: { run_sql: 'never' } })
    await run(page, 'SELECT pg_catalog.count(*) FROM raw.events')
    await page.getByText('Running the SQL…').waitFor()
    await expectUsable(page, 'a page that waits')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('The request was cancelled.').waitFor()
    await session.service.left()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('sorts by exact numbers, filters, and shows more rows on request', async () => {
    const page = await session.open({ replies: { run_sql: { body: hostileRun() } } })
    await run(page)
    await page.getByText('The result was cut at 250 rows.').waitFor()
    await page.locator('table.result').getByRole('button', { name: 'amount' }).click()
    await page.getByRole('columnheader', { name: 'amount' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    expect((await cells(page, 2)).slice(0, 3)).to.deep.equal([
      '9007199254740993',
      '9007199254740994',
      '9007199254740995',
    ])
    await page.locator('table.result').getByRole('button', { name: 'amount' }).click()
    await page.getByRole('columnheader', { name: 'amount' }).and(page.locator('[aria-sort=descending]')).waitFor()
    expect((await cells(page, 2))[0]).to.equal('9007199254741242')
    expect(await cells(page, 2)).to.have.lengthOf(100)
    await page.getByRole('button', { name: 'Show 100 more of 150' }).click()
    expect(await cells(page, 2)).to.have.lengthOf(200)
    await page.getByRole('searchbox', { name: 'Filter rows' }).fill('token 24')
    await page.getByText('11 rows of 250 rows').waitFor()
    await page.getByRole('searchbox', { name: 'Filter rows' }).fill('no such text')
    await page.getByText('No matching rows').waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('explains how to shrink a result that was truncated by size', async () => {
    const page = await session.open({ replies: { run_sql: { body: { ...hostileRun(), truncated_by: 'bytes' } } } })
    await run(page)
    await page.getByText('Select fewer columns, or shorten long values with left().').waitFor()
  })

  it('documents its API', async () => {
    const page = await session.open()
    await page.getByRole('link', { name: 'API' }).click()
    await page.getByRole('heading', { level: 1, name: 'flowfarm query service' }).waitFor()
    await page.getByRole('navigation', { name: 'Endpoints' }).getByRole('searchbox').fill('health')
    await page.getByRole('link', { name: 'Health', exact: false }).last().click()
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('region', { name: 'Response' }).getByText('200 OK').waitFor()
    await page.getByRole('link', { name: 'flowfarm: ask the chain' }).click()
    await editor(page).waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('shows all example questions on request, in a separate region', async () => {
    const examples = Array.from({ length: 40 }, (_, i) => ({
      id: String(i),
      target: 'indexer',
      question: `What happened on day ${i}?`,
      sql: `SELECT ${i}`,
    }))
    const page = await session.open({ examples }, phone)
    const list = page.getByRole('region', { name: 'Example questions' })
    expect(await list.getByRole('listitem').allInnerTexts()).to.deep.equal(
      [0, 10, 20, 30].map((i) => `What happened on day ${i}?`).concat('Show 36 more'),
    )
    await list.getByRole('button', { name: 'Show 36 more' }).click()
    await list.getByRole('button', { name: 'What happened on day 39?' }).click()
    expect(await editor(page).innerText()).to.equal('SELECT 39')
    await expectUsable(page, 'all examples')
    await list.getByRole('button', { name: 'Show fewer' }).click()
    expect(await list.getByRole('listitem').count()).to.equal(5)
  })

  it('searches many saved examples', async () => {
    const approved = Array.from({ length: 9 }, (_, i) => ({
      id: String(i),
      target: 'indexer',
      question: `Question ${i}`,
      sql: `SELECT ${i * 111}`,
    }))
    const page = await session.open({ approved })
    await page.getByRole('tab', { name: 'Examples', exact: true }).click()
    await page.getByRole('searchbox', { name: 'Filter saved examples' }).fill('select 777')
    await page.getByRole('button', { name: 'Delete “Question 7”' }).waitFor()
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).to.equal(1)
    await expectUsable(page, 'approved examples')
  })

  it('fits the longest numbers into their cells', async () => {
    const long = {
      word: '9'.repeat(78),
      exact: `-${'9'.repeat(77)}.${'1'.repeat(80)}`,
      hash: `0x${'f'.repeat(64)}`,
      name: 'f'.repeat(78),
    }
    const types = { word: 'numeric', exact: 'numeric', hash: 'bytea', name: 'text' }
    const page = await session.open({ replies: { run_sql: { body: ranSql('SELECT 1', types, [long]) } } })
    await run(page)
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(await page.locator('table.result td').allInnerTexts()).to.deep.equal(Object.values(long))
    expect(await page.locator('table.result a').getAttribute('href')).to.equal(
      `https://explorer.example/transaction/${long.hash}`,
    )
    const spilt = await page.evaluate<string[]>(
      "[...document.querySelectorAll('table.result td')].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.innerText)",
    )
    expect(spilt).to.deep.equal([])
    await expectUsable(page, 'long numbers')
  })

  it('contains untrusted text on the page and in CSV exports', async () => {
    const page = await session.open(
      { replies: { run_sql: { body: hostileRun() } } },
      { ...phone, acceptDownloads: true },
    )
    await run(page)
    await page.getByText('⟨U+202E⟩').waitFor()
    expect(await page.locator('table.result img').count()).to.equal(0)
    await expectUsable(page, 'hostile rows')
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const csv = await readFile(await (await coming).path(), 'utf8')
    const lines = csv.split('\r\n')
    expect(lines[0]).to.equal('\uFEFFname,amount,address,payload,count_2')
    expect(lines[2]).to.match(/^'=1\+1,9007199254741030,/)
    expect(lines).to.have.lengthOf(252)
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('saves an answer as an example only after confirmation, and deletes it', async () => {
    const page = await session.open({ approved: [] })
    await page.getByRole('tab', { name: 'Examples', exact: true }).click()
    await page.getByText('No saved examples yet').waitFor()
    await questionBox(page).fill(question)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save as example' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.locator('pre').innerText()).to.equal(daysSql)
    await expectUsable(page, 'the question whether to keep it')
    expect(session.service.world.approved).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved as an example.').waitFor()
    await page.getByRole('button', { name: `Delete “${question}”` }).click()
    await expectUsable(page, 'the question whether to forget it')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(session.service.world.approved).to.have.length(1)
    await page.getByRole('button', { name: `Delete “${question}”` }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No saved examples yet').waitFor()
    const sent = session.service.calls.find(({ call }) => call === 'POST /api/v1/memory')?.body
    expect(sent).to.deep.equal({ target: 'indexer', question, sql: daysSql })
  })

  it('reopens previous questions, explains their failure, and clears the history', async () => {
    const page = await session.open()
    await page.getByRole('tab', { name: 'History' }).click()
    const history = page.getByRole('complementary', { name: 'Tables and queries' })
    await history.getByText('column "hieght" does not exist').waitFor()
    await history.getByRole('button', { name: /^Top 10 tokens/ }).click()
    expect(await questionBox(page).inputValue()).to.equal('Top 10 tokens by holders')
    expect(await page.getByLabel('Database').inputValue()).to.equal('evm')
    await history.getByRole('button', { name: 'Clear history' }).click()
    await page.getByText('No questions yet').waitFor()
  })

  it('stores the question in the URL without running it on load', async () => {
    const page = await session.open()
    await questionBox(page).fill(question)
    await editor(page).fill("SELECT '#1'\nFROM raw.blocks")
    await page.waitForURL(/#question=/)
    const calls = session.service.calls.length
    await page.reload()
    await editor(page).getByText('FROM raw.blocks').waitFor()
    expect(await editor(page).innerText()).to.equal("SELECT '#1'\nFROM raw.blocks")
    expect(await questionBox(page).inputValue()).to.equal(question)
    expect(session.service.calls.slice(calls).filter(({ call }) => call.startsWith('POST'))).to.deep.equal([])
  })

  it('is usable by keyboard only', async () => {
    const page = await session.open()
    await page.keyboard.press('Tab')
    await page.locator('.skip-link:focus').waitFor()
    await tabTo(page, questionBox(page))
    await page.keyboard.type(question)
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('In UTC.')
    expect(await questionBox(page).inputValue()).to.equal(`${question}\nIn UTC.`)
    await tabTo(page, editor(page))
    await page.keyboard.type('SELECT 1')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    await tabTo(page, page.getByRole('tab', { name: 'Table', exact: true }))
    await page.keyboard.press('ArrowRight')
    await page.getByRole('slider').waitFor()
    await page.keyboard.press('ArrowLeft')
    await tabTo(page, page.locator('table.result').getByRole('button', { name: 'fees' }))
    await page.keyboard.press('Enter')
    await page.getByRole('columnheader', { name: 'fees' }).and(page.locator('[aria-sort=ascending]')).waitFor()
  })
})

describe('the query page with missing parts', () => {
  const session = useAskSession()

  it('explains the setup without a model, and still runs SQL', async () => {
    const page = await session.open({ health: noModel, examples: [], history: [], approved: [] }, phone)
    await page.getByText('Set LLM_API_KEY to the key of your model.').waitFor()
    await questionBox(page).fill(question)
    expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).to.equal(true)
    await expectUsable(page, 'no model')
    await run(page)
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('explains that the demo model only answers its examples, and does not retry other questions', async () => {
    const refused = {
      status: 503,
      body: { status: 503, code: 'no-model', detail: 'Only the example questions have an answer.' },
    }
    const page = await session.open({
      health: { ...health, model: { provider: 'scripted', name: 'scripted', is_scripted: true } },
      replies: { ask: refused },
    })
    await page.getByText('only the example questions have answers').waitFor()
    await questionBox(page).fill('Who am I?')
    await page.keyboard.press('Enter')
    await page.getByText('No model can answer this question').waitFor()
    expect(await page.getByRole('button', { name: 'Retry' }).count()).to.equal(0)
  })

  it('requests the token and resumes the question', async () => {
    const page = await session.open({ health: { ...health, needs_token: true }, token: 'secret' })
    await page.getByText('Authentication required').first().waitFor()
    await expectUsable(page, 'a page that is locked')
    await run(page, 'SELECT 2')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Token').fill('wrong')
    await page.keyboard.press('Enter')
    await dialog.getByText('The token was not accepted.').waitFor()
    await dialog.getByLabel('Token').fill('secret')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    await page.getByText('ft_transfers').waitFor()
    await page.getByRole('button', { name: 'Remove token' }).click()
    await page.getByRole('button', { name: 'Enter token' }).waitFor()
    expect(await page.evaluate<number>('sessionStorage.length')).to.equal(0)
    expect(session.consoleMessages.filter((text) => !text.includes('status of 401'))).to.deep.equal([])
  })

  it('reports why SQL was rejected and where the error is', async () => {
    const body = {
      status: 400,
      code: 'sql-failed',
      detail: 'column "hieght" does not exist',
      error_position: 8,
      error_hint: 'Perhaps "height".',
    }
    const page = await session.open({ replies: { run_sql: { status: 400, body } } }, phone)
    await run(page, 'SELECT hieght FROM raw.blocks')
    await page
      .getByText('column "hieght" does not exist. The error is in line 1 at “hieght”. Perhaps "height".')
      .waitFor()
    await expectUsable(page, 'SQL that was refused')
    session.service.world = askWorld()
    await run(page, 'SELECT height FROM raw.blocks')
    await page.getByRole('heading', { name: 'Result' }).waitFor()
  })

  it('shows the SQL of a failed question, and reports a failure of the model', async () => {
    const failed = answered(question, ranSql(daysSql, {}, [], { error: 'division by zero' }))
    const page = await session.open({ replies: { ask: { body: failed } } })
    await questionBox(page).fill(question)
    await page.keyboard.press('Enter')
    await page.getByText('division by zero.').waitFor()
    expect(await editor(page).innerText()).to.equal(daysSql)
    session.service.world = {
      ...askWorld(),
      replies: { ask: { status: 502, body: { code: 'model-failed', detail: 'The provider is overloaded.' } } },
    }
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('The model did not respond').waitFor()
    await page.getByText('The provider is overloaded.').waitFor()
    session.service.world = askWorld()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
  })

  it('reports an unreachable service and resumes once it is back', async () => {
    const page = await session.open()
    await page.route('**/api/v1/run_sql', (route) => route.abort())
    await run(page)
    await page.getByText('Could not reach the service').waitFor()
    await page.unroute('**/api/v1/run_sql')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
  })
})
