import { readFileSync, readdirSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { bytesOf, contentsOf } from '../node/wire.ts'

/** An event of a recording, in both of the node's encodings. */
export interface RecordedEvent {
  type: string
  ccf: Buffer
  json: Buffer
}

const recordings = new URL('../../test/recordings/', import.meta.url)
const resultsMethod = 'GetTransactionResultsByBlockID'

/** The files of calls in one folder of recordings. */
export function recordingFiles(folder: 'base' | 'fork'): string[] {
  const names = readdirSync(new URL(`${folder}/`, recordings))
  return names.filter((name) => /^calls.*\.jsonl\.gz$/.test(name)).sort()
}

/** The numbers of events by type that the reference decoder counted. */
export function recordedCounts(folder: 'base'): Record<string, number> {
  const text = readFileSync(new URL(`${folder}/counts.json`, recordings), 'utf8')
  return (JSON.parse(text) as { events: Record<string, number> }).events
}

/** Every event of every block of one file, in order. */
export function readRecordedEvents(folder: 'base' | 'fork', file: string): RecordedEvent[] {
  const text = gunzipSync(readFileSync(new URL(`${folder}/${file}`, recordings))).toString('utf8')
  const ccf = new Map<string, RecordedPayload[]>()
  const json = new Map<string, RecordedPayload[]>()
  for (const line of text.trimEnd().split('\n')) {
    const { method, request, response } = JSON.parse(line) as { method: string; request: string; response?: string }
    if (method !== resultsMethod || response === undefined) continue
    const payloads = eventsOf(Buffer.from(response, 'base64'))
    if (payloads.length === 0) continue
    // A block is requested once in each encoding; the requests differ in that only.
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

export interface RecordedPayload {
  type: string
  payload: Buffer
}

/** The events of a TransactionResultsResponse: transaction_results = 1, their events = 4, with type = 1, payload = 5. */
export function eventsOf(response: Buffer): RecordedPayload[] {
  return contentsOf(response, 1)
    .flatMap((result) => contentsOf(result, 4))
    .map((event) => ({ type: bytesOf(event, 1).toString('utf8'), payload: bytesOf(event, 5) }))
}
