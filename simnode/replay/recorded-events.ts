import { readFileSync, readdirSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** An event of a recording, in both of the encodings that the node gave it in. */
export interface RecordedEvent {
  type: string
  ccf: Buffer
  json: Buffer
}

interface RecordedCall {
  method: string
  height?: number
  request: string
  response?: string
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
    const { method, request, response } = JSON.parse(line) as RecordedCall
    if (method !== resultsMethod || response === undefined) continue
    const payloads = eventsOf(Buffer.from(response, 'base64'))
    if (payloads.length === 0) continue
    // The same block is asked for once in each encoding: the request differs in that only.
    const [blockId] = fieldsOf(Buffer.from(request, 'base64'), 1)
    const byBlock = payloads.some(({ payload }) => payload[0] === 0x7b) ? json : ccf
    byBlock.set(blockId?.toString('hex') ?? '', payloads)
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
  return fieldsOf(response, 1)
    .flatMap((result) => fieldsOf(result, 4))
    .map((event) => ({
      type: fieldsOf(event, 1)[0]?.toString('utf8') ?? '',
      payload: fieldsOf(event, 5)[0] ?? Buffer.alloc(0),
    }))
}

/** The length-delimited fields `number` of a protobuf message. */
export function fieldsOf(message: Buffer, number: number): Buffer[] {
  const found: Buffer[] = []
  let at = 0
  const varint = (): number => {
    for (let value = 0, scale = 1; at < message.length; scale *= 128) {
      const byte = message.readUInt8(at++)
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new Error('a varint ends early')
  }
  while (at < message.length) {
    const tag = varint()
    const wireType = tag % 8
    if (wireType === 2) {
      const length = varint()
      if (Math.floor(tag / 8) === number) found.push(message.subarray(at, at + length))
      at += length
    } else if (wireType === 0) {
      varint()
    } else {
      at += wireType === 1 ? 8 : 4
    }
  }
  return found
}
