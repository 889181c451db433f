import { expect } from 'chai'
import { pino } from 'pino'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { workers } from '../../jobs/index.ts'
import { readCoverage } from '../../src/farm/leases/coverage.ts'
import { setDrill } from '../../src/farm/drills.ts'
import { addLeases, leaseLines, setCoverage, storedLeases } from '../../src/farm/farm-tables.test-support.ts'
import { withFollowers } from '../../src/farm/leases/requests.ts'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import type { DashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { startRecordedNode } from '../support/replay.ts'
import { addOwnWorker } from '../support/served-worker.ts'
import { runOperator } from '../support/running-operator.ts'
import type { RunningOperator } from '../support/running-operator.ts'
import { expectAccessible, horizontalOverflow, tabTo, watchConsole } from './page-checks.ts'

describe('the operator page in a browser', function () {
  let running: TestBrowser
  let pages: DashboardPages | undefined
  let operator: RunningOperator | undefined
  let database: TestDatabase
  let node: ReplayNode | undefined
  let consoleMessages: string[] = []
  const processes: FlowfarmProcess[] = []

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    pages = createDashboardPages({ page: 'operator', log: pino({ level: 'silent' }) })
  })

  after(async () => {
    pages?.stop()
    await running?.close()
  })

  beforeEach(async () => {
    consoleMessages = []
    database = await createTestDatabase()
  })

  afterEach(async () => {
    for (const context of running.browser.contexts()) await context.close()
    for (const farm of processes.splice(0)) await farm.end('SIGKILL')
    await operator?.stop()
    operator = undefined
    await node?.stop()
    node = undefined
    await database.drop()
  })

  async function start(
    services: readonly string[],
    variables: Record<string, string> = {},
  ): Promise<{ url: string; farm: FlowfarmProcess }> {
    const farm = new FlowfarmProcess(services, { DB_URL: database.url, HOST: '127.0.0.1', PORT: '0', ...variables })
    processes.push(farm)
    const port = String((await farm.logged(/API listening/))['port'])
    return { url: `http://127.0.0.1:${port}/operator`, farm }
  }

  /** The operator in this process, which starts faster. */
  async function serve(variables: Record<string, string> = {}): Promise<string> {
    operator = await runOperator(database.url, variables, { pages: pages as DashboardPages, pauseMs: 500 })
    return `http://${operator.api.host}/operator`
  }

  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await running.browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    consoleMessages = watchConsole(page)
    await page.goto(url)
    return page
  }

  /**
   * A farm without workers: two failing leases that require operator action, two that are retried,
   * and one skipped.
   */
  async function addProblems(): Promise<void> {
    await setCoverage(database.pool, {
      main_ingester: [{ from: 0, to: 1000 }],
      token_worker: [
        { from: 0, to: 100 },
        { from: 200, to: 600 },
      ],
      accounts_worker: [],
    })
    await addLeases(database.pool, [
      { worker: 'token_worker', from: 100, to: 200, status: 'flagged', attempt: 21 },
      { worker: 'token_worker', from: 600, to: 650, status: 'flagged', attempt: 21 },
      { worker: 'accounts_worker', from: 0, to: 50, status: 'failed', attempt: 3 },
      { worker: 'accounts_worker', from: 50, to: 60, status: 'skipped', attempt: 21 },
      { worker: 'accounts_worker', from: 60, to: 70, status: 'failed', attempt: 1 },
    ])
    await database.pool.query(
      `update app.worker_leases set last_error = 'the vault has no owner', last_error_code = 'no-owner', last_error_stack = 'Error: the vault has no owner' || E'\\n    at derive (jobs/token-worker.ts:1:1)'
       where status in ('failed', 'flagged')`,
    )
  }

  it('shows progress, a failing range with its error, and fixes it', async () => {
    node = await startRecordedNode('base', { head: 100 })
    await setDrill(database.pool, { worker: 'token_worker', from: 60, to: 61, reason: 'An exercise.' })
    const { url } = await start([], {
      CHAIN_ACCESS_NODE: node.endpoint,
      WORKER_RETRY_BASE_MS: '1',
      WORKER_RETRY_CAP_MS: '1',
    })
    const page = await open(url)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('#100').waitFor()
    node.advance(20)
    await page.getByText('#120').waitFor()
    await page
      .getByRole('row', { name: /^accounts_worker phase/ })
      .getByText('up to date')
      .waitFor()

    await page.getByText('1 range is stuck').waitFor()
    const stuck = page.getByRole('row', { name: /^Select token_worker 60 token_worker 60/ })
    await stuck.getByText('21').waitFor()
    await page.getByRole('button', { name: 'Details of token_worker 60' }).click()
    await page.getByLabel('Stack').waitFor()
    expect(await page.title()).to.equal('(1) flowfarm operator')

    await page.getByText('Fault drill:').waitFor()
    await page.getByRole('button', { name: 'Clear drill' }).click()
    await page.getByText('Fault drill:').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Requeue token_worker 60' }).click()
    await page.getByText('No stuck ranges', { exact: true }).waitFor()
    await page.getByText('All systems normal').waitFor()
    expect((await storedLeases(database.pool)).filter(({ status }) => status === 'flagged')).to.deep.equal([])

    await page.getByRole('button', { name: 'Fault drill…' }).click()
    await page.getByRole('dialog').getByRole('combobox').selectOption('accounts_worker')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('Fault drill:').waitFor()
    node.advance(12)
    await page
      .getByRole('row', { name: /^Select accounts_worker 13/ })
      .first()
      .waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('shows the backlog of a worker that waits for another one, without reporting a failure', async () => {
    const done = [{ from: 0, to: 60 }]
    const main = [{ from: 0, to: 100 }]
    await setCoverage(database.pool, { main_ingester: main, token_worker: done, ft_holdings_worker: done })
    await database.pool.query(`update app.indexing_checkpoints set succeeded_at = now() - interval '1 h'`)
    const url = await serve()
    const page = await open(url)
    const row = page.getByRole('row', { name: /^ft_holdings_worker phase/ })
    await row.getByText('behind by 40 blocks').waitFor()
    await row.getByText('60.0%').waitFor()
    await row.getByText('waiting for token_worker').waitFor()
    await page.getByText('ft_holdings_worker is behind by 40 blocks').waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('shows the version of an own worker, what it replaces, and why its files could not be loaded', async () => {
    await addOwnWorker(database.pool)
    await addOwnWorker(database.pool, { name: 'own_top_shot__next' })
    await database.pool.query(`
      update app.own_workers set replaces = 'own_top_shot' where name = 'own_top_shot__next';
      update app.own_workers set error = 'no <b>default</b> export' where name = 'own_top_shot'`)
    const page = await open(await serve())
    await page.getByText('no <b>default</b> export').waitFor()
    await page.getByText('Fix the files in WORKERS_DIR').waitFor()
    const row = page.getByRole('row', { name: /^own_top_shot version 1 / })
    await row.getByText('not loaded').waitFor()
    await page.getByRole('row', { name: /version 1, to replace own_top_shot/ }).waitFor()
    await expectAccessible(page, 'own workers')
    await page.setViewportSize({ width: 360, height: 780 })
    expect(await horizontalOverflow(page)).to.equal(0)
  })

  it('splits, skips with a reason and requeues single ranges and all ranges of a worker', async () => {
    await addProblems()
    const url = await serve()
    const page = await open(url)
    await page.getByText('2 ranges are stuck').waitFor()

    await page.getByRole('button', { name: 'Split token_worker 600 – 649' }).click()
    await page.getByRole('spinbutton', { name: 'Pieces' }).fill('5')
    await page.getByRole('dialog').getByRole('button', { name: 'Split' }).click()
    await page.getByText('1 range is stuck').waitFor()
    expect((await leaseLines(database.pool)).filter((line) => /token_worker 6\d\d-/.test(line))).to.have.length(5)

    await page.getByRole('button', { name: 'Skip token_worker 100 – 199' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Not on this network.')
    await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click()
    await page.getByText('1 range skipped.').waitFor()
    expect(
      (await storedLeases(database.pool)).find(({ from, worker }) => worker === 'token_worker' && from === 100),
    ).to.include({ status: 'skipped', reason: 'Not on this network.' })

    await page.getByRole('tab', { name: /^Retrying/ }).click()
    await page.getByRole('button', { name: 'Requeue accounts_worker 0 – 49' }).waitFor()
    await page.getByRole('tab', { name: /^Skipped/ }).click()
    await page.getByText('Not on this network.', { exact: true }).first().waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('applies actions to selected ranges and to all with the same worker and error, after confirmation', async () => {
    await addProblems()
    const url = await serve()
    const page = await open(`${url}?worker=token_worker&code=no-owner`)
    await page.getByRole('button', { name: 'Skip all' }).click()
    await page.getByText('All stuck ranges of token_worker with error no-owner').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect((await storedLeases(database.pool)).filter(({ status }) => status === 'flagged')).to.have.length(2)

    await page.getByRole('checkbox', { name: 'Select all listed ranges' }).click()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Requeue', exact: true }).click()
    await page.getByRole('dialog', { name: 'Requeue 2 ranges?' }).getByRole('button', { name: 'Requeue' }).click()
    await page.getByText('2 ranges requeued.').waitFor()
    expect((await leaseLines(database.pool)).filter((line) => line.startsWith('token_worker'))).to.deep.equal([
      'token_worker 100-200 queued',
      'token_worker 600-650 queued',
    ])

    await page.goto(`${url}?show=failed`)
    await page.getByRole('button', { name: 'Skip all' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('All of them.')
    await page.getByRole('dialog', { name: 'Skip 2 ranges?' }).getByRole('button', { name: 'Skip' }).click()
    await page.getByText('2 ranges skipped.').waitFor()
    expect(
      (await storedLeases(database.pool))
        .filter(({ reason }) => reason === 'All of them.')
        .map(({ worker, from, status }) => `${worker} ${from} ${status}`),
    ).to.deep.equal(['accounts_worker 0 skipped', 'accounts_worker 60 skipped'])
    expect(consoleMessages).to.deep.equal([])
  })

  it('rederives a height whose input was undecodable', async () => {
    await addProblems()
    await database.pool.query(
      `insert into raw.indexing_errors (worker_name, block_height, tx_index, event_index, code, message)
       values ('token_worker', 42, 3, 1, 'bad-payload', 'the payload ends too early')`,
    )
    const url = await serve()
    const page = await open(`${url}?show=errors`)
    await page
      .getByRole('row', { name: /^token_worker 42 transaction 3, event 1 bad-payload the payload ends too early/ })
      .waitFor()
    expect(await page.getByRole('link', { name: '42', exact: true }).getAttribute('href')).to.equal('/block/42')
    await page.getByRole('button', { name: 'Re-derive height 42' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Re-derive' }).click()
    const followers = withFollowers(workers, ['token_worker']).join(', ')
    await page.getByText(`Re-deriving 42 with ${followers}.`).waitFor()
    expect(await readCoverage(database.pool, ['token_worker'])).to.deep.equal(
      new Map([
        [
          'token_worker',
          [
            { from: 0, to: 42 },
            { from: 43, to: 100 },
            { from: 200, to: 600 },
          ],
        ],
      ]),
    )
    expect(consoleMessages).to.deep.equal([])
  })

  it('is usable by keyboard only', async () => {
    await addProblems()
    const url = await serve()
    const page = await open(url)
    await page.getByText('2 ranges are stuck').waitFor()
    await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('tab', { name: /^Stuck/ }))
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: /^Retrying/, selected: true }).waitFor()
    await page.keyboard.press('Home')
    await tabTo(page, page.getByRole('button', { name: 'Skip token_worker 100 – 199' }))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Enter')])
    await page.getByRole('dialog').locator(':focus').waitFor()
    await page.keyboard.type('By hand.')
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Skip' }))
    await page.keyboard.press('Enter')
    await page.getByText('1 range skipped.').waitFor()
    expect(
      (await storedLeases(database.pool)).find(({ from, worker }) => worker === 'token_worker' && from === 100),
    ).to.include({ status: 'skipped', reason: 'By hand.' })

    const cursor = page.getByRole('slider', { name: 'Position on the chain' })
    await tabTo(page, cursor)
    await page.keyboard.press('Home')
    expect(await cursor.getAttribute('aria-valuetext')).to.match(/^0 – 1: main_ingester done; .*token_worker done/)
    await page.keyboard.press('+')
    await page.waitForURL(/from=0&to=/)
    expect(consoleMessages).to.deep.equal([])
  })

  it('requests the token if one is configured', async () => {
    const url = await serve({ ADMIN_TOKEN: 'a token for the night shift' })
    const page = await open(url)
    await page.getByLabel('Token').fill('another token')
    await page.keyboard.press('Enter')
    await page.getByText('The token was not accepted:').waitFor()
    await expectAccessible(page, 'login')
    await page.getByLabel('Token').fill('a token for the night shift')
    await page.keyboard.press('Enter')
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.evaluate('document.cookie')).to.equal('')
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    expect(consoleMessages.filter((text) => !text.includes('401'))).to.deep.equal([])
  })

  it('keeps its data while the API is unreachable, and resumes once it is back', async () => {
    await addProblems()
    const first = await start(['api'])
    const page = await open(first.url)
    await page.getByText('2 ranges are stuck').waitFor()
    await first.farm.end('SIGTERM')
    await page.getByRole('alert').getByText('The API is not reachable.').waitFor()
    await page.getByText('2 ranges are stuck').waitFor()
    await page.getByText(/^Stale for/).waitFor()
    await database.pool.query("update app.worker_leases set status = 'queued' where from_height = 600")
    await start(['api'], { PORT: new URL(first.url).port })
    await page
      .getByRole('button', { name: 'Retry now' })
      .click({ timeout: 2000 })
      .catch((error: unknown) => {
        // The automatic retry was faster.
        if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
      })
    await page.getByText('1 range is stuck').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(consoleMessages.filter((text) => !text.includes('Failed to load resource'))).to.deep.equal([])
  })

  it('stores the view in the URL and the theme in the browser', async () => {
    await addProblems()
    const url = await serve()
    const page = await open(`${url}?show=failed`)
    await page.getByRole('tab', { name: /^Retrying/, selected: true }).waitFor()
    await page.getByRole('tab', { name: /^Skipped/ }).click()
    await page.waitForURL(/show=skipped/)
    await page.goBack()
    await page.getByRole('tab', { name: /^Retrying/, selected: true }).waitFor()

    const ground = (): Promise<string> => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    await page.getByRole('button', { name: /^Theme:/ }).click()
    await page.getByRole('button', { name: /^Theme: light/ }).click()
    expect(await ground()).to.not.equal(light)
    await page.reload()
    await page.getByRole('button', { name: /^Theme: dark/ }).waitFor()
    expect(await ground()).to.not.equal(light)
    expect(consoleMessages).to.deep.equal([])
  })

  it('is accessible in light and dark, wide and on a phone', async () => {
    await addProblems()
    const url = await serve()
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const page = await open(url, { viewport })
      await page.getByText('2 ranges are stuck').waitFor()
      await page
        .getByRole('button', { name: /^Details of/ })
        .first()
        .click()
      await page.getByText('Show as table').click()
      await page.getByRole('cell', { name: 'failing' }).first().waitFor()
      await expectAccessible(page, `${viewport.width} px`)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is cut off').to.equal(
        true,
      )
      await page.getByRole('button', { name: 'Skip token_worker 100 – 199' }).click()
      await page.getByRole('dialog').waitFor()
      await expectAccessible(page, `dialog, ${viewport.width} px`)
      expect(consoleMessages).to.deep.equal([])
      await page.context().close()
    }
  })
})
