import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { readContractGraph } from './contract-graph.ts'

const knownRow = z.object({ is_known: z.boolean() })

/**
 * Whether anything tells of a contract: its own events, a contract or a script that imports it. Of those that were deployed
 * before the first indexed block only the latter do.
 */
export async function isKnownContract(database: DatabasePool, contract: string): Promise<boolean> {
  const { address, name } = contractParts(contract)
  const { is_known: isKnown } = await database.one(sql.type(knownRow)`
    select exists (select from app.smart_contracts where address = ${address} and name = ${name})
      or exists (select from app.tx_contracts where contract = ${contract}) as is_known
  `)
  return isKnown || (await readContractGraph(database)).dependentsOf(contract).length > 0
}
