import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ContractGraph } from '../contract-graph.ts'

/** Milliseconds after which the graph is read anew when somebody asks. */
const keepMs = 15_000

const edgesRow = z.object({ contracts: z.string() })
const contractEntries = z.array(z.object({
  contract: z.string(), kind: z.string().nullable(), imports: z.array(z.string()).nullable(),
}))

interface Kept {
  readonly graph: Promise<ContractGraph>
  readonly until: number
}

const kept = new WeakMap<DatabasePool, Kept>()

/**
 * Which contract imports which, by their present code, at most 15 s old. All contracts of a chain are some ten thousand, so
 * it is read whole, in one text, and shared by all who ask: no index gives an order by the number of dependents, and a
 * graph read node by node would take a statement a level.
 */
export async function readContractGraph(database: DatabasePool): Promise<ContractGraph> {
  const now = performance.now()
  const current = kept.get(database)
  if (current !== undefined && current.until > now) return await current.graph
  const graph = loadGraph(database)
  kept.set(database, { graph, until: now + keepMs })
  graph.catch(() => kept.delete(database))
  return await graph
}

async function loadGraph(database: DatabasePool): Promise<ContractGraph> {
  const { contracts } = await database.one(sql.type(edgesRow)`
    select coalesce(json_agg(json_build_object('contract', contract, 'kind', kind, 'imports', imports)), '[]')::text as contracts
    from app.contracts where not is_removed
  `)
  return new ContractGraph(contractEntries.parse(JSON.parse(contracts)))
}
