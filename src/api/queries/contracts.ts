import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import type { ContractPlace } from '../paging/contract-cursor.ts'
import { contractParts } from '../formats/contract-parts.ts'
import { contractRow } from '../presenters/contract.ts'
import type { ContractRow } from '../presenters/contract.ts'
import { readContractGraph } from './contract-graph.ts'
import { isSelected } from './contract-selection.ts'
import type { ContractSelection } from './contract-selection.ts'

/** The orders that an index gives. */
export type IndexedOrder = 'address' | 'name' | 'created_at' | 'updated_at'

export interface ContractSpan {
  readonly order: IndexedOrder
  readonly isDescending: boolean
  readonly after: ContractPlace | undefined
  readonly count: number
  readonly withBody: boolean
}

function rowsWith(withBody: boolean): FragmentSqlToken {
  return sql.fragment`
    s.contract, s.address, s.name, s.created_height, s.created_tx_index, s.updated_height, s.updated_tx_index,
    s.updated_event_index, s.is_removed, encode(s.code_hash, 'hex') as code_hash, s.kind, s.imports,
    ${withBody ? sql.fragment`(select code from app.contract_code c where c.code_hash = s.code_hash)` : sql.fragment`null`} as body
  `
}

function selected({ contract, address, kind, identifier, name }: ContractSelection): FragmentSqlToken {
  const one = contract === undefined ? undefined : contractParts(contract)
  const conditions = [
    sql.fragment`not s.is_removed`,
    ...(one === undefined ? [] : [sql.fragment`s.address = ${one.address} and s.name = ${one.name}`]),
    ...(address === undefined ? [] : [sql.fragment`s.address = ${address}`]),
    ...(kind === undefined ? [] : [isOfKind(kind)]),
    ...(identifier === undefined ? [] : [sql.fragment`position(lower(${identifier}) in lower(s.contract)) > 0`]),
    ...(name === undefined ? [] : [sql.fragment`position(lower(${name}) in lower(s.name)) > 0`]),
  ]
  return sql.fragment`${sql.join(conditions, sql.fragment` and `)}`
}

/**
 * The view computes kinds where the code does not tell, and of what is computed the planner knows nothing: it would read all
 * contracts. So the kind of the code is looked at by itself, and what the view says only where there is none.
 */
function isOfKind(kind: string): FragmentSqlToken {
  return sql.fragment`(k.kind = ${kind} or k.kind is null and s.kind = ${kind})`
}

/** Contracts with a text in their name that are read each by its key and put in order; where there are more the next is not far. */
const mostLookedUp = 2000

/**
 * Those whose names hold the texts of a selection, as they were a minute ago at most; undefined where it asks for no text, or where there
 * are too many of them.
 */
async function findNamed(database: DatabasePool, selection: ContractSelection): Promise<readonly string[] | undefined> {
  if (selection.identifier === undefined && selection.name === undefined) return undefined
  const { ranked } = await readContractGraph(database)
  const found = ranked.filter((one) => isSelected(one, selection))
  return found.length > mostLookedUp ? undefined : found.map(({ contract }) => contract)
}

function selectFrom(named: readonly string[] | undefined): FragmentSqlToken {
  if (named === undefined) return sql.fragment`app.contracts s`
  const keys = named.map(contractParts)
  return sql.fragment`
    unnest(
      ${sql.array(
        keys.map(({ address }) => address),
        'text',
      )}, ${sql.array(
        keys.map(({ name }) => name),
        'text',
      )}
    ) as wanted (address, name)
    join app.contracts s on s.address = wanted.address and s.name = wanted.name
  `
}

/**
 * Up to `count` contracts of a selection after a place, in an order. Of a kind none is rare, so that what the selection leaves out is
 * read too; a text in names may be, and is looked for in memory first.
 */
export async function listContracts(
  database: DatabasePool,
  selection: ContractSelection,
  span: ContractSpan,
): Promise<readonly ContractRow[]> {
  const named = await findNamed(database, selection)
  const parts = named?.length === 0 ? [] : partsOf(span)
  const rows: ContractRow[] = []
  for (const { where, order } of parts) {
    if (rows.length >= span.count) break
    rows.push(
      ...(await database.any(sql.type(contractRow)`
      select ${rowsWith(span.withBody)} from ${selectFrom(named)} left join app.contract_code k on k.code_hash = s.code_hash
      where ${selected(selection)} and ${where}
      order by ${order} limit ${span.count - rows.length}
    `)),
    )
  }
  return rows
}

interface Part {
  readonly where: FragmentSqlToken
  readonly order: FragmentSqlToken
}

/** The pieces of an index that hold what comes after the place, one after the other. */
function partsOf({ order, isDescending, after }: ContractSpan): readonly Part[] {
  switch (order) {
    case 'address':
      return [afterPair(sql.fragment`s.address`, sql.fragment`s.name`, isDescending, after && keyOf(after, 'address'))]
    case 'name':
      return [afterPair(sql.fragment`s.name`, sql.fragment`s.address`, isDescending, after && keyOf(after, 'name'))]
    case 'updated_at':
      return [updatedAfter(isDescending, after)]
    default:
      return createdAfter(isDescending, after)
  }
}

function keyOf({ contract }: ContractPlace, first: 'address' | 'name'): readonly [string, string] {
  const { address, name } = contractParts(contract)
  return first === 'address' ? [address, name] : [name, address]
}

function afterPair(
  first: FragmentSqlToken,
  second: FragmentSqlToken,
  isDescending: boolean,
  key: readonly [string, string] | undefined,
): Part {
  const beyond = isDescending ? sql.fragment`<` : sql.fragment`>`
  return {
    where:
      key === undefined ? sql.fragment`true` : sql.fragment`(${first}, ${second}) ${beyond} (${key[0]}, ${key[1]})`,
    order: isDescending ? sql.fragment`${first} desc, ${second} desc` : sql.fragment`${first}, ${second}`,
  }
}

function updatedAfter(isDescending: boolean, after: ContractPlace | undefined): Part {
  const [height = 0, txIndex = 0, eventIndex = 0] = after?.numbers ?? []
  const beyond = isDescending ? sql.fragment`<` : sql.fragment`>`
  return {
    where:
      after === undefined
        ? sql.fragment`true`
        : sql.fragment`
      (s.updated_height, s.updated_tx_index, s.updated_event_index) ${beyond} (${height}, ${txIndex}, ${eventIndex})
    `,
    order: isDescending
      ? sql.fragment`s.updated_height desc, s.updated_tx_index desc, s.updated_event_index desc`
      : sql.fragment`s.updated_height, s.updated_tx_index, s.updated_event_index`,
  }
}

/**
 * By creation, contracts of one transaction by identifier, and last those whose creation is not indexed. Oldest first all
 * but the latter is turned around.
 */
function createdAfter(isDescending: boolean, after: ContractPlace | undefined): readonly Part[] {
  const key = after && keyOf(after, 'address')
  const [height, txIndex = 0] = after?.numbers ?? []
  const beyond = isDescending ? sql.fragment`<` : sql.fragment`>`
  const later = isDescending ? sql.fragment`>` : sql.fragment`<`
  const order = isDescending
    ? sql.fragment`s.created_height desc, s.created_tx_index desc, s.address, s.name`
    : sql.fragment`s.created_height, s.created_tx_index, s.address desc, s.name desc`
  const unknown: Part = {
    where: sql.fragment`
      s.created_height is null and s.created_tx_index is null
      and ${key === undefined || height !== undefined ? sql.fragment`true` : sql.fragment`(s.address, s.name) ${later} (${key[0]}, ${key[1]})`}
    `,
    order,
  }
  if (key === undefined) return [{ where: sql.fragment`s.created_height is not null`, order }, unknown]
  if (height === undefined) return [unknown]
  return [
    {
      where: sql.fragment`
        s.created_height = ${height} and s.created_tx_index = ${txIndex} and (s.address, s.name) ${later} (${key[0]}, ${key[1]})
      `,
      order,
    },
    { where: sql.fragment`(s.created_height, s.created_tx_index) ${beyond} (${height}, ${txIndex})`, order },
    unknown,
  ]
}

/** Contracts by identifier, in no order; removed ones included. */
export async function readContracts(
  database: DatabasePool,
  contracts: readonly string[],
  withBody: boolean,
): Promise<readonly ContractRow[]> {
  if (contracts.length === 0) return []
  const keys = contracts.map(contractParts)
  return database.any(sql.type(contractRow)`
    select ${rowsWith(withBody)}
    from unnest(
      ${sql.array(
        keys.map(({ address }) => address),
        'text',
      )}, ${sql.array(
        keys.map(({ name }) => name),
        'text',
      )}
    ) as wanted (address, name)
    join app.contracts s on s.address = wanted.address and s.name = wanted.name
  `)
}
