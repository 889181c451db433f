import { exampleBlock, exampleTransaction } from '../transactions/examples.ts'
import type { Account, AccountDetail, Coa, PublicKey } from './schema.ts'

/** Examples of the routes of accounts. */

const seen = {
  address: '0x18eb4ee6b3c026d2',
  tx_count: 413,
  first_seen_height: 7_601_063,
  created_height: 7_601_063,
}

export const exampleAccount: Account = {
  ...seen,
  height: exampleBlock.height,
  timestamp: exampleBlock.timestamp,
  flow_balance: '35.50000000',
}

const exampleKey = `${'4a1f09c7'.repeat(8)}${'d25e8b63'.repeat(8)}`

export const exampleAccountDetail: AccountDetail = {
  ...seen,
  first_seen_at: '2020-10-13T19:03:27.214Z',
  last_seen_height: exampleBlock.height,
  last_seen_at: exampleBlock.timestamp,
  created_at: '2020-10-13T19:03:27.214Z',
  created_by_transaction: exampleTransaction.id,
  balance: '35.50000000',
  indexed_balance: '35.50000000',
  available_balance: '35.49856000',
  flowBalance: 35.5,
  contracts: ['PrivateReceiverForwarder'],
  contract_count: 1,
  keys: [
    {
      index: 0,
      key: exampleKey,
      signatureAlgorithm: 'ECDSA_P256',
      hashAlgorithm: 'SHA3_256',
      weight: 1000,
      revoked: false,
      sequenceNumber: 413,
    },
  ],
  key_count: 1,
  labels: [{ tag: 'service-account', label: 'Service Account', category: 'service' }],
  storage_used: '14400',
  storage_capacity: '3550000000',
  flowStorage: 3385.54382324,
  storageUsed: 0.01373291,
  storageAvailable: 3385.53009033,
  source: 'chain',
  as_of_height: exampleBlock.height,
}

export const examplePublicKey: PublicKey = {
  address: seen.address,
  key_index: 0,
  public_key: exampleKey,
  signing_algorithm: 'ECDSA_P256',
  hashing_algorithm: 'SHA3_256',
  weight: 1000,
  revoked: false,
  added_height: seen.created_height,
  revoked_height: null,
}

export const exampleCoa: Coa = {
  coa_address: '0x000000000000000000000002f239b1ccbadc1d52',
  flow_address: seen.address,
  owner_evidence: 'capability',
  transaction_id: exampleTransaction.id,
  block_height: exampleBlock.height,
  timestamp: exampleBlock.timestamp,
}
