import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { useExplorerSession } from './explorer-session.ts'
import { horizontalOverflow, expectAccessible, untilLoaded } from './page-checks.ts'

interface Answer {
  readonly data: Record<string, unknown>[]
}

/** Hostile names of tokens and items. */
const names = [
  '<img src=x onerror="document.title=\'broken\'">',
  '<script>document.title="broken"</script>',
  '\u202Egnp.exe\u202C',
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'.repeat(40),
  'Z\u0351\u036B\u0343\u0343\u0300'.repeat(200),
  'x'.repeat(10_000),
  'word '.repeat(2000),
  '',
  '{{constructor}} ${1}',
  '\u0000\u0007\n\n',
]
const pictures = [
  'data:image/svg+xml,<svg onload="alert(1)"/>',
  'javascript:alert(1)',
  'ipfs://bafyone/1.png',
  'ipfs://../../etc',
  '//evil.example/1.png',
  'file:///etc/passwd',
  'blob:https://evil.example/1',
  'https://user:secret@evil.example/1.png',
  'http://evil.example/1.png',
  '\u0000',
]
const moved = 3000
const account = '0xe03daebed8ca0615'
const transaction = '3ef0ef21d3f3dc615c36f930d83ae0c9367d1816f061849c76f1af06e8d355a7'

describe('explorer with large and hostile data', () => {
  const session = useExplorerSession()

  /** Opens a narrow page with a modified API response; other hosts are blocked. */
  async function open(
    path: string,
    of: (pathname: string) => boolean,
    worsen: (answer: Answer) => Answer,
  ): Promise<[Page, readonly string[], string[]]> {
    const requested: string[] = []
    const { host } = session.api
    const page = await session.open(path, {
      viewport: { width: 360, height: 740 },
      prepare: async (opened) => {
        const { consoleMessages } = session
        opened.on('dialog', (dialog) => consoleMessages.push(`opened a dialog: ${dialog.message()}`))
        await opened.route(
          (url) => url.host !== host,
          (route) => {
            requested.push(route.request().url())
            return route.abort()
          },
        )
        await opened.route(
          (url) => url.host === host && of(url.pathname),
          async (route) => {
            const response = await route.fetch()
            if (response.headers()['content-type']?.includes('json') !== true) return route.fulfill({ response })
            return route.fulfill({ json: worsen((await response.json()) as Answer) })
          },
        )
      },
    })
    await untilLoaded(page)
    return [page, session.consoleMessages, requested]
  }

  /** No overflow, accessibility violations or script injection. */
  async function expectWhole(page: Page, consoleMessages: readonly string[]): Promise<void> {
    expect(await horizontalOverflow(page)).to.equal(0)
    expect(await page.title()).to.not.equal('broken')
    await expectAccessible(page, page.url())
    // Blocked pictures are expected.
    expect(consoleMessages.filter((text) => !text.includes('net::ERR_FAILED'))).to.deep.equal([])
  }

  it('lists hundreds of tokens with hostile names', async () => {
    const [page, consoleMessages, requested] = await open(
      `/account/${account}?tab=tokens`,
      (path) => path.endsWith('/ft'),
      (answer) => {
        const [first] = answer.data
        const data = Array.from({ length: 500 }, (_, i) => ({
          ...first,
          token: `A.179b6b1cb6755e31.Token${i}`,
          name: names[i % names.length],
          symbol: names[(i + 3) % names.length],
          logo: pictures[i % pictures.length],
          balance: `${'9'.repeat(1 + (i % 60))}.00000001`,
        }))
        return { ...answer, data }
      },
    )
    await page.locator('.list').getByRole('rowheader').nth(499).waitFor()
    await page.getByText('<script>document.title="broken"</script>').first().waitFor()
    await expectWhole(page, consoleMessages)
    for (const url of requested)
      expect(url).to.match(/^https:\/\/(?:(?:ipfs\.io|dweb\.link)\/ipfs\/bafyone\/1\.png$|evil\.example\/1\.png)/)
  })

  it('requests only HTTPS pictures of items', async () => {
    const [page, consoleMessages, requested] = await open(
      '/nft/A.179b6b1cb6755e31.PaperBoats',
      (path) => path.endsWith('/item'),
      (answer) => {
        const data = pictures.map((thumbnail, i) => ({
          ...answer.data[0],
          nft_id: String(i),
          name: names[i],
          thumbnail,
        }))
        return { ...answer, data }
      },
    )
    await page
      .locator('.card')
      .nth(pictures.length - 1)
      .waitFor()
    await expectWhole(page, consoleMessages)
    for (const url of requested) expect(url).to.match(/^https:/)
    expect(requested.filter((url) => url.includes('secret'))).to.deep.equal([])
  })

  it('contains names of EVM parties and labels of accounts', async () => {
    const named = (i: number): string | undefined => names[i % names.length]
    const party = (given: unknown, i: number): unknown =>
      given === null ? null : { ...(given as object), name: named(i) }
    const [transactions, saidOfTransactions] = await open(
      '/evm',
      (path) => path === '/flow/evm/transaction',
      (answer) => {
        const data = answer.data.map((each, i) => ({
          ...each,
          from: party(each['from'], i),
          to: party(each['to'], i + 1),
          decoded_input: { method_id: 'a9059cbb', method_call: `${named(i + 2)}(`, parameters: [] },
        }))
        return { ...answer, data }
      },
    )
    await transactions.getByRole('rowheader').nth(names.length).waitFor()
    await expectWhole(transactions, saidOfTransactions)
    const [tokens, saidOfTokens] = await open(
      '/evm?tab=tokens',
      (path) => path === '/flow/evm/token',
      (answer) => {
        const data = names.map((name, i) => ({
          ...answer.data[0],
          address: `0x${String(i).repeat(40)}`,
          name,
          symbol: named(i + 3),
        }))
        return { ...answer, data }
      },
    )
    await tokens
      .getByRole('rowheader')
      .nth(names.length - 1)
      .waitFor()
    await expectWhole(tokens, saidOfTokens)
    const [labelled, saidOfLabels] = await open(
      `/account/${account}`,
      (path) => path === `/flow/account/${account}`,
      (answer) => {
        const labels = names.map((label, i) => ({ tag: `label-${i}`, label, category: label }))
        return { ...answer, data: answer.data.map((each) => ({ ...each, labels })) }
      },
    )
    await labelled.getByText('<script>document.title="broken"</script>').first().waitFor()
    await expectWhole(labelled, saidOfLabels)
  })

  it('suggests hostile names in lines of one height', async () => {
    const [page, consoleMessages] = await open(
      '/blocks',
      (path) => path === '/flow/search',
      (answer) => {
        const accounts = names.map((label, i) => ({
          address: `0x${String(i).repeat(16)}`,
          label,
          category: names[(i + 1) % names.length],
        }))
        // A search result is not a list.
        const found = answer.data as unknown as Readonly<Record<string, unknown>>
        return {
          ...answer,
          data: {
            ...found,
            tokens: [],
            nft_collections: [],
            contracts: [],
            hits: [],
            accounts,
          } as unknown as Answer['data'],
        }
      },
    )
    await page.getByRole('combobox', { name: 'Search' }).fill('bad')
    await page
      .getByRole('option')
      .nth(names.length - 1)
      .waitFor()
    const heights = await page
      .locator('[role=option]')
      .evaluateAll((options) => options.map((option) => (option as unknown as { offsetHeight: number }).offsetHeight))
    expect(Math.max(...heights)).to.be.below(60)
    await expectWhole(page, consoleMessages)
  })

  it('shows a transaction with thousands of events and transfers', async () => {
    const [page, consoleMessages] = await open(
      `/transaction/${transaction}?tab=events`,
      (path) => path === `/flow/transaction/${transaction}`,
      (answer) => {
        const [first] = answer.data as [{ events: object[]; ft_transfers: object[] }]
        const events = Array.from({ length: moved }, (_, i) => ({
          ...first.events[i % first.events.length],
          event_index: i,
        }))
        const transfers = Array.from({ length: moved }, (_, i) => ({
          ...first.ft_transfers[0],
          event_index: i,
          token: `A.179b6b1cb6755e31.Token${i % 20}`,
          token_symbol: names[i % names.length],
          to_address: `0x${i.toString(16).padStart(16, '0')}`,
        }))
        return {
          ...answer,
          data: [{ ...first, events, ft_transfers: transfers, template_label: names[5], error_message: names[5] }],
        }
      },
    )
    await page.getByRole('tab', { name: 'Events 3,000' }).waitFor()
    await page.getByText('13 more').click()
    await page.getByText('Show each').first().click()
    await page.getByText('130 more').first().waitFor()
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).to.be.below(6000)
    await expectWhole(page, consoleMessages)
  })
})
