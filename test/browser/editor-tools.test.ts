import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { strToU8, zipSync } from 'fflate'
import { codeOf, openFile, readCode, typeCode, useEditorSession } from './editor-session.ts'
import { expectUsable } from './page-checks.ts'

describe('tools of the editor', () => {
  const session = useEditorSession()

  it('lists commands and files by keyboard', async () => {
    const { page, output } = await session.visit()
    const input = page.getByRole('combobox', { name: 'Command or file' })
    await page.keyboard.press('F1')
    await input.waitFor()
    await expectUsable(page, 'commands')
    await page.keyboard.type('search all')
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Search in all files' }).waitFor()
    await codeOf(page).click()
    await page.keyboard.press('ControlOrMeta+Shift+P')
    await input.fill('open counter')
    await page.getByRole('option', { name: 'Open contracts/Counter.cdc', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await openFile(page, 'contracts/Counter.cdc').and(page.locator('[aria-current]')).waitFor()
    await page.getByRole('button', { name: 'Commands' }).click()
    await input.fill('no such command')
    await page.getByText('No command or file has this name.').waitFor()
    await page.keyboard.press('Escape')
    await input.waitFor({ state: 'detached' })
    expect(output).to.deep.equal([])
  })

  it('searches all files, and goes to a match', async () => {
    const { page, output } = await session.visit()
    await codeOf(page).click()
    await page.keyboard.press('ControlOrMeta+Shift+F')
    const search = page.getByRole('searchbox', { name: 'Search in all files' })
    await search.fill('FLOWTOKEN')
    await page.getByText(/^\d+ lines in 1 file$/).waitFor()
    await expectUsable(page, 'matches')
    await page.getByRole('checkbox', { name: 'Match case' }).check()
    await page.getByText('No matches').waitFor()
    await search.fill('self.count + 1')
    await page.getByRole('button', { name: 'contracts/Counter.cdc:11:22' }).click()
    await openFile(page, 'contracts/Counter.cdc').and(page.locator('[aria-current]')).waitFor()
    await page.getByText('Line 11, column 22').waitFor()
    expect(output).to.deep.equal([])
  })

  it('exports all files, and imports them after a look at what changes', async () => {
    const { page, output } = await session.visit()
    const choose = async (command: string): Promise<void> => {
      await page.keyboard.press('F1')
      await page.getByRole('combobox', { name: 'Command or file' }).fill(command)
      await page.keyboard.press('Enter')
    }
    const downloading = page.waitForEvent('download')
    await choose('export')
    const download = await downloading
    expect(download.suggestedFilename()).to.equal('Untitled.zip')
    const exported = await readFile(await download.path())
    expect(exported.subarray(0, 2).toString()).to.equal('PK')

    await choose('import')
    const file = page.getByLabel('Archive with text files')
    await file.setInputFiles({ name: 'bomb.zip', mimeType: 'application/zip', buffer: bomb() })
    await page.getByRole('alert').getByText('The files of the archive have more than 1000000 bytes.').waitFor()
    await file.setInputFiles({ name: 'none.zip', mimeType: 'application/zip', buffer: Buffer.from('none') })
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).to.equal(true)
    const archive = zipSync({
      'scripts/add.cdc': strToU8('access(all) fun main(): Int { return 7 }\n'),
      'scripts/new.cdc': strToU8('// new\n'),
      '../evil.cdc': strToU8('// evil\n'),
    })
    await file.setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: Buffer.from(archive) })
    await page.getByText('2 files to import, which replace the content of 1 in the project.').waitFor()
    await page.getByText('Skipped: 1').click()
    await expectUsable(page, 'an archive')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await openFile(page, 'scripts/add.cdc').click()
    expect(await readCode(page)).to.equal('access(all) fun main(): Int { return 7 }\n')
    await page.getByTitle('scripts/new.cdc').waitFor()
    expect(output).to.deep.equal([])
  })

  it('indents a file, which can be undone', async () => {
    const { page, output } = await session.visit()
    const flat = 'access(all) fun main(): Int {\nreturn 1\n}\n'
    await typeCode(page, flat)
    await page.keyboard.press('F1')
    await page.keyboard.type('indent')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.querySelector('dialog') === null`)
    expect(await readCode(page)).to.equal('access(all) fun main(): Int {\n    return 1\n}\n')
    await codeOf(page).click()
    await page.keyboard.press('ControlOrMeta+z')
    expect(await readCode(page)).to.equal(flat)
    expect(output).to.deep.equal([])
  })

  it('adds the files of an example', async () => {
    const { page, output } = await session.visit()
    await page.getByRole('button', { name: 'Templates' }).click()
    await expectUsable(page, 'templates and examples')
    await page.getByRole('button', { name: /^A token / }).click()
    await openFile(page, 'transactions/send-token.cdc').waitFor()
    await openFile(page, 'contracts/ExampleToken.cdc').and(page.locator('[aria-current]')).waitFor()
    await page.setViewportSize({ width: 360, height: 780 })
    await page.getByRole('tab', { name: 'Search' }).click()
    await expectUsable(page, 'the search on a phone')
    await page.getByRole('button', { name: 'Commands' }).click()
    await expectUsable(page, 'commands on a phone')
    expect(output).to.deep.equal([])
  })
})

/** Two million zeros in some 2,000 bytes. */
function bomb(): Buffer {
  return Buffer.from(zipSync({ 'bomb.cdc': [new Uint8Array(2_000_000), { level: 9 }] }))
}
