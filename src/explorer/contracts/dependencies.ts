import { z } from 'zod'
import { contractParts, addressFormat, countFormat } from '../formats.ts'
import { listOf, keyCursor } from '../paging/pages.ts'
import {
  contractParameters,
  unknownContract,
  unknownContractProblem,
  integerParameter,
  limitParameter,
} from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { readAssetNames } from '../transactions/descriptions.ts'
import type { AssetNames } from '../transactions/schema.ts'
import { exampleDependencies, contractKinds } from './schema.ts'
import { readContractGraph } from './graph.ts'
import type { ImportEdge } from './graph.ts'
import { readContractCode, readContracts, isKnownContract } from './queries.ts'

const node = z
  .strictObject({
    identifier: z.string().describe('A.<address>.<name>'),
    address: addressFormat,
    name: z.string(),
  })
  .meta({ id: 'ContractReference' })
type Node = z.output<typeof node>

const contractDependenciesSchema = z
  .strictObject({
    identifier: z.string(),
    imports: z.array(node).describe('Direct imports, sorted by identifier.'),
    dependents: z.array(node).describe('One page of contracts that import it, sorted by identifier.'),
    dependent_count: countFormat.describe('Number of contracts that import it.'),
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
      truncated: z.boolean().describe('Whether the graph was truncated.'),
    }),
  })
  .meta({ id: 'ContractDependencies' })
export type ContractDependencies = z.output<typeof contractDependenciesSchema>

interface NodeFacts {
  readonly kinds: ReadonlyMap<string, string | null>
  readonly names: AssetNames
}

interface ReachedGraph {
  readonly nodes: readonly string[]
  readonly edges: readonly ImportEdge[]
  readonly isCut: boolean
}

function presentDependencies(
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

const maxNodes = 300

const dependentCursor = keyCursor({ dependent: /A\.[0-9a-f]{16}\.\w{1,200}/ })

const dependencies = defineRoute({
  path: '/flow/contract/{identifier}/dependencies',
  operationId: 'getContractDependencies',
  cost: 'high',
  tag: 'Contracts',
  summary: 'Imports and dependents of a contract',
  description:
    'Based on current code, up to a minute old. Returns one item; `limit` and `cursor` page its `dependents`.',
  params: contractParameters,
  query: z.object({
    depth: integerParameter(1, 3).default(1).describe('Depth of the import graph.'),
    limit: limitParameter({ default: 50, max: 500 }),
    cursor: dependentCursor.parameter,
  }),
  response: listOf(contractDependenciesSchema, 'ContractDependencies'),
  problems: unknownContractProblem,
  example: { data: [exampleDependencies], has_more: false, cursor: '', _meta: { limit: 50, count: 1 } },
  handler: async ({ params: { identifier }, query: { depth, limit, cursor } }, services) => {
    const { database } = services
    if (!(await isKnownContract(database, identifier))) throw unknownContract(identifier)
    const [graph, imports] = await Promise.all([readContractGraph(database), readImports(identifier, services)])
    const reached = graph.reach(identifier, depth, maxNodes, imports)
    const all = graph.dependentsOf(identifier)
    const after = dependentCursor.parse(cursor)?.dependent
    const rest = after === undefined ? all : all.filter((dependent) => dependent > after)
    const shown = rest.slice(0, limit)
    const hasMore = rest.length > limit
    const facts = {
      kinds: graph.kinds(reached.nodes),
      names: await readAssetNames(database, reached.nodes, reached.nodes),
    }
    return {
      body: {
        data: [presentDependencies(identifier, imports, { page: shown, count: all.length }, reached, facts)],
        has_more: hasMore,
        cursor: hasMore ? (shown.at(-1) ?? '') : '',
        _meta: { limit, count: 1 },
      },
    }
  },
})

/** Available before the code worker has run. */
async function readImports(identifier: string, { database, network }: Services): Promise<readonly string[]> {
  const [row] = await readContracts(database, [identifier], false)
  if (row === undefined || row.imports !== null) return row?.imports ?? []
  const code = await readContractCode(database, network(), Buffer.from(row.code_hash, 'hex'))
  return code?.imports ?? []
}

export const contractDependencyRoutes = [dependencies]
