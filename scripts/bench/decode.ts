/**
 * How fast event payloads are decoded: CCF to flattened JSON bytes, CCF to objects, and JSON-CDC beside them.
 *
 *     node scripts/bench/decode.ts [--endpoint host:port --from height --blocks n] [--runs n] [--seconds s]
 *
 * Without an endpoint the events come from the recordings in test/recordings; with one, from the given blocks of a
 * node that speaks gRPC without TLS. One thread; each figure is the median of the runs.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { Client, credentials } from '@grpc/grpc-js'
import { ByteWriter } from '../../src/base/byte-writer.ts'
import { decodePayload, writePayloadValues } from '../../src/chain/payload.ts'
import { eventsOf, fieldsOf, readRecordedEvents, recordingFiles } from '../../src/simnode/replay/recorded-events.ts'
import type { RecordedEvent } from '../../src/simnode/replay/recorded-events.ts'

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    from: { type: 'string', default: '140000000' },
    blocks: { type: 'string', default: '100' },
    runs: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '0.3' },
  },
})
const runs = Number(values.runs)
const seconds = Number(values.seconds)

const { endpoint } = values
const events = endpoint === undefined ? recorded() : await fetched(endpoint, Number(values.from), Number(values.blocks))
const groups: Array<[name: string, events: RecordedEvent[]]> = [
  ['all events', events],
  ['EVM.TransactionExecuted', events.filter(({ type }) => type.endsWith('.EVM.TransactionExecuted'))],
  ['FungibleToken.*', events.filter(({ type }) => type.includes('.FungibleToken.'))],
]
const out = new ByteWriter(4 * 1024 * 1024)
const ways: Array<[name: string, decode: (event: RecordedEvent) => void]> = [
  ['CCF to JSON bytes', ({ type, ccf }) => void writePayloadValues(type, ccf, out)],
  ['CCF to object', ({ type, ccf }) => void decodePayload(type, ccf)],
  ['JSON-CDC to JSON bytes', ({ type, json }) => void writePayloadValues(type, json, out)],
]

console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`)
console.log(`${events.length} events from ${endpoint ?? 'recordings'}, median of ${runs} runs of ${seconds} s\n`)
console.log(['events'.padEnd(26), 'way'.padEnd(24), 'bytes', 'µs/event', 'events/s', 'best'].join('  '))
for (const [group, members] of groups) {
  if (members.length === 0) continue
  for (const [way, decode] of ways) {
    const rates = Array.from({ length: runs }, () => rate(members, decode)).sort((left, right) => left - right)
    const median = rates[Math.floor(runs / 2)] ?? 0
    const encoding = way.startsWith('CCF') ? 'ccf' : 'json'
    const size = members.reduce((sum, event) => sum + event[encoding].length, 0) / members.length
    console.log(
      [
        group.padEnd(26),
        way.padEnd(24),
        size.toFixed(0).padStart(5),
        (1e6 / median).toFixed(2).padStart(8),
        Math.round(median).toLocaleString('en').padStart(9),
        Math.round(rates.at(-1) ?? 0).toLocaleString('en'),
      ].join('  '),
    )
  }
}

/** Events per second of processor time, which neighbours on the machine disturb less than the clock. */
function rate(members: readonly RecordedEvent[], decode: (event: RecordedEvent) => void): number {
  const start = process.cpuUsage()
  let decoded = 0
  for (;;) {
    out.clear()
    for (const event of members) decode(event)
    decoded += members.length
    const { user, system } = process.cpuUsage(start)
    const spent = (user + system) / 1e6
    if (spent >= seconds) return decoded / spent
  }
}

function recorded(): RecordedEvent[] {
  return recordingFiles('base').flatMap((file) => readRecordedEvents('base', file))
}

/** Asks for each block's id and, in both encodings, for its results. */
async function fetched(address: string, from: number, count: number): Promise<RecordedEvent[]> {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 })
  const call = (method: string, request: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const identity = (bytes: Buffer): Buffer => bytes
      client.makeUnaryRequest(`/flow.access.AccessAPI/${method}`, identity, identity, request, (error, answer) => {
        if (error !== null) reject(error)
        else resolve(answer ?? Buffer.alloc(0))
      })
    })
  const found: RecordedEvent[] = []
  for (let height = from; height < from + count; height++) {
    const [block] = fieldsOf(await call('GetBlockByHeight', Buffer.from([0x08, ...varint(height)])), 1)
    const [id] = fieldsOf(block ?? Buffer.alloc(0), 1)
    if (id === undefined) throw new Error(`no block at height ${height}`)
    const results = (version: number): Promise<Buffer> =>
      call('GetTransactionResultsByBlockID', Buffer.from([0x0a, id.length, ...id, 0x10, version]))
    const ccf = eventsOf(await results(1))
    const json = eventsOf(await results(0))
    for (const [index, { type, payload }] of ccf.entries()) {
      found.push({ type, ccf: payload, json: json[index]?.payload ?? Buffer.alloc(0) })
    }
  }
  client.close()
  return found
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}
