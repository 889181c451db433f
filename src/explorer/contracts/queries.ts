import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { fixedStatement } from '../../platform/db/named-query.ts'
import { describeContract } from '../../flow/code/describe-contract.ts'
import type { ContractKind } from '../../flow/code/describe-contract.ts'
import { findContractCode } from '../../flow/code/find-contract-code.ts'
import type { Network } from '../../flow/network.ts'
import { ApiError } from '../../platform/errors.ts'
import { contractParts } from '../formats.ts'
import { cursorParameter } from '../parameters.ts'
import { readContractGraph } from './graph.ts'
import type { GraphContract } from './graph.ts'
import { contractRow } from './schema.ts'
import type { ContractRow } from './schema.ts'

type IndexedOrder = 'address' | 'name' | 'created_at' | 'updated_at'

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
    ${
      withBody
        ? sql.fragment`(select code from app.contract_code c
      where c.code_hash = s.code_hash)`
        : sql.fragment`null`
    } as body
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
 * The stored kind is compared first: the planner has no statistics for the computed one and would
 * scan all contracts.
 */
function isOfKind(kind: string): FragmentSqlToken {
  return sql.fragment`(k.kind = ${kind} or k.kind is null and s.kind = ${kind})`
}

/** With more matches, scanning in list order finds the next one soon. */
const maxLookups = 2000

/** Up to a minute old; undefined without a name filter or with too many matches. */
async function findNamed(database: DatabasePool, selection: ContractSelection): Promise<readonly string[] | undefined> {
  if (selection.identifier === undefined && selection.name === undefined) return undefined
  const { ranked } = await readContractGraph(database)
  const found = ranked.filter((one) => isSelected(one, selection))
  return found.length > maxLookups ? undefined : found.map(({ contract }) => contract)
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
 * No kind is rare, so rows of others are skipped. Text matches may be rare, so they are searched in
 * memory first.
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
      select ${rowsWith(span.withBody)} from ${selectFrom(named)} left join app.contract_code k on k.code_hash =
      s.code_hash
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

/** Contracts without indexed creation come last in both directions. */
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
      and ${
        key === undefined || height !== undefined
          ? sql.fragment`true`
          : sql.fragment`(s.address, s.name) ${later} (${key[0]}, ${key[1]})`
      }
    `,
    order,
  }
  if (key === undefined) return [{ where: sql.fragment`s.created_height is not null`, order }, unknown]
  if (height === undefined) return [unknown]
  return [
    {
      where: sql.fragment`
        s.created_height = ${height} and s.created_tx_index = ${txIndex}
        and (s.address, s.name) ${later} (${key[0]}, ${key[1]})
      `,
      order,
    },
    { where: sql.fragment`(s.created_height, s.created_tx_index) ${beyond} (${height}, ${txIndex})`, order },
    unknown,
  ]
}

/** Includes removed contracts. */
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

/** Undefined fields do not filter. */
export interface ContractSelection {
  readonly contract?: string | undefined
  readonly address?: string | undefined
  readonly kind?: string | undefined
  /** Part of `A.<address>.<name>`, case-insensitive. */
  readonly identifier?: string | undefined
  /** Part of the name, case-insensitive. */
  readonly name?: string | undefined
}

export function isSelected(
  one: GraphContract,
  { contract, address, kind, identifier, name }: ContractSelection,
): boolean {
  const parts = contractParts(one.contract)
  if (contract !== undefined && one.contract !== contract) return false
  if (address !== undefined && parts.address !== address) return false
  if (kind !== undefined && one.kind !== kind) return false
  if (identifier !== undefined && !one.contract.toLowerCase().includes(identifier.toLowerCase())) return false
  return name === undefined || parts.name.toLowerCase().includes(name.toLowerCase())
}

const knownRow = z.object({ is_known: z.boolean() })

// Prepared: planning it for all partitions takes longer than running it.
const known = fixedStatement(sql.prepared('known contract', knownRow)`
  select exists (select from app.smart_contracts where address = $1::text and name = $2::text)
    or exists (select from app.tx_contracts where contract = $3::text) as is_known
`)

/** Contracts deployed before the first indexed block have no events. */
export async function isKnownContract(database: DatabasePool, contract: string): Promise<boolean> {
  const { address, name } = contractParts(contract)
  const { is_known: isKnown } = await database.one(known(address, name, contract))
  return isKnown || (await readContractGraph(database)).dependentsOf(contract).length > 0
}

export interface ContractPlace {
  readonly numbers: readonly number[]
  /** A.<address>.<name> */
  readonly contract: string
}

const pattern = /^((\d{1,15}:){0,3}A\.[0-9a-f]{16}\.\w{1,200})?$/

export const contractCursorParameter = cursorParameter(pattern, '[<sort key>:]A.<address>.<name>')

/**
 * @param counts possible lengths of the numbers
 *
 * @throws ApiError 400 for a cursor of another sort order
 */
export function parseContractCursor(cursor: string | undefined, counts: readonly number[]): ContractPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const parts = cursor.split(':')
  const contract = parts.pop() ?? ''
  const numbers = parts.map(Number)
  if (!counts.includes(numbers.length) || numbers.slice(1).some((number) => number > 2 ** 31 - 1)) {
    throw new ApiError(400, 'invalid-parameter', 'Parameter "cursor" does not match the sort order.', {
      field: 'cursor',
    })
  }
  return { numbers, contract }
}

export function formatContractCursor({ numbers, contract }: ContractPlace): string {
  return [...numbers, contract].join(':')
}

export interface ContractCode {
  readonly text: string
  /** UTF-8. */
  readonly bytes: number
  readonly kind: ContractKind
  /** Sorted. */
  readonly imports: readonly string[]
}

const codeRow = z.object({
  code: z.string(),
  byte_size: z.number(),
  kind: z.enum(['FT', 'NFT', 'CONTRACT']),
  imports: z.array(z.string()),
})
const deployRow = z.object({ arguments: z.array(z.unknown()).nullable(), script: z.string().nullable() })

/** Falls back to the deploying transaction until the code worker has run. */
export async function readContractCode(
  database: DatabasePool,
  network: Network,
  codeHash: Buffer,
): Promise<ContractCode | undefined> {
  const row = await database.maybeOne(sql.type(codeRow)`
    select code, coalesce(octet_length(code_bytes), octet_length(code)) as byte_size, kind, imports
    from app.contract_code where code_hash = ${sql.binary(codeHash)}
  `)
  if (row !== null) return { text: row.code, bytes: row.byte_size, kind: row.kind, imports: row.imports }
  for (const { script, arguments: args } of await readDeployments(database, codeHash)) {
    const found = findContractCode(codeHash, script ?? '', args ?? [])
    if (found !== undefined) return describeCode(found.code, network)
  }
  return undefined
}

export function describeCode(code: Buffer, network: Network): ContractCode {
  const text = code.toString('utf8')
  return { text, bytes: code.length, ...describeContract(text, network) }
}

/** Newest first. */
async function readDeployments(
  database: DatabasePool,
  codeHash: Buffer,
): Promise<readonly z.output<typeof deployRow>[]> {
  return database.any(sql.type(deployRow)`
    select t.arguments, s.script_text as script
    from (
      select block_height, tx_index from app.contract_versions
      where code_hash = ${sql.binary(codeHash)} and change <> 'removed' order by block_height desc limit 3
    ) as deployed
    join raw.transactions t on t.block_height = deployed.block_height and t.tx_index = deployed.tx_index
    left join raw.scripts s on s.script_hash = t.script_hash
    order by t.block_height desc
  `)
}
