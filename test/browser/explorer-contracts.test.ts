import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { useExplorerSession } from './explorer-session.ts'
import { expectUsable, tabTo, untilLoaded } from './page-checks.ts'

const crossroads = '/contract/A.f3fcd2c1a78f5eee.Crossroads?tab=dependencies'
const tally = '/contract/A.f3fcd2c1a78f5eee.Tally?tab=versions'

/** Number of shapes that extend beyond the graph or the window. */
const outside = `[...document.querySelectorAll('.graph rect, .graph path:not(defs path)')].filter((shape) => {
  const inner = shape.getBoundingClientRect(), outer = shape.closest('svg').getBoundingClientRect()
  return inner.left < outer.left - 1 || inner.right > Math.min(outer.right, innerWidth) + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1
}).length`

/** Adds dependents to the API's response. */
async function makePopular(page: Page, users: number): Promise<void> {
  await page.route(
    (url) => url.pathname.endsWith('/dependencies'),
    async (route) => {
      const url = new URL(route.request().url())
      const cursor = Number(url.searchParams.get('cursor') ?? 0)
      url.searchParams.delete('cursor')
      const response = await route.fetch({ url: url.href })
      const body = (await response.json()) as {
        data: [
          Record<string, unknown> & {
            graph: Record<string, unknown> & { root: string; nodes: object[]; edges: object[] }
          },
        ]
      }
      const [first] = body.data
      const names = Array.from(
        { length: users },
        (_, i) => `A.${i.toString(16).padStart(16, '0')}.${i === 7 ? 'X'.repeat(200) : `User${i}`}`,
      )
      const user = (identifier: string): object => ({
        identifier,
        address: `0x${identifier.slice(2, 18)}`,
        name: identifier.slice(19),
      })
      const nodes = [...first.graph.nodes, ...names.map((name) => ({ ...first.graph.nodes[0], ...user(name) }))]
      const edges = [...first.graph.edges, ...names.map((source) => ({ source, target: first.graph.root }))]
      await route.fulfill({
        json: {
          ...body,
          has_more: cursor + 50 < users,
          cursor: String(cursor + 50),
          data: [
            {
              ...first,
              dependents: names.slice(cursor, cursor + 50).map(user),
              dependent_count: users,
              graph: { ...first.graph, nodes, edges, truncated: true },
            },
          ],
        },
      })
    },
  )
}

describe('explorer contracts', () => {
  const session = useExplorerSession()

  it('show the changes of a version with line numbers', async () => {
    const page = await session.open(tally)
    const changed = page.getByRole('region', { name: 'Changes in version 2' })
    await changed.getByText('access(all) event Cleared(was: Int)').waitFor()
    expect(await changed.locator('.badge').allInnerTexts()).to.deep.equal(['+5', '−2'])
    const lines = await changed.locator('.differences > span').allInnerTexts()
    expect(lines.filter((line) => line.includes('−'))).to.have.lengthOf(2)
    expect(lines.filter((line) => line.includes('+ ')).length).to.be.at.least(5)
    await expectUsable(page, 'versions')
    await page.getByRole('button', { name: 'Show changes in version 1' }).click()
    await page.getByRole('heading', { name: 'First indexed version: 1' }).waitFor()
    expect(new URL(page.url()).search).to.equal('?tab=versions&version=1')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('show both versions without highlighting if too many lines differ', async () => {
    const page = await session.open(tally, {
      viewport: { width: 360, height: 740 },
      prepare: (opened) =>
        opened.route('**/version/2', async (route) => {
          const response = await route.fetch()
          const body = (await response.json()) as { data: { code: string }[] }
          const code = Array.from(
            { length: 4000 },
            (_, i) => `// line ${i} of a new contract with ${'long '.repeat(20)}names`,
          ).join('\n')
          await route.fulfill({ json: { ...body, data: [{ ...body.data[0], code }] } })
        }),
    })
    const changed = page.getByRole('region', { name: 'Changes in version 2' })
    await changed.getByText('limit: 500 changed lines').waitFor()
    expect(await changed.getByRole('group', { name: 'Earlier version' }).innerText()).to.include('contract Tally')
    expect(await changed.getByRole('group', { name: 'This version' }).innerText()).to.include('line 3999 of')
    await expectUsable(page, 'unmarked versions on a phone')
    await page.setViewportSize({ width: 1280, height: 900 })
    await expectUsable(page, 'unmarked versions')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('compare with any earlier version, stored in the URL', async () => {
    const page = await session.open(tally, {
      prepare: (opened) =>
        opened
          .route(
            (url) => url.pathname.endsWith('/version'),
            async (route) => {
              const response = await route.fetch()
              const body = (await response.json()) as { data: { version: number }[] }
              await route.fulfill({ json: { ...body, data: [{ ...body.data[0], version: 3 }, ...body.data] } })
            },
          )
          .then(() =>
            opened.route(
              (url) => url.pathname.endsWith('/version/3'),
              async (route) => {
                await route.fulfill({ response: await route.fetch({ url: route.request().url().replace(/3$/, '2') }) })
              },
            ),
          ),
    })
    await page.getByText('No changes').waitFor()
    await page.getByRole('combobox', { name: 'Compare with version' }).selectOption('1')
    await page.getByText('access(all) event Cleared(was: Int)').waitFor()
    expect(new URL(page.url()).search).to.equal('?tab=versions&against=1')
    await page.reload()
    await page.getByText('access(all) event Cleared(was: Int)').waitFor()
    await expectUsable(page, 'compared versions')
  })

  it('report that code could not be loaded, and load it on retry', async () => {
    const page = await session.open(tally, {
      prepare: (opened) => opened.route('**/version/2', (route) => route.abort()),
    })
    await page.getByRole('alert').getByText('The API is not reachable.').waitFor()
    await page.unroute('**/version/2')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('access(all) event Cleared(was: Int)').waitFor()
  })

  for (const [where, width] of [
    ['a wide screen', 1440],
    ['a tablet', 700],
    ['a phone', 360],
  ] as const) {
    it(`draw a dependency graph that fits ${where} and is usable by keyboard`, async () => {
      const page = await session.open(crossroads, { viewport: { width, height: 900 } })
      await page.locator('.graph a').nth(7).waitFor()
      await untilLoaded(page)
      expect(await page.evaluate<number>(outside)).to.equal(0)
      await expectUsable(page, where)
      const target = page
        .getByRole('group', { name: 'Dependency graph' })
        .getByRole('link', { name: 'Contract PebbleCoin' })
      await tabTo(page, target)
      // Only the edge to this contract is highlighted.
      expect(await page.locator('.graph path.near').count()).to.equal(1)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Contract PebbleCoin' }).waitFor()
      expect(session.consoleMessages).to.deep.equal([])
    })
  }

  it('draw the nearest of many dependents, and list all of them', async () => {
    const page = await session.open(crossroads, {
      viewport: { width: 360, height: 740 },
      prepare: (opened) => makePopular(opened, 120),
    })
    await page.getByRole('heading', { name: 'Used by 120' }).waitFor()
    await page.getByText('The graph shows the nearest 40').waitFor()
    expect(await page.locator('.graph a').count()).to.equal(40)
    expect(await page.evaluate<number>(outside)).to.equal(0)
    for (const shown of [100, 120]) {
      await page.getByRole('button', { name: 'More contracts' }).click()
      await page
        .locator('.chips')
        .last()
        .getByRole('link')
        .nth(shown - 1)
        .waitFor()
    }
    expect(await page.getByRole('button', { name: 'More contracts' }).count()).to.equal(0)
    await expectUsable(page, 'very many users')
  })
})
