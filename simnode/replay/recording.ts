import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { readFileSync, readdirSync } from 'node:fs'
import type { EventEncoding } from '../../src/access/messages.ts'
import type { NodeError } from '../node/node-view.ts'
import { bytesOf, contentsOf, numberOf } from '../node/wire.ts'
import { FatalError, asError } from '../../src/platform/errors.ts'

export interface RecordedBlock {
  readonly height: number
  /** 32 bytes. */
  readonly id: Buffer
  readonly parentId: Buffer
  /** Nanoseconds since 1970. */
  readonly timestampNs: bigint
  /** `entities.Block` without and with `full_block_response`. */
  readonly light: Buffer
  readonly full: Buffer
  readonly header: Buffer
  /** In the order of the guarantees. */
  readonly collections: readonly Buffer[]
  readonly collectionIds: readonly Buffer[]
  /** System transactions last. */
  readonly transactions: readonly Buffer[]
  readonly transactionIds: readonly Buffer[]
  readonly userTransactionCount: number
  readonly results: Readonly<Record<EventEncoding, readonly Buffer[]>>
  /** The node's error for transactions and results, at height 0. */
  readonly bulkError: NodeError | undefined
}

interface HeightAnswers {
  readonly light: Buffer
  readonly full: Buffer
  readonly header: Buffer
  readonly collections: ReadonlyMap<string, Buffer>
  readonly transactions: Buffer | NodeError
  readonly results: Readonly<Record<EventEncoding, Buffer | NodeError>>
}

function recordedBlockOf(answers: HeightAnswers): RecordedBlock {
  const light = bytesOf(answers.light, 1)
  const timestamp = bytesOf(light, 4)
  const collectionIds = contentsOf(light, 5).map((guarantee) => bytesOf(guarantee, 1))
  const collections = collectionIds.map((id) => {
    const answer = answers.collections.get(id.toString('hex'))
    if (answer === undefined) throw new RangeError(`The recording lacks collection ${id.toString('hex')}`)
    return bytesOf(answer, 1)
  })
  const results = { 'json-cdc': listOf(answers.results['json-cdc']), ccf: listOf(answers.results.ccf) }
  return {
    height: numberOf(light, 3),
    id: bytesOf(light, 1),
    parentId: bytesOf(light, 2),
    timestampNs: timestampNsOf(timestamp),
    light,
    full: bytesOf(answers.full, 1),
    header: bytesOf(answers.header, 1),
    collections,
    collectionIds,
    transactions: listOf(answers.transactions),
    transactionIds: results.ccf.map((result) => bytesOf(result, 6)),
    userTransactionCount: collections.reduce((sum, collection) => sum + contentsOf(collection, 2).length, 0),
    results,
    bulkError: Buffer.isBuffer(answers.results.ccf) ? undefined : answers.results.ccf,
  }
}

export function timestampNsOf(timestamp: Buffer): bigint {
  return BigInt(numberOf(timestamp, 1)) * 1_000_000_000n + BigInt(numberOf(timestamp, 2))
}

function listOf(answer: Buffer | NodeError): Buffer[] {
  return Buffer.isBuffer(answer) ? contentsOf(answer, 1) : []
}

export interface RecordedCall {
  readonly method: string
  readonly height: number | undefined
  readonly request: Buffer
  readonly answer: Buffer | NodeError
}

/** From height 0 to its head. */
export interface RecordedVersion {
  /** `''` for `calls.jsonl.gz`, `a` for `calls-a.jsonl.gz`. */
  readonly name: string
  readonly blocks: readonly RecordedBlock[]
  /** Answers that do not follow from blocks, by `keyOf`. */
  readonly answers: ReadonlyMap<string, Buffer | NodeError>
  /** Events of height 0, by `${encoding} ${type}`; no other call returns them. */
  readonly bootstrapEvents: ReadonlyMap<string, Buffer>
  /** The same in every answer. */
  readonly metadata: Buffer
  readonly calls: readonly RecordedCall[]
}

/** Ordered by name. Immutable: nodes may share it. */
export interface Recording {
  readonly folder: string
  readonly versions: ReadonlyMap<string, RecordedVersion>
}

/** Calls that blocks cannot answer. */
const standaloneMethods = new Set([
  'Ping',
  'GetNetworkParameters',
  'GetNodeVersionInfo',
  'GetLatestProtocolStateSnapshot',
  'GetAccountAtLatestBlock',
])

export function keyOf(method: string, request: Buffer): string {
  return `${method} ${request.toString('base64')}`
}

/**
 * A file whose heights do not begin at 0 continues the file before it, and replaces its heights.
 *
 * @throws FatalError when the folder is unreadable or empty, or a height is incomplete
 */
export async function loadRecording(folder: string): Promise<Recording> {
  const names = await readdir(folder).catch((thrown: unknown) => {
    throw new FatalError('recording-unreadable', `Cannot read the folder ${folder}: ${asError(thrown).message}`, {
      cause: thrown,
    })
  })
  const files = names.filter((name) => /^calls(-\w+)?\.jsonl\.gz$/.test(name)).sort()
  if (files.length === 0) throw new FatalError('recording-missing', `The folder ${folder} holds no calls*.jsonl.gz`)
  const versions = new Map<string, RecordedVersion>()
  let previous: RecordedVersion | undefined
  for (const file of files) {
    const name = /^calls-?(\w*)\./.exec(file)?.[1] ?? ''
    try {
      const scripts = file.replace('calls', 'scripts')
      const ofScripts = names.includes(scripts) ? await readCalls(join(folder, scripts)) : []
      previous = versionOf(name, await readCalls(join(folder, file)), ofScripts, previous)
    } catch (thrown) {
      throw new FatalError('recording-damaged', `${join(folder, file)}: ${asError(thrown).message}`, { cause: thrown })
    }
    versions.set(name, previous)
  }
  return { folder, versions }
}

async function readCalls(path: string): Promise<RecordedCall[]> {
  const text = (await promisify(gunzip)(await readFile(path))).toString('utf8').trimEnd()
  return text.split('\n').map((line) => {
    const call = JSON.parse(line) as {
      method: string
      height?: number
      request: string
      response?: string
      error?: NodeError
    }
    return {
      method: call.method,
      height: call.height,
      request: Buffer.from(call.request, 'base64'),
      answer: call.error ?? Buffer.from(call.response ?? '', 'base64'),
    }
  })
}

function versionOf(
  name: string,
  calls: readonly RecordedCall[],
  scripts: readonly RecordedCall[],
  previous: RecordedVersion | undefined,
): RecordedVersion {
  const answers = new Map(previous?.answers)
  const byKey = new Map<string, Buffer | NodeError>()
  for (const call of calls) {
    byKey.set(keyOf(call.method, call.request), call.answer)
    if (standaloneMethods.has(call.method)) answers.set(keyOf(call.method, call.request), call.answer)
  }
  for (const call of scripts) answers.set(keyOf(call.method, call.request), call.answer)
  const bootstrapEvents = new Map(previous?.bootstrapEvents)
  for (const call of calls) if (call.method === 'GetEventsForHeightRange') collectBootstrapEvents(call, bootstrapEvents)
  const ownBlocks = blocksOf(calls, byKey)
  const first = ownBlocks[0]?.height ?? 0
  const blocks = [...(previous?.blocks.slice(0, first) ?? []), ...ownBlocks]
  blocks.forEach((block, height) => {
    if (block.height !== height) throw new RangeError(`The recording lacks height ${height}`)
  })
  const latest = calls.findLast((call) => call.method === 'GetLatestBlockHeader')?.answer
  if (!(latest instanceof Buffer)) throw new RangeError('The recording lacks GetLatestBlockHeader')
  return { name, blocks, answers, bootstrapEvents, metadata: bytesOf(latest, 3), calls }
}

function blocksOf(calls: readonly RecordedCall[], byKey: ReadonlyMap<string, Buffer | NodeError>): RecordedBlock[] {
  const collections = new Map<string, Buffer>()
  for (const { method, request, answer } of calls) {
    if (method !== 'GetCollectionByID' || !Buffer.isBuffer(answer)) continue
    collections.set(bytesOf(request, 1).toString('hex'), answer)
  }
  const headers = calls.filter((c) => c.method === 'GetBlockHeaderByHeight' && c.answer instanceof Buffer)
  return headers.map((call) => {
    const header = call.answer as Buffer
    const height = numberOf(call.request, 1)
    const id = bytesOf(bytesOf(header, 1), 1)
    const answerOf = (method: string, ...request: Buffer[]): Buffer | NodeError => {
      const answer = byKey.get(keyOf(method, Buffer.concat(request)))
      if (answer === undefined) throw new RangeError(`The recording lacks ${method} of height ${height}`)
      return answer
    }
    const byHeight = call.request
    const byId = Buffer.concat([Buffer.from([10, id.length]), id])
    const full = Buffer.from([16, 1])
    const block = (answer: Buffer | NodeError): Buffer => {
      if (!(answer instanceof Buffer)) throw new RangeError(`Height ${height} was refused`)
      return answer
    }
    return recordedBlockOf({
      light: block(answerOf('GetBlockByHeight', byHeight)),
      full: block(answerOf('GetBlockByHeight', byHeight, full)),
      header,
      collections,
      transactions: answerOf('GetTransactionsByBlockID', byId),
      results: {
        'json-cdc': answerOf('GetTransactionResultsByBlockID', byId),
        ccf: answerOf('GetTransactionResultsByBlockID', byId, Buffer.from([16, 1])),
      },
    })
  })
}

function collectBootstrapEvents(call: RecordedCall, found: Map<string, Buffer>): void {
  if (!(call.answer instanceof Buffer) || numberOf(call.request, 2) !== 0) return
  const first = contentsOf(call.answer, 1)[0]
  if (first === undefined) return
  const encoding: EventEncoding = numberOf(call.request, 4) === 1 ? 'ccf' : 'json-cdc'
  if (contentsOf(first, 3).length > 0) found.set(`${encoding} ${bytesOf(call.request, 1).toString()}`, first)
}

export interface RecordedEvent {
  type: string
  ccf: Buffer
  json: Buffer
}

const recordings = new URL('../../test/recordings/', import.meta.url)
const resultsMethod = 'GetTransactionResultsByBlockID'

export function recordingFiles(folder: 'base' | 'fork'): string[] {
  const names = readdirSync(new URL(`${folder}/`, recordings))
  return names.filter((name) => /^calls.*\.jsonl\.gz$/.test(name)).sort()
}

export function recordedCounts(folder: 'base'): Record<string, number> {
  const text = readFileSync(new URL(`${folder}/counts.json`, recordings), 'utf8')
  return (JSON.parse(text) as { events: Record<string, number> }).events
}

export function readRecordedEvents(folder: 'base' | 'fork', file: string): RecordedEvent[] {
  const text = gunzipSync(readFileSync(new URL(`${folder}/${file}`, recordings))).toString('utf8')
  const ccf = new Map<string, RecordedPayload[]>()
  const json = new Map<string, RecordedPayload[]>()
  for (const line of text.trimEnd().split('\n')) {
    const { method, request, response } = JSON.parse(line) as { method: string; request: string; response?: string }
    if (method !== resultsMethod || response === undefined) continue
    const payloads = eventsOf(Buffer.from(response, 'base64'))
    if (payloads.length === 0) continue
    // Requests for a block differ in the encoding only.
    const byBlock = payloads.some(({ payload }) => payload[0] === 0x7b) ? json : ccf
    byBlock.set(bytesOf(Buffer.from(request, 'base64'), 1).toString('hex'), payloads)
  }
  return [...ccf].flatMap(([block, payloads]) =>
    payloads.map(({ type, payload }, index) => {
      const other = json.get(block)?.[index]
      if (other?.type !== type) throw new Error(`block ${block} lacks event ${index} in JSON-CDC`)
      return { type, ccf: payload, json: other.payload }
    }),
  )
}

interface RecordedPayload {
  type: string
  payload: Buffer
}

export function eventsOf(response: Buffer): RecordedPayload[] {
  return contentsOf(response, 1)
    .flatMap((result) => contentsOf(result, 4))
    .map((event) => ({ type: bytesOf(event, 1).toString('utf8'), payload: bytesOf(event, 5) }))
}
