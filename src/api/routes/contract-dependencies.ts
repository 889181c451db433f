import { z } from 'zod'
import { contractParameters, unknownContract, unknownContractProblem } from '../parameters/contract-identifier.ts'
import { listOf } from '../paging/envelope.ts'
import { exampleDependencies } from '../examples/contracts.ts'
import { keyCursor } from '../paging/key-cursor.ts'
import { integerParameter, limitParameter } from '../parameters/parameters.ts'
import { contractDependenciesSchema, presentDependencies } from '../presenters/contract-dependencies.ts'
import { readAssetNames } from '../queries/asset-names.ts'
import { readContractCode } from '../queries/contract-code.ts'
import { readContractGraph } from '../queries/contract-graph.ts'
import { readContracts } from '../queries/contracts.ts'
import { isKnownContract } from '../queries/known-contract.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

/** Contracts that one answer may draw. */
const mostNodes = 300

const dependentCursor = keyCursor({ dependent: /A\.[0-9a-f]{16}\.\w{1,200}/ })

const dependencies = defineRoute({
  path: '/flow/contract/{identifier}/dependencies',
  operationId: 'getContractDependencies',
  cost: 'high',
  tag: 'Contracts',
  summary: 'What a contract imports, and what imports it',
  description:
    'By the present code of contracts, a minute old at most. One item: its `dependents` are what `limit` and ' +
    '`cursor` page through.',
  params: contractParameters,
  query: z.object({
    depth: integerParameter(1, 3).default(1).describe('How far the graph of imports goes.'),
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
    const reached = graph.reach(identifier, depth, mostNodes, imports)
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

/** What a contract imports itself: known from its code, also before the worker that looks for codes has come to it. */
async function readImports(identifier: string, { database, network }: Services): Promise<readonly string[]> {
  const [row] = await readContracts(database, [identifier], false)
  if (row === undefined || row.imports !== null) return row?.imports ?? []
  const code = await readContractCode(database, network(), Buffer.from(row.code_hash, 'hex'))
  return code?.imports ?? []
}

/** Imports of contracts. */
export const contractDependencyRoutes = [dependencies]
