/**
 * Measures what fetching costs: CPU per block of three calls (light block, then transactions and results at once), the
 * answers read but not decoded further. Run it against a node on the same machine that answers from memory:
 *
 *     node scripts/bench/fetch.ts 127.0.0.1:3569 140000000 140001999 [rounds]
 *
 * The transports take turns, because the same work costs up to 1.7 times as much from one minute to the next.
 */
import { cpus } from 'node:os'
import { GrpcJsTransport } from '../../src/access/grpc-js-transport.ts'
import { Http2Transport } from '../../src/access/http2-transport.ts'
import { parseEndpoint } from '../../src/access/parse-endpoint.ts'
import type { Transport } from '../../src/access/transport.ts'
import { readBlockResponse } from '../../src/access/wire/read-block.ts'
import { readTransactionResultsResponse } from '../../src/access/wire/read-results.ts'
import { readTransactionsResponse } from '../../src/access/wire/read-transactions.ts'
import { heightRequest, transactionsByBlockRequest } from '../../src/access/wire/requests.ts'

const options = { timeoutMs: 30_000 }
const inFlights = [1, 16, 64]

interface Run {
  readonly cpuMs: number
  readonly blocksPerSecond: number
  readonly kilobytes: number
  readonly rssMb: number
}

async function fetchBlock(transport: Transport, height: number): Promise<number> {
  const light = await transport.unary('GetBlockByHeight', heightRequest(height), options)
  const request = transactionsByBlockRequest(readBlockResponse(light).id, 'ccf')
  const [transactions, results] = await Promise.all([
    transport.unary('GetTransactionsByBlockID', request, options),
    transport.unary('GetTransactionResultsByBlockID', request, options),
  ])
  const counts = [readTransactionsResponse(transactions).length, readTransactionResultsResponse(results).length]
  if (counts[0] !== counts[1]) throw new Error(`height ${height}: ${counts[0]} transactions, ${counts[1]} results`)
  return light.length + transactions.length + results.length
}

async function measure(transport: Transport, from: number, to: number, inFlight: number): Promise<Run> {
  const blocks = to - from + 1
  let [next, bytes] = [from, 0]
  const lane = async (): Promise<void> => {
    while (next <= to) bytes += await fetchBlock(transport, next++)
  }
  const [cpu, start] = [process.cpuUsage(), performance.now()]
  await Promise.all(Array.from({ length: inFlight }, lane))
  const { user, system } = process.cpuUsage(cpu)
  return {
    cpuMs: (user + system) / 1000 / blocks,
    blocksPerSecond: (blocks / (performance.now() - start)) * 1000,
    kilobytes: bytes / 1000 / blocks,
    rssMb: process.memoryUsage.rss() / 1e6,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function main(args: readonly string[]): Promise<void> {
  const [address = '', from = Number.NaN, to = Number.NaN, rounds = 3] = [args[0], ...args.slice(1).map(Number)]
  if (!(from <= to) || !(rounds >= 1)) {
    throw new Error('usage: fetch.ts <host:port> <first height> <last height> [rounds]')
  }
  const endpoint = parseEndpoint(address)
  const transports = [
    { name: 'Http2Transport', transport: new Http2Transport(endpoint) },
    { name: '@grpc/grpc-js', transport: new GrpcJsTransport(endpoint) },
  ]
  const rows = transports.flatMap((entry) => inFlights.map((inFlight) => ({ ...entry, inFlight, runs: [] as Run[] })))
  for (const { transport } of transports) await measure(transport, from, Math.min(to, from + 500), 16)
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) row.runs.push(await measure(row.transport, from, to, row.inFlight))
  }
  for (const { transport } of transports) await transport.close()

  const kilobytes = rows[0]?.runs[0]?.kilobytes ?? 0
  console.log(
    `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}; ` +
      `${to - from + 1} blocks of 3 calls and ${kilobytes.toFixed(1)} KB; ${rounds} rounds by turns, medians`,
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
}

await main(process.argv.slice(2))
