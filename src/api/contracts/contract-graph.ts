/** What a graph is made of. */
export interface GraphContract {
  /** A.<address>.<name> */
  readonly contract: string
  /** FT, NFT or CONTRACT; null while not known. */
  readonly kind: string | null
  /** Null while its code is not known. */
  readonly imports: readonly string[] | null
}

/** A contract by how many others import it. */
export interface RankedContract extends GraphContract {
  readonly dependents: number
}

/** An arrow of the graph: `source` imports `target`. */
export interface ImportEdge {
  readonly source: string
  readonly target: string
}

const none: readonly string[] = []

/** Which contract imports which, both ways. All lists are in the order of the identifiers. */
export class ContractGraph {
  readonly #contracts = new Map<string, GraphContract>()
  readonly #dependents = new Map<string, string[]>()
  /** The contracts of the chain by their dependents, most first. */
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

  /** The kinds of those of these contracts that are in the graph. */
  kinds(contracts: readonly string[]): ReadonlyMap<string, string | null> {
    return new Map(contracts.map((contract) => [contract, this.#contracts.get(contract)?.kind ?? null]))
  }

  dependentsOf(contract: string): readonly string[] {
    return this.#dependents.get(contract) ?? none
  }

  /**
   * What a contract imports, what that imports, and so on.
   * @param imports of the root, where they are known better than here
   * @param depth arrows from the root, at least 1
   * @param mostNodes no more contracts than these are taken in, the nearest first
   */
  reach(
    root: string,
    depth: number,
    mostNodes: number,
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
            if (nodes.size >= mostNodes) {
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
