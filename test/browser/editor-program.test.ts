import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { sampleScripts } from '../../simnode/ledger/scripts/sample-scripts.ts'
import { payerChains } from '../support/payer-chains.ts'
import { startProgramWorld } from '../support/program-world.ts'
import type { ProgramWorld } from '../support/program-world.ts'
import {
  codeOf,
  makeFile,
  openEditorPage,
  openFile,
  readCode,
  signInToEditor,
  typeCode,
  untilChecked,
  untilSaving,
} from './editor-session.ts'

for (const { name, start } of payerChains) {
  describe(`the editor of the running program, on ${name}`, function (this: Mocha.Suite) {
    let world: ProgramWorld | undefined
    let folder: string | undefined
    before(async function (this: Mocha.Context) {
      world = await startProgramWorld(this, start)
      folder = await mkdtemp(join(tmpdir(), 'flowfarm-editor-'))
      await writeFile(join(folder, 'samples.json'), JSON.stringify(sampleScripts))
    })
    after(async () => {
      await world?.stop()
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    })

    it('leads from a contract to a shared and forked project, which persists after the language server was killed', async () => {
      if (world === undefined || folder === undefined) throw new Error('the suite has not begun')
      const { chain, browser, mails } = world
      const program = world.run(['wallet', 'editor'], {
        WALLET_PORT: '0',
        HTTP_PORT: '0',
        LSP_PORT: '0',
        EDITOR_LANGUAGE_SERVER: 'parser',
        EDITOR_FOLDER: folder,
        EDITOR_NETWORKS: 'emulator',
        EDITOR_EMULATOR_API: chain.restUrl,
        EDITOR_SAMPLES: join(folder, 'samples.json'),
      })
      const url = String((await program.logged(/Editor listening/))['url'])
      // Text that Chromium inserts over underlined text gets an inline style, which the policy
      // blocks. The editor then applies its own style.
      const { page, output: consoleMessages } = await openEditorPage(
        browser,
        { url },
        { expected: ['Applying inline style violates'] },
      )
      await untilChecked(page)

      await makeFile(page, 'contracts/Hello.cdc')
      await typeCode(
        page,
        'access(all) contract Hello {\n    access(all) let greeting: String\n    init() {\n        self.greeting = \n    }\n}\n',
      )
      await page
        .getByRole('list')
        .getByRole('button', { name: /contracts\/Hello\.cdc:\d+:\d+/ })
        .first()
        .waitFor()
      await typeCode(
        page,
        'access(all) contract Hello {\n    access(all) let greeting: String\n    init() {\n        self.greeting = "hi"\n    }\n}\n',
      )
      await page.getByText(/^No (?:problems|syntax errors) were found/).waitFor()

      await page.getByRole('button', { name: 'Templates' }).click()
      await page.getByRole('button', { name: /FLOW balance of an account/ }).click()
      await openFile(page, 'scripts/flow-balance.cdc').waitFor()
      await codeOf(page).click()
      await page.keyboard.press('ControlOrMeta+Enter')
      const result = page.getByRole('region', { name: 'Result', exact: true })
      await result.getByText('UFix64').first().waitFor()
      expect(await result.innerText()).to.match(/\d+\.\d{8} UFix64/)

      await signInToEditor(page, { wallet: mails })
      await untilSaving(page, 'Saved')
      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByRole('checkbox', { name: /Anyone with the link/ }).check()
      await page.getByText('The project is public.').waitFor()
      const { pathname } = new URL(page.url())
      expect(pathname).to.match(/^\/p\/[a-z0-9-]+$/)
      await page.keyboard.press('Escape')

      for (const pid of languageServersOf(program.pid)) process.kill(pid, 'SIGKILL')
      await openFile(page, 'contracts/Hello.cdc').click()
      await codeOf(page).click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.type('// after the crash\n')
      await untilChecked(page)
      await untilSaving(page, 'Saved')
      await page.reload()
      await openFile(page, 'contracts/Hello.cdc').click()
      await codeOf(page).getByText('// after the crash').waitFor()
      expect(await readCode(page)).to.include('self.greeting = "hi"')

      const { page: other, output: saidToOther } = await openEditorPage(browser, { url }, { path: pathname })
      await signInToEditor(other, { wallet: mails })
      await other.getByRole('button', { name: 'Fork' }).first().click()
      await other.getByRole('button', { name: 'Fork of Untitled' }).waitFor()
      await openFile(other, 'contracts/Hello.cdc').click()
      await codeOf(other).getByText('// after the crash').waitFor()
      expect([consoleMessages, saidToOther]).to.deep.equal([[], []])
    })
  })
}

/** Processes that the program started to check Cadence. */
function languageServersOf(parent: number): number[] {
  const found = readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid)) return false
      try {
        return (
          /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] === String(parent) &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('src/editor/parser')
        )
      } catch (error) {
        // The process has ended already.
        if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
        throw error
      }
    })
  if (found.length === 0) throw new Error('the program runs no language server')
  return found
}
