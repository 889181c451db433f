import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { contractParts } from '../formats/contract-parts.ts'
import { foundAccountSchema } from '../presenters/search.ts'
import type { FoundAccount, FoundContract } from '../presenters/search.ts'
import { readContractGraph } from './contract-graph.ts'
import { readContracts } from './contracts.ts'

/** Up to `limit` contracts whose identifier contains a text, in any case: those so named first, then by their dependents. */
export async function findContracts(database: DatabasePool, text: string, limit: number): Promise<FoundContract[]> {
  const wanted = text.toLowerCase()
  const { ranked } = await readContractGraph(database)
  const found = ranked.filter(({ contract }) => contract.toLowerCase().includes(wanted))
  const isNamed = ({ contract }: { contract: string }): boolean => contract.toLowerCase().endsWith(`.${wanted}`)
  const shown = [...found.filter(isNamed), ...found.filter((entry) => !isNamed(entry))].slice(0, limit)
  const rows = new Map(
    (
      await readContracts(
        database,
        shown.map(({ contract }) => contract),
        false,
      )
    ).map((row) => [row.contract, row]),
  )
  return shown.map(({ contract, dependents }) => ({
    id: contract,
    ...contractParts(contract),
    kind: rows.get(contract)?.kind ?? null,
    dependent_count: dependents,
  }))
}

/** Up to `limit` accounts whose label contains a text, in any case. Labels are few: operators give them. */
export async function findLabelledAccounts(
  database: DatabasePool,
  text: string,
  limit: number,
): Promise<readonly FoundAccount[]> {
  return database.any(sql.type(foundAccountSchema)`
    select address, tag, label, category from app.account_labels
    where strpos(lower(label), lower(${text})) > 0
    order by label, address, tag
    limit ${limit}
  `)
}
