import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { isValidAddress } from '../../flow/address.ts'
import { contractCodeHash } from '../../flow/code/find-contract-code.ts'
import { ApiError } from '../../platform/errors.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { contractParts } from '../formats.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import type { EventKey } from '../paging/event-pages.ts'
import { listOf, page, wholeList, singleOf } from '../paging/pages.ts'
import {
  contractOrAccountParameter,
  unknownContract,
  accountParameter,
  contractParameter,
  flagParameter,
  limitParameter,
  searchParameter,
  contractParameters,
  unknownContractProblem,
  integerParameter,
} from '../parameters.ts'
import { chainUnavailableProblem, resultOrUnavailable, ChainUnavailableError } from '../present-chain.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { readAssetNames } from '../transactions/descriptions.ts'
import { readTransactionIds } from '../transactions/queries.ts'
import {
  exampleContract,
  exampleContractVersion,
  exampleVersionDetail,
  contractKinds,
  contractSchema,
  presentContract,
  presentLiveContract,
  contractVersionDetailSchema,
  contractVersionSchema,
  presentContractVersion,
  presentVersionDetail,
  contractVersionRow,
} from './schema.ts'
import { readContractGraph } from './graph.ts'
import type { RankedContract } from './graph.ts'
import {
  contractCursorParameter,
  formatContractCursor,
  parseContractCursor,
  describeCode,
  readContractCode,
  isSelected,
  listContracts,
  readContracts,
  isKnownContract,
} from './queries.ts'
import type { ContractPlace, ContractSelection, ContractSpan } from './queries.ts'
import type { Contract, ContractRow, ContractFacts, ContractVersionRow } from './schema.ts'

/** `numbers`: possible lengths of the sort keys. */
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
  summary: 'Deployed contracts',
  description: 'Filters are combined with AND and work with every sort order.',
  query: z.object({
    limit: limitParameter({ default: 25, max: 100 }),
    cursor: contractCursorParameter,
    address: accountParameter().optional().describe('Account of the contracts.'),
    identifier: searchParameter('`A.<address>.<name>`, or text contained in the identifier.').optional(),
    name: searchParameter('Text contained in the name, case-insensitive.').optional(),
    kind: z
      .enum(contractKinds, `must be one of ${contractKinds.join(', ')}`)
      .optional()
      .describe('Fungible token, NFT or other contract.'),
    sort: z
      .enum(orderNames, `must be one of ${orderNames.join(', ')}`)
      .default('usage')
      .describe(
        'Sort by number of dependents (`usage`, `import`), creation, last change (`updated_at`, `valid_from`, ' +
          '`activity`), account and name, or name.',
      ),
    sort_order: z
      .enum(['asc', 'desc'], 'must be asc or desc')
      .optional()
      .describe('Default: asc for address and name, else desc.'),
    body: flagParameter('Include source code.'),
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
    const exact = contractParameter().safeParse(identifier).data
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
  summary: 'Contract with its source, or contracts of an account',
  description:
    'A contract deployed before the first indexed block is read from the chain. For an account, returns its indexed ' +
    'contracts by name, without source.',
  params: z.object({ identifier: contractOrAccountParameter() }),
  response: listOf(contractSchema, 'Contract'),
  problems: {
    404: 'The contract is unknown, or the account has no known contracts.',
    503: 'The contract is not indexed and no access node responds.',
  },
  example: wholeList([{ ...exampleContract, body: 'access(all) contract interface FungibleToken {}\n' }]),
  handler: async ({ params: { identifier } }, services) => {
    const data = identifier.startsWith('0x')
      ? await readOfAccount(identifier, services)
      : [await readOne(identifier, services)]
    return { body: wholeList(data) }
  },
})

/** More than fit into the storage of any account. */
const maxPerAccount = 10_000

async function readOfAccount(address: string, services: Services): Promise<Contract[]> {
  const span = {
    order: 'address',
    isDescending: false,
    after: undefined,
    count: maxPerAccount,
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
  const withCode = code === undefined ? row : { ...row, kind: code.kind, imports: [...code.imports], body: code.text }
  return presentContract(withCode, facts, true)
}

/** The contract may have been deployed before the first indexed block. */
async function askForOne(identifier: string, services: Services): Promise<Contract> {
  const { address, name } = contractParts(identifier)
  if (!isValidAddress(address, services.network())) throw unknownContract(identifier)
  const result = await resultOrUnavailable(services.chain.account(address))
  if (result instanceof ChainUnavailableError) throw chainUnavailableProblem(result)
  const code = result.value?.contracts.get(name)
  if (code === undefined) throw unknownContract(identifier)
  const facts = await readContractFacts(services, [], [identifier])
  return presentLiveContract(
    identifier,
    describeCode(code, services.network()),
    contractCodeHash(code).toString('hex'),
    facts,
  )
}

export const contractRoutes = [contractList, contract]

async function readContractFacts(
  { database }: Services,
  rows: readonly ContractRow[],
  more: readonly string[] = [],
): Promise<ContractFacts> {
  const contracts = [...rows.map((row) => row.contract), ...more]
  const places = rows.map((row) => ({ block_height: row.updated_height, tx_index: row.updated_tx_index }))
  const [times, names, transactionId, graph] = await Promise.all([
    readBlockTimes(
      database,
      rows.flatMap((row) => [row.created_height, row.updated_height]),
    ),
    readAssetNames(database, contracts, contracts),
    readTransactionIds(database, places),
    readContractGraph(database),
  ])
  return { times, names, transactionId, dependents: (contract) => graph.dependentsOf(contract).length }
}

async function listContractsByUsage(
  database: DatabasePool,
  selection: ContractSelection,
  span: Omit<ContractSpan, 'order'>,
): Promise<readonly ContractRow[]> {
  const { isDescending, after, count, withBody } = span
  const { ranked } = await readContractGraph(database)
  const ordered = isDescending ? ranked : ranked.toReversed()
  const rows: ContractRow[] = []
  const place = after && { contract: after.contract, dependents: after.numbers[0] ?? 0 }
  let next = place === undefined ? 0 : firstAfter(ordered, place, isDescending)
  while (rows.length < count && next < ordered.length) {
    const wanted: string[] = []
    for (; wanted.length < count - rows.length && next < ordered.length; next++) {
      const candidate = ordered[next]
      if (candidate !== undefined && isSelected(candidate, selection)) wanted.push(candidate.contract)
    }
    const found = new Map((await readContracts(database, wanted, withBody)).map((row) => [row.contract, row]))
    for (const one of wanted) {
      const row = found.get(one)
      // The graph may be a minute old.
      if (row !== undefined && !row.is_removed) rows.push(row)
    }
  }
  return rows
}

type Rank = Pick<RankedContract, 'contract' | 'dependents'>

/** The key need not be in the list. */
function firstAfter(ordered: readonly Rank[], place: Rank, isDescending: boolean): number {
  let [low, high] = [0, ordered.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const one = ordered[middle]
    if (one !== undefined && isBeyond(one, place, isDescending)) high = middle
    else low = middle + 1
  }
  return low
}

function isBeyond(one: Rank, place: Rank, isDescending: boolean): boolean {
  const [before, behind] = isDescending ? [place, one] : [one, place]
  if (one.dependents !== place.dependents) return before.dependents > behind.dependents
  return before.contract < behind.contract
}

const versions = defineRoute({
  path: '/flow/contract/{identifier}/version',
  operationId: 'listContractVersions',
  tag: 'Contracts',
  summary: 'Versions of a contract, newest first',
  description: 'Covers indexed history; version numbers change while older history is added.',
  params: contractParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: eventCursor.parameter }),
  response: listOf(contractVersionSchema, 'ContractVersion'),
  problems: unknownContractProblem,
  example: { data: [exampleContractVersion], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { identifier }, query: { limit, cursor } }, { database }) => {
    const before = parseEventCursor(cursor)
    const rows = await listContractVersions(database, identifier, before, limit + 1)
    if (rows.length === 0 && !(await isKnownContract(database, identifier))) throw unknownContract(identifier)
    const shown = rows.slice(0, limit)
    const [times, idAt] = await Promise.all([
      readBlockTimes(
        database,
        shown.map((row) => row.block_height),
      ),
      readTransactionIds(database, shown),
    ])
    return {
      body: page(
        rows,
        limit,
        (row) => presentContractVersion(row, idAt(row), times),
        (row) => eventCursor.format(row),
      ),
    }
  },
})

const version = defineRoute({
  path: '/flow/contract/{identifier}/version/{version}',
  operationId: 'getContractVersion',
  tag: 'Contracts',
  summary: 'Version of a contract with its source',
  params: contractParameters.extend({
    version: integerParameter(1, 1_000_000).describe('Version number, from 1.'),
  }),
  response: singleOf(contractVersionDetailSchema, 'ContractVersion'),
  problems: { 404: 'The version is not indexed.' },
  example: { data: [exampleVersionDetail] },
  handler: async ({ params: { identifier, version: number } }, { database, network }) => {
    const row = await readContractVersion(database, identifier, number)
    if (row === undefined) {
      throw new ApiError(404, 'unknown-version', `Version ${number} of ${identifier} is not indexed.`, {
        field: 'version',
      })
    }
    const [times, idAt, code] = await Promise.all([
      readBlockTimes(database, [row.block_height]),
      readTransactionIds(database, [row]),
      readContractCode(database, network(), Buffer.from(row.code_hash, 'hex')),
    ])
    const shown = presentContractVersion(row, idAt(row), times)
    return { body: { data: [presentVersionDetail(shown, { identifier, ...contractParts(identifier) }, code)] } }
  },
})

export const contractVersionRoutes = [versions, version]

/** Numbers start at the first indexed version. */
function numbered(contract: string): FragmentSqlToken {
  const { address, name } = contractParts(contract)
  return sql.fragment`
    select block_height, tx_index, event_index, change, encode(code_hash, 'hex') as code_hash,
      row_number() over (order by block_height, tx_index, event_index) as version
    from app.contract_versions
    where address = ${address} and name = ${name} and change <> 'removed'
  `
}

/** Newest first. */
export async function listContractVersions(
  database: DatabasePool,
  contract: string,
  before: EventKey | undefined,
  count: number,
): Promise<readonly ContractVersionRow[]> {
  const where =
    before === undefined
      ? sql.fragment`true`
      : sql.fragment`
    (block_height, tx_index, event_index) < (${before.height}, ${before.txIndex}, ${before.eventIndex})
  `
  return database.any(sql.type(contractVersionRow)`
    select * from (${numbered(contract)}) as numbered
    where ${where} order by block_height desc, tx_index desc, event_index desc limit ${count}
  `)
}

async function readContractVersion(
  database: DatabasePool,
  contract: string,
  version: number,
): Promise<ContractVersionRow | undefined> {
  const row = await database.maybeOne(sql.type(contractVersionRow)`
    select * from (${numbered(contract)}) as numbered where version = ${version}
  `)
  return row ?? undefined
}
