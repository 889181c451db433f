import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { describeContract } from '../../chain/contracts/describe-contract.ts'
import type { ContractKind } from '../../chain/contracts/describe-contract.ts'
import { findContractCode } from '../../chain/contracts/find-contract-code.ts'
import type { Network } from '../../chain/network.ts'

/** Code of a contract, and what it says. */
export interface ContractCode {
  readonly text: string
  /** Length in UTF-8. */
  readonly bytes: number
  readonly kind: ContractKind
  /** `A.<address>.<name>` each, sorted. */
  readonly imports: readonly string[]
}

const codeRow = z.object({
  code: z.string(),
  byte_size: z.number(),
  kind: z.enum(['FT', 'NFT', 'CONTRACT']),
  imports: z.array(z.string()),
})
const deployRow = z.object({ arguments: z.array(z.unknown()).nullable(), script: z.string().nullable() })

/**
 * The code with a hash, as it was stored; or else out of a transaction that deployed it, so that it is there before the
 * worker that looks for codes has come to it.
 * @returns undefined where neither has it
 */
export async function readContractCode(
  database: DatabasePool,
  network: Network,
  codeHash: Buffer,
): Promise<ContractCode | undefined> {
  const row = await database.maybeOne(sql.type(codeRow)`
    select code, coalesce(octet_length(code_bytes), octet_length(code)) as byte_size, kind, imports
    from app.contract_code where code_hash = ${sql.binary(codeHash)}
  `)
  if (row !== null) return { text: row.code, bytes: row.byte_size, kind: row.kind, imports: row.imports }
  for (const { script, arguments: args } of await readDeployments(database, codeHash)) {
    const found = findContractCode(codeHash, script ?? '', args ?? [])
    if (found !== undefined) return describeCode(found.code, network)
  }
  return undefined
}

/** What a code says that came from elsewhere. */
export function describeCode(code: Buffer, network: Network): ContractCode {
  const text = code.toString('utf8')
  return { text, bytes: code.length, ...describeContract(text, network) }
}

/** The last transactions that deployed a code, the newest first. */
async function readDeployments(
  database: DatabasePool,
  codeHash: Buffer,
): Promise<readonly z.output<typeof deployRow>[]> {
  return database.any(sql.type(deployRow)`
    select t.arguments, s.script_text as script
    from (
      select block_height, tx_index from app.contract_versions
      where code_hash = ${sql.binary(codeHash)} and change <> 'removed' order by block_height desc limit 3
    ) as deployed
    join raw.transactions t on t.block_height = deployed.block_height and t.tx_index = deployed.tx_index
    left join raw.scripts s on s.script_hash = t.script_hash
    order by t.block_height desc
  `)
}
