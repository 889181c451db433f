import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { declaredEvents } from '../../flow/code/find-contract-code.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { readEventPage } from '../paging/event-pages.ts'
import { listOf, wholeList } from '../paging/pages.ts'
import { contractParameters, unknownContract, unknownContractProblem, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { readByPlaces } from '../transactions/events.ts'
import { readScripts } from '../transactions/scripts.ts'
import { exampleContractScript, exampleEventType } from './schema.ts'
import { readContractCode, readContracts, isKnownContract } from './queries.ts'

const contractEventTypeSchema = z
  .strictObject({
    type: z.string().describe('A.<address>.<contract>.<event>'),
    event_name: z.string(),
    count: countFormat.describe('Indexed events of the type; 0 if it is only declared.'),
    last_seen: timestampFormat.nullable().describe('Time of the last event.'),
    last_seen_height: heightFormat.nullable().describe('Block of the last event.'),
    is_declared: z.boolean().describe('Whether the current code declares it; false if the code is unknown.'),
  })
  .meta({ id: 'ContractEventType' })
export type ContractEventType = z.output<typeof contractEventTypeSchema>

const contractScriptSchema = z
  .strictObject({
    script_hash: idFormat.describe('SHA-256 of the script.'),
    tx_count: countFormat.describe('Transactions with the script in the counted blocks.'),
    category: z.string().describe('See template_category of transactions.'),
    label: z.string().describe('See template_label of transactions.'),
    script_preview: z.string().describe('Start of the script.'),
    last_seen_height: heightFormat.describe('Block of the last such transaction.'),
    counted_blocks: countFormat.describe('Number of counted blocks.'),
    counted_from_height: heightFormat.describe('Lowest counted block.'),
  })
  .meta({ id: 'ContractScript' })
export type ContractScript = z.output<typeof contractScriptSchema>

interface EventTypeRow {
  readonly type: string
  readonly count: number
  readonly last_height: number
}

const scriptUseRow = z.object({ script_hash: z.string(), count: z.number(), last_height: z.number() })
type ScriptUseRow = z.output<typeof scriptUseRow>

function presentEventTypes(
  contract: string,
  rows: readonly EventTypeRow[],
  declared: readonly string[],
  times: ReadonlyMap<number, string>,
): ContractEventType[] {
  const seen = rows.map(({ type, count, last_height: height }) => {
    const name = type.slice(contract.length + 1)
    return {
      type,
      event_name: name,
      count,
      last_seen: times.get(height) ?? null,
      last_seen_height: height,
      is_declared: declared.includes(name),
    }
  })
  const known = new Set(seen.map((one) => one.event_name))
  const unseen = declared
    .filter((name) => !known.has(name))
    .toSorted()
    .map((name) => ({
      type: `${contract}.${name}`,
      event_name: name,
      count: 0,
      last_seen: null,
      last_seen_height: null,
      is_declared: true,
    }))
  return [...seen, ...unseen]
}

const maxBlocks = 200

const counting = `Counted in the newest ${maxBlocks} blocks with a transaction that imports the contract.`

const events = defineRoute({
  path: '/flow/contract/{identifier}/events',
  operationId: 'listContractEventTypes',
  cost: 'high',
  tag: 'Contracts',
  summary: 'Event types of a contract, most frequent first',
  description: 'Indexed types with exact counts, followed by types that are only declared in the current code.',
  params: contractParameters,
  query: z.object({ limit: limitParameter({ default: 50, max: 100 }) }),
  response: listOf(contractEventTypeSchema, 'ContractEventType'),
  problems: unknownContractProblem,
  example: wholeList([exampleEventType]),
  handler: async ({ params: { identifier }, query: { limit } }, services) => {
    const { database } = services
    if (!(await isKnownContract(database, identifier))) throw unknownContract(identifier)
    const [rows, declared] = await Promise.all([
      listContractEventTypes(database, identifier, limit),
      readDeclared(identifier, services),
    ])
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.last_height),
    )
    return { body: wholeList(presentEventTypes(identifier, rows, declared, times).slice(0, limit)), caching: 'minute' }
  },
})

async function readDeclared(identifier: string, { database, network }: Services): Promise<readonly string[]> {
  const [row] = await readContracts(database, [identifier], false)
  const code = row && (await readContractCode(database, network(), Buffer.from(row.code_hash, 'hex')))
  return code === undefined ? [] : declaredEvents(code.text)
}

const scripts = defineRoute({
  path: '/flow/contract/{identifier}/scripts',
  operationId: 'listContractScripts',
  cost: 'high',
  tag: 'Contracts',
  summary: 'Scripts that import a contract, most used first',
  description: counting,
  params: contractParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }) }),
  response: listOf(contractScriptSchema, 'ContractScript'),
  problems: unknownContractProblem,
  example: wholeList([exampleContractScript]),
  handler: async ({ params: { identifier }, query: { limit } }, services) => {
    const { database } = services
    if (!(await isKnownContract(database, identifier))) throw unknownContract(identifier)
    const blocks = await listUsingBlocks(database, await readBounds(database), identifier, maxBlocks)
    return { body: wholeList(await readScriptUses(blocks, limit, services)), caching: 'minute' }
  },
})

const previewLength = 500

async function readScriptUses(
  blocks: readonly UsingBlock[],
  limit: number,
  { database, network }: Services,
): Promise<ContractScript[]> {
  const rows = (await countScripts(database, blocks)).slice(0, limit)
  const texts = await readScripts(
    database,
    network(),
    rows.map((row) => row.script_hash),
  )
  return rows.map(({ script_hash: hash, count, last_height: height }) => {
    const script = texts.get(hash)
    return {
      script_hash: hash,
      tx_count: count,
      category: script?.template.category ?? '',
      label: script?.template.label ?? '',
      script_preview: (script?.text ?? '').slice(0, previewLength).toWellFormed(),
      last_seen_height: height,
      counted_blocks: blocks.length,
      counted_from_height: blocks.at(-1)?.height ?? 0,
    }
  })
}

export const contractUseRoutes = [events, scripts]

const placeRow = z.object({ block_height: z.number(), tx_indexes: z.array(z.number()) })

interface UsingBlock {
  readonly height: number
  readonly txIndexes: readonly number[]
}

/** Newest first. */
async function listUsingBlocks(
  database: DatabasePool,
  bounds: Bounds | undefined,
  contract: string,
  count: number,
): Promise<readonly UsingBlock[]> {
  const rows = await readEventPage(bounds, undefined, count, ({ low, high, count: limit }) =>
    database.any(sql.type(placeRow)`
      select block_height, tx_indexes from app.tx_contracts
      where contract = ${contract} and block_height between ${low} and ${high}
      order by block_height desc limit ${limit}
    `),
  )
  return rows.map(({ block_height: height, tx_indexes: txIndexes }) => ({ height, txIndexes }))
}

async function countScripts(database: DatabasePool, blocks: readonly UsingBlock[]): Promise<readonly ScriptUseRow[]> {
  if (blocks.length === 0) return []
  const places = blocks.flatMap(({ height, txIndexes }) => txIndexes.map((index) => ({ height, index })))
  const heights = blocks.map(({ height }) => height)
  return database.any(sql.type(scriptUseRow)`
    select encode(script_hash, 'hex') as script_hash, count(*) as count, max(block_height) as last_height
    from raw.transactions
    where block_height = any (${sql.array(heights, 'int8')}) and (block_height, tx_index) in (
      select height, index from unnest(
        ${sql.array(
          places.map(({ height }) => height),
          'int8',
        )}, ${sql.array(
          places.map(({ index }) => index),
          'int4',
        )}
      ) as place(height, index)
    )
    group by script_hash
    order by count desc, script_hash
  `)
}

/** Must match the worker of app.event_type_pieces. */
const heightsPerPiece = 100

const typeRow = z.object({ type: z.string(), count: z.number(), piece: z.number() })
const lastRow = z.object({ type: z.string(), height: z.number() })

/** Most events first. Reads stored counts and one piece per type. */
export async function listContractEventTypes(
  database: DatabasePool,
  contract: string,
  count: number,
): Promise<readonly EventTypeRow[]> {
  // Byte order: a slash follows a dot.
  const rows = await database.any(sql.type(typeRow)`
    select t.type, t.event_count as count, last.piece
    from (
      select type, event_count from app.event_types
      where type > ${`${contract}.`} and type < ${`${contract}/`}
      order by event_count desc, type
      limit ${count}
    ) as t cross join lateral (
      select p.piece from app.event_type_pieces p where p.type = t.type order by p.piece desc limit 1
    ) as last
    order by t.event_count desc, t.type
  `)
  const heights = await readLastHeights(database, rows)
  return rows.flatMap(({ type, count: events }) => {
    const height = heights.get(type)
    return height === undefined ? [] : [{ type, count: events, last_height: height }]
  })
}

/** A piece without a matching block is being rolled back. */
async function readLastHeights(
  database: DatabasePool,
  types: readonly z.output<typeof typeRow>[],
): Promise<ReadonlyMap<string, number>> {
  const places = types.map(({ type, piece }) => ({ type, block_height: piece * heightsPerPiece }))
  const rows = await readByPlaces(places, (ofWindow, low, high) =>
    database.any(sql.type(lastRow)`
    select wanted.type, max(b.block_height) as height
    from unnest(
      ${sql.array(
        ofWindow.map(({ type }) => type),
        'text',
      )}, ${sql.array(
        ofWindow.map((place) => place.block_height),
        'int8',
      )}
    ) as wanted (type, first)
    join app.block_event_types b on b.block_height between wanted.first and wanted.first + ${heightsPerPiece - 1}
      and b.block_height between ${low} and ${high + heightsPerPiece - 1}
    where wanted.type = any (b.types)
    group by wanted.type
  `),
  )
  return new Map(rows.map(({ type, height }) => [type, height]))
}
