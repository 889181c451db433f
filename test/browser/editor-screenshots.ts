/**
 * `node test/browser/editor-screenshots.ts <folder> [names]`: screenshots of the editor for manual
 * review, over a simulated chain.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { createEditorPage } from '../../src/editor/page.ts'
import { createWalletPage } from '../../src/wallet/page.ts'
import { runEvent } from '../editor/github/github-events.ts'
import { startBrowser } from '../support/browser.ts'
import { startFakeEditor } from '../support/fake-editor.ts'
import type { FakeEditor, EditorWorld } from '../support/fake-editor.ts'
import {
  codeOf,
  makeFile,
  openEditorPage,
  openFile,
  signInToEditor,
  typeCode,
  untilChecked,
  untilSaving,
} from './editor-session.ts'
import type { EditorVisit } from './editor-session.ts'

interface Shot {
  readonly name: string
  readonly size?: 'wide' | 'phone'
  readonly theme?: 'light' | 'dark'
  readonly world?: Partial<EditorWorld>
  readonly path?: string
  readonly act?: (visit: EditorVisit, editor: FakeEditor) => Promise<void>
}

type Act = NonNullable<Shot['act']>

const broken: Act = async ({ page }) => {
  await untilChecked(page)
  await typeCode(
    page,
    'import FungibleToken from 0xf233dcee88fe0abe\n\n/// Holds what was given to it.\naccess(all) contract Vaults {\n\n    access(all) let total: UFix64\n\n    access(all) fun add(amount: UFix64 {\n        self.total = self.total + amount\n    }\n\n    init() {\n        self.total = 0.0\n    }\n}\n',
  )
  await page
    .getByRole('button', { name: /:\d+:\d+$/ })
    .first()
    .waitFor()
}
const found: Act = async ({ page }) => {
  await codeOf(page).click()
  await page.keyboard.press('ControlOrMeta+f')
  await page.keyboard.type('count')
  await page.keyboard.press('Enter')
  await page.locator('.cm-searchMatch-selected').waitFor()
}

const sampled: Act = async ({ page }) => {
  await page.getByRole('button', { name: 'Templates' }).click()
  await page.getByRole('button', { name: /FLOW balance of an account/ }).click()
  await codeOf(page).click()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('region', { name: 'Result', exact: true }).getByText('Done').waitFor()
}
const failed: Act = async ({ page }) => {
  await openFile(page, 'scripts/add.cdc').click()
  await typeCode(page, 'access(all) fun main(a: Int, b: Int): Int {\n    return a - b\n}\n')
  await page.getByRole('tab', { name: 'Run' }).click()
  await page.getByRole('textbox', { name: 'a Int' }).fill('1')
  await page.getByRole('textbox', { name: 'b Int' }).fill('2')
  await page.getByRole('textbox', { name: 'b Int' }).press('Enter')
  await page.getByRole('region', { name: 'Result', exact: true }).getByText('Failed').waitFor()
}
const saved: Act = async (visit, editor) => {
  if ((visit.page.viewportSize()?.width ?? 0) < 500)
    await visit.page.getByRole('button', { name: 'Files', exact: true }).click()
  await makeFile(visit.page, 'contracts/Hello.cdc')
  await typeCode(visit.page, 'access(all) contract Hello {}\n')
  await signInToEditor(visit.page, editor, 'maria.lopez@example.com')
  await untilSaving(visit.page, 'Saved')
}
const shared: Act = async (visit, editor) => {
  await saved(visit, editor)
  await visit.page.getByRole('button', { name: 'Share' }).click()
  await visit.page.getByRole('checkbox').check()
  await visit.page.getByText('The project is public.').waitFor()
}
const listed: Act = async (visit, editor) => {
  await saved(visit, editor)
  await visit.page.getByRole('button', { name: 'Projects' }).click()
  await visit.page
    .getByRole('button', { name: /^Untitled/ })
    .last()
    .waitFor()
}
const conflicting: Act = async (visit, editor) => {
  await saved(visit, editor)
  const { page, context } = visit
  const other = await context.newPage()
  await other.goto(page.url())
  await openFile(other, 'contracts/Hello.cdc').click()
  await typeCode(other, 'access(all) contract Hello {\n    init() {}\n}\n')
  await untilSaving(other, 'Saved')
  await typeCode(page, 'access(all) contract Hello {\n    access(all) let mine: Int\n}\n')
  await page.getByRole('heading', { name: 'Conflicting changes' }).waitFor()
  await other.close()
}

/**
 * Opens the dialog of a user who has a repository.
 * @param tab undefined: before it is connected
 */
const repository =
  (tab?: 'Commit' | 'Load' | 'Deploy'): Act =>
  async ({ page }, editor) => {
    const { github } = editor
    const repo = github.repository('maria', 'counter', {
      files: {
        'README.md': '# Counter\n',
        'flow.json': '{}\n',
        'contracts/Counter.cdc': 'access(all) contract Counter {}\n',
      },
    })
    github.install('maria', 'User', [repo])
    github.visitor = 'maria'
    await signInToEditor(page, editor, 'maria.lopez@example.com')
    await page.getByRole('button', { name: 'Repository', exact: true }).click()
    await page.getByRole('button', { name: 'Choose repositories on GitHub' }).click()
    await page.getByRole('button', { name: 'Connect' }).waitFor()
    if (tab === undefined) return
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('tab', { name: tab }).click()
    if (tab !== 'Deploy') return page.getByRole('checkbox').first().waitFor()
    for (const name of ['staging', 'production']) {
      await page.getByRole('textbox', { name: 'New environment' }).fill(name)
      await page.getByRole('textbox', { name: 'Branch' }).fill(name === 'staging' ? 'main' : 'live')
      await page.getByRole('button', { name: 'Add environment' }).click()
      await page.getByText(name, { exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Set key' }).first().click()
    for (const [id, status, conclusion] of [
      [77, 'completed', 'success'],
      [78, 'completed', 'failure'],
      [79, 'in_progress', null],
    ] as const) {
      const { headers, body } = github.event(
        'workflow_run',
        runEvent(repo, { id, status, conclusion, message: 'Count by two' }),
      )
      await fetch(`${editor.url}/github/webhook`, { method: 'POST', headers, body })
    }
    await page.getByRole('region', { name: 'Deployments' }).getByText('runs', { exact: true }).waitFor()
  }
const withGitHub = { world: { hasGitHub: true } }

const shots: readonly Shot[] = [
  { name: 'start', act: ({ page }) => untilChecked(page) },
  { name: 'start-dark', theme: 'dark', act: ({ page }) => untilChecked(page) },
  { name: 'problems', act: broken },
  { name: 'problems-phone', size: 'phone', act: broken },
  { name: 'result', act: sampled },
  { name: 'result-dark-phone', size: 'phone', theme: 'dark', act: sampled },
  { name: 'failed', act: failed },
  { name: 'templates', act: ({ page }) => page.getByRole('button', { name: 'Templates' }).click() },
  { name: 'find', act: found },
  { name: 'find-dark-phone', size: 'phone', theme: 'dark', act: found },
  {
    name: 'new-file',
    act: async ({ page }) => {
      await page.getByRole('button', { name: 'New file', exact: true }).click()
      await page.getByRole('textbox', { name: 'Path' }).fill('deps/A.cdc')
      await page.getByRole('button', { name: 'Create' }).click()
    },
  },
  {
    name: 'files-phone',
    size: 'phone',
    act: ({ page }) => page.getByRole('button', { name: 'Files', exact: true }).click(),
  },
  { name: 'sign-in', act: ({ page }) => page.getByRole('button', { name: 'Sign in' }).click() },
  { name: 'saved', act: saved },
  { name: 'saved-phone', size: 'phone', act: saved },
  { name: 'share', act: shared },
  { name: 'projects', act: listed },
  { name: 'conflict', act: conflicting },
  { name: 'conflict-dark', theme: 'dark', act: conflicting },
  {
    name: 'completion',
    act: async ({ page }) => {
      await untilChecked(page)
      await codeOf(page).click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.type('access(all) cont')
      await page.keyboard.press('Control+Space')
      await page.locator('.cm-tooltip-autocomplete').waitFor()
    },
  },
  { name: 'repository', ...withGitHub, act: repository() },
  { name: 'repository-commit', ...withGitHub, act: repository('Commit') },
  { name: 'repository-load-dark', theme: 'dark', ...withGitHub, act: repository('Load') },
  { name: 'repository-deploy', ...withGitHub, act: repository('Deploy') },
  { name: 'repository-deploy-phone', size: 'phone', theme: 'dark', ...withGitHub, act: repository('Deploy') },
  {
    name: 'not-found',
    path: '/p/nothing-abc123',
    act: ({ page }) => page.getByText('Project not found').waitFor(),
  },
  {
    name: 'services-away',
    act: async (visit, editor) => {
      await saved(visit, editor)
      editor.world = { ...editor.world, projectsAre: 'down' }
      await editor.stopChannel()
      await typeCode(visit.page, '// more\n')
      await visit.page.getByText('The server is not reachable.').waitFor()
    },
  },
  {
    name: 'empty',
    act: async ({ page }) => {
      for (const path of ['contracts', 'scripts', 'transactions']) {
        await page.getByRole('button', { name: `Delete ${path}`, exact: true }).click()
        await page.getByRole('button', { name: 'Delete', exact: true }).click()
      }
    },
  },
]

const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const [folder, ...only] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder for the pictures.')
const pages = createDashboardPages({ page: 'editor', log: pino({ level: 'warn' }) })
await pages.file('')
const walletPages = createDashboardPages({ page: 'wallet', log: pino({ level: 'warn' }) })
const started = await startBrowser()
for (const { name, size = 'wide', theme = 'light', world, path = '/', act } of shots.filter(
  (shot) => only.length === 0 || only.some((word) => shot.name.startsWith(word)),
)) {
  const editor = await startFakeEditor(
    (settings) => createEditorPage(pages, settings),
    world,
    createWalletPage(walletPages),
  )
  const visit = await openEditorPage(started, editor, {
    path,
    viewport: sizes[size],
    colorScheme: theme,
    deviceScaleFactor: size === 'phone' ? 2 : 1,
    hasTouch: size === 'phone',
  })
  visit.page.setDefaultTimeout(10_000)
  try {
    await act?.(visit, editor)
  } catch (error) {
    process.stderr.write(`${name}: ${String(error)}\n`)
  }
  for (const line of visit.output) process.stderr.write(`${name}: ${line}\n`)
  const picture = join(folder, `${name}.png`)
  await visit.page.screenshot({ path: picture })
  process.stdout.write(`${picture}\n`)
  await visit.context.close()
  await editor.stop()
}
await started.close()
pages.stop()
walletPages.stop()
