/**
 * `node test/browser/screenshots.ts <folder> [names]`: screenshots of the operator page for manual
 * review, from mocked data. (The README's screenshot is from the demo with a fault drill.)
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { startBrowser } from '../support/browser.ts'
import { startFakeOperator } from '../support/fake-operator.ts'
import type { FakeOperator, FakeOperatorOptions } from '../support/fake-operator.ts'
import { busyWorld, calmWorld, emptyWorld } from '../support/operator-world.ts'

interface Shot {
  readonly name: string
  readonly size?: 'wide' | 'phone'
  readonly theme?: 'light' | 'dark'
  readonly server?: Partial<FakeOperatorOptions>
  readonly query?: string
  readonly act?: (page: Page, operator: FakeOperator) => Promise<void>
}

const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const shots: readonly Shot[] = [
  { name: 'wide' },
  { name: 'wide-dark', theme: 'dark' },
  { name: 'phone', size: 'phone' },
  { name: 'phone-dark', size: 'phone', theme: 'dark' },
  { name: 'calm', server: { world: calmWorld() } },
  { name: 'empty', server: { world: emptyWorld() } },
  {
    name: 'details',
    act: (page) =>
      page
        .getByRole('button', { name: /^Details/ })
        .first()
        .click(),
  },
  {
    name: 'phone-details',
    size: 'phone',
    act: (page) =>
      page
        .getByRole('button', { name: /^Details/ })
        .first()
        .click(),
  },
  { name: 'selected', act: (page) => page.getByRole('checkbox', { name: 'Select all' }).click() },
  {
    name: 'skip',
    act: (page) =>
      page
        .getByRole('button', { name: /^Skip token/ })
        .first()
        .click(),
  },
  {
    name: 'skip-dark',
    theme: 'dark',
    act: (page) =>
      page
        .getByRole('button', { name: /^Skip token/ })
        .first()
        .click(),
  },
  { name: 'rederive', act: (page) => page.getByRole('button', { name: 'Re-derive…' }).click() },
  { name: 'errors', query: '?show=errors' },
  { name: 'skipped', query: '?show=skipped' },
  { name: 'retrying', query: '?show=failed' },
  { name: 'phone-errors', size: 'phone', query: '?show=errors' },
  { name: 'hover', act: (page) => page.locator('.cursor').hover({ position: { x: 340, y: 60 } }) },
  {
    name: 'phone-hover',
    size: 'phone',
    theme: 'dark',
    act: (page) => page.locator('.cursor').hover({ position: { x: 190, y: 160 } }),
  },
  {
    name: 'focus',
    theme: 'dark',
    act: async (page) => {
      await page.locator('.cursor').focus()
      await page.keyboard.press('Home')
    },
  },
  { name: 'drill', server: { world: withDrill() } },
  {
    name: 'broken',
    act: async (page, operator) => {
      await operator.pause()
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'login', server: { token: 'secret' } },
  {
    name: 'login-wrong',
    theme: 'dark',
    server: { token: 'secret' },
    act: async (page) => {
      await page.getByLabel('Token').fill('x')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'closed', server: { isClosed: true } },
]

const [folder, ...only] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder for the pictures.')
const pages = createDashboardPages({ page: 'operator', log: pino({ level: 'warn' }) })
const started = await startBrowser()
for (const shot of shots.filter(({ name }) => only.length === 0 || only.includes(name))) {
  const operator = await startFakeOperator({ world: busyWorld(), pages, ...shot.server })
  const context = await started.browser.newContext({
    viewport: sizes[shot.size ?? 'wide'],
    colorScheme: shot.theme ?? 'light',
    deviceScaleFactor: shot.size === 'phone' ? 2 : 1,
  })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`${shot.name}: ${message.text()}\n`)
  })
  page.on('pageerror', (error) => process.stderr.write(`${shot.name}: ${error.stack ?? error.message}\n`))
  await page.goto(`${operator.url}/operator${shot.query ?? ''}`)
  await page.getByRole('heading').first().waitFor()
  for (let i = 0; i < 40; i++) {
    operator.tick()
    await delay(15)
  }
  await page.waitForLoadState('load')
  await delay(300)
  await shot.act?.(page, operator)
  await delay(400)
  const path = join(folder, `${shot.name}.png`)
  mkdirSync(join(path, '..'), { recursive: true })
  await page.screenshot({ path, fullPage: shot.act === undefined })
  process.stdout.write(`${path}\n`)
  await context.close()
  await operator.stop()
}
await started.close()

function withDrill(): FakeOperatorOptions['world'] {
  const world = busyWorld()
  return {
    ...world,
    overview: {
      ...world.overview,
      drills: [{ worker: 'token_worker', from: 124_310_000, to: 124_311_000, reason: 'Exercise of the night shift.' }],
    },
  }
}
