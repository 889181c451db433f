/**
 * Measures what fetching costs: CPU per block of three calls (light block, then transactions and results at once), the
 * answers read but not decoded further. Run it against a node on the same machine that answers from memory, or on the
 * simulated chain:
 *
 *     node scripts/bench/fetch.ts [--endpoint host:port --from height] [--blocks n] [--rounds n]
 *
 * The transports take turns, because the same work costs up to 1.7 times as much from one minute to the next.
 */
import { cpus } from 'node:os'
import { GrpcJsTransport } from '../../src/access/grpc-js-transport.ts'
import { Http2Transport } from '../../src/access/http2-transport.ts'
import { parseEndpoint } from '../../src/access/parse-endpoint.ts'
import { median } from './farm/quantile.ts'
import { measureFetch } from './fetch/measure-fetch.ts'
import type { FetchRun } from './fetch/measure-fetch.ts'
import { callAndRead } from './fetch/three-calls.ts'
import { readOptions } from './read-options.ts'
import { openSource } from './simulated-node.ts'

const { values } = readOptions(import.meta.filename, {
  options: {
    endpoint: { type: 'string' },
    from: { type: 'string', default: '140000000' },
    blocks: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
  },
})
const inFlights = [1, 16, 64]
const blocks = Number(values.blocks)
const rounds = Number(values.rounds)

const given = values.endpoint === undefined ? undefined : { endpoint: values.endpoint, from: Number(values.from) }
await using source = await openSource(given, blocks)
const endpoint = parseEndpoint(source.endpoint)
const last = source.from + blocks - 1
const transports = [
  { name: 'Http2Transport', transport: new Http2Transport(endpoint) },
  { name: '@grpc/grpc-js', transport: new GrpcJsTransport(endpoint) },
]
const rows = transports.flatMap((entry) =>
  inFlights.map((inFlight) => ({ ...entry, inFlight, runs: [] as FetchRun[] })),
)
for (const { transport } of transports) {
  await measureFetch((height) => callAndRead(transport, height), source.from, Math.min(last, source.from + 500), 16)
}
for (let round = 0; round < rounds; round++) {
  for (const { transport, inFlight, runs } of rows) {
    runs.push(await measureFetch((height) => callAndRead(transport, height), source.from, last, inFlight))
  }
}
for (const { transport } of transports) await transport.close()

const kilobytes = rows[0]?.runs[0]?.kilobytes ?? 0
console.log(
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; ` +
    `${blocks} blocks of 3 calls and ${kilobytes.toFixed(1)} KB; ${rounds} rounds by turns, medians`,
)
console.table(
  rows.map(({ name, inFlight, runs }) => ({
    client: name,
    'blocks in flight': inFlight,
    'CPU ms per block': Number(median(runs.map((run) => run.cpuMs)).toFixed(3)),
    'blocks/s': Math.round(median(runs.map((run) => run.blocksPerSecond))),
    'RSS MB': Math.round(median(runs.map((run) => run.rssMb))),
  })),
)
