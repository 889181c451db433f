import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type {
  EvmAddress,
  EvmToken,
  EvmTokenReference,
  EvmTokenTransfer,
} from '../../dashboards/explorer/answers.gen.ts'
import { useExplorerSession } from './explorer-session.ts'
import { expectAccessible, horizontalOverflow } from './page-checks.ts'

const contract = `0x${'ab'.repeat(20)}`
const holder = `0x${'cd'.repeat(20)}`
const other = `0x${'ef'.repeat(20)}`
const party = { hash: holder, name: null, is_contract: false, flow_address: null }
const value = '1000000000000'

function referenceOf(decimals: number | null): EvmTokenReference {
  return {
    address: contract,
    type: 'ERC-20',
    name: 'USD Forward',
    symbol: 'USDF',
    decimals,
    icon_url: null,
    flow_token: null,
  }
}

function answersOf(decimals: number | null): readonly (readonly [path: string, data: object])[] {
  const reference = referenceOf(decimals)
  const amount = decimals === null ? null : '1000000'
  const token: EvmToken = {
    ...reference,
    holders: 1,
    transfer_count: 1,
    first_height: 1,
    is_complete: true,
    total_supply: value,
    detected_type: 'ERC-20',
    exchange_rate: '1',
  }
  const transfer: EvmTokenTransfer = {
    transaction_hash: `0x${'11'.repeat(32)}`,
    transaction_id: '22'.repeat(32),
    block_height: 1,
    transaction_index: 0,
    event_index: 0,
    log_index: 0,
    batch_index: 0,
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'token_transfer',
    from: party,
    to: { ...party, hash: other },
    token: reference,
    total: { value, decimals, amount, token_id: null },
  }
  const address: EvmAddress = {
    ...party,
    is_coa: true,
    is_verified: false,
    flow_address: '0x18eb4ee6b3c026d2',
    token: null,
    creator: null,
    creation_transaction_hash: null,
    first_height: 1,
    last_height: 1,
    coin_balance: '1234567890000000000',
    flow_balance: '1.23456789',
    nonce: '1042',
    code_size: 3560,
    state_height: 1,
    is_contract: true,
  }
  const picture = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"/>')}`
  return [
    [`/flow/evm/token`, token],
    [`/flow/evm/token/${contract}`, token],
    [`/flow/evm/token/${contract}/token-transfers`, transfer],
    [`/flow/evm/token/${contract}/holding`, { address: party, value, amount }],
    [`/flow/evm/address/${holder}/token`, { token: reference, token_id: null, value, amount, usd_value: amount }],
    [`/flow/evm/address/${holder}/token-transfers`, transfer],
    [
      `/flow/evm/address/${holder}/nft`,
      {
        token: { ...reference, type: 'ERC-721', name: 'Herons', symbol: 'HERON', decimals: null },
        token_id: '7',
        value: '1',
        token_uri: 'data:application/json,{}',
        name: 'Reef Heron #7',
        image_url: picture,
      },
    ],
    [
      `/flow/evm/address/${holder}/code`,
      { hash: holder, size: 3560, code_hash: `0x${'33'.repeat(32)}`, bytecode: `0x${'60'.repeat(3560)}` },
    ],
    [`/flow/evm/address/${holder}`, address],
  ]
}

/** Mocks the responses for a token. */
async function prepare(page: Page, decimals: number | null): Promise<void> {
  // The page of a token that is not stored has the status 404.
  await page.route(`**/evm/token/${contract}*`, async (route) =>
    route.fulfill({ response: await route.fetch(), status: 200 }),
  )
  for (const [path, data] of answersOf(decimals)) {
    await page.route(
      (url) => url.pathname === path,
      (route) => route.fulfill({ json: { data: [data], has_more: false, cursor: '' } }),
    )
  }
}

const phone = { width: 360, height: 740 }

describe('explorer EVM amounts', function () {
  this.timeout(120_000)
  const session = useExplorerSession()

  const expectText = async (path: string, text: string, decimals: number | null): Promise<void> => {
    const page = await session.open(path, { viewport: phone, prepare: (opened) => prepare(opened, decimals) })
    await page.getByText(text).first().waitFor()
    expect(await horizontalOverflow(page)).to.equal(0)
    expect(session.consoleMessages).to.deep.equal([])
    await expectAccessible(page, path)
  }

  for (const path of [
    `/evm?tab=tokens`,
    `/evm/token/${contract}`,
    `/evm/token/${contract}?tab=holders`,
    `/evm/address/${holder}?tab=tokens`,
    `/evm/address/${holder}?tab=transfers`,
  ]) {
    const name = path.replace(/0x\w+/, '')
    it(`are in whole tokens: ${name}`, async () => {
      await expectText(path, path === '/evm?tab=tokens' ? '1,000,000' : '1,000,000 USDF', 6)
    })
    it(`are labelled as raw units where the decimals are unknown: ${name}`, async () => {
      const text = '1,000,000,000,000 raw units'
      await expectText(path, path === '/evm?tab=tokens' ? text : `${text} of USDF`, null)
    })
  }

  it('are sent or received by an address', async () => {
    const page = await session.open(`/evm/address/${holder}?tab=transfers`, {
      prepare: (opened) => prepare(opened, 6),
    })
    await page.getByRole('cell', { name: 'Sent 1,000,000 USDF to Account 0xefef…efef' }).waitFor()
    const numbers = page.locator('.key-numbers')
    await numbers.getByTitle('1.23456789').waitFor()
    for (const text of ['1,042', 'Cadence-owned account']) await numbers.getByText(text, { exact: true }).waitFor()
    await page.getByRole('link', { name: '0x18eb4ee6b3c026d2' }).waitFor()
  })

  it('stand beside the NFTs and the code of an address', async () => {
    await expectText(`/evm/address/${holder}?tab=nfts`, 'Reef Heron #7', 6)
    await expectText(`/evm/address/${holder}?tab=code`, '3,560 bytes', 6)
  })
})
