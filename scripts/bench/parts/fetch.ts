import { createChainSource } from '../../../src/access/create-chain-source.ts'
import { GrpcJsTransport } from '../../../src/access/grpc-js-transport.ts'
import { parseEndpoint } from '../../../src/access/parse-endpoint.ts'
import type { BenchSheet } from '../bench-run.ts'
import { median } from '../farm/quantile.ts'
import { measureFetch } from '../fetch/measure-fetch.ts'
import type { FetchRun } from '../fetch/measure-fetch.ts'
import { callForBlock } from '../fetch/three-calls.ts'
import { startSimulatedNode } from '../simulated-node.ts'

/** Few enough that the node keeps them all made, so that what it takes to make them is not measured. */
const blocks = 200
const inFlight = 16

/** Fetching as ingest does it, and bare gRPC, by turns. */
export async function benchFetch(sheet: BenchSheet): Promise<void> {
  await using node = await startSimulatedNode(blocks)
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined }
  const source = createChainSource({ liveEndpoints: [node.endpoint], historicEndpoints: [], log })
  const transport = new GrpcJsTransport(parseEndpoint(node.endpoint))
  const ways = [
    { runs: [] as FetchRun[], fetchBlock: (height: number) => source.fetchBlock(height).then(() => 0) },
    { runs: [] as FetchRun[], fetchBlock: (height: number) => callForBlock(transport, height).then(({ light }) => light.length) },
  ] as const
  const last = node.from + blocks - 1
  try {
    await source.chainId()
    for (let round = 0; round <= sheet.size.fetchRounds; round++) {
      for (const { runs, fetchBlock } of ways) {
        const run = await measureFetch(fetchBlock, node.from, last, inFlight)
        if (round > 0) runs.push(run)
      }
    }
  } finally {
    await source.close()
    await transport.close()
  }
  const [ours, bare] = ways.map(({ runs }) => ({
    pace: median(runs.map((run) => run.blocksPerSecond)), cpu: median(runs.map((run) => run.cpuMs)),
  }))
  sheet.note('fetch.pace', ours?.pace ?? Number.NaN, bare?.pace)
  sheet.note('fetch.cpu', ours?.cpu ?? Number.NaN, bare?.cpu)
}
