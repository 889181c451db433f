import { exampleSummary } from '../transactions/examples.ts'
import type { EvmParty, EvmTokenTransferItem, EvmToken, EvmTokenRef } from './token-schema.ts'
import type { EvmLogItem, EvmTransactionItem } from './schema.ts'

/** Examples of routes about the EVM, which belong together. */

const holder: EvmParty = {
  hash: '0x000000000000000000000002a793620000000000',
  name: null,
  is_contract: true,
  flow_address: '0x18eb4ee6b3c026d2',
}
export const exampleEvmReceiver: EvmParty = {
  hash: '0x4e730b5a217368a61083e5cb57b01eac43a19dfa',
  name: null,
  is_contract: false,
  flow_address: null,
}

export const exampleEvmTokenRef: EvmTokenRef = {
  address: '0xd3bf53dac106a0290b0483ecbc89d40fcc961f3e',
  type: 'ERC-20',
  name: 'Wrapped Flow',
  symbol: 'WFLOW',
  decimals: 18,
  icon_url: null,
  flow_token: null,
}

export const exampleEvmToken: EvmToken = {
  ...exampleEvmTokenRef,
  holders: 2451,
  transfer_count: 981_244,
  first_height: 88_412_006,
  is_complete: true,
  exchange_rate: null,
}

const party: EvmParty = {
  hash: exampleEvmTokenRef.address,
  name: 'Wrapped Flow',
  is_contract: true,
  flow_address: null,
}
const input = `a9059cbb${exampleEvmReceiver.hash.slice(2).padStart(64, '0')}${(5n * 10n ** 17n).toString(16).padStart(64, '0')}`

export const exampleEvmTransaction: EvmTransactionItem = {
  hash: '0xe60a0c24cdeea0c3c97a6fcd27ed1d1b5f2f2f3ab7a9a6f57d7d0c8c1e6d2b43',
  evm_hash: 'e60a0c24cdeea0c3c97a6fcd27ed1d1b5f2f2f3ab7a9a6f57d7d0c8c1e6d2b43',
  transaction_id: exampleSummary.id,
  block_height: exampleSummary.block_height,
  transaction_index: 0,
  event_index: 2,
  timestamp: exampleSummary.timestamp,
  block_number: 41_203_388,
  position: 0,
  from: holder,
  to: party,
  created_contract: null,
  evm_from: holder.hash.slice(2),
  evm_to: party.hash.slice(2),
  evm_value: '0',
  evm_gas_used: 51_204,
  evm_status: 1,
  value: '0',
  gas_limit: '400000',
  gas_used: '51204',
  gas_price: null,
  max_fee_per_gas: null,
  max_priority_fee_per_gas: null,
  fee: null,
  nonce: '3',
  type: 255,
  call_type: 'call',
  status: 'ok',
  result: 'success',
  error_code: 0,
  method: 'transfer',
  raw_input: `0x${input}`,
  decoded_input: {
    method_call: 'transfer(address,uint256)',
    method_id: '0xa9059cbb',
    parameters: [
      { name: 'to', type: 'address', value: exampleEvmReceiver.hash },
      { name: 'amount', type: 'uint256', value: '500000000000000000' },
    ],
  },
  tx_types: ['contract_call', 'token_transfer'],
}

export const exampleEvmLog: EvmLogItem = {
  index: 0,
  address: party,
  topics: [
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    `0x${holder.hash.slice(2).padStart(64, '0')}`,
    `0x${exampleEvmReceiver.hash.slice(2).padStart(64, '0')}`,
  ],
  data: `0x${(5n * 10n ** 17n).toString(16).padStart(64, '0')}`,
  decoded: {
    name: 'Transfer',
    method_call: 'Transfer(address,address,uint256)',
    parameters: [
      { name: 'from', type: 'address', indexed: true, value: holder.hash },
      { name: 'to', type: 'address', indexed: true, value: exampleEvmReceiver.hash },
      { name: 'value', type: 'uint256', indexed: false, value: '500000000000000000' },
    ],
  },
}

export const exampleEvmTransfer: EvmTokenTransferItem = {
  transaction_hash: exampleEvmTransaction.hash,
  transaction_id: exampleSummary.id,
  block_height: exampleSummary.block_height,
  transaction_index: 0,
  event_index: 2,
  log_index: 0,
  batch_index: 0,
  timestamp: exampleSummary.timestamp,
  type: 'token_transfer',
  from: holder,
  to: exampleEvmReceiver,
  token: exampleEvmTokenRef,
  total: { value: '500000000000000000', decimals: 18, token_id: null },
}
