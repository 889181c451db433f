import { exampleBlock, exampleTransaction } from '../transactions/examples.ts'
import type { FtHolding, Vault, FtTransfer, FungibleToken } from './schema.ts'

/** Examples of the routes of fungible tokens. */

const icon =
  'https://cdn.jsdelivr.net/gh/FlowFans/flow-token-list@main/token-registry/A.1654653399040a61.FlowToken/logo.svg'

export const exampleFungibleToken: FungibleToken = {
  id: 'A.1654653399040a61.FlowToken',
  address: '0x1654653399040a61',
  contract_name: 'FlowToken',
  name: 'FLOW Network Token',
  symbol: 'FLOW',
  decimals: 8,
  description: 'FLOW is the native token of the Flow network.',
  external_url: 'https://flow.com',
  icon,
  logo: icon,
  socials: { twitter: 'https://twitter.com/flow_blockchain' },
  vault_path: '/storage/flowTokenVault',
  receiver_path: '/public/flowTokenReceiver',
  balance_path: '/public/flowTokenBalance',
  evm_address: null,
  evm_bridged: false,
  is_verified: true,
  holder_count: 36_214_880,
  transfer_count: 412_770_391,
  recent_transfer_count: 210_415,
  recent_volume: '8120044.19325012',
  minted: '356241877.19442310',
  burned: '12004.00000000',
  total_supply: '1618033988.74989484',
  first_height: 7_601_063,
  deployed_at: '2020-10-13T13:23:05.003Z',
  market_symbol: 'FLOW',
  current_price: '0.3412',
  price_change_24h: -1.25,
  updated_at: '2025-07-01T08:00:00.000Z',
}

export const exampleFtTransfer: FtTransfer = {
  address: null,
  transaction_hash: exampleTransaction.id,
  block_height: exampleBlock.height,
  tx_index: 0,
  event_index: 3,
  leg: 0,
  timestamp: exampleBlock.timestamp,
  sender: '0x18eb4ee6b3c026d2',
  receiver: '0xe467b9dd11fa00df',
  direction: 'deposit',
  transfer_type: 'transfer',
  amount: '10.00000000',
  approx_usd_price: '0.3412',
  usd_value: '3.412',
  token: {
    token: 'A.1654653399040a61.FlowToken.Vault',
    name: 'FLOW Network Token',
    symbol: 'FLOW',
    decimals: 8,
    logo: icon,
    icon,
  },
}

/** The same as the sender sees it. */
export const exampleFtTransferOfAccount: FtTransfer = {
  ...exampleFtTransfer,
  address: exampleFtTransfer.sender,
  direction: 'withdraw',
}

export const exampleFtHolding: FtHolding = {
  address: '0x8624b52f9ddcd04a',
  token: exampleFungibleToken.id,
  balance: '772319441.21340927',
  percentage: 0.477319,
  is_complete: true,
}

export const exampleVault: Vault = {
  id: `0x18eb4ee6b3c026d2:${exampleFungibleToken.id}`,
  address: '0x18eb4ee6b3c026d2',
  token: 'A.1654653399040a61.FlowToken.Vault',
  name: exampleFungibleToken.name,
  symbol: 'FLOW',
  decimals: 8,
  icon,
  logo: icon,
  balance: '100.00000000',
  vault_count: 1,
  path: '/storage/flowTokenVault',
  is_complete: true,
  usd_price: '0.3412',
  usd_value: '34.12',
}
