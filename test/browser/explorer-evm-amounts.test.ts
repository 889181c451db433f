import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { EvmToken, EvmTokenReference, EvmTokenTransfer } from '../../dashboards/explorer/answers.gen.ts'
import { useExplorerSession } from './explorer-session.ts'
import { horizontalOverflow } from './page-checks.ts'

const contract = `0x${'ab'.repeat(20)}`
const holder = `0x${'cd'.repeat(20)}`
const party = { hash: holder, name: null, is_contract: false, is_coa: false, flow_address: null }
const reference: EvmTokenReference = {
  address: contract,
  type: 'ERC-20',
  name: 'USD Forward',
  symbol: 'USDF',
  decimals: null,
  icon_url: null,
  flow_token: null,
}
const token: EvmToken = {
  ...reference,
  holders: 1,
  transfer_count: 1,
  first_height: 1,
  is_complete: true,
  exchange_rate: '1',
}
const value = '1000000000000'
const transfer: EvmTokenTransfer = {
  transaction_hash: `0x${'11'.repeat(32)}`,
  transaction_id: `0x${'22'.repeat(32)}`,
  block_height: 1,
  transaction_index: 0,
  event_index: 0,
  log_index: 0,
  batch_index: 0,
  timestamp: '2026-01-01T00:00:00Z',
  type: 'token_minting',
  from: null,
  to: party,
  token: reference,
  total: { value, decimals: null, token_id: null },
}
const answers: readonly (readonly [path: string, data: object])[] = [
  [`/flow/evm/token/${contract}`, token],
  [`/flow/evm/token/${contract}/token-transfers`, transfer],
  [`/flow/evm/token/${contract}/holding`, { address: party, value }],
  [`/flow/evm/address/${holder}/token`, { token: reference, value }],
  [`/flow/evm/address/${holder}/token-transfers`, transfer],
  [
    `/flow/evm/address/${holder}`,
    {
      ...party,
      token: null,
      creator: null,
      creation_transaction_hash: null,
      first_height: 1,
      last_height: 1,
    },
  ],
]

/** Mocks a token with unknown decimals. */
async function prepare(page: Page): Promise<void> {
  for (const [path, data] of answers) {
    await page.route(
      (url) => url.pathname === path,
      (route) => route.fulfill({ json: { data: [data], has_more: false, cursor: '' } }),
    )
  }
}

describe('explorer EVM amounts', function () {
  this.timeout(120_000)
  const session = useExplorerSession()

  for (const path of [
    `/evm/token/${contract}`,
    `/evm/token/${contract}?tab=holders`,
    `/evm/address/${holder}?tab=tokens`,
    `/evm/address/${holder}?tab=transfers`,
  ]) {
    it(`are labelled as raw units where the decimals are unknown: ${path.replace(/0x\w+/, '')}`, async () => {
      const page = await session.open(path, { viewport: { width: 360, height: 740 }, prepare })
      await page.getByText('1,000,000,000,000 raw units of USDF').waitFor()
      expect(await horizontalOverflow(page)).to.equal(0)
      expect(session.consoleMessages).to.deep.equal([])
    })
  }
})
