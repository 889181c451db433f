import type { Event, Transaction, TransactionSummary } from './schema.ts'
import type { TransactionDetail } from './detail-schema.ts'

/** Examples that several routes show. The block and the transaction belong together. */

export const exampleNewBlock = {
  height: 118542743,
  id: '0b7c4d1f6a3e92d85c10f7e4b86a2d93c5e1f0487ab96d3c2e5f18a7904b6d3e',
  parent_id: '7d2e9f04c1b85a63e0f49d8712cb6a5390fe41d7826bc3a5941e0d7f68b2c5a9',
  timestamp: '2025-07-01T12:00:00.250Z',
  tx_count: 2,
  event_count: 9,
}

export const exampleCollectionId = '91e0d5b7c3a2f4686d1c09e7b8f5a3240c6e9d71b5f8a2c3e40d7b96a1f58c23'

export const exampleBlock = {
  ...exampleNewBlock,
  parent_hash: exampleNewBlock.parent_id,
  total_gas_used: 14,
  evm_tx_count: 0,
  fees: '0.00000570',
}

export const exampleSummary: TransactionSummary = {
  id: '3f1c9b8e27d64a05c8f2e1b79d3a604f5e8c27b1906fd4a38e5b2c7d10f9a6e4',
  block_height: exampleBlock.height,
  status: 'SEALED',
  payer_address: '18eb4ee6b3c026d2',
  proposer_address: '18eb4ee6b3c026d2',
  timestamp: exampleBlock.timestamp,
  execution_status: 'SUCCESS',
  is_evm: false,
  script_hash: 'c2b7f04e9d1a6835e4f0927bd81c3a56f79e20b4d8c615a3907ef1d26b84c5a0',
  template_category: 'FT_TRANSFER',
  template_label: 'Transfer FLOW',
  tags: ['FT_TRANSFER'],
  error_message: '',
}

export const exampleTransaction: Transaction = {
  ...exampleSummary,
  transaction_index: 0,
  payer: '0x18eb4ee6b3c026d2',
  proposer: '0x18eb4ee6b3c026d2',
  proposer_key_index: 0,
  proposer_sequence_number: 412,
  authorizers: ['0x18eb4ee6b3c026d2'],
  error: '',
  fee: '0.00000570',
  fee_usd: '0.00000220077',
  gas_limit: 9999,
  gas_used: 14,
  event_count: 7,
  evm_hash: null,
  reference_block_id: '5a90c3e8b1d7f2645e09a8c7d3b6f1240e9d58b7c2a4f3619d70e8b5c4a1f236',
  contract_imports: ['A.f233dcee88fe0abe.FungibleToken'],
  transfer_summary: {
    ft: [
      {
        token: 'A.1654653399040a61.FlowToken',
        amount: '10.00000000',
        direction: 'transfer',
        counterparty: '0xe467b9dd11fa00df',
        symbol: 'FLOW',
        name: 'Flow Token',
        logo: 'https://cdn.example/flow.svg',
        usd_price: '0.3861',
      },
    ],
    nft: [],
  },
  events: [],
}

export const exampleEvent: Event = {
  type: 'A.f233dcee88fe0abe.FungibleToken.Deposited',
  transaction: exampleTransaction.id,
  event_index: 3,
  block_height: exampleBlock.height,
  timestamp: exampleBlock.timestamp,
  contract_address: '0xf233dcee88fe0abe',
  contract_name: 'FungibleToken',
  event_name: 'Deposited',
  payload: {
    type: 'A.1654653399040a61.FlowToken.Vault',
    amount: '10.00000000',
    to: '0xe467b9dd11fa00df',
    toUUID: '102',
    depositedUUID: '5921',
    balanceAfter: '35.50000000',
  },
}

export const exampleTransactionDetail: TransactionDetail = {
  ...exampleTransaction,
  events: [exampleEvent],
  block_id: exampleBlock.id,
  collection: { id: exampleCollectionId, index: 0 },
  script: 'import "FungibleToken"\n\ntransaction(amount: UFix64, to: Address) {}\n',
  arguments: [
    { type: 'UFix64', value: '10.00000000' },
    { type: 'Address', value: '0xe467b9dd11fa00df' },
  ],
  ft_transfers: [
    {
      token: 'A.1654653399040a61.FlowToken',
      amount: '10.00000000',
      from_address: '0x18eb4ee6b3c026d2',
      to_address: '0xe467b9dd11fa00df',
      event_index: 3,
      leg: 0,
      is_cross_vm: false,
      from_coa_flow_address: null,
      to_coa_flow_address: null,
      transfer_type: 'transfer',
      token_name: 'Flow Token',
      token_symbol: 'FLOW',
      token_logo: 'https://cdn.example/flow.svg',
      token_decimals: 8,
      approx_usd_price: '0.3861',
      usd_value: '3.861',
    },
  ],
  nft_transfers: [],
  defi_events: [],
  evm_executions: [],
  scheduled_txs: [],
  other_heights: [],
  lite: false,
}
