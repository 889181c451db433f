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

/** A contract as its last change left it. */
export const contractSchema = z
  .strictObject({
    id: z.string().describe('A.<address>.<name>'),
    identifier: z.string().describe('The same as id.'),
    address: addressFormat.describe('Account that has it.'),
    name: z.string(),
    kind: z
      .enum(contractKinds)
      .nullable()
      .describe('Whether it says to be a fungible token, an NFT or neither; null while its code is not known.'),
    status: z.enum(['active', 'removed']),
    body: z
      .string()
      .nullable()
      .optional()
      .describe('Source code: of a single contract, in lists where it is asked for; null while not known.'),
    created_at: timestampFormat.nullable().describe('When it was deployed first; null while that is not indexed.'),
    created_height: heightFormat.nullable(),
    updated_at: timestampFormat.nullable().describe('When it was changed last.'),
    valid_from: heightFormat
      .nullable()
      .describe('Block of its last change; null for one that only the chain tells of.'),
    transaction_hash: idFormat.nullable().describe('Transaction of its last change.'),
    code_hash: idFormat.describe('SHA3-256 of the code.'),
    imports: z
      .array(z.string())
      .nullable()
      .describe('Contracts that it imports, A.<address>.<name>; null while not known.'),
    imported_count: countFormat.describe('Contracts whose present code imports it; a minute old at most.'),
    import_count: countFormat.describe(
      'The same as imported_count; some clients of the Flow explorer API read this name.',
    ),
    token_name: z.string().nullable().describe('What the token or collection calls itself, where it is one.'),
    token_symbol: z.string().nullable(),
    token_logo: z.string().nullable(),
    source: z.enum(['index', 'chain']).describe('chain: nothing is indexed of it, and an access node told.'),
  })
  .meta({ id: 'Contract' })
export type Contract = z.output<typeof contractSchema>

/** As it is read from the database. */
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

/** What is shown of a contract beside its row. */
export interface ContractFacts {
  readonly times: ReadonlyMap<number, string>
  readonly names: AssetNames
  readonly transactionId: (place: { readonly block_height: number; readonly tx_index: number }) => string
  readonly dependents: (contract: string) => number
}

/** @param withBody whether the source is shown */
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

/** A contract of which nothing is indexed. @param codeHash SHA3-256, hex digits */
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

/** A version of a contract as lists show it. */
export const contractVersionSchema = z
  .strictObject({
    version: countFormat.describe('From 1, the first that is indexed.'),
    change: z.enum(['added', 'updated']).describe('A contract that was removed may be added again.'),
    block_height: heightFormat.describe('Block that brought it.'),
    transaction_id: idFormat,
    created_at: timestampFormat.nullable().describe('Time of that block.'),
    code_hash: idFormat.describe('SHA3-256 of the code.'),
  })
  .meta({ id: 'ContractVersion' })
export type ContractVersion = z.output<typeof contractVersionSchema>

/** A single version. */
export const contractVersionDetailSchema = contractVersionSchema
  .extend({
    identifier: z.string().describe('A.<address>.<name>'),
    address: addressFormat,
    name: z.string(),
    code: z.string().nullable().describe('Cadence source; null while it was not found.'),
    kind: z.enum(contractKinds).nullable().describe('As of the contract.'),
    imports: z.array(z.string()).nullable().describe('As of the contract.'),
  })
  .meta({ id: 'ContractVersionDetail' })
export type ContractVersionDetail = z.output<typeof contractVersionDetailSchema>

/** As it is read from the database. */
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
