import { z } from 'zod'
import type { ImportEdge } from '../contracts/contract-graph.ts'
import { contractParts } from '../formats/contract-parts.ts'
import { addressFormat, countFormat } from '../formats/formats.ts'
import { contractKinds } from './contract.ts'
import type { AssetNames } from './transfer-summary.ts'

const node = z
  .strictObject({
    identifier: z.string().describe('A.<address>.<name>'),
    address: addressFormat,
    name: z.string(),
  })
  .meta({ id: 'ContractReference' })
type Node = z.output<typeof node>

/** What a contract imports, and what imports it. */
export const contractDependenciesSchema = z
  .strictObject({
    identifier: z.string(),
    imports: z.array(node).describe('What it imports itself, in the order of the identifiers.'),
    dependents: z.array(node).describe('What imports it: a page of them, in the order of the identifiers.'),
    dependent_count: countFormat.describe('All that import it.'),
    graph: z.strictObject({
      root: z.string(),
      nodes: z.array(
        node
          .extend({
            kind: z.enum(contractKinds).nullable(),
            token_name: z.string().nullable(),
            token_symbol: z.string().nullable(),
            token_logo: z.string().nullable(),
          })
          .meta({ id: 'ContractNode' }),
      ),
      edges: z.array(z.strictObject({ source: z.string(), target: z.string() })).describe('`source` imports `target`.'),
      truncated: z.boolean().describe('Whether there is more within this depth than a graph may hold.'),
    }),
  })
  .meta({ id: 'ContractDependencies' })
export type ContractDependencies = z.output<typeof contractDependenciesSchema>

/** What is known of nodes: their kind, and what tokens call themselves. */
export interface NodeFacts {
  readonly kinds: ReadonlyMap<string, string | null>
  readonly names: AssetNames
}

/** The graph below a contract, as it was computed. */
export interface ReachedGraph {
  readonly nodes: readonly string[]
  readonly edges: readonly ImportEdge[]
  readonly isCut: boolean
}

export function presentDependencies(
  contract: string,
  imports: readonly string[],
  dependents: { readonly page: readonly string[]; readonly count: number },
  graph: ReachedGraph,
  facts: NodeFacts,
): ContractDependencies {
  return {
    identifier: contract,
    imports: imports.map(presentReference),
    dependents: dependents.page.map(presentReference),
    dependent_count: dependents.count,
    graph: {
      root: contract,
      nodes: graph.nodes.map((one) => presentNode(one, facts)),
      edges: [...graph.edges],
      truncated: graph.isCut,
    },
  }
}

function presentReference(identifier: string): Node {
  return { identifier, ...contractParts(identifier) }
}

function presentNode(identifier: string, { kinds, names }: NodeFacts): ContractDependencies['graph']['nodes'][number] {
  const token = names.tokens.get(identifier)
  const collection = names.collections.get(identifier)
  return {
    ...presentReference(identifier),
    kind: contractKinds.find((kind) => kind === kinds.get(identifier)) ?? null,
    token_name: token?.name ?? collection?.name ?? null,
    token_symbol: token?.symbol ?? null,
    token_logo: token?.logo ?? collection?.logo ?? null,
  }
}
