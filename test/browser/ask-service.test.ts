import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { expectUsable, watchConsole } from './page-checks.ts'

const token = 'only-of-this-test'
/** Highest stored block. */
const last = 20

describe('the query page of the running service', function () {
  let running: TestBrowser | undefined
  let farm: FlowfarmProcess | undefined
  let database: TestDatabase | undefined
  let folder: string | undefined
  let url: string

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    database = await createTestDatabase()
    await storeBlocks(database)
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-ask-page-'))
    farm = new FlowfarmProcess(['ask'], {
      DB_URL: database.url,
      HOST: '127.0.0.1',
      ASK_PORT: '0',
      PORT: '0',
      LLM_PROVIDER: 'scripted',
      API_TOKEN: token,
      CHROMA_PERSIST_DIR: folder,
      MAIL_FOLDER: join(folder, 'mail'),
    })
    url = String((await farm.logged(/Query service listening/))['url'])
  })

  after(async () => {
    await farm?.end('SIGTERM')
    await running?.close()
    await database?.drop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('answers an example question, saves it, and runs the edited SQL', async () => {
    const context = await running?.browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
    })
    if (context === undefined) throw new Error('the browser did not start')
    const page: Page = await context.newPage()
    const consoleMessages = watchConsole(page)
    await page.goto(url)
    await page.getByRole('textbox', { name: 'SQL' }).waitFor()
    expect(await loadedBytes(page), 'bytes of the page as sent').to.be.below(300_000)
    const posted = await fetch(url, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
    await page.getByText('only the example questions have answers').waitFor()
    await page.getByRole('button', { name: 'Enter token' }).click()
    await page.getByRole('textbox', { name: 'Token' }).fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^blocks/ }).waitFor()
    const example = page.getByRole('region', { name: 'Example questions' }).getByRole('button').first()
    const question = await example.innerText()
    await example.click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(await page.locator('table.result tbody tr').count()).to.equal(1)
    await page.getByRole('button', { name: 'Save as example' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as an example.').waitFor()
    await page.getByRole('tab', { name: 'Examples', exact: true }).click()
    await page.getByRole('button', { name: `Delete “${question}”` }).waitFor()
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export all' }).click()
    expect(JSON.parse(await readFile(await (await coming).path(), 'utf8'))).to.include({ target: 'indexer', question })
    await writeSql(page, "SELECT 1 AS n, 2 AS n, 9007199254740993 AS big, '\\xff'::bytea AS hash")
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('columnheader', { name: 'n_2' }).waitFor()
    expect(await page.locator('table.result tbody td').allInnerTexts()).to.deep.equal([
      '1',
      '2',
      '9007199254740993',
      '0xff',
    ])
    await expectUsable(page, 'the result of SQL')
    await writeSql(page, 'SELECT hieght FROM raw.blocks')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('The error is in line 1 at “hieght”.').waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('button', { name: /^SELECT hieght.*failed/s }).waitFor()
    expect(consoleMessages.filter((text) => !text.includes('status of 400'))).to.deep.equal([])
  })

  it('e-mails an alert after its recipient followed the mailed link, until they unsubscribe', async () => {
    const context = await running?.browser.newContext({ reducedMotion: 'reduce' })
    if (context === undefined) throw new Error('the browser did not start')
    const page: Page = await context.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: 'Enter token' }).click()
    await page.getByRole('textbox', { name: 'Token' }).fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Alerts' }).click()
    await page.getByLabel('Tell me when…').fill('Tell me when the newest indexed block is above 5')
    await page.getByRole('button', { name: 'Review alert' }).click()
    await page.getByLabel('Send to').selectOption('An e-mail address')
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.getByRole('dialog').getByRole('button', { name: 'Create alert' }).click()
    await page.getByRole('heading', { name: 'Confirm the alert' }).waitFor()
    await page.goto(await mailedLink(0))
    await page.getByRole('button', { name: 'Confirm alert' }).click()
    await page.getByRole('heading', { name: 'Alert confirmed' }).waitFor()
    await page.goto(await mailedLink(1))
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('heading', { name: 'Unsubscribed' }).waitFor()
    await page.goto(url)
    await page.getByRole('tab', { name: 'Alerts' }).click()
    await page.getByRole('button', { name: /^The newest indexed block is above 5/ }).click()
    await page.getByText('the recipient unsubscribed').waitFor()
    await page.getByText('delivered').waitFor()
  })

  /** The last link of an e-mail of the service. */
  async function mailedLink(index: number): Promise<string> {
    const file = await farm?.logged(/E-mail written to a file/, index)
    const source = await readFile(String(file?.['file']), 'utf8')
    const text = source.replaceAll(/=\n/g, '').replaceAll('=3D', '=')
    const links = text.match(/http:\/\/localhost:\d+\/api\/v1\/alert-mails\/[\w-]{43}/g)
    return links?.[0] ?? ''
  }
})

/** Compressed bytes of the page and all requests so far. */
async function loadedBytes(page: Page): Promise<number> {
  await page.waitForLoadState('networkidle')
  return page.evaluate<number>(
    "['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).reduce((sum, { transferSize }) => sum + transferSize, 0)",
  )
}

/**
 * Replaces the editor's text by keyboard. If it were set over highlighted text, the browser would
 * copy that text's inline style.
 */
async function writeSql(page: Page, sql: string): Promise<void> {
  await page.getByRole('textbox', { name: 'SQL' }).press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.getByRole('textbox', { name: 'SQL' }).fill(sql)
}

/** Blocks of the recording, without derived data. */
async function storeBlocks(database: TestDatabase): Promise<void> {
  await using node = await startRecordedNode('base', { cachedBlocks: last + 1 })
  const ingest = await runIngest(database, {
    CHAIN_ACCESS_NODE: node.endpoint,
    ENABLE_HISTORY_INGESTER: 'false',
    START_BLOCK: '0',
  })
  await untilStored(database, 0, last, ingest)
  await ingest.stop()
}
