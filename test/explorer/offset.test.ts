import { expect } from 'chai'
import { exploredChain } from '../support/explored-chain.ts'
import type { RunningApi } from '../support/running-api.ts'

interface Page {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly cursor: string
  readonly _meta: { readonly limit?: number; readonly count: number; readonly has_more?: boolean }
}

const paths = [
  '/flow/block?',
  '/flow/transaction?',
  '/flow/ft?',
  '/flow/ft/transfer?',
  '/flow/account?sort_by=flow_balance&',
  '/flow/account/0xe03daebed8ca0615/transaction?',
  '/flow/contract?',
]

describe('pages by offset', () => {
  let api: RunningApi

  before(async () => {
    ;({ api } = await exploredChain())
  })

  for (const path of paths) {
    it(`equal those by cursor for ${path}`, async () => {
      const first = await api.json<Page>(`${path}limit=5`)
      expect(first._meta.has_more).to.equal(first.has_more)
      expect(await api.json<Page>(`${path}limit=5&offset=0`)).to.deep.equal(first)
      if (!first.has_more) return
      const cursor = `cursor=${encodeURIComponent(first.cursor)}`
      const second = await api.json<Page>(`${path}limit=5&${cursor}`)
      expect(await api.json<Page>(`${path}limit=5&offset=5`)).to.deep.equal(second)
      // A cursor starts a page by itself.
      expect(await api.json<Page>(`${path}limit=5&offset=5&${cursor}`)).to.deep.equal(second)
    })
  }

  it('are read over several pages, and end with the list', async () => {
    const { data } = await api.json<Page>('/flow/block?limit=3&offset=150')
    expect(data.map((block) => (block as { height: number }).height)).to.deep.equal([130, 129, 128])
    const { data: accounts, ...rest } = await api.json<Page>('/flow/account?limit=20&offset=400')
    expect({ accounts, ...rest }).to.deep.equal({
      accounts: [],
      has_more: false,
      cursor: '',
      _meta: { limit: 100, count: 0, has_more: false },
    })
  })

  it('have a valid limit, also where the list ends before the offset', async () => {
    for (const limits of ['limit=x', 'limit=-5', 'limit=101', 'limit=5&limit=6']) {
      const response = await api.get(`/flow/nft?offset=500&${limits}`)
      expect(response.status, limits).to.equal(400)
      expect(await response.json(), limits).to.include({ code: 'invalid-parameter', field: 'limit' })
    }
  })

  it('have a limit, whose error names the cursor', async () => {
    for (const offset of ['501', '-1', 'x', '']) {
      const response = await api.get(`/flow/block?offset=${offset}`)
      const problem = (await response.json()) as { field: string; detail: string }
      expect([response.status, problem.field]).to.deep.equal([400, 'offset'])
      expect(problem.detail).to.include('0 to 500').and.include('`cursor`')
    }
  })
})
