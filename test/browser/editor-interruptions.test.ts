import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { importedContract } from '../support/fake-editor.ts'
import { newEmail } from '../support/fake-wallet.ts'
import { expectUsable } from './page-checks.ts'
import {
  codeOf,
  makeFile,
  openFile,
  readCode,
  signInToEditor,
  typeCode,
  untilChecked,
  untilSaving,
  useEditorSession,
} from './editor-session.ts'

const conflictTitle = 'Conflicting changes'
const greeterPath = `deps/${importedContract.address}/${importedContract.name}.cdc`
const greeting = `import ${importedContract.name} from 0x${importedContract.address}\n\naccess(all) fun main(): String {\n    return ${importedContract.name}.greet()\n}\n`

describe('the editor under interruptions', () => {
  const session = useEditorSession()

  it('reports a file that two tabs changed, keeps both versions, and merges all other files', async () => {
    const { page, context, output: consoleMessages } = await session.visit()
    await makeFile(page, 'contracts/Hello.cdc')
    await typeCode(page, 'access(all) contract Hello {}\n')
    await signInToEditor(page, session.editor)
    await untilSaving(page, 'Saved')
    const other = await context.newPage()
    await other.goto(page.url())
    await makeFile(other, 'contracts/New.cdc')
    await typeCode(other, '// new elsewhere\n')
    await openFile(other, 'contracts/Hello.cdc').click()
    await typeCode(other, '// theirs\n')
    await untilSaving(other, 'Saved')

    await openFile(page, 'contracts/Hello.cdc').click()
    await typeCode(page, '// mine\n')
    await page.getByRole('heading', { name: conflictTitle }).waitFor()
    await page.getByRole('button', { name: 'Decide later' }).click()
    await codeOf(page).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('// written while undecided')
    await page.getByRole('button', { name: 'Conflicting changes: resolve' }).click()
    await page.getByRole('heading', { name: conflictTitle }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await untilSaving(page, 'Saved')
    expect(await readCode(page)).to.equal('// mine\n// written while undecided')
    await file(page, 'contracts/New.cdc').click()
    await codeOf(page).getByText('// new elsewhere').waitFor()
    await file(page, 'contracts/Hello-theirs.cdc').click()
    await codeOf(page).getByText('// theirs').waitFor()

    await other.reload()
    await file(other, 'contracts/Hello.cdc').click()
    await codeOf(other).getByText('// written while undecided').waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('saves once if the response to a save is lost', async () => {
    const { page } = await session.visit({ world: { savesAre: 'unanswered' } })
    await makeFile(page, 'once.cdc')
    await typeCode(page, '// once\n')
    await signInToEditor(page, session.editor)
    await untilSaving(page, 'Not saved')
    await page.keyboard.press('ControlOrMeta+End')
    await typeCode(page, '// twice\n')
    session.editor.world = { ...session.editor.world, savesAre: 'answered' }
    await page.getByRole('status', { name: 'Saving' }).getByRole('button').click()
    await untilSaving(page, 'Saved')
    await page.getByRole('button', { name: 'Projects' }).click()
    await projectRow(page).first().waitFor()
    expect(await projectRow(page).count()).to.equal(1)
    await page.keyboard.press('Escape')
    await page.reload()
    await file(page, 'once.cdc').click()
    await codeOf(page).getByText('// twice').waitFor()
  })

  it('reports a lost network, and saves automatically once it is back', async () => {
    const { page, context } = await session.visit()
    await makeFile(page, 'far.cdc')
    await signInToEditor(page, session.editor)
    await untilSaving(page, 'Saved')
    await context.setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await typeCode(page, '// far away\n')
    await untilSaving(page, 'Not saved')
    await context.setOffline(false)
    await untilSaving(page, 'Saved')
    expect(await page.getByText('You are offline.').count()).to.equal(0)
    await page.reload()
    await file(page, 'far.cdc').click()
    await codeOf(page).getByText('// far away').waitFor()
  })

  it('renames and deletes files and folders with their contents and open tabs', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await makeFile(page, 'lib/a.cdc')
    await typeCode(page, '// a\n')
    await rename(page, 'lib', 'library/deep')
    await openFile(page, 'library/deep/a.cdc').waitFor()
    expect(await readCode(page)).to.equal('// a\n')
    await rename(page, 'library/deep/a.cdc', 'library/deep/A.cdc')
    await openFile(page, 'library/deep/A.cdc').waitFor()
    await page.getByRole('button', { name: 'Rename scripts/add.cdc', exact: true }).click()
    await page.getByRole('textbox', { name: 'New path' }).fill('library/deep/a.cdc')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByText('some file systems ignore case').waitFor()
    await page.keyboard.press('Escape')
    await signInToEditor(page, session.editor)
    await untilSaving(page, 'Saved')
    await page.getByRole('button', { name: 'Delete library', exact: true }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await openFile(page, 'library/deep/A.cdc').waitFor({ state: 'detached' })
    await untilSaving(page, 'Saved')
    await page.reload()
    await file(page, 'scripts/add.cdc').waitFor()
    expect(await file(page, 'library/deep/A.cdc').count()).to.equal(0)
    expect(consoleMessages).to.deep.equal([])
  })

  it('rejects the name of an empty folder, and a duplicate folder', async () => {
    const { page } = await session.visit()
    const make = async (what: 'file' | 'folder', path: string): Promise<void> => {
      await page.getByRole('button', { name: `New ${what}`, exact: true }).click()
      await page.getByRole('textbox', { name: 'Path' }).fill(path)
      await page.getByRole('button', { name: 'Create' }).click()
    }
    await make('folder', 'vaults')
    await page.getByRole('button', { name: 'Rename vaults', exact: true }).waitFor()
    await make('file', 'Vaults')
    await page.getByText('vaults is already a folder.').waitFor()
    await page.keyboard.press('Escape')
    await make('folder', 'vaults')
    await page.getByText('vaults is already a folder.').waitFor()
    await page.keyboard.press('Escape')
    await make('file', 'vaults/One.cdc')
    await openFile(page, 'vaults/One.cdc').waitFor()
  })

  it('opens a new file on a phone', async () => {
    const { page } = await session.visit({ viewport: { width: 390, height: 844 }, hasTouch: true })
    await page.getByRole('button', { name: 'Files', exact: true }).click()
    await makeFile(page, 'small.cdc')
    await typeCode(page, '// on a phone\n')
    expect(await readCode(page)).to.equal('// on a phone\n')
  })

  it('reports before a save that the project exceeds the size limit', async () => {
    const { page } = await session.visit({
      world: { quotas: { projects: 5, files: 5, fileBytes: 1000, projectBytes: 8000 } },
    })
    await makeFile(page, 'large.cdc')
    await typeCode(page, `// ${'ä'.repeat(600)}\n`)
    await page.getByRole('status').filter({ hasText: 'large.cdc has 1204 bytes' }).waitFor()
    await typeCode(page, '// small\n')
    await page.getByText('large.cdc has').waitFor({ state: 'detached' })
    await makeFile(page, 'one.cdc')
    await makeFile(page, 'two.cdc')
    await page.getByRole('status').filter({ hasText: 'has 6 files' }).waitFor()
  })

  it('opens a contract of the chain read-only with F12, also after a reload', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await untilChecked(page)
    await makeFile(page, 'scripts/greeting.cdc')
    await typeCode(page, greeting)
    await untilSaving(page, 'Stored in this browser')
    await untilNotified(page, 'greet')
    // F12 works once the contract is fetched in the background.
    for (; (await openFile(page, greeterPath).count()) === 0; await page.waitForTimeout(200))
      await page.keyboard.press('F12')
    await openFile(page, greeterPath).and(page.locator('[aria-current]')).waitFor()
    await codeOf(page).getByText('return "hello"').waitFor()
    await codeOf(page).click()
    await page.keyboard.type('nothing')
    expect(await readCode(page)).to.equal(importedContract.code)

    await page.reload()
    await untilChecked(page)
    await openFile(page, 'scripts/greeting.cdc').waitFor()
    if ((await openFile(page, greeterPath).count()) > 0) await codeOf(page).getByText('return "hello"').waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('renames a symbol with F2 and undoes it', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await untilChecked(page)
    await makeFile(page, 'scripts/total.cdc')
    await typeCode(page, 'access(all) fun main(): Int {\n    let total = 1\n    return total\n}\n')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('F2')
    await page.locator('.cm-lsp-rename-panel input, .cm-dialog input').fill('sum')
    await page.keyboard.press('Enter')
    await codeOf(page).getByText('return sum').waitFor()
    expect(await readCode(page)).to.equal('access(all) fun main(): Int {\n    let sum = 1\n    return sum\n}\n')
    await page.keyboard.press('ControlOrMeta+z')
    await codeOf(page).getByText('return total').waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('runs untrusted scripts with any argument names, without losing digits of their values', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await makeFile(page, 'scripts/odd.cdc')
    await typeCode(page, 'access(all) fun main(__proto__: [UInt64], constructor: toString): Int { return 1 }\n')
    await page.getByRole('tab', { name: 'Run' }).click()
    const ids = page.getByRole('textbox', { name: '__proto__ [UInt64]' })
    const other = page.getByRole('textbox', { name: 'constructor toString' })
    expect([await ids.inputValue(), await other.inputValue()]).to.deep.equal(['', ''])
    await ids.fill('[9007199254740993]')
    await ids.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'Put numbers of more than 15 digits in quotes' }).waitFor()
    await page.getByRole('alert').filter({ hasText: 'Enter a value of toString as JSON-CDC' }).waitFor()
    await ids.fill('["9007199254740993"]')
    await other.fill('{"type": "Int", "value": "1"}')
    const [requested] = await Promise.all([page.waitForRequest(/\/v1\/scripts/), other.press('Enter')])
    const { arguments: sent } = requested.postDataJSON() as { arguments: string[] }
    expect(sent.map((one) => JSON.parse(Buffer.from(one, 'base64').toString()) as unknown)).to.deep.equal([
      { type: 'Array', value: [{ type: 'UInt64', value: '9007199254740993' }] },
      { type: 'Int', value: '1' },
    ])
    await page.getByRole('region', { name: 'Result', exact: true }).getByText('Failed').waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('rejects names that the service would reject, so that the project can be saved', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await makeFile(page, 'contracts/Hello.cdc')
    await signInToEditor(page, session.editor)
    await page.getByRole('button', { name: 'New file', exact: true }).click()
    for (const [path, reason] of [
      ['.git/config', 'reserved by Git'],
      ['git~2', 'reserved by Git'],
      ['COM¹.cdc', 'reserved by Windows'],
      ['a／b', 'normalizes to a forbidden one'],
      ['Contracts/A.cdc', 'already exists as contracts'],
    ] as const) {
      await page.getByRole('textbox', { name: 'Path' }).fill(path)
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('dialog').getByText(reason).waitFor()
    }
    await page.getByRole('textbox', { name: 'Path' }).fill('__proto__')
    await page.getByRole('button', { name: 'Create' }).click()
    await openFile(page, '__proto__').and(page.locator('[aria-current]')).waitFor()
    await typeCode(page, '// a name like others\n')
    await untilSaving(page, 'Saved')
    await page.reload()
    await file(page, '__proto__').click()
    await codeOf(page).getByText('// a name like others').waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('stores the origin of a fork, also if it was made before sign-in', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await makeFile(page, 'origin.cdc')
    await signInToEditor(page, session.editor)
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('checkbox', { name: /Anyone with the link/ }).check()
    await page.getByText('The project is public.').waitFor()
    const { page: otherUser } = await session.visit({ path: new URL(page.url()).pathname })
    await otherUser.getByRole('button', { name: 'Fork' }).first().click()
    await otherUser.getByText('This is your own copy, stored in this browser.').waitFor()
    await untilSaving(otherUser, 'Stored in this browser')
    await otherUser.reload()
    await otherUser.getByRole('button', { name: 'Fork of Untitled' }).waitFor()
    await signInToEditor(otherUser, session.editor)
    await untilSaving(otherUser, 'Saved')
    await otherUser.reload()
    await otherUser.getByText('fork of').getByRole('link', { name: 'Untitled' }).click()
    await otherUser.getByText('This project belongs to another user.').waitFor()
    expect(otherUser.url()).to.equal(page.url())
    expect(consoleMessages).to.deep.equal([])
  })

  it('reports an unknown project, in light and dark', async () => {
    const { page } = await session.visit({ path: '/p/nothing-abc123' })
    await page.getByText('Project not found').waitFor()
    await expectUsable(page, 'no project')
    await page.getByRole('button', { name: 'Open a new project' }).click()
    await untilChecked(page)
  })

  it('renders untrusted comments without running scripts', async () => {
    // The policy blocks the comment's inline style when it is parsed, before sanitizing.
    const { page, output: consoleMessages } = await session.visit({ expected: ['Applying inline style violates'] })
    await untilChecked(page)
    await makeFile(page, 'contracts/Bad.cdc')
    await typeCode(
      page,
      '/// Kind words <img src=x onerror="document.title=1"> <style>*{display:none}</style>\n/// [a link](javascript:alert(1)) <form action="//x.example"><input name=p></form> <svg><script>alert(1)</script></svg>\naccess(all) contract Bad {\n}\n',
    )
    await codeOf(page).getByText('Bad', { exact: true }).hover()
    const tooltip = page.locator('.cm-tooltip-hover')
    await tooltip.getByText('Kind words').waitFor()
    expect(await tooltip.locator('img, style, form, input, svg, script, iframe').count()).to.equal(0)
    expect(
      await tooltip
        .locator('[href^="javascript" i], [onerror], [style]')
        .evaluateAll(
          (found) =>
            found.filter(
              (one) =>
                (one as { innerHTML: string; getAttribute(name: string): string | null })
                  .getAttribute('href')
                  ?.startsWith('javascript') === true,
            ).length,
        ),
    ).to.equal(0)
    expect(consoleMessages).to.deep.equal([])
  })

  it('is usable without a mouse', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await untilChecked(page)
    await page.getByRole('link', { name: 'Skip to code' }).focus()
    await page.keyboard.press('Enter')
    for (let at = 0; at < 20 && !(await focused(page)).startsWith('contracts/Counter.cdc. Press'); at++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.type('// by hand\n')
    await page.keyboard.press('Tab')
    expect(await readCode(page)).to.match(/^\/\/ by hand\n {4}/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await focused(page)).not.to.contain('Press Escape')
    await page.getByRole('button', { name: 'New file', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    expect(await focused(page)).to.equal('New file')
    expect(consoleMessages).to.deep.equal([])
  })

  it('signs in by an e-mail link and returns to the draft', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await makeFile(page, 'before.cdc')
    await typeCode(page, '// before the link\n')
    const email = newEmail()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Continue to the wallet' }).click()
    await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
    await page.goto(await session.editor.wallet.linkFor(email))
    await page.getByRole('button').first().click()
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await file(page, 'before.cdc').click()
    await codeOf(page).getByText('// before the link').waitFor()
    await untilSaving(page, 'Saved')
    expect(new URL(page.url()).origin).to.equal(session.editor.url)
    expect(consoleMessages).to.deep.equal([])
  })

  it('lists and deletes projects, and restores changes of a project that was deleted elsewhere', async () => {
    const { page, context } = await session.visit()
    await makeFile(page, 'kept.cdc')
    await signInToEditor(page, session.editor)
    await untilSaving(page, 'Saved')
    const first = page.url()
    const other = await context.newPage()
    await other.goto(first)
    await file(other, 'kept.cdc').waitFor()
    await page.getByRole('button', { name: 'Projects' }).click()
    await page.getByRole('button', { name: 'Delete Untitled' }).click()
    await page.getByRole('button', { name: 'Delete project' }).click()
    await page.getByText('Untitled was deleted.').waitFor()
    await page.waitForURL(`${session.editor.url}/`)

    await file(other, 'kept.cdc').click()
    await typeCode(other, '// unsaved work\n')
    await untilSaving(other, 'Not saved(?! yet)')
    await other.reload()
    await other.getByText('Unsaved changes were restored.').waitFor()
    await file(other, 'kept.cdc').click()
    await codeOf(other).getByText('// unsaved work').waitFor()
    await untilSaving(other, 'Saved')
    expect(other.url()).not.to.equal(first)
  })
})

/** A file in the file list. */
function file(page: Page, path: string): ReturnType<Page['locator']> {
  return page.getByRole('navigation', { name: 'Files' }).getByTitle(path, { exact: true })
}

function projectRow(page: Page): ReturnType<Page['locator']> {
  return page.getByRole('dialog').getByRole('button', { name: /^Untitled/ })
}

async function rename(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('button', { name: `Rename ${from}`, exact: true }).click()
  await page.getByRole('textbox', { name: 'New path' }).fill(to)
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Places the cursor on the last occurrence of a word, once its contract is loaded. */
async function untilNotified(page: Page, word: string): Promise<void> {
  await page.getByText(/^No (?:problems|syntax errors) were found/).waitFor()
  await codeOf(page).getByText(word).last().click()
}

/** The focused element, also within the editor's shadow root. */
async function focused(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const outer = document.activeElement
    const element = outer?.shadowRoot?.activeElement ?? outer
    return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? ''
  })()`)
}
