import { exampleBlock, exampleTransaction } from '../transactions/examples.ts'
import type { Contract, ContractVersion, ContractVersionDetail } from './schema.ts'
import type { ContractDependencies } from './dependencies.ts'
import type { ContractEventType, ContractScript } from './uses.ts'

/** Examples of the routes of contracts. */

export const exampleContract: Contract = {
  id: 'A.1654653399040a61.FlowToken',
  identifier: 'A.1654653399040a61.FlowToken',
  address: '0x1654653399040a61',
  name: 'FlowToken',
  kind: 'FT',
  status: 'active',
  created_at: null,
  created_height: null,
  updated_at: exampleBlock.timestamp,
  valid_from: exampleBlock.height,
  transaction_hash: exampleTransaction.id,
  code_hash: '9c31f0e7a2b45d68c0f1937e5a8b24d6e7c9031fa58b6d42e0c7f9183b5a6d2c',
  imports: ['A.f233dcee88fe0abe.Burner', 'A.f233dcee88fe0abe.FungibleToken'],
  imported_count: 1804,
  import_count: 1804,
  token_name: 'FLOW Network Token',
  token_symbol: 'FLOW',
  token_logo: null,
  source: 'index',
}

export const exampleContractVersion: ContractVersion = {
  version: 2,
  change: 'updated',
  block_height: exampleBlock.height,
  transaction_id: exampleTransaction.id,
  created_at: exampleBlock.timestamp,
  code_hash: exampleContract.code_hash,
}

export const exampleVersionDetail: ContractVersionDetail = {
  ...exampleContractVersion,
  identifier: exampleContract.id,
  address: exampleContract.address,
  name: exampleContract.name,
  code: 'import FungibleToken from 0xf233dcee88fe0abe\n\naccess(all) contract FlowToken: FungibleToken {}\n',
  kind: 'FT',
  imports: ['A.f233dcee88fe0abe.FungibleToken'],
}

const fungibleToken = {
  identifier: 'A.f233dcee88fe0abe.FungibleToken',
  address: '0xf233dcee88fe0abe',
  name: 'FungibleToken',
}
const flowToken = { identifier: exampleContract.id, address: exampleContract.address, name: exampleContract.name }
const noToken = { token_name: null, token_symbol: null, token_logo: null }

export const exampleDependencies: ContractDependencies = {
  identifier: exampleContract.id,
  imports: [fungibleToken],
  dependents: [{ identifier: 'A.8d0e87b65159ae63.LockedTokens', address: '0x8d0e87b65159ae63', name: 'LockedTokens' }],
  dependent_count: 1,
  graph: {
    root: exampleContract.id,
    nodes: [
      { ...flowToken, kind: 'FT', token_name: 'FLOW Network Token', token_symbol: 'FLOW', token_logo: null },
      { ...fungibleToken, kind: 'CONTRACT', ...noToken },
    ],
    edges: [{ source: exampleContract.id, target: fungibleToken.identifier }],
    truncated: false,
  },
}

export const exampleEventType: ContractEventType = {
  type: `${exampleContract.id}.TokensDeposited`,
  event_name: 'TokensDeposited',
  count: 148_211_207,
  last_seen: exampleBlock.timestamp,
  last_seen_height: exampleBlock.height,
  is_declared: true,
}

export const exampleContractScript: ContractScript = {
  script_hash: exampleTransaction.script_hash,
  tx_count: 83,
  category: exampleTransaction.template_category,
  label: exampleTransaction.template_label,
  script_preview: 'import "FungibleToken"\n\ntransaction(amount: UFix64, to: Address) {}\n',
  last_seen_height: exampleBlock.height,
  counted_blocks: 200,
  counted_from_height: exampleBlock.height - 231,
}
