import { z } from 'zod'
import {
  contractParts,
  addressFormat,
  countFormat,
  heightFormat,
  idFormat,
  timestampFormat,
  timeAt,
} from '../formats.ts'
import type { AssetNames } from '../transactions/schema.ts'
import type { ContractCode } from './queries.ts'
import { exampleBlock, exampleTransaction } from '../transactions/schema.ts'
import type { ContractDependencies } from './dependencies.ts'
import type { ContractEventType, ContractScript } from './uses.ts'

export const contractKinds = ['FT', 'NFT', 'CONTRACT'] as const

export const contractSchema = z
  .strictObject({
    id: z.string().describe('A.<address>.<name>'),
    identifier: z.string().describe('Alias of id.'),
    address: addressFormat.describe('Account that holds the contract.'),
    name: z.string(),
    kind: z.enum(contractKinds).nullable().describe('Fungible token, NFT or other; null if the code is unknown.'),
    status: z.enum(['active', 'removed']),
    body: z
      .string()
      .nullable()
      .optional()
      .describe('Source code of a single contract, or with body=true; null if unknown.'),
    created_at: timestampFormat.nullable().describe('First deployment; null if not indexed.'),
    created_height: heightFormat.nullable(),
    updated_at: timestampFormat.nullable().describe('Last change.'),
    valid_from: heightFormat.nullable().describe('Block of the last change; null with source chain.'),
    transaction_hash: idFormat.nullable().describe('Transaction of the last change.'),
    code_hash: idFormat.describe('SHA3-256 of the code.'),
    imports: z.array(z.string()).nullable().describe('Imported contracts, A.<address>.<name>; null if unknown.'),
    imported_count: countFormat.describe('Contracts that currently import it; up to a minute old.'),
    import_count: countFormat.describe('Alias of imported_count.'),
    token_name: z.string().nullable().describe('Published name of the token or collection.'),
    token_symbol: z.string().nullable(),
    token_logo: z.string().nullable(),
    source: z.enum(['index', 'chain']).describe('chain: not indexed, read from an access node.'),
  })
  .meta({ id: 'Contract' })
export type Contract = z.output<typeof contractSchema>

export const contractRow = z.object({
  contract: z.string(),
  address: z.string(),
  name: z.string(),
  created_height: z.number().nullable(),
  created_tx_index: z.number().nullable(),
  updated_height: z.number(),
  updated_tx_index: z.number(),
  updated_event_index: z.number(),
  is_removed: z.boolean(),
  code_hash: z.string(),
  kind: z.enum(contractKinds).nullable(),
  imports: z.array(z.string()).nullable(),
  body: z.string().nullable(),
})
export type ContractRow = z.output<typeof contractRow>

export interface ContractFacts {
  readonly times: ReadonlyMap<number, string>
  readonly names: AssetNames
  readonly transactionId: (place: { readonly block_height: number; readonly tx_index: number }) => string
  readonly dependents: (contract: string) => number
}

export function presentContract(row: ContractRow, facts: ContractFacts, withBody: boolean): Contract {
  const place = { block_height: row.updated_height, tx_index: row.updated_tx_index }
  return {
    ...presentIdentity(row.contract, facts),
    kind: row.kind,
    status: row.is_removed ? 'removed' : 'active',
    ...(withBody ? { body: row.body } : {}),
    created_at: timeAt(facts.times, row.created_height),
    created_height: row.created_height,
    updated_at: timeAt(facts.times, row.updated_height),
    valid_from: row.updated_height,
    transaction_hash: facts.transactionId(place) || null,
    code_hash: row.code_hash,
    imports: row.imports,
    source: 'index',
  }
}

/** @param codeHash SHA3-256 in hex */
export function presentLiveContract(
  contract: string,
  code: ContractCode,
  codeHash: string,
  facts: ContractFacts,
): Contract {
  return {
    ...presentIdentity(contract, facts),
    kind: code.kind,
    status: 'active',
    body: code.text,
    created_at: null,
    created_height: null,
    updated_at: null,
    valid_from: null,
    transaction_hash: null,
    code_hash: codeHash,
    imports: [...code.imports],
    source: 'chain',
  }
}

function presentIdentity(contract: string, { names, dependents }: ContractFacts) {
  const { address, name } = contractParts(contract)
  const token = names.tokens.get(contract)
  const collection = names.collections.get(contract)
  const importedCount = dependents(contract)
  return {
    id: contract,
    identifier: contract,
    address,
    name,
    imported_count: importedCount,
    import_count: importedCount,
    token_name: token?.name ?? collection?.name ?? null,
    token_symbol: token?.symbol ?? null,
    token_logo: token?.logo ?? collection?.logo ?? null,
  }
}

export const contractVersionSchema = z
  .strictObject({
    version: countFormat.describe('From 1, the first indexed version.'),
    change: z.enum(['added', 'updated']).describe('A removed contract may be added again.'),
    block_height: heightFormat.describe('Block of the change.'),
    transaction_id: idFormat,
    created_at: timestampFormat.nullable().describe('Time of the change.'),
    code_hash: idFormat.describe('SHA3-256 of the code.'),
  })
  .meta({ id: 'ContractVersion' })
export type ContractVersion = z.output<typeof contractVersionSchema>

export const contractVersionDetailSchema = contractVersionSchema
  .extend({
    identifier: z.string().describe('A.<address>.<name>'),
    address: addressFormat,
    name: z.string(),
    code: z.string().nullable().describe('Cadence source; null if not found.'),
    kind: z.enum(contractKinds).nullable().describe('See Contract.'),
    imports: z.array(z.string()).nullable().describe('See Contract.'),
  })
  .meta({ id: 'ContractVersionDetail' })
export type ContractVersionDetail = z.output<typeof contractVersionDetailSchema>

export const contractVersionRow = z.object({
  version: z.number(),
  change: z.enum(['added', 'updated']),
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  code_hash: z.string(),
})
export type ContractVersionRow = z.output<typeof contractVersionRow>

export function presentContractVersion(
  row: ContractVersionRow,
  transactionId: string,
  times: ReadonlyMap<number, string>,
): ContractVersion {
  return {
    version: row.version,
    change: row.change,
    block_height: row.block_height,
    transaction_id: transactionId,
    created_at: timeAt(times, row.block_height),
    code_hash: row.code_hash,
  }
}

export function presentVersionDetail(
  version: ContractVersion,
  contract: { readonly identifier: string; readonly address: string; readonly name: string },
  code: ContractCode | undefined,
): ContractVersionDetail {
  return {
    ...version,
    ...contract,
    code: code?.text ?? null,
    kind: code?.kind ?? null,
    imports: code === undefined ? null : [...code.imports],
  }
}

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
