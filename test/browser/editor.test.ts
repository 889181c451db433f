import { expect } from 'chai'
import { newEmail } from '../support/fake-wallet.ts'
import {
  codeOf,
  finishSignIn,
  makeFile,
  openFile,
  readCode,
  signInToEditor,
  typeCode,
  untilChecked,
  untilSaving,
  useEditorSession,
} from './editor-session.ts'
import { expectUsable } from './page-checks.ts'

describe('the editor', () => {
  const session = useEditorSession()

  it('leads from a contract with live diagnostics to a shared project that another user forks', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await untilChecked(page)
    await makeFile(page, 'contracts/Hello.cdc')
    await typeCode(
      page,
      'access(all) contract Hello {\n    access(all) fun greet(): String {\n        return "hi"\n    \n}\n',
    )
    await page
      .getByRole('list')
      .getByRole('button', { name: /contracts\/Hello\.cdc:\d+:\d+/ })
      .first()
      .waitFor()
    await typeCode(
      page,
      'access(all) contract Hello {\n    access(all) fun greet(): String {\n        return "hi"\n    }\n}\n',
    )
    await page.getByText(/^No (?:problems|syntax errors) were found/).waitFor()

    await signInToEditor(page, session.editor)
    await untilSaving(page, 'Saved')
    expect(page.url()).to.match(/\/p\/untitled-[a-z0-9]+$/)
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('checkbox', { name: /Anyone with the link/ }).check()
    await page.getByText('The project is public.').waitFor()
    await page.getByRole('button', { name: 'Copy the link' }).click()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(link).to.equal(page.url())

    const { page: otherUser, output: otherConsole } = await session.visit({ path: new URL(link).pathname })
    await otherUser.getByText('This project belongs to another user.').waitFor()
    await openFile(otherUser, 'contracts/Hello.cdc').click()
    await codeOf(otherUser).getByText('greet').waitFor()
    await codeOf(otherUser).click()
    await otherUser.keyboard.type('nothing')
    expect(await readCode(otherUser)).not.to.include('nothing')
    await signInToEditor(otherUser, session.editor)
    await otherUser.getByRole('button', { name: 'Fork' }).first().click()
    await otherUser.getByRole('button', { name: 'Fork of Untitled' }).waitFor()
    await openFile(otherUser, 'contracts/Hello.cdc').click()
    await typeCode(otherUser, '// mine now\n')
    await untilSaving(otherUser, 'Saved')
    expect(otherUser.url()).not.to.equal(link)
    await page.reload()
    await openFile(page, 'contracts/Hello.cdc').click()
    await codeOf(page).getByText('greet').waitFor()
    expect([consoleMessages, otherConsole]).to.deep.equal([[], []])
  })

  it('opens linked code as a new project, and keeps its changes', async () => {
    const { page } = await session.visit({ path: `/#code=${encodeURIComponent('transaction {\n    // 100%\n}\n')}` })
    await openFile(page, 'transactions/linked.cdc').waitFor()
    await codeOf(page).getByText('// 100%').waitFor()
    await codeOf(page).click()
    // One change, which is stored at once.
    await page.keyboard.insertText('// mine ')
    await page.waitForURL((url) => url.hash === '')
    await untilSaving(page, 'Stored in this browser')
    await page.reload()
    await codeOf(page).getByText('// mine').waitFor()
  })

  it('runs a sample script that the node supports, with arguments, and shows the network', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await page.getByRole('button', { name: 'Templates' }).click()
    await page.getByRole('button', { name: /FLOW balance of an account/ }).click()
    await openFile(page, 'scripts/flow-balance.cdc').waitFor()
    await codeOf(page).click()
    await page.keyboard.press('ControlOrMeta+Enter')
    const result = page.getByRole('region', { name: 'Result', exact: true })
    await result.getByText('UFix64').first().waitFor()
    expect(await result.innerText())
      .to.match(/Done/)
      .and.to.match(/\d+ ms · block 60/)
      .and.to.match(/\d+\.\d{8} UFix64/)
    await page.getByRole('textbox', { name: 'address Address' }).fill('0xzz')
    await page.getByRole('button', { name: 'Run', exact: true }).last().click()
    await page.getByRole('alert').filter({ hasText: 'Enter an address of up to 16 hex digits' }).waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('runs the first file of a new project, and reports an unsupported script and an unreachable node', async () => {
    const { page } = await session.visit()
    const first = page.getByRole('region', { name: 'Result', exact: true })
    await codeOf(page).click()
    await page.keyboard.press('ControlOrMeta+Enter')
    await first.getByText('Done').waitFor()
    expect(await first.innerText()).to.match(/5 Int/)
    await typeCode(page, 'access(all) fun main(a: Int, b: Int): Int {\n    return a - b\n}\n')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('Int must be a whole number, such as 42.').first().waitFor()
    await page.getByRole('textbox', { name: 'a Int' }).fill('1')
    await page.getByRole('textbox', { name: 'b Int' }).fill('2')
    await page.getByRole('textbox', { name: 'b Int' }).press('Enter')
    const result = page.getByRole('region', { name: 'Result', exact: true })
    await result.getByText('Failed').waitFor()
    expect(await result.innerText()).to.match(/simulated|knows only/)
    await session.editor.node.stop()
    await page.getByRole('button', { name: 'Run', exact: true }).last().click()
    await result.getByText('is not reachable').first().waitFor()
  })

  it('survives repeated crashes of the language server, and shows each completion once', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await untilChecked(page)
    await makeFile(page, 'scripts/live.cdc')
    await typeCode(page, 'access(all) fun main(): Int { return 1 }\n')
    for (const text of ['// one\n', '// two\n', '// three\n']) {
      await session.editor.killLanguageServer()
      await codeOf(page).click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.type(text)
      await untilChecked(page)
    }
    expect(await readCode(page)).to.equal('access(all) fun main(): Int { return 1 }\n// one\n// two\n// three\n')
    await page.keyboard.insertText('access(all) fun broken( {\n')
    await page
      .getByRole('button', { name: /scripts\/live\.cdc:\d+:\d+/ })
      .first()
      .waitFor()
    await session.editor.stopChannel()
    await page.getByText('not reachable').waitFor()
    await typeCode(page, 'access(all) fun main(): Int {\n    let onlyOnce = 1\n    return onl\n}\n')
    await session.editor.startChannel()
    await untilChecked(page)
    await page.getByText(/^No (?:problems|syntax errors) were found/).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('End')
    await page.keyboard.press('Control+Space')
    await page.locator('.cm-tooltip-autocomplete li').filter({ hasText: 'onlyOnce' }).waitFor()
    expect(await page.locator('.cm-tooltip-autocomplete li').filter({ hasText: 'onlyOnce' }).count()).to.equal(1)
    await page.locator('.cm-tooltip-autocomplete li').filter({ hasText: 'onlyOnce' }).click()
    await codeOf(page).getByText('return onlyOnce').waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('restores the draft after the tab crashes, and saves it after sign-in on another page', async () => {
    const { page, context } = await session.visit()
    await makeFile(page, 'precious.cdc')
    await typeCode(page, '// worth keeping\n')
    await untilSaving(page, 'Stored in this browser')
    await page.getByText('precious.cdc').first().waitFor()
    const isKept = `new Promise((resolve) => {
      const request = indexedDB.open('flowfarm-editor', 1)
      request.onsuccess = () => {
        const all = request.result.transaction('drafts').objectStore('drafts').getAll()
        all.onsuccess = () => { request.result.close(); resolve(all.result.some(({ state }) => [...state.files.values()].includes('// worth keeping\\n'))) }
      }
    })`
    let isThere = false
    while (!isThere) isThere = await page.evaluate<boolean>(isKept)
    const crashed = page.waitForEvent('crash')
    const protocol = await context.newCDPSession(page)
    // The request stays pending because the page has crashed.
    protocol.send('Page.crash').catch(() => undefined)
    await crashed
    // The draft has no owner once the browser has noticed the crash.
    const again = await context.newPage()
    await again.goto(`${session.editor.url}/health`)
    await again.waitForFunction('navigator.locks.query().then(({ held }) => held.length === 0)')
    await again.goto(session.editor.url)
    await again.getByText('Unsaved changes were restored.').waitFor()
    await openFile(again, 'precious.cdc').click()
    await codeOf(again).getByText('// worth keeping').waitFor()
    const email = newEmail()
    await again.keyboard.press('ControlOrMeta+s')
    await finishSignIn(again, session.editor, email)
    await untilSaving(again, 'Saved')
    const { page: elsewhere } = await session.visit()
    await signInToEditor(elsewhere, session.editor, email)
    await elsewhere.getByRole('button', { name: 'Projects' }).click()
    await elsewhere
      .getByRole('dialog')
      .getByRole('button', { name: /^Untitled/ })
      .click()
    await openFile(elsewhere, 'precious.cdc').click()
    await codeOf(elsewhere).getByText('// worth keeping').waitFor()
  })

  it('is accessible in light and dark, wide and on a phone', async () => {
    const { page } = await session.visit()
    await untilChecked(page)
    await expectUsable(page, 'the editor')
    await openFile(page, 'scripts/add.cdc').click()
    await page.getByRole('tab', { name: 'Run' }).click()
    await expectUsable(page, 'arguments')
    await page.getByRole('button', { name: 'Templates' }).click()
    await expectUsable(page, 'templates')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expectUsable(page, 'signing in')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 390, height: 844 })
    await expectUsable(page, 'a phone')
    await page.getByRole('button', { name: 'Files', exact: true }).click()
    await expectUsable(page, 'files on a phone')
  })
})
