import { expect } from 'chai'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { EvmAddress, EvmVerifiedContract } from '../../dashboards/explorer/answers.gen.ts'
import { useExplorerSession } from './explorer-session.ts'
import { expectAccessible, horizontalOverflow } from './page-checks.ts'

const hash = `0x${'ab'.repeat(20)}`
const api = `/flow/evm/address/${hash}`
const path = `/evm/address/${hash}?tab=code`

const address: EvmAddress = {
  hash,
  name: null,
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

const verified: EvmVerifiedContract = {
  address: hash,
  match: 'partial',
  name: 'Counter',
  source_path: 'contracts/Counter.sol',
  compiler: '0.8.37+commit.f401782d',
  settings: { evmVersion: 'cancun', optimizer: { enabled: true, runs: 1000 } },
  sources: [{ path: 'contracts/Counter.sol', content: 'contract Counter { uint256 public count; }' }],
  abi: [{ type: 'function', name: 'count', inputs: [] }],
  constructor_arguments: `0x${'7'.padStart(64, '0')}`,
  decoded_constructor: [
    { name: 'start', type: 'uint256', value: '7' },
    { name: 'steps', type: '(uint8,uint8[])[]', value: [['1', ['2', '3']]] },
  ],
  verified_at: '2026-01-05T12:00:00.000Z',
}

const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['wide', {}],
  ['dark phone', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
]

describe('explorer source of EVM contracts', function () {
  this.timeout(120_000)
  const session = useExplorerSession()
  let isVerified = false
  let posted: unknown

  const mock = async (page: Page): Promise<void> => {
    const answers: Readonly<Record<string, () => object>> = {
      [api]: () => ({ data: [{ ...address, is_verified: isVerified }] }),
      [`${api}/code`]: () => ({ data: [{ hash, size: 1, code_hash: null, bytecode: '0x60' }] }),
      '/flow/evm/compiler': () => ({ data: [{ language: 'Solidity', version: '0.8.37' }] }),
    }
    await page.route(
      (url) => url.pathname in answers,
      (route) => route.fulfill({ json: answers[new URL(route.request().url()).pathname]?.() }),
    )
    await page.route(
      (url) => url.pathname === `${api}/contract`,
      (route) => {
        if (route.request().method() === 'GET') return route.fulfill({ json: { data: [verified] } })
        posted = route.request().postDataJSON()
        const isWrong = route.request().postData()?.includes('wrong') === true
        isVerified = !isWrong
        return route.fulfill(
          isWrong
            ? { status: 422, json: { code: 'code-mismatch', detail: 'The compiled code differs.' } }
            : { json: { data: [verified] } },
        )
      },
    )
  }

  for (const [name, options] of looks) {
    it(`is verified by an upload and shown: ${name}`, async () => {
      isVerified = false
      const page = await session.open(path, { ...options, prepare: mock })
      const source = page.getByLabel('Solidity source')
      await source.fill('contract wrong {}')
      await expectAccessible(page, `form, ${name}`)
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('alert').getByText('The compiled code differs.').waitFor()
      expect(posted).to.deep.equal({ compiler_version: '0.8.37', source: 'contract wrong {}', optimizer_runs: 200 })
      await source.fill('{ "language": ')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('The standard JSON is not valid JSON.').waitFor()
      expect(await horizontalOverflow(page)).to.equal(0)
      await source.fill('{ "language": "Solidity" }')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('Verified, partial match').waitFor()
      expect(posted).to.deep.equal({ compiler_version: '0.8.37', standard_json: { language: 'Solidity' } })
      await page.getByText('On, 1,000 runs').waitFor()
      await page.getByRole('region', { name: 'contracts/Counter.sol' }).getByText('uint256 public count').waitFor()
      await page.getByText('(uint8,uint8[])[]').waitFor()
      expect(await horizontalOverflow(page)).to.equal(0)
      await expectAccessible(page, name)
    })
  }
})
