import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { otherAddress } from '../support/fake-wallet.ts'
import { expectUsable, untilLoaded } from './page-checks.ts'
import { fillPayment, makeFirstPasskey, signInByCode, useWalletSession } from './wallet-session.ts'

const picture = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>')}`
const pebble = 'A.179b6b1cb6755e31.PebbleCoin.Vault'
const herons = 'A.179b6b1cb6755e31.Herons'
const coa = `0x${'0'.repeat(23)}2${'ab'.repeat(8)}`
const usdf = `0x${'de'.repeat(20)}`
const vault = {
  token: pebble,
  name: 'Pebble Coin',
  symbol: 'PEB',
  icon: null,
  balance: '12.50000000',
  usd_price: '2',
  usd_value: '25',
}
const explorer = {
  'account/{address}/ft': [vault, { ...vault, token: 'A.0ae53cb6e3f42a79.FlowToken.Vault', symbol: 'FLOW' }],
  [`account/{address}/nft/${herons}`]: [
    { id: '7', type: `${herons}.NFT`, name: 'Grey Heron', thumbnail: picture },
    { id: '8', type: `${herons}.NFT`, name: 'Reef Heron', thumbnail: null },
  ],
  'coa/{address}': [{ coa_address: coa }],
  [`evm/address/${coa}`]: [{ flow_balance: '3.25' }],
  [`evm/address/${coa}/token`]: [
    {
      token: { address: `0x${'cd'.repeat(20)}`, type: 'ERC-20', symbol: 'NODEC', name: null, decimals: null },
      value: '5',
      amount: null,
      usd_value: null,
    },
    {
      token: { address: usdf, type: 'ERC-20', symbol: 'USDF', name: null, decimals: 6 },
      value: '2500000',
      amount: '2.5',
      usd_value: '2.5',
    },
  ],
}
const world = {
  explorer,
  nfts: [{ nft_type: herons, display_name: 'Herons', square_image: null, number_of_tokens: 2 }],
}

describe('assets in the wallet', () => {
  const session = useWalletSession()

  const ready = async (options = {}): Promise<{ readonly page: Page; readonly own: string }> => {
    const { page } = await session.visit(world, options)
    await signInByCode(page, session.wallet)
    const own = await makeFirstPasskey(page)
    session.wallet.balances.set(otherAddress(), 0n)
    return { page, own }
  }
  const ran = (): readonly object[] => session.wallet.ran

  it('are shown with values and pictures, and sent', async () => {
    const { page } = await ready()
    const tokens = page.getByRole('region', { name: 'Tokens' })
    await tokens.getByText('$50.00').waitFor()
    await tokens.getByRole('link', { name: 'Send PEB' }).click()
    await page.getByText('Balance: 12.5 PEB').waitFor()
    await page.getByRole('textbox', { name: 'Amount in PEB' }).fill('13')
    await page.getByText('You can send at most 12.5 PEB.').waitFor()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByRole('textbox', { name: 'To' }).fill(otherAddress())
    await page.getByRole('button', { name: 'Review' }).click()
    const changes = page.getByRole('region', { name: 'Estimated balance changes' })
    await changes.getByText('−12.5 PebbleCoin').waitFor()
    await page.getByText('about $25.00').waitFor()
    await expectUsable(page, 'the review of a token payment')
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(ran().at(-1)).to.deep.equal({ name: 'send-token', type: pebble, amount: 1_250_000_000n, to: otherAddress() })

    await page.goto(session.wallet.url)
    await page.getByRole('region', { name: 'NFTs' }).locator('summary').click()
    await page.getByRole('region', { name: 'NFTs' }).locator(`img[src="${picture}"]`).waitFor()
    await expectUsable(page, 'NFTs')
    await page.getByRole('link', { name: 'Send Grey Heron' }).click()
    await page.getByRole('heading', { name: 'Send NFT' }).waitFor()
    await page.getByRole('textbox', { name: 'To' }).fill(otherAddress())
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByText('−Herons #7').waitFor()
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(ran().at(-1)).to.deep.equal({ name: 'send-nft', type: `${herons}.NFT`, id: 7n, to: otherAddress() })
  })

  it('move between the account and Flow EVM', async () => {
    const { page } = await ready()
    const evm = page.getByRole('region', { name: 'Flow EVM' })
    await evm.getByText('3.25 FLOW').waitFor()
    await evm.getByText('5 units').waitFor()
    await evm.getByRole('button', { name: 'Fund' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('2')
    await page.getByRole('dialog').getByRole('button', { name: 'Fund' }).click()
    await page.getByText('The FLOW was moved.').waitFor()
    await evm.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('1')
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const evmAddress = `0x${'ef'.repeat(20)}`
    await page.goto(`${session.wallet.url}/send`)
    await fillPayment(page, '1', evmAddress)
    await page.getByText('on Flow EVM').waitFor()
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(ran()).to.deep.equal([
      { name: 'fund-evm-account', amount: 200_000_000n },
      { name: 'withdraw-evm-account', amount: 100_000_000n },
      { name: 'send-flow-to-evm', amount: 100_000_000n, to: evmAddress },
    ])
  })

  it('include ERC-20 tokens, sent from the EVM account', async () => {
    const { page } = await ready()
    const evm = page.getByRole('region', { name: 'Flow EVM' })
    await evm.getByText('$2.50').waitFor()
    expect(await evm.getByRole('link', { name: 'Send NODEC on Flow EVM' }).count()).to.equal(0)
    await evm.getByRole('link', { name: 'Send USDF on Flow EVM' }).click()
    await page.getByText('Balance: 2.5 USDF').waitFor()
    const to = page.getByRole('textbox', { name: 'To' })
    for (const [address, problem] of [
      [otherAddress(), 'Enter the full EVM address'],
      [coa, 'This is the EVM account that you send from.'],
      [usdf, 'Tokens sent to their own contract or to address 0 are lost.'],
      [`0x${'0'.repeat(40)}`, 'Tokens sent to their own contract or to address 0 are lost.'],
      ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'do not match the checksum'],
    ] as const) {
      await to.fill(address)
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText(problem).waitFor()
    }
    await to.fill('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
    const amount = page.getByRole('textbox', { name: 'Amount in USDF' })
    for (const [text, problem] of [
      ['2.500001', 'You can send at most 2.5 USDF.'],
      ['1.0000001', 'at most 6 decimals'],
    ] as const) {
      await amount.fill(text)
      await page.getByText(problem).waitFor()
    }
    await amount.fill('1.25')
    await expectUsable(page, 'a payment of an ERC-20 token')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByText(`−1.25 of the ERC-20 token ${usdf}`).waitFor()
    await page.getByText('about $1.25').waitFor()
    await page.getByText(coa).waitFor()
    await expectUsable(page, 'the review of an ERC-20 payment')
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(ran()).to.deep.equal([
      {
        name: 'send-erc20',
        token: usdf,
        decimals: 6,
        amount: 1_250_000n,
        to: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
      },
    ])
    await page.goto(`${session.wallet.url}/send?asset=0x${'ee'.repeat(20)}`)
    await page.getByRole('textbox', { name: 'To', exact: true }).fill(`0x${'ab'.repeat(20)}`)
    await page.getByRole('textbox', { name: 'Amount' }).fill('1')
    await page.getByText('holds no such ERC-20 token').waitFor()
  })

  it('are received by a code, after storage for their contract is added', async () => {
    const { page, own } = await ready()
    await page.getByRole('link', { name: 'Receive' }).first().click()
    await page.getByRole('img', { name: `QR code of ${own}` }).waitFor()
    await page.getByRole('textbox', { name: 'Contract' }).fill('Herons')
    await page.getByText('Enter the identifier as the explorer shows it').waitFor()
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('NFT collection')
    await page.getByRole('textbox', { name: 'Contract' }).fill(herons)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByText(`can receive ${herons}.NFT now`).waitFor()
    expect(ran()).to.deep.equal([{ name: 'enable-collection', type: `${herons}.NFT` }])
  })

  it('are sent to contacts by name', async () => {
    const { page } = await ready()
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByText('No contacts yet').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada')
    await page.getByRole('textbox', { name: 'Flow or EVM address' }).fill(otherAddress())
    await page.getByRole('button', { name: 'Add contact' }).click()
    await page.getByRole('button', { name: 'Delete Ada' }).waitFor()
    await expectUsable(page, 'contacts')
    await page.getByRole('textbox', { name: 'Name' }).fill('ada')
    await page.getByRole('textbox', { name: 'Flow or EVM address' }).fill(otherAddress())
    await page.getByRole('button', { name: 'Add contact' }).click()
    await page.getByText('A contact named “ada” exists').waitFor()
    await page.goto(`${session.wallet.url}/send`)
    await page.getByRole('combobox', { name: 'Contact' }).selectOption('Ada')
    await page.getByText('Ada, one of your contacts').waitFor()
    await fillPayment(page, '1')
    await page.getByText('added').waitFor()
    await page.getByText(otherAddress(), { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(session.wallet.balances.get(otherAddress())).to.equal(100_000_000n)
  })

  it('are accessible on a phone, in light and dark', async () => {
    const { page } = await ready({ viewport: { width: 360, height: 740 } })
    for (const path of ['/', '/receive', '/contacts', `/send?asset=${pebble}`, `/send?asset=${usdf}`]) {
      await page.goto(`${session.wallet.url}${path}`)
      await untilLoaded(page)
      await expectUsable(page, path)
    }
    await page.getByRole('textbox', { name: 'To', exact: true }).fill(`0x${'ef'.repeat(20)}`)
    await page.getByRole('textbox', { name: 'Amount in USDF' }).fill('1')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('region', { name: 'Estimated balance changes' }).waitFor()
    await expectUsable(page, 'the review of an ERC-20 payment')
  })
})
