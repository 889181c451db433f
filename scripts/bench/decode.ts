/**
 * How fast event payloads are decoded: CCF to flattened JSON bytes, CCF to objects, and JSON-CDC beside them.
 *
 *     npm run bench:decode [-- --endpoint host:port --from height] [--blocks n] [--runs n] [--seconds s] [--recorded]
 *
 * The events are those of blocks of the simulated chain, or of a node that speaks gRPC without TLS, or with `--recorded` those
 * of test/recordings. One thread; each figure is the median of the runs.
 */
import { cpus } from 'node:os'
import { readRecordedEvents, recordingFiles } from '../../simnode/replay/recording.ts'
import type { RecordedEvent } from '../../simnode/replay/recording.ts'
import { rateOf, waysToDecode } from './decode/decode-rates.ts'
import { fetchEvents } from './decode/fetch-events.ts'
import { readOptions } from './read-options.ts'
import { openSource } from './simulated-node.ts'

const { values } = readOptions(import.meta.filename, {
  options: {
    endpoint: { type: 'string' },
    from: { type: 'string', default: '140000000' },
    blocks: { type: 'string', default: '200' },
    runs: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '0.3' },
    recorded: { type: 'boolean', default: false },
  },
})
const options = { runs: Number(values.runs), seconds: Number(values.seconds) }

const events = values.recorded
  ? recordingFiles('base').flatMap((file) => readRecordedEvents('base', file))
  : await fetched(Number(values.blocks))
const groups: Array<[name: string, events: RecordedEvent[]]> = [
  ['all events', events],
  ['EVM.TransactionExecuted', events.filter(({ type }) => type.endsWith('.EVM.TransactionExecuted'))],
  ['FungibleToken.*', events.filter(({ type }) => type.includes('.FungibleToken.'))],
]

console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`)
const origin = values.recorded ? 'recordings' : (values.endpoint ?? 'the simulated chain')
console.log(`${events.length} events from ${origin}, median of ${options.runs} runs of ${options.seconds} s\n`)
console.log(['events'.padEnd(26), 'way'.padEnd(24), 'bytes', 'µs/event', 'events/s', 'best'].join('  '))
for (const [group, members] of groups) {
  if (members.length === 0) continue
  for (const [way, decode] of Object.entries(waysToDecode)) {
    const { median, best } = rateOf(members, decode, options)
    const encoding = way.startsWith('CCF') ? 'ccf' : 'json'
    const size = members.reduce((sum, event) => sum + event[encoding].length, 0) / members.length
    console.log(
      [
        group.padEnd(26),
        way.padEnd(24),
        size.toFixed(0).padStart(5),
        (1e6 / median).toFixed(2).padStart(8),
        Math.round(median).toLocaleString('en').padStart(9),
        Math.round(best).toLocaleString('en'),
      ].join('  '),
    )
  }
}

async function fetched(blocks: number): Promise<RecordedEvent[]> {
  const given = values.endpoint === undefined ? undefined : { endpoint: values.endpoint, from: Number(values.from) }
  await using source = await openSource(given, blocks)
  return await fetchEvents(source.endpoint, source.from, blocks)
}
