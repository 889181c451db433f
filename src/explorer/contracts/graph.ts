import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { sharedRead } from '../paging/shared-read.ts'

export interface GraphContract {
  readonly contract: string
  /** Null if unknown. */
  readonly kind: string | null
  /** Null if the code is unknown. */
  readonly imports: readonly string[] | null
}

export interface RankedContract extends GraphContract {
  readonly dependents: number
}

export interface ImportEdge {
  readonly source: string
  readonly target: string
}

const none: readonly string[] = []

/** Lists are sorted by identifier. */
export class ContractGraph {
  readonly #contracts = new Map<string, GraphContract>()
  readonly #dependents = new Map<string, string[]>()
  /** Most dependents first. */
  readonly ranked: readonly RankedContract[]

  constructor(contracts: readonly GraphContract[]) {
    const ordered = contracts.toSorted((a, b) => compare(a.contract, b.contract))
    for (const one of ordered) {
      this.#contracts.set(one.contract, one)
      for (const target of new Set(one.imports)) {
        const dependents = this.#dependents.get(target)
        if (dependents === undefined) this.#dependents.set(target, [one.contract])
        else dependents.push(one.contract)
      }
    }
    this.ranked = ordered
      .map((one) => ({ ...one, dependents: this.dependentsOf(one.contract).length }))
      .sort((a, b) => b.dependents - a.dependents || compare(a.contract, b.contract))
  }

  importsOf(contract: string): readonly string[] {
    return this.#contracts.get(contract)?.imports ?? none
  }

  kinds(contracts: readonly string[]): ReadonlyMap<string, string | null> {
    return new Map(contracts.map((contract) => [contract, this.#contracts.get(contract)?.kind ?? null]))
  }

  dependentsOf(contract: string): readonly string[] {
    return this.#dependents.get(contract) ?? none
  }

  /**
   * Transitive imports, nearest first.
   *
   * @param imports of the root, if they are newer than the graph
   *
   * @param depth at least 1
   */
  reach(
    root: string,
    depth: number,
    maxNodes: number,
    imports = this.importsOf(root),
  ): { readonly nodes: readonly string[]; readonly edges: readonly ImportEdge[]; readonly isCut: boolean } {
    const nodes = new Set([root])
    const edges: ImportEdge[] = []
    let isCut = false
    let level: readonly string[] = [root]
    for (let distance = 0; distance < depth && level.length > 0; distance++) {
      const next: string[] = []
      for (const source of level) {
        for (const target of source === root ? imports : this.importsOf(source)) {
          if (!nodes.has(target)) {
            if (nodes.size >= maxNodes) {
              isCut = true
              continue
            }
            nodes.add(target)
            next.push(target)
          }
          edges.push({ source, target })
        }
      }
      level = next.sort(compare)
    }
    edges.sort((a, b) => compare(a.source, b.source) || compare(a.target, b.target))
    return { nodes: [...nodes].sort(compare), edges, isCut }
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const edgesRow = z.object({ contracts: z.string() })
const contractEntries = z.array(
  z.object({
    contract: z.string(),
    kind: z.string().nullable(),
    imports: z.array(z.string()).nullable(),
  }),
)

/**
 * A chain has about 10,000 contracts, so the graph is read whole and shared: no index sorts by
 * dependents, and traversal in SQL takes one statement per level.
 */
export const readContractGraph = sharedRead(loadGraph)

async function loadGraph(database: DatabasePool): Promise<ContractGraph> {
  const { contracts } = await database.one(sql.type(edgesRow)`
    select coalesce(json_agg(json_build_object('contract', contract, 'kind', kind, 'imports', imports)), '[]')::text
    as contracts
    from app.contracts where not is_removed
  `)
  return new ContractGraph(contractEntries.parse(JSON.parse(contracts)))
}
