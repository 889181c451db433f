import { createChainSource } from '../../../src/access/create-chain-source.ts'
import { GrpcJsTransport } from '../../../src/access/grpc-js-transport.ts'
import { parseEndpoint } from '../../../src/access/parse-endpoint.ts'
import type { BenchSheet } from '../bench-run.ts'
import { median } from '../farm/quantile.ts'
import { measureFetch } from '../fetch/measure-fetch.ts'
import type { FetchRun } from '../fetch/measure-fetch.ts'
import { callForBlock } from '../fetch/three-calls.ts'
import { cpuSeconds } from '../process-usage.ts'
import { startSimulatedNode } from '../simulated-node.ts'

/** Few enough that the node keeps them all made, so that what it takes to make them is not measured. */
const blocks = 200
const inFlight = 16
/** An ingester that is far behind has up to 256 under way: enough that the node never waits for its client. */
const inFlightMade = 128
const roundsMade = 3

/** Fetching as ingest does it, and bare gRPC, by turns; then what the node has to make before it answers. */
export async function benchFetch(sheet: BenchSheet): Promise<void> {
  await using node = await startSimulatedNode(blocks + (1 + roundsMade) * sheet.size.madeBlocks)
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined }
  const source = createChainSource({ liveEndpoints: [node.endpoint], historicEndpoints: [], log })
  const transport = new GrpcJsTransport(parseEndpoint(node.endpoint))
  const ways = [
    { runs: [] as FetchRun[], fetchBlock: (height: number) => source.fetchBlock(height).then(() => 0) },
    {
      runs: [] as FetchRun[],
      fetchBlock: (height: number) => callForBlock(transport, height).then(({ light }) => light.length),
    },
  ] as const
  const last = node.from + blocks - 1
  const made: { readonly pace: number; readonly nodeMs: number }[] = []
  try {
    await source.chainId()
    for (let round = 0; round <= sheet.size.fetchRounds; round++) {
      for (const { runs, fetchBlock } of ways) {
        const run = await measureFetch(fetchBlock, node.from, last, inFlight)
        if (round > 0) runs.push(run)
      }
    }
    for (let [round, from] = [0, last + 1]; round <= roundsMade; round++, from += sheet.size.madeBlocks) {
      const before = cpuSeconds(node.pid)
      const { blocksPerSecond } = await measureFetch(
        ways[0].fetchBlock,
        from,
        from + sheet.size.madeBlocks - 1,
        inFlightMade,
      )
      // Not the first: until then nothing of what makes blocks has been compiled.
      if (round > 0)
        made.push({ pace: blocksPerSecond, nodeMs: ((cpuSeconds(node.pid) - before) * 1000) / sheet.size.madeBlocks })
    }
  } finally {
    await source.close()
    await transport.close()
  }
  const [ours, bare] = ways.map(({ runs }) => ({
    pace: median(runs.map((run) => run.blocksPerSecond)),
    cpu: median(runs.map((run) => run.cpuMs)),
  }))
  sheet.note('fetch.pace', ours?.pace ?? Number.NaN, bare?.pace)
  sheet.note('fetch.cpu', ours?.cpu ?? Number.NaN, bare?.cpu)
  sheet.note('fetch.made', median(made.map(({ pace }) => pace)), ours?.pace)
  sheet.note('fetch.made-node', median(made.map(({ nodeMs }) => nodeMs)))
}
