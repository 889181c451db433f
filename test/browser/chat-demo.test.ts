import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { startStreamingProvider } from '../assistant/chat/support/streaming-provider.ts'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { expectUsable, watchConsole } from './page-checks.ts'

const example = 'How many transactions were there each day?'
const sql = 'select day, tx_count from app.daily_stats order by day'

describe('the chat of the running program behind its proxy', function () {
  let running: TestBrowser | undefined
  let database: TestDatabase | undefined
  let folder: string | undefined
  let farm: FlowfarmProcess | undefined

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    database = await createTestDatabase()
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-chat-demo-'))
    await database.pool.query(`insert into app.hourly_stats
      select '2026-10-31'::date + n, 12, 10, n * 1000, 0, n * 100, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0 from generate_series(1, 5) n`)
  })

  afterEach(async () => {
    for (const context of running?.browser.contexts() ?? []) await context.close()
    await farm?.end('SIGTERM')
    farm = undefined
  })

  after(async () => {
    await running?.close()
    await database?.drop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** The page through the proxy. */
  async function open(variables: Record<string, string>): Promise<{
    readonly page: Page
    readonly consoleMessages: string[]
    readonly origins: Set<string>
    readonly url: string
  }> {
    farm = new FlowfarmProcess(['chat', 'mcp', 'ask', 'proxy'], {
      DB_URL: database?.url ?? '',
      HOST: '127.0.0.1',
      CHAT_PORT: '0',
      MCP_PORT: '0',
      ASK_PORT: '0',
      PROXY_PORT: '0',
      TOOLS_PORT: '1',
      CHROMA_PERSIST_DIR: folder ?? '',
      ...variables,
    })
    const url = String((await farm.logged(/Reverse proxy listening/))['url'])
    await farm.logged(/Chat listening/)
    const context = await running?.browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    })
    if (context === undefined) throw new Error('the browser did not start')
    const page = await context.newPage()
    const origins = new Set<string>()
    page.on('request', (request) => origins.add(new URL(request.url()).origin))
    const consoleMessages = watchConsole(page)
    await page.goto(url)
    return { page, consoleMessages, origins, url }
  }

  async function expectAnswer(page: Page, shown: { readonly statement: string; readonly cell: string }): Promise<void> {
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.locator('figure.chart svg').first().waitFor()
    await answer.getByRole('cell', { name: shown.cell, exact: true }).first().waitFor()
    await page.getByText('The answer is complete.').waitFor({ state: 'attached' })
    expect(await answer.locator('figure.code-block').innerText()).to.include(shown.statement)
    await answer.getByRole('button', { name: /SQL/ }).first().click()
    await answer.getByRole('region', { name: 'Result rows' }).waitFor()
    await expectUsable(page, 'an answer with its SQL and a chart')
  }

  it('answers an example from its script, with executed SQL and a chart of the rows', async () => {
    const { page, consoleMessages, origins, url } = await open({ LLM_PROVIDER: 'scripted' })
    await page.getByRole('region', { name: 'Example questions' }).getByRole('button', { name: example }).click()
    await expectAnswer(page, { statement: 'from app.daily_stats', cell: '5,000' })
    await page.getByText('No language model is configured').waitFor()
    await page.getByRole('textbox', { name: 'Question' }).fill('What is the meaning of life?')
    await page.keyboard.press('Enter')
    await page.getByText('Only these example questions work').waitFor()
    expect([...origins]).to.deep.equal([url])
    expect(consoleMessages).to.deep.equal([])
  })

  it('answers with any OpenAI-compatible server that two variables configure', async () => {
    await using provider = await startStreamingProvider(({ step }) => {
      if (step === 0) return [{ tool: 'run_indexer_sql', input: { sql } }]
      const data = [1000, 2000, 3000, 4000, 5000]
      if (step === 1)
        return [
          {
            tool: 'createChart',
            input: {
              chartType: 'bar',
              title: 'Transactions',
              labels: ['1', '2', '3', '4', '5'],
              datasets: [{ label: 'tx', data }],
            },
          },
        ]
      return [
        'It grows:\n\n| day | transactions |\n| --- | ---: |\n',
        '| 2026-11-05 | 5,000 |\n\n',
        `\`\`\`sql\n${sql}\n\`\`\`\n`,
      ]
    })
    const { page, consoleMessages } = await open({ LLM_BASE_URL: provider.url, LLM_MODEL: 'local-model' })
    await page.getByRole('textbox', { name: 'Question' }).fill('Do transactions grow?')
    await page.keyboard.press('Enter')
    await expectAnswer(page, { statement: sql, cell: '5,000' })
    expect(provider.refused).to.deep.equal([])
    expect(provider.calls.map(({ model }) => model)).to.deep.equal(['local-model', 'local-model', 'local-model'])
    expect(provider.calls[1]?.messages.at(-1)?.toolResults[0]?.text).to.include('"tx_count":"5000"')
    expect(consoleMessages).to.deep.equal([])
  })
})
