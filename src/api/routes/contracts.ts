import { z } from 'zod'
import { isValidAddress } from '../../chain/address.ts'
import { contractCodeHash } from '../../chain/contracts/find-contract-code.ts'
import { chainSilentProblem, ifHeard } from '../chain/chain-problem.ts'
import { ChainSilentError } from '../chain/present-chain.ts'
import { contractCursorParameter, formatContractCursor, parseContractCursor } from '../paging/contract-cursor.ts'
import type { ContractPlace } from '../paging/contract-cursor.ts'
import { readContractFacts } from '../contracts/contract-facts.ts'
import { contractOrAccountParameter, unknownContract } from '../parameters/contract-identifier.ts'
import { contractParts } from '../formats/contract-parts.ts'
import { listOf, page, wholeList } from '../paging/envelope.ts'
import { exampleContract } from '../examples/contracts.ts'
import {
  accountParameter,
  contractParameter,
  flagParameter,
  limitParameter,
  noParameters,
  searchParameter,
} from '../parameters/parameters.ts'
import { contractKinds, contractSchema, presentContract, presentLiveContract } from '../presenters/contract.ts'
import type { Contract, ContractRow } from '../presenters/contract.ts'
import { describeCode, readContractCode } from '../queries/contract-code.ts'
import { listContracts, readContracts } from '../queries/contracts.ts'
import type { ContractSelection } from '../queries/contract-selection.ts'
import type { ContractSpan } from '../queries/contracts.ts'
import { listContractsByUsage } from '../queries/contracts-by-usage.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

/** The orders, by the names that clients of the Flow explorer API use, and how many numbers their sort keys have. */
const orders = {
  usage: { index: 'usage', numbers: [1] },
  import: { index: 'usage', numbers: [1] },
  created_at: { index: 'created_at', numbers: [2, 0] },
  updated_at: { index: 'updated_at', numbers: [3] },
  valid_from: { index: 'updated_at', numbers: [3] },
  activity: { index: 'updated_at', numbers: [3] },
  address: { index: 'address', numbers: [0] },
  name: { index: 'name', numbers: [0] },
} as const
const orderNames = Object.keys(orders) as (keyof typeof orders)[]
type Order = (typeof orders)[keyof typeof orders]['index']

const contractList = defineRoute({
  path: '/flow/contract',
  operationId: 'listContracts',
  tag: 'Contracts',
  summary: 'Contracts that accounts have now',
  description: 'Filters can be combined, with each other and with every order.',
  params: noParameters,
  query: z.object({
    limit: limitParameter({ default: 25, max: 100 }),
    cursor: contractCursorParameter,
    address: accountParameter().optional().describe('Only contracts of this account.'),
    identifier: searchParameter(
      'Only this contract, `A.<address>.<name>`; any other text: only contracts whose identifier contains it.',
    ).optional(),
    name: searchParameter('Only contracts whose name contains this text, in any case.').optional(),
    kind: z
      .enum(contractKinds, `must be one of ${contractKinds.join(', ')}`)
      .optional()
      .describe('Only fungible tokens, only NFTs, or only what is neither.'),
    sort: z
      .enum(orderNames, `must be one of ${orderNames.join(', ')}`)
      .default('usage')
      .describe(
        'By how many contracts import it (`usage`, `import`), by its creation, by its last change (`updated_at`, ' +
          '`valid_from`, `activity`), by account and name, or by name.',
      ),
    sort_order: z
      .enum(['asc', 'desc'], 'must be asc or desc')
      .optional()
      .describe('Default: asc for address and name, else desc.'),
    body: flagParameter('Whether the source comes with each contract.'),
  }),
  response: listOf(contractSchema, 'Contract'),
  example: {
    data: [exampleContract],
    has_more: true,
    cursor: `${exampleContract.imported_count}:${exampleContract.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query }, services) => {
    const { limit, cursor, address, identifier, name, kind, sort, sort_order: direction, body: withBody } = query
    const { index: order, numbers } = orders[sort]
    const after = parseContractCursor(cursor, numbers)
    const isDescending = direction === undefined ? !['address', 'name'].includes(order) : direction === 'desc'
    const exact = contractParameter('contracts').safeParse(identifier).data
    const selection = { address, kind, name, ...(exact === undefined ? { identifier } : { contract: exact }) }
    const rows = await readPage(order, selection, { isDescending, after, count: limit + 1, withBody }, services)
    const facts = await readContractFacts(services, rows.slice(0, limit))
    return {
      body: page(
        rows,
        limit,
        (row) => presentContract(row, facts, withBody),
        (row) => formatContractCursor(placeIn(order, row, facts.dependents(row.contract))),
      ),
    }
  },
})

async function readPage(
  order: Order,
  selection: ContractSelection,
  span: Omit<ContractSpan, 'order'>,
  { database }: Services,
): Promise<readonly ContractRow[]> {
  if (order !== 'usage') return listContracts(database, selection, { ...span, order })
  return listContractsByUsage(database, selection, span)
}

function placeIn(order: Order, row: ContractRow, dependents: number): ContractPlace {
  const { contract, created_height: height, created_tx_index: txIndex } = row
  switch (order) {
    case 'usage':
      return { numbers: [dependents], contract }
    case 'created_at':
      return { numbers: height === null || txIndex === null ? [] : [height, txIndex], contract }
    case 'updated_at':
      return { numbers: [row.updated_height, row.updated_tx_index, row.updated_event_index], contract }
    default:
      return { numbers: [], contract }
  }
}

const contract = defineRoute({
  path: '/flow/contract/{identifier}',
  operationId: 'getContract',
  tag: 'Contracts',
  summary: 'One contract with its source, or the contracts of an account',
  description:
    'A contract that was deployed before the first indexed block is asked from the chain. For an account all ' +
    'contracts that are indexed are given, by name, without source.',
  params: z.object({ identifier: contractOrAccountParameter() }),
  query: noParameters,
  response: listOf(contractSchema, 'Contract'),
  problems: {
    404: 'No such contract is known; or, for an account, none of it.',
    503: 'The contract is not indexed, and the chain cannot be asked at the moment.',
  },
  example: wholeList([{ ...exampleContract, body: 'access(all) contract interface FungibleToken {}\n' }]),
  handler: async ({ params: { identifier } }, services) => {
    const data = identifier.startsWith('0x')
      ? await readOfAccount(identifier, services)
      : [await readOne(identifier, services)]
    return { body: wholeList(data) }
  },
})

/** More than any account has room for in its storage, by far. */
const mostOfAccount = 10_000

async function readOfAccount(address: string, services: Services): Promise<Contract[]> {
  const span = {
    order: 'address',
    isDescending: false,
    after: undefined,
    count: mostOfAccount,
    withBody: false,
  } as const
  const rows = await listContracts(services.database, { address }, span)
  if (rows.length === 0) throw unknownContract(`of ${address}`)
  const facts = await readContractFacts(services, rows)
  return rows.map((row) => presentContract(row, facts, false))
}

async function readOne(identifier: string, services: Services): Promise<Contract> {
  const { database, network } = services
  const [row] = await readContracts(database, [identifier], false)
  if (row === undefined) return askForOne(identifier, services)
  const [facts, code] = await Promise.all([
    readContractFacts(services, [row]),
    readContractCode(database, network(), Buffer.from(row.code_hash, 'hex')),
  ])
  const told = code === undefined ? row : { ...row, kind: code.kind, imports: [...code.imports], body: code.text }
  return presentContract(told, facts, true)
}

/** A contract that nothing is indexed of may have been deployed before the first indexed block. */
async function askForOne(identifier: string, services: Services): Promise<Contract> {
  const { address, name } = contractParts(identifier)
  if (!isValidAddress(address, services.network())) throw unknownContract(identifier)
  const heard = await ifHeard(services.chain.account(address))
  if (heard instanceof ChainSilentError) throw chainSilentProblem(heard)
  const code = heard.value?.contracts.get(name)
  if (code === undefined) throw unknownContract(identifier)
  const facts = await readContractFacts(services, [], [identifier])
  return presentLiveContract(
    identifier,
    describeCode(code, services.network()),
    contractCodeHash(code).toString('hex'),
    facts,
  )
}

/** Contracts. */
export const contractRoutes = [contractList, contract]
