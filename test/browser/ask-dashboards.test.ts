import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { dashboardTile, dashboardWorld, tileResult } from '../support/ask-worlds.ts'
import { useAskSession } from './ask-session.ts'
import { expectUsable, tabTo, untilLoaded } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const
const path = '/dashboards/0c4e7d1fa9b85263'
const publicPath = `/d/${'e'.repeat(32)}`

const titles = (page: Page): Promise<string[]> => page.locator('.tile h2').allTextContents()

describe('dashboards of the query page', () => {
  const session = useAskSession()
  const stored = (): readonly Readonly<Record<string, unknown>>[] => session.service.world.dashboards[0]?.tiles ?? []
  const reads = (query = ''): number =>
    session.service.calls.filter(({ call }) => call.startsWith(`GET /api/v1${path}/tiles/${query}`)).length

  it('show charts, numbers, tables, and how to replace a deleted query', async () => {
    const page = await session.open(dashboardWorld(), {}, path)
    await page.getByRole('slider', { name: /transactions.* by day/ }).waitFor()
    const number = page.getByRole('region', { name: 'Blocks' })
    await number.getByText('2,160,412').waitFor()
    await page.getByRole('region', { name: 'Rows of By day' }).getByRole('cell', { name: '10400' }).waitFor()
    await page.getByRole('region', { name: 'Deleted query' }).getByText('choose another query').waitFor()
    expect(await titles(page)).to.deep.equal(['Transactions by day', 'Blocks', 'By day', 'Deleted query'])
    await expectUsable(page, 'a dashboard')
    const [chart, beside] = await Promise.all([
      page.getByRole('region', { name: 'Transactions by day' }).boundingBox(),
      number.boundingBox(),
    ])
    expect(chart?.y).to.equal(beside?.y)
    expect((chart?.width ?? 0) / (beside?.width ?? 1)).to.be.within(1.9, 2.2)
    const before = reads('00000001')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('button', { name: 'Refresh' }).and(page.locator(':enabled')).waitFor()
    expect(reads('00000001')).to.equal(before + 1)
    expect(session.consoleMessages.filter((text) => !text.includes('409'))).to.deep.equal([])
  })

  it('have one column on phones', async () => {
    const page = await session.open(dashboardWorld(), phone, path)
    await page.getByText('2,160,412').waitFor()
    for (const tile of await page.locator('.tile').all()) expect((await tile.boundingBox())?.width).to.equal(336)
    await expectUsable(page, 'a dashboard on a phone')
    await page.getByRole('button', { name: 'Edit' }).click()
    await expectUsable(page, 'editing on a phone')
    await page.getByRole('button', { name: 'Add tile' }).click()
    await expectUsable(page, 'adding on a phone')
  })

  it('are created, and explain how to start', async () => {
    const page = await session.open({ tiles: dashboardWorld().tiles ?? {} }, {}, '/dashboards')
    await page.getByText('No dashboards yet').waitFor()
    await expectUsable(page, 'no dashboards')
    await page.getByRole('button', { name: 'New dashboard' }).click()
    await page.getByLabel('Name').fill('Mine')
    await expectUsable(page, 'naming')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Choose Add tile').waitFor()
    await page.getByRole('button', { name: 'Add tile' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add tile' })
    await dialog.getByLabel('Saved query').selectOption('Blocks since a day')
    await dialog.getByLabel('max_height').fill('x')
    await dialog.getByRole('button', { name: 'Add' }).click()
    expect(await dialog.isVisible(), 'a wrong number').to.equal(true)
    await dialog.getByLabel('max_height').fill('200')
    await dialog.getByLabel('Title').fill('Blocks')
    await dialog.getByLabel('Width').selectOption('2 columns')
    await expectUsable(page, 'adding a tile')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Save the dashboard to see the result').waitFor()
    await page.getByLabel('Refresh every').selectOption('30 seconds')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Dashboard saved.').waitFor()
    await page.getByText('Refreshed every 30 seconds').waitFor()
    const [tile] = stored()
    expect(tile?.['id']).to.match(/^[0-9a-f]{8}$/)
    expect(tile).to.deep.include({
      query_id: 'q',
      title: 'Blocks',
      width: 2,
      view: 'table',
      parameters: [{ name: 'max_height', type: 'number', value: '200' }],
    })
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('are edited by buttons, by keyboard and by dragging', async () => {
    const page = await session.open(dashboardWorld(), { viewport: { width: 1280, height: 1600 } }, path)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByText('2,160,412').waitFor()
    await expectUsable(page, 'the edit mode')
    const later = page.getByRole('button', { name: 'Move “Blocks” later' })
    await tabTo(page, later)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await titles(page)).to.deep.equal(['Transactions by day', 'By day', 'Deleted query', 'Blocks'])
    await page.keyboard.press('Enter')
    expect(await later.and(page.locator(':focus')).count(), 'keeps the focus').to.equal(1)
    await page.locator('.tile-place').nth(3).dragTo(page.locator('.tile-place').nth(0))
    expect(await titles(page)).to.deep.equal(['Blocks', 'Transactions by day', 'By day', 'Deleted query'])
    await page.getByRole('button', { name: 'Remove “Deleted query”' }).click()
    await page.getByLabel('Width of “Blocks”').selectOption('3 columns')
    await page.getByLabel('View of “By day”').selectOption('Chart')
    await page.getByRole('button', { name: 'Edit “By day”' }).click()
    await page.getByRole('dialog').getByLabel('Title').fill('Again by day')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Dashboard saved.').waitFor()
    expect(stored().map(({ id, title, width, view }) => [id, title, width, view])).to.deep.equal([
      ['00000002', 'Blocks', 3, 'table'],
      ['00000001', '', 2, 'chart'],
      ['00000003', 'Again by day', 2, 'chart'],
    ])
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Remove “Blocks”' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await titles(page), 'cancelled').to.have.length(3)
  })

  for (const [screen, options] of Object.entries({ wide: {}, phone })) {
    it(`say that another user changed them before they are overwritten (${screen})`, async () => {
      const page = await session.open(dashboardWorld(), options, path)
      const edit = async (name: string): Promise<void> => {
        await page.getByRole('button', { name: 'Edit', exact: true }).click()
        await page.getByLabel('Name', { exact: true }).fill(name)
        const { world } = session.service
        const dashboards = world.dashboards.map((each) => ({ ...each, name: 'Another name', updated_at: name }))
        session.service.world = { ...world, dashboards }
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByText('Another user changed this dashboard.').waitFor()
      }
      await page.getByText('2,160,412').waitFor()
      await edit('First')
      await expectUsable(page, 'a changed dashboard')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('heading', { name: 'Another name' }).waitFor()
      await edit('Second')
      await page.getByRole('button', { name: 'Overwrite' }).click()
      await page.getByText('Dashboard saved.').waitFor()
      expect(session.service.world.dashboards[0]).to.include({ name: 'Second' })
    })
  }

  it('are shared by a link until it is revoked', async () => {
    const [dashboard] = dashboardWorld().dashboards ?? []
    expect(dashboard).to.be.an('object')
    const page = await session.open(
      { ...dashboardWorld(), dashboards: [{ ...dashboard, id: '0c4e7d1fa9b85263', link: null, tiles: [] }] },
      {},
      path,
    )
    await page.getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog', { name: 'Public link' })
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const url = `${session.service.url}/d/${'f'.repeat(32)}`
    await dialog.getByLabel('Link', { exact: true }).waitFor()
    expect(await dialog.getByLabel('Link', { exact: true }).inputValue()).to.equal(url)
    await expectUsable(page, 'the link')
    const viewer = await page.context().newPage()
    await viewer.goto(url)
    await viewer.getByRole('heading', { name: 'Network today' }).waitFor()
    await dialog.getByRole('button', { name: 'Revoke link' }).click()
    await dialog.getByRole('button', { name: 'Create link' }).waitFor()
    await viewer.reload()
    await viewer.getByRole('heading', { name: 'Dashboard not found' }).waitFor()
    await expectUsable(viewer, 'a revoked link')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Dashboards' }).click()
    await page.getByRole('button', { name: 'Delete dashboard “Network today”' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No dashboards yet').waitFor()
  })

  for (const [screen, options] of Object.entries({ wide: {}, phone })) {
    it(`have a public page without controls of the owner (${screen})`, async () => {
      const page = await session.open({ ...dashboardWorld(), token: 'secret' }, options, publicPath)
      await page.getByText('2,160,412').waitFor()
      expect(await titles(page)).to.deep.equal(['Transactions by day', 'Blocks', 'By day', 'Deleted query'])
      expect(await page.getByRole('button', { name: /Edit|Share|Refresh|token/ }).count()).to.equal(0)
      expect(await page.locator('header.top a').count(), 'links to other pages').to.equal(0)
      expect(session.service.calls.every(({ call }) => call.startsWith('GET /api/v1/public/'))).to.equal(true)
      expect(await page.title()).to.equal('Network today – flowfarm')
      await expectUsable(page, 'the public page')
    })
  }

  it('refresh when results expire, and not while paused', async () => {
    const expiring = { ...tileResult({ n: 'int8' }, [{ n: '1' }]), expires_in: 0 }
    const world = {
      ...dashboardWorld(),
      tiles: { days: { body: expiring }, q: { body: expiring } },
    }
    const page = await session.open(world, {}, '')
    await page.clock.install()
    await page.goto(`${session.service.url}${path}`)
    await untilLoaded(page)
    const before = reads('00000001')
    const refreshed = page.waitForResponse((response) => response.url().endsWith('/tiles/00000001'), {
      timeout: 20_000,
    })
    await page.clock.runFor(6000)
    await refreshed
    expect(reads('00000001')).to.be.above(before)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    const paused = reads()
    await page.clock.runFor(3_600_000)
    expect(reads()).to.equal(paused)
  })

  it('show untrusted titles and values as text', async () => {
    const name = '<img src=x onerror=alert(1)>\u202E{{n}}'
    const [dashboard] = dashboardWorld().dashboards ?? []
    const page = await session.open(
      {
        ...dashboardWorld(),
        dashboards: [
          {
            ...dashboard,
            id: '0c4e7d1fa9b85263',
            link: 'e'.repeat(32),
            name: name.repeat(3),
            tiles: [
              dashboardTile({ id: '00000001', query_id: 'days', title: 'x'.repeat(100) }),
              dashboardTile({ id: '00000002', query_id: 'q', title: name, view: 'chart' }),
            ],
          },
        ],
        tiles: {
          days: { body: tileResult({ [name]: 'text' }, [{ [name]: name }]) },
          q: { status: 504, body: { detail: name, code: 'sql-timeout' } },
        },
      },
      phone,
      publicPath,
    )
    await page.getByText('No result').waitFor({ timeout: 15_000 })
    expect(await page.locator('main img').count()).to.equal(0)
    await expectUsable(page, 'hostile texts')
  })
})
