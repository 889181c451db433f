import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { contractParts } from '../formats/contract-parts.ts'
import type { EventKey } from '../paging/event-pages.ts'
import { contractVersionRow } from '../presenters/contract-version.ts'
import type { ContractVersionRow } from '../presenters/contract-version.ts'

/** The versions of a contract, numbered from the first that is indexed. A contract has some dozen at most. */
function numbered(contract: string): FragmentSqlToken {
  const { address, name } = contractParts(contract)
  return sql.fragment`
    select block_height, tx_index, event_index, change, encode(code_hash, 'hex') as code_hash,
      row_number() over (order by block_height, tx_index, event_index) as version
    from app.contract_versions
    where address = ${address} and name = ${name} and change <> 'removed'
  `
}

/** Up to `count` versions before a place, the newest first. */
export async function listContractVersions(
  database: DatabasePool,
  contract: string,
  before: EventKey | undefined,
  count: number,
): Promise<readonly ContractVersionRow[]> {
  const where =
    before === undefined
      ? sql.fragment`true`
      : sql.fragment`
    (block_height, tx_index, event_index) < (${before.height}, ${before.txIndex}, ${before.eventIndex})
  `
  return database.any(sql.type(contractVersionRow)`
    select * from (${numbered(contract)}) as numbered
    where ${where} order by block_height desc, tx_index desc, event_index desc limit ${count}
  `)
}

/** @param version from 1 */
export async function readContractVersion(
  database: DatabasePool,
  contract: string,
  version: number,
): Promise<ContractVersionRow | undefined> {
  const row = await database.maybeOne(sql.type(contractVersionRow)`
    select * from (${numbered(contract)}) as numbered where version = ${version}
  `)
  return row ?? undefined
}
