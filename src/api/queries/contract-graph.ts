import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ContractGraph } from '../contracts/contract-graph.ts'

/** Milliseconds after which the graph is read anew, by the first who asks. */
const keepMs = 15_000
/** So much older it may be while that is under way; after that all wait. */
const staleMs = 45_000

const edgesRow = z.object({ contracts: z.string() })
const contractEntries = z.array(
  z.object({
    contract: z.string(),
    kind: z.string().nullable(),
    imports: z.array(z.string()).nullable(),
  }),
)

interface Kept {
  readonly graph: ContractGraph
  readonly readAt: number
}

const kept = new WeakMap<DatabasePool, Kept>()
const underWay = new WeakMap<DatabasePool, Promise<ContractGraph>>()

/**
 * Which contract imports which, by their present code, a minute old at most. All contracts of a chain are some ten thousand,
 * so it is read whole, in one text, and shared by all who ask: no index gives an order by the number of dependents, and a
 * graph read node by node would take a statement a level.
 */
export async function readContractGraph(database: DatabasePool): Promise<ContractGraph> {
  const current = kept.get(database)
  const age = performance.now() - (current?.readAt ?? -Infinity)
  if (current !== undefined && age < keepMs) return current.graph
  const next = underWay.get(database) ?? refresh(database)
  return current !== undefined && age < keepMs + staleMs ? current.graph : await next
}

function refresh(database: DatabasePool): Promise<ContractGraph> {
  const readAt = performance.now()
  const loading = loadGraph(database)
  underWay.set(database, loading)
  loading
    .then(
      (graph) => kept.set(database, { graph, readAt }),
      // Those who wait are told; those who were given the old one ask again.
      () => undefined,
    )
    .finally(() => underWay.delete(database))
  return loading
}

async function loadGraph(database: DatabasePool): Promise<ContractGraph> {
  const { contracts } = await database.one(sql.type(edgesRow)`
    select coalesce(json_agg(json_build_object('contract', contract, 'kind', kind, 'imports', imports)), '[]')::text as contracts
    from app.contracts where not is_removed
  `)
  return new ContractGraph(contractEntries.parse(JSON.parse(contracts)))
}
