import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { codeOf, makeFile, readCode, typeCode, untilChecked, useEditorSession } from './editor-session.ts'

describe('the code in the editor', () => {
  const session = useEditorSession()

  it('supports search and replace by keyboard only', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await makeFile(page, 'scripts/found.cdc')
    await typeCode(page, '// one two\n// two three\n// TWO four\n')
    await codeOf(page).click()
    await page.keyboard.press('ControlOrMeta+f')
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    // Search ignores case by default.
    expect(await page.locator('.cm-searchMatch').count()).to.equal(3)
    await page.getByRole('textbox', { name: 'Replace' }).fill('2')
    await page.getByRole('button', { name: 'replace all' }).press('Enter')
    expect(await readCode(page)).to.equal('// one 2\n// 2 three\n// 2 four\n')
    await page.keyboard.press('Escape')
    expect(await page.locator('.cm-search').count()).to.equal(0)
    await page.keyboard.press('ControlOrMeta+z')
    expect(await readCode(page)).to.equal('// one two\n// two three\n// TWO four\n')
    expect(consoleMessages).to.deep.equal([])
  })

  it('shows the whole hover text on the first line', async () => {
    const { page } = await session.visit()
    await untilChecked(page)
    await makeFile(page, 'scripts/wrong.cdc')
    await typeCode(page, `access(all) fun main( {}\n${'\n'.repeat(80)}`)
    await page.locator('.cm-lintRange-error').first().waitFor()
    await codeOf(page).click()
    await page.keyboard.press('ControlOrMeta+Home')
    await page.locator('.cm-lintRange-error').first().hover()
    await expectAllOfTooltip(page)
  })
})

/** Whether no element covers or clips the corners of the hover text. */
async function expectAllOfTooltip(page: Page): Promise<void> {
  const tooltip = page.locator('.cm-tooltip').first()
  await tooltip.waitFor()
  // The hover is measured off-screen before it is positioned.
  const isPlaced = async (): Promise<boolean> => ((await tooltip.boundingBox())?.y ?? -1) >= 0
  while (!(await isPlaced())) await page.evaluate('new Promise(requestAnimationFrame)')
  const covered = await page.evaluate<string[]>(`(() => {
    const root = [...document.querySelectorAll('*')].map(({ shadowRoot }) => shadowRoot).find((one) => one?.querySelector('.cm-tooltip')) ?? document
    const element = root.querySelector('.cm-tooltip')
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return [[left + 4, top + 4], [right - 4, top + 4], [left + 4, bottom - 4], [right - 4, bottom - 4]]
      .filter(([x, y]) => !element.contains(root.elementFromPoint(x, y)))
      .map(([x, y]) => Math.round(x) + ' ' + Math.round(y))
  })()`)
  expect(covered).to.deep.equal([])
}
