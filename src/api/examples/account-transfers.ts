import type { AccountFee, AccountTransfer } from '../presenters/account-transfer.ts'
import type { TaxReport } from '../presenters/tax-report.ts'
import { exampleFtTransferOfAccount, exampleFungibleToken } from './fungible-tokens.ts'
import { exampleNftTransfer } from './nfts.ts'

/** Examples of the routes of what an account got and gave. */

const address = '0x18eb4ee6b3c026d2'

export const exampleAccountTransfers: AccountTransfer[] = [
  { type: 'ft', ...exampleFtTransferOfAccount, address },
  { type: 'nft', ...exampleNftTransfer, address, receiver: address, direction: 'deposit' },
]

const exampleFee: AccountFee = {
  ...exampleFtTransferOfAccount,
  address,
  type: 'fee',
  transfer_type: 'fee',
  event_index: exampleFtTransferOfAccount.event_index + 4,
  sender: address,
  receiver: '0xf919ee77447b7497',
  direction: 'withdraw',
  amount: '0.00001250',
  approx_usd_price: '0.3412',
  usd_value: '0.000004265',
}

export const exampleTaxReport: TaxReport = {
  address,
  start_date: '2025-01-01',
  end_date: '2025-12-31',
  total_transfers: 2,
  ft_transfers: 1,
  nft_transfers: 1,
  fee_count: 1,
  total_fees: exampleFee.amount,
  tokens: [
    {
      token: exampleFungibleToken.id,
      name: exampleFungibleToken.name,
      symbol: 'FLOW',
      received: '0.00000000',
      sent: '10.00000000',
      fees: exampleFee.amount,
      net: '-10.00001250',
      received_count: 0,
      sent_count: 1,
      fee_count: 1,
    },
  ],
  collections: [{ nft_type: 'A.0b2a3299cc857e29.TopShot', received_count: 1, sent_count: 0 }],
  flow_price_usd: '0.3412',
  transfers: [exampleFee, ...exampleAccountTransfers],
}
