/**
 * `node test/browser/ask-screenshots.ts <folder> [names]`: screenshots of the query page for manual
 * review, from mocked responses.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { createRootPage } from '../../src/platform/pages/serve-page.ts'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { startFakeAsk } from '../support/fake-ask.ts'
import type { AskWorld } from '../support/fake-ask.ts'
import { askWorld, hostileRun, ranSql } from '../support/ask-worlds.ts'
import { startBrowser } from '../support/browser.ts'

interface Shot {
  readonly name: string
  readonly size?: 'wide' | 'phone'
  readonly theme?: 'light' | 'dark'
  readonly world?: Partial<AskWorld>
  readonly act?: (page: Page) => Promise<void>
}

const ask = async (page: Page): Promise<void> => {
  await page
    .getByRole('textbox', { name: 'Question' })
    .fill('How many transactions were there on each of the last 14 days?')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Result' }).waitFor()
}
const startEnrichment = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: 'Question' }).fill('Which accounts sent the most FLOW?')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('Writing and running the SQL').first().waitFor()
}
const openApproved = async (page: Page): Promise<void> =>
  page.getByRole('tab', { name: 'Examples', exact: true }).click()
const run = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT name, hieght FROM raw.blocks')
  await page.keyboard.press('Control+Enter')
}
const chart = async (page: Page): Promise<void> => {
  await ask(page)
  await page.getByRole('tab', { name: 'Chart' }).click()
}
const manyApproved = Array.from({ length: 30 }, (_, i) => ({
  id: String(i),
  target: 'indexer',
  question: `Which ${i} accounts sent the most?`,
  sql: `SELECT ${i}`,
}))
const hostile = { replies: { run_sql: { body: hostileRun() } } }
const noModel = {
  status: 'ok',
  stuck_sessions: 0,
  targets: ['indexer'],
  model: null,
  remedy: 'Set LLM_API_KEY to the key of a model.',
  needs_token: false,
  sends_email: true,
}
const locked = { ...askWorld().health, needs_token: true }
const refused = {
  replies: {
    run_sql: {
      status: 400,
      body: {
        status: 400,
        code: 'sql-failed',
        detail: 'column "hieght" does not exist',
        error_position: 14,
        error_hint: 'Perhaps you meant to reference the column "blocks.height".',
      },
    },
  },
}

const shots: readonly Shot[] = [
  { name: 'start' },
  { name: 'start-dark', theme: 'dark' },
  { name: 'start-phone', size: 'phone' },
  {
    name: 'tables',
    act: async (page) => {
      await page.getByRole('button', { name: /^sales/ }).click()
      await page.getByRole('button', { name: /^blocks/ }).click()
    },
  },
  {
    name: 'tables-phone-dark',
    size: 'phone',
    theme: 'dark',
    act: async (page) => {
      await page.getByRole('button', { name: 'Tables and queries' }).click()
      await page.getByRole('button', { name: /^blocks/ }).click()
    },
  },
  {
    name: 'sample',
    act: async (page) => {
      await page.getByRole('button', { name: /^blocks/ }).click()
      await page.getByRole('button', { name: 'Sample rows of raw.blocks' }).click()
      await page.getByText('137390146').waitFor()
    },
  },
  {
    name: 'completion',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT FROM raw.blocks')
      await page.getByRole('textbox', { name: 'SQL' }).focus()
      await page.keyboard.press('Control+Home')
      for (let i = 0; i < 7; i++) await page.keyboard.press('ArrowRight')
      await page.keyboard.type('h')
      await page.getByRole('listbox').waitFor()
    },
  },
  {
    name: 'explained',
    act: async (page) => {
      await ask(page)
      await page.getByRole('button', { name: 'Explain' }).click()
      await page.getByRole('region', { name: 'Explanation' }).waitFor()
    },
  },
  ...(['wide', 'phone'] as const).map((size): Shot => ({
    name: `saved-${size}`,
    size,
    theme: size === 'phone' ? 'dark' : 'light',
    act: async (page) => {
      if (size === 'phone') await page.getByRole('button', { name: 'Tables and queries' }).click()
      await page.getByRole('tab', { name: 'Queries' }).click()
      await page.getByRole('button', { name: /^Blocks since a day/ }).click()
      await page.getByRole('heading', { name: 'Result' }).waitFor()
    },
  })),
  ...(['light', 'dark'] as const).map((theme): Shot => ({
    name: `bars-${theme}`,
    theme,
    world: {
      replies: {
        run_sql: {
          body: ranSql(
            'SELECT 1',
            { token: 'text', inflow: 'numeric', net: 'numeric' },
            ['FLOW', 'USDC', 'stFLOW', 'TopShot'].map((token, i) => ({
              token,
              inflow: String(4200 - i * 900),
              net: String(900 - i * 700),
            })),
          ),
        },
      },
    },
    act: async (page) => {
      await run(page)
      await page.getByRole('tab', { name: 'Chart' }).click()
      await page.getByRole('slider').waitFor()
    },
  })),
  {
    name: 'exporting',
    world: hostile,
    act: async (page) => {
      await run(page)
      await page.getByRole('button', { name: 'Export all rows' }).click()
      await page.getByText('Exporting: 41,200 rows').waitFor()
    },
  },
  { name: 'answer', act: ask },
  { name: 'answer-dark', theme: 'dark', act: ask },
  { name: 'answer-phone', size: 'phone', act: ask },
  { name: 'chart', act: chart },
  { name: 'chart-phone-dark', size: 'phone', theme: 'dark', act: chart },
  { name: 'hostile', world: hostile, act: run },
  { name: 'hostile-phone', world: hostile, size: 'phone', act: run },
  {
    name: 'examples',
    world: { examples: manyApproved },
    act: (page) => page.getByRole('button', { name: 'Show 26 more' }).click(),
  },
  { name: 'cut', world: { replies: { run_sql: { body: { ...hostileRun(), truncated_by: 'bytes' } } } }, act: run },
  { name: 'asking', world: { replies: { ask: 'never' } }, act: startEnrichment },
  {
    name: 'asking-phone-dark',
    world: { replies: { ask: 'never' } },
    size: 'phone',
    theme: 'dark',
    act: startEnrichment,
  },
  { name: 'busy', world: { replies: { run_sql: 'never' } }, act: run },
  { name: 'refused', world: refused, act: run },
  { name: 'empty', world: { health: noModel, examples: [], history: [], approved: [] } },
  {
    name: 'keep',
    act: async (page) => {
      await ask(page)
      await page.getByRole('button', { name: 'Save as example' }).click()
    },
  },
  { name: 'approved', theme: 'dark', act: openApproved },
  { name: 'approved-many', world: { approved: manyApproved }, act: openApproved },
  {
    name: 'forget',
    size: 'phone',
    act: async (page) => {
      await openApproved(page)
      await page.getByRole('button', { name: /^Delete/ }).click()
    },
  },
  {
    name: 'locked',
    world: { health: locked, token: 'secret' },
    act: (page) => page.getByRole('button', { name: 'Enter token' }).click(),
  },
]

const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const [folder, ...only] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder for the pictures.')
const log = pino({ level: 'warn' })
const pages = createDashboardPages({ page: 'ask', log })
await pages.file('')
const started = await startBrowser()
for (const { name, size = 'wide', theme = 'light', world, act } of shots.filter(
  (shot) => only.length === 0 || only.includes(shot.name),
)) {
  const server = await startFakeAsk({ ...askWorld(), ...world }, createRootPage(pages, ['docs', 'dashboards', 'd']))
  const context = await started.browser.newContext({
    viewport: sizes[size],
    colorScheme: theme,
    deviceScaleFactor: size === 'phone' ? 2 : 1,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`${name}: ${message.text()}\n`)
  })
  page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.stack ?? error.message}\n`))
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'SQL' }).waitFor()
  await page.waitForLoadState('networkidle')
  await act?.(page)
  const isWaiting = Object.values(world?.replies ?? {}).includes('never')
  if (!isWaiting) await page.waitForLoadState('networkidle')
  if (!isWaiting) await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
  await page.evaluate('scrollTo(0, 0)')
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path, fullPage: true })
  process.stdout.write(`${path}\n`)
  await context.close()
  await server.stop()
}
await started.close()
