import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { exportState, hostileRun } from '../support/ask-worlds.ts'
import { useAskSession } from './ask-session.ts'
import { expectUsable } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const
const replies = { run_sql: { body: hostileRun() } }

async function startExport(page: Page, format = 'CSV'): Promise<void> {
  await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT {{a}}')
  await page.getByLabel('a', { exact: true }).fill('x')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByLabel('Format').selectOption(format)
  await page.getByRole('button', { name: 'Export all rows' }).click()
}

describe('exports on the query page', () => {
  const session = useAskSession()
  const calls = (call: string): readonly unknown[] =>
    session.service.calls.filter((each) => each.call === call).map(({ body }) => body)

  it('show their progress and are downloaded', async () => {
    const page = await session.open({ replies }, { ...phone, acceptDownloads: true })
    await startExport(page)
    await page.getByText('Exporting: 41,200 rows, 3.3 MB…').waitFor()
    await page.getByRole('progressbar', { name: 'Export' }).waitFor()
    await expectUsable(page, 'an export')
    const done = exportState({ status: 'done', row_count: 1_000_000, bytes: 81_000_000, truncated_by: 'rows' })
    session.service.world = { ...session.service.world, exports: [done] }
    await page.getByText('The export was cut at its limit of rows.').waitFor()
    await expectUsable(page, 'a finished export')
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV (1,000,000 rows, 81.0 MB)' }).click()
    expect(await readFile(await (await coming).path(), 'utf8')).to.equal('n\r\n1\r\n')
    expect(calls('POST /api/v1/exports')).to.deep.equal([
      {
        target: 'indexer',
        sql: 'SELECT * FROM app.tokens',
        parameters: [{ name: 'a', type: 'text', value: 'x' }],
        format: 'csv',
      },
    ])
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('are Parquet files on request', async () => {
    const done = exportState({ status: 'done', format: 'parquet', row_count: 5, bytes: 900 })
    const page = await session.open({ replies, exports: [done] }, phone)
    await startExport(page, 'Parquet')
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download Parquet (5 rows, 900 B)' }).click()
    expect((await coming).suggestedFilename()).to.equal('flowfarm.parquet')
    expect(calls('POST /api/v1/exports')[0]).to.include({ format: 'parquet' })
  })

  it('are cancelled by the user and by another statement', async () => {
    const page = await session.open({ replies })
    await startExport(page)
    await page.getByRole('button', { name: 'Cancel export' }).click()
    await page.getByRole('button', { name: 'Export all rows' }).click()
    await page.getByText('Exporting: 41,200 rows').waitFor()
    const deleted = page.waitForRequest((request) => request.method() === 'DELETE')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await deleted
    await page.getByRole('button', { name: 'Export all rows' }).waitFor()
  })

  it('report why they failed', async () => {
    const page = await session.open({
      replies,
      exports: [exportState({ status: 'failed', error: 'The statement took longer than 600 s.' })],
    })
    await startExport(page)
    await page.getByText('Could not export: The statement took longer than 600 s.').waitFor()
    await expectUsable(page, 'a failed export')
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByRole('button', { name: 'Export all rows' }).waitFor()
  })
})
