import { expect } from 'chai'
import { useEditorSession } from './editor-session.ts'

describe('a page whose server becomes unreachable', function () {
  this.timeout(120_000)
  const session = useEditorSession()
  const ofNetworks = ['Failed to load resource', 'net::ERR']

  it('reports a script that failed to load, and loads once the server is back', async () => {
    const { page, context } = await session.visit({ expected: ofNetworks })
    await context.route(/\/assets\/.*\.js$/, (route) => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
    await page.getByText('The server did not respond. Retrying automatically.').waitFor()
    await context.unroute(/\/assets\/.*\.js$/)
    await page.getByRole('button', { name: 'Templates' }).waitFor()
    expect(await page.getByText('could not be loaded').count()).to.equal(0)
  })
})
