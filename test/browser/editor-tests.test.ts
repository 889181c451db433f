import { expect } from 'chai'
import { findStandIn, printing } from '../editor/test-runs/stand-in.ts'
import { makeFile, openFile, signInToEditor, typeCode, useEditorSession } from './editor-session.ts'
import { expectUsable } from './page-checks.ts'

describe('tests in the editor', () => {
  const session = useEditorSession()

  it('need the Flow CLI, and the page says so', async () => {
    const { page, output } = await session.visit()
    await page.keyboard.press('F1')
    await page.keyboard.type('run the tests')
    await page.keyboard.press('Enter')
    await page.getByText('Tests need the Flow CLI on the server.').waitFor()
    await expectUsable(page, 'tests without the CLI')
    expect(output).to.deep.equal([])
  })

  it('run for signed-in users, and link to the code', async function () {
    const tests = await findStandIn()
    if (!tests.isOn) return this.skip()
    const { page, output } = await session.visit({ world: { tests } })
    await page.getByRole('tab', { name: 'Tests' }).click()
    await page.getByText('Tests run on the server with the Flow CLI, for signed-in users.').waitFor()
    await signInToEditor(page, session.editor)
    await page.getByRole('tab', { name: 'Tests' }).click()
    await page.getByText('This project has no tests.').waitFor()
    await makeFile(page, 'tests/add_test.cdc')
    const results = { 'tests/add_test.cdc': { testOne: 'PASS', testTwo: 'FAIL: no\n  --> contracts/Counter.cdc:2:4' } }
    await typeCode(page, `# fun testOne()\n# fun testTwo()\necho logged\n${printing(results)}exit 1\n`)
    await page.getByRole('button', { name: 'Run tests' }).click()
    await page.getByText(/^1 passed, 1 failed in \d+\.\d s$/).waitFor()
    await page.getByText('Output of the Flow CLI').click()
    await page.getByText('logged', { exact: true }).waitFor()
    await expectUsable(page, 'test results')
    await page.getByRole('button', { name: 'contracts/Counter.cdc:2:4' }).click()
    await openFile(page, 'contracts/Counter.cdc').and(page.locator('[aria-current]')).waitFor()
    await page.getByText('Line 2, column 5').waitFor()
    await page.getByRole('button', { name: /testTwo/ }).click()
    await page.getByText('Line 2, column 1').waitFor()

    await typeCode(page, 'while :; do :; done\n')
    await page.getByRole('button', { name: 'Run tests' }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Run tests' }).waitFor()
    await page.setViewportSize({ width: 360, height: 780 })
    await expectUsable(page, 'tests on a phone')
    expect(output).to.deep.equal([])
  })
})
