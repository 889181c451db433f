import { expect } from 'chai'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { EvmAddress, EvmReadFunction } from '../../dashboards/explorer/answers.gen.ts'
import { useExplorerSession } from './explorer-session.ts'
import { expectAccessible, horizontalOverflow } from './page-checks.ts'

const hash = `0x${'ab'.repeat(20)}`
const account = `0x${'cd'.repeat(20)}`
const api = `/flow/evm/address/${hash}`

const address: EvmAddress = {
  hash,
  name: 'Coin',
  is_contract: true,
  flow_address: null,
  is_coa: false,
  is_verified: false,
  token: null,
  creator: null,
  creation_transaction_hash: null,
  first_height: 1,
  last_height: 1,
  coin_balance: '0',
  flow_balance: '0',
  nonce: '1',
  code_size: 1,
  state_height: 1,
}

const readFunction = (name: string, inputs: EvmReadFunction['inputs'], type: string): EvmReadFunction => ({
  name,
  method_call: `${name}(${inputs.map((input) => input.type).join(',')})`,
  method_id: '0x00000000',
  inputs,
  outputs: [{ name: '', type }],
  source: 'standard',
  standards: ['ERC-20'],
})

const functions = [
  readFunction('symbol', [], 'string'),
  readFunction('balanceOf', [{ name: 'account', type: 'address' }], 'uint256'),
  readFunction('sum', [{ name: '', type: 'uint256[]' }], 'uint256'),
]

const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['wide', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 360, height: 740 } }],
  ['dark phone', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
]

interface CallBody {
  readonly function: string
  readonly arguments: readonly unknown[]
}

describe('explorer page that reads an EVM contract', function () {
  this.timeout(120_000)
  const session = useExplorerSession()
  let posted: CallBody[] = []
  let listed: readonly EvmReadFunction[] = functions

  beforeEach(() => {
    posted = []
    listed = functions
  })

  const outputOf = (called: string): object => {
    if (called === 'symbol()') return { name: '', type: 'string', value: 'COIN', amount: null, unit: null }
    const amounts = called === 'balanceOf(address)' ? { amount: '1.5', unit: 'COIN' } : { amount: null, unit: null }
    return { name: '', type: 'uint256', value: '1500000', ...amounts }
  }
  const prepare = async (page: Page): Promise<void> => {
    await page.route(
      (url) => url.pathname === api,
      (route) => route.fulfill({ json: { data: [address] } }),
    )
    await page.route(
      (url) => url.pathname === `${api}/function`,
      (route) => route.fulfill({ json: { data: listed, has_more: false, cursor: '', _meta: { count: 3 } } }),
    )
    await page.route(
      (url) => url.pathname === `${api}/call`,
      (route) => {
        const body = route.request().postDataJSON() as CallBody
        posted.push(body)
        if (body.arguments.includes('0x12')) {
          return route.fulfill({ status: 400, json: { code: 'invalid-field', detail: 'Number 1 is wrong.' } })
        }
        const outputs = [outputOf(body.function)]
        return route.fulfill({ json: { data: [{ outputs, raw_output: '0x', gas_used: '1', state_height: 12_345 }] } })
      },
    )
  }

  for (const [name, options] of looks) {
    it(`shows values and reads with arguments: ${name}`, async () => {
      const page = await session.open(`/evm/address/${hash}?tab=read`, { prepare, ...options })
      await page.getByText('COIN', { exact: true }).waitFor()
      const balance = page.getByRole('form', { name: 'balanceOf(address)' })
      await balance.getByRole('textbox').fill(` ${account} `)
      await balance.getByRole('button', { name: 'Read' }).click()
      await page.getByText('1.5 COIN').waitFor()
      expect(posted).to.deep.equal([
        { function: 'symbol()', arguments: [] },
        { function: 'balanceOf(address)', arguments: [account] },
      ])
      expect(await horizontalOverflow(page)).to.equal(0)
      expect(session.consoleMessages).to.deep.equal([])
      await expectAccessible(page, name)
    })
  }

  it('reads arrays as JSON, and reports wrong arguments', async () => {
    const page = await session.open(`/evm/address/${hash}?tab=read`, { prepare })
    const sum = page.getByRole('form', { name: 'sum(uint256[])' })
    await sum.getByRole('textbox').fill('1, 2')
    await sum.getByRole('button', { name: 'Read' }).click()
    await page.getByText('Arrays and tuples must be JSON').waitFor()
    await sum.getByRole('textbox').fill('["1", 2]')
    await sum.getByRole('button', { name: 'Read' }).click()
    await page.getByText('1,500,000', { exact: true }).waitFor()
    expect(posted.at(-1)).to.deep.equal({ function: 'sum(uint256[])', arguments: [['1', 2]] })
    const balance = page.getByRole('form', { name: 'balanceOf(address)' })
    await balance.getByRole('textbox').fill('0x12')
    await balance.getByRole('button', { name: 'Read' }).click()
    await page.getByText('Number 1 is wrong.').waitFor()
    await expectAccessible(page, 'wrong arguments')
  })

  it('says how to read a contract that is not verified', async () => {
    listed = []
    const page = await session.open(`/evm/address/${hash}?tab=read`, { prepare })
    await page.getByText('Verify the source on the tab Code').waitFor()
  })
})
