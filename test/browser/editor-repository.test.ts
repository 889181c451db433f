import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { runEvent } from '../editor/github/github-events.ts'
import type { FakeRepository } from '../support/fake-repository.ts'
import {
  makeFile,
  openFile,
  readCode,
  signInToEditor,
  typeCode,
  untilSaving,
  useEditorSession,
} from './editor-session.ts'
import { expectUsable } from './page-checks.ts'

describe('repositories in the editor', () => {
  const session = useEditorSession()

  /** Signs in a user who has a repository. */
  const begin = async (): Promise<{ page: Page; consoleMessages: readonly string[]; repo: FakeRepository }> => {
    const { page, output: consoleMessages } = await session.visit({ world: { hasGitHub: true } })
    const { github } = session.editor
    const repo = github.repository('ann', 'token', {
      files: { 'README.md': 'Read me\n', 'contracts/Old.cdc': 'access(all) contract Old {}\n' },
    })
    github.install('ann', 'User', [repo])
    github.visitor = 'ann'
    await signInToEditor(page, session.editor)
    return { page, consoleMessages, repo }
  }
  const open = (page: Page): Promise<void> => page.getByRole('button', { name: 'Repository', exact: true }).click()
  const connect = async (page: Page): Promise<void> => {
    await open(page)
    await page.getByRole('button', { name: 'Choose repositories on GitHub' }).click()
    await page.getByText('GitHub access granted. Choose a repository.').waitFor()
    await page.getByRole('combobox', { name: 'Repository' }).selectOption('ann/token')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('link', { name: 'ann/token' }).waitFor()
  }
  const file = (page: Page, path: string): Locator => page.getByRole('checkbox', { name: path })

  it('show a load error, and load once the server is back', async () => {
    const { page } = await begin()
    const chunk = /\/assets\/repository-dialog-.*\.js$/
    await page.route('**', (route) => (route.request().method() === 'HEAD' ? route.abort() : route.continue()))
    await page.route(chunk, (route) => route.abort())
    await open(page)
    await page.getByText('Could not load this part of the page: the server is not reachable.').waitFor()
    await page.unroute(chunk)
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByRole('button', { name: 'Choose repositories on GitHub' }).waitFor()
    expect(await page.getByText('Could not load this part').count()).to.equal(0)
  })

  it('can be selected at GitHub, committed to without loss, and loaded from', async () => {
    const { page, consoleMessages, repo } = await begin()
    const { github } = session.editor
    await makeFile(page, 'contracts/Old.cdc')
    await typeCode(page, 'access(all) contract Old { access(all) fun now() {} }\n')
    await connect(page)

    await page.getByRole('button', { name: 'Commit to main' }).waitFor()
    expect(await file(page, 'contracts/Old.cdc').isChecked()).to.equal(true)
    expect(await file(page, 'README.md').isChecked()).to.equal(false)
    await file(page, 'scripts/add.cdc').uncheck()
    await page.getByRole('textbox', { name: 'Message' }).fill('The first version')
    await page.getByRole('button', { name: 'Commit to main' }).click()
    await page.getByText(/Committed to main as [0-9a-f]{7}\./).waitFor()
    const files = github.files(repo)
    expect(files['README.md']).to.equal('Read me\n')
    expect(files['contracts/Old.cdc']).to.include('fun now()')
    expect(Object.keys(files)).to.include('contracts/Counter.cdc').and.not.to.include('scripts/add.cdc')
    expect(repo.commits.get(repo.refs.get('main') ?? '')?.message).to.equal('The first version')

    github.push(repo, 'main', { 'docs/Guide.md': '# Guide\n', 'contracts/Old.cdc': '// theirs\n' })
    await page.getByRole('tab', { name: 'Load' }).click()
    await page.getByRole('button', { name: 'Refresh', exact: true }).click()
    await file(page, 'docs/Guide.md').waitFor()
    expect(await file(page, 'contracts/Old.cdc').isChecked()).to.equal(false)
    await file(page, 'README.md').uncheck()
    await page.getByRole('button', { name: 'Load files' }).click()
    await page.getByText('1 file loaded.').waitFor()
    await file(page, 'docs/Guide.md').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await untilSaving(page, 'Saved')
    await page.reload()
    await page.getByRole('button', { name: 'Guide.md', exact: true }).click()
    await openFile(page, 'docs/Guide.md').waitFor()
    expect(await readCode(page)).to.include('# Guide')
    expect(consoleMessages).to.deep.equal([])
  })

  it('are not overwritten if the branch has a newer commit', async () => {
    const { page, repo } = await begin()
    const { github } = session.editor
    await connect(page)
    await page.getByRole('button', { name: 'Commit to main' }).waitFor()
    const theirs = github.push(repo, 'main', { 'contracts/Counter.cdc': '// theirs\n' })
    await page.getByRole('button', { name: 'Commit to main' }).click()
    await page.getByRole('alert').waitFor()
    expect(repo.refs.get('main')).to.equal(theirs)
    await page.getByRole('button', { name: 'Refresh', exact: true }).click()
    await page.getByText('changed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Commit to main' }).click()
    await page.getByText(/Committed to main as/).waitFor()
    expect(github.files(repo)['contracts/Counter.cdc']).to.include('contract Counter')
    expect(repo.commits.get(repo.refs.get('main') ?? '')?.parents).to.deep.equal([theirs])
  })

  it('can be deployed to accounts whose keys only they have, with live progress', async () => {
    const { page, consoleMessages, repo } = await begin()
    const { github, url } = session.editor
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
    await connect(page)
    await page.getByRole('tab', { name: 'Deploy' }).click()
    await page.getByRole('textbox', { name: 'New environment' }).fill('staging')
    await page.getByRole('button', { name: 'Add environment' }).click()
    await page.getByRole('button', { name: 'Set key' }).click()
    await page.getByRole('textbox', { name: 'Account' }).fill('0xf8d6e0586b0a20c7')
    await page.getByLabel('Private key, 64 hex digits').fill('no key')
    await page.getByRole('button', { name: 'Save key' }).click()
    await page.getByRole('alert').filter({ hasText: '64 hex digits' }).waitFor()
    await page.getByLabel('Private key, 64 hex digits').fill('ab'.repeat(32))
    await page.getByRole('button', { name: 'Save key' }).click()
    await page.getByText('The key of staging was saved in the repository.').waitFor()
    expect(github.secret(repo, 'FLOW_PRIVATE_KEY_STAGING')).to.equal('ab'.repeat(32))
    expect(await page.content()).not.to.include('abababab')
    expect(sent.join('\n')).to.include('encrypted_private_key').and.not.to.include('abababab')
    await page.getByRole('button', { name: 'Create workflow' }).click()
    await page.getByRole('button', { name: 'Deploy now' }).click()
    await page.getByText('Deployment of main requested.').waitFor()
    expect(repo.dispatches).to.deep.equal([{ ref: 'main', inputs: { action: 'deploy' } }])

    await page.getByText('No deployments yet.').waitFor()
    for (const [status, word] of [
      ['in_progress', 'runs'],
      ['completed', 'deployed'],
    ] as const) {
      const { headers, body } = github.event('workflow_run', runEvent(repo, { status }))
      expect((await fetch(`${url}/github/webhook`, { method: 'POST', headers, body })).status).to.equal(200)
      await page.getByRole('region', { name: 'Deployments' }).getByText(word, { exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Remove staging' }).click()
    await page.getByText('No environments yet.').waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('report a denied authorization at GitHub, and can be disconnected', async () => {
    const { page } = await begin()
    const { github } = session.editor
    github.visitor = undefined
    await open(page)
    await page.getByRole('button', { name: 'Choose repositories on GitHub' }).click()
    await page.getByText('GitHub authorization failed: access was denied or the page was closed.').waitFor()
    github.visitor = 'ann'
    const broken = { part: '/installation/repositories', answer: [500, { message: 'broken' }] as const, times: 1000 }
    github.faults.push(broken)
    await page.getByRole('button', { name: 'Use existing access' }).click()
    await page.getByText('Could not load the repositories of ann').waitFor()
    broken.times = 0
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('button', { name: 'Connect' }).waitFor()
  })

  it('are accessible, wide and on a phone', async () => {
    for (const viewport of [
      { width: 1280, height: 860 },
      { width: 390, height: 844 },
    ]) {
      const { page } =
        viewport.width > 400
          ? await begin()
          : {
              page: await session
                .visit({ viewport })
                .then(async (visit) => (await signInToEditor(visit.page, session.editor), visit.page)),
            }
      await open(page)
      await page.getByRole('button', { name: 'Choose repositories on GitHub' }).waitFor()
      await expectUsable(page, `not connected, ${viewport.width}`)
      await page.keyboard.press('Escape')
      await connect(page)
      for (const tab of ['Commit', 'Load', 'Deploy']) {
        await page.getByRole('tab', { name: tab }).click()
        await page.locator('dialog .skeleton').first().waitFor({ state: 'detached' })
        await expectUsable(page, `${tab}, ${viewport.width}`)
      }
    }
  })
})
