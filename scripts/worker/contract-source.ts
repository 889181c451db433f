import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { readConfig } from '../../src/config.ts'
import type { Config } from '../../src/config.ts'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import { liveEndpoints } from '../../src/access/settings.ts'
import { FatalError, FlowfarmError } from '../../src/platform/errors.ts'
import { query } from '../../src/platform/db/pool.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import { parseEventType } from '../../src/flow/type-id.ts'
import { editDistance } from '../cli/command.ts'
import { withDatabase } from '../cli/open-database.ts'
import type { OpenDatabase } from '../cli/open-database.ts'
import { accessNodeFile } from '../demo/demo-folder.ts'
import type { RecordedEvent } from './generate.ts'

export interface ContractSource {
  /** 16 hex digits. */
  readonly address: string
  readonly name: string
  readonly code: string
  /** Names of fields of recorded events, several for an event whose fields changed. */
  readonly shapes: readonly (readonly [event: string, fields: readonly string[]])[]
  /** Newest first, at most three of each. */
  readonly recorded: readonly RecordedEvent[]
  /** Whether the database has a worker of this name. */
  readonly isTaken: (worker: string) => boolean
}

/** As given: the address may be missing. */
interface ContractName {
  readonly address: string | undefined
  readonly name: string
}

/** @throws FatalError `bad-contract` */
export function readContractName(given: string | undefined): ContractName {
  const [, address, name = ''] = /^(?:(?:A\.|0x)?([0-9a-f]{16})\.)?([A-Za-z_]\w*)$/i.exec(given ?? '') ?? []
  if (name !== '') return { address: address?.toLowerCase(), name }
  const problem = given === undefined ? 'Contract missing' : `"${given}" is not a contract`
  throw new FatalError('bad-contract', `${problem}: give A.<address>.<name>, e.g. A.0b2a3299cc857e29.TopShot.`)
}

/**
 * From the database, or from an access node if one is given, or without a database.
 *
 * @throws FatalError `unknown-contract`, `ambiguous-contract`, `no-contract-code`
 */
export async function readContract(contract: ContractName, node: string | undefined): Promise<ContractSource> {
  const fromNode = node === undefined ? undefined : await readFromNode(contract, [node])
  try {
    return await withDatabase((database) => readFromDatabase(database, contract, fromNode), { acceptsDemo: true })
  } catch (error) {
    if (!(error instanceof FlowfarmError) || (error.code !== 'no-database' && fromNode === undefined)) throw error
    return { ...noRecords, ...(fromNode ?? (await readFromNode(contract, liveEndpoints(readConfig())))) }
  }
}

const noRecords = { shapes: [], recorded: [], isTaken: (): boolean => false }

type ContractCode = Pick<ContractSource, 'address' | 'name' | 'code'>

async function readFromNode({ address, name }: ContractName, endpoints: readonly string[]): Promise<ContractCode> {
  if (address === undefined) {
    const message = `Address of ${name} missing: give A.<address>.${name}, because access nodes do not search by name.`
    throw new FatalError('bad-contract', message)
  }
  process.stderr.write(`Reading A.${address}.${name} from ${endpoints.join(', ')}.\n`)
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined }
  const reader = createChainReader({ liveEndpoints: endpoints, log })
  try {
    const { contracts = new Map<string, Buffer>() } = (await reader.getAccount(`0x${address}`)) ?? {}
    const code = contracts.get(name)
    if (code !== undefined) return { address, name, code: code.toString('utf8') }
    const names = [...contracts.keys()].toSorted()
    const remedy = names.length === 0 ? 'It has no contracts.' : `It has ${names.slice(0, maxNames).join(', ')}.`
    throw new FatalError('unknown-contract', `Account 0x${address} has no contract ${name}. ${remedy}`)
  } finally {
    await reader.close()
  }
}

async function readFromDatabase(
  { pool, config, dataFolder }: OpenDatabase,
  contract: ContractName,
  fromNode: ContractCode | undefined,
): Promise<ContractSource> {
  const found = fromNode ?? (await findContract(pool, contract, knownNodes(config, dataFolder)))
  const id = `A.${found.address}.${found.name}`
  const { rows: workers } = await query<{ name: string }>(pool, 'select name from app.own_workers')
  return {
    ...found,
    shapes: await readShapes(pool, id),
    recorded: await readRecorded(pool, id),
    isTaken: (worker) => workers.some(({ name }) => name === worker),
  }
}

/** Nodes of the chain in the database: those that are set, or that of a demo. */
function knownNodes(config: Config, dataFolder: string | undefined): readonly string[] {
  if (config.CHAIN_ACCESS_NODE !== undefined || config.CHAIN_ACCESS_NODES.length > 0) return liveEndpoints(config)
  const file = join(dataFolder ?? '', accessNodeFile)
  return dataFolder !== undefined && existsSync(file) ? [readFileSync(file, 'utf8')] : []
}

interface ContractRow {
  readonly address: string
  readonly name: string
  readonly code: string | null
}

/** History may not be indexed yet. */
async function findContract(pool: pg.Pool, contract: ContractName, nodes: readonly string[]): Promise<ContractCode> {
  const { address, name } = contract
  const { rows } = await query<ContractRow>(
    pool,
    `select substr(s.address, 3) as address, s.name, c.code
     from app.smart_contracts s left join app.contract_code c using (code_hash)
     where s.name = $1 and s.address = coalesce('0x' || $2, s.address)
     order by s.is_removed, s.address limit 20`,
    [name, address],
  )
  const [found, other] = rows
  const isServed = nodes.length > 0 && (found ?? contract).address !== undefined
  if (isServed && (found === undefined || (other === undefined && found.code === null))) {
    return readFromNode(found ?? contract, nodes)
  }
  if (found === undefined) throw await unknownContract(pool, contract)
  if (other !== undefined) {
    const names = rows.map((row) => `A.${row.address}.${row.name}`).join(', ')
    throw new FatalError('ambiguous-contract', `${rows.length} contracts are named ${name}. Give one of ${names}.`)
  }
  if (found.code !== null) return { ...found, code: found.code }
  const message =
    `The code of A.${found.address}.${name} is not in the database yet. Try again later, or read it from an ` +
    'access node: --node <host:port>.'
  throw new FatalError('no-contract-code', message)
}

const maxNames = 5
/** More than any network has. */
const maxCompared = 200_000

async function unknownContract(pool: pg.Pool, { address, name }: ContractName): Promise<FatalError> {
  const { rows } = await query<{ address: string; name: string }>(
    pool,
    'select substr(address, 3) as address, name from app.smart_contracts where not is_removed order by 2, 1 limit $1',
    [maxCompared],
  )
  const distances = rows.map((row) => {
    const steps = editDistance(row.name.toLowerCase().slice(0, 100), name.toLowerCase().slice(0, 100))
    const isPart = row.name.toLowerCase().includes(name.toLowerCase())
    return { ...row, steps: row.address === address ? steps / 2 : isPart ? 1 : steps }
  })
  const nearest = distances
    .filter((row) => row.address === address || row.steps <= Math.ceil(name.length / 3))
    .toSorted((a, b) => a.steps - b.steps)
    .slice(0, maxNames)
    .map((row) => `A.${row.address}.${row.name}`)
  const given = address === undefined ? name : `A.${address}.${name}`
  const similar = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(', ')}?`
  const { rows: covered } = await query<{ first: number | null }>(
    pool,
    "select lower(covered)::float8 as first from app.coverage where service_name = 'meta_worker'",
  )
  const history =
    covered[0]?.first === 0
      ? ''
      : ' History is still being indexed: try again later, or give A.<address>.<name> and --node <host:port>.'
  const message = `The database has no contract ${given}.${similar}${history}`
  return new FatalError('unknown-contract', message)
}

/** In byte order, "/" follows ".". */
async function readShapes(pool: pg.Pool, id: string): Promise<ContractSource['shapes']> {
  const { rows } = await query<{ type: string; fields: readonly string[] }>(
    pool,
    `select s.type, s.fields from app.event_types t join raw.event_shapes s on s.type = t.type
     where t.type >= $1 and t.type < $2 order by s.id limit 1000`,
    [`${id}.`, `${id}/`],
  )
  return rows.filter(({ fields }) => fields.length > 0).map(({ type, fields }) => [parseEventType(type).name, fields])
}

const maxPayloadCharacters = 8192

interface EventRow {
  readonly type: string
  readonly height: number
  readonly timestamp: Date
  readonly txIndex: number
  readonly transactionId: string
  readonly index: number
  readonly fields: PayloadFields
}

async function readRecorded(pool: pg.Pool, id: string): Promise<readonly RecordedEvent[]> {
  const { rows } = await query<EventRow>(
    pool,
    `select t.type, e.*
     from app.event_types t
     cross join lateral (
       select b.block_height
       from (select piece from app.event_type_pieces p where p.type = t.type order by piece desc limit 3) p
       join app.block_event_types b on b.block_height between p.piece * 100 and p.piece * 100 + 99
       where t.type = any (b.types)
       order by b.block_height desc limit 3
     ) b
     cross join lateral (
       select e.block_height::float8 as height, e.timestamp, e.tx_index as "txIndex",
         encode(e.transaction_id, 'hex') as "transactionId", e.event_index as index, e.payload as fields
       from raw.events_with_id e
       where e.block_height = b.block_height and e.type = t.type and length(e.payload::text) < $3
       order by e.tx_index, e.event_index limit 3
     ) e
     where t.type >= $1 and t.type < $2
     order by t.type, e.height desc, e."txIndex", e.index`,
    [`${id}.`, `${id}/`, maxPayloadCharacters],
  )
  const counts = new Map<string, number>()
  return rows.flatMap(({ type, height, timestamp, ...event }) => {
    const count = (counts.get(type) ?? 0) + 1
    counts.set(type, count)
    const { name } = parseEventType(type)
    return count > 3 ? [] : [{ name, type, height, timestamp: timestamp.toISOString(), ...event }]
  })
}
