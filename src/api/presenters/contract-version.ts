import { z } from 'zod'
import { addressFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'
import type { ContractCode } from '../queries/contract-code.ts'
import { timeAt } from './block-time.ts'
import { contractKinds } from './contract.ts'

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
