/**
 * What deriving costs. First the processor time per block over blocks as ingest hands them on: of what workers share, which
 * in the farm whoever asks first pays for (decoding the events that any of them asks for, and finding which tokens moved), and
 * then of each worker that derives, in the order in which the farm has them. Then the whole program, ingest and all workers, from an empty database: pace, processor time, size, WAL.
 *
 *     npm run bench:derive [-- --endpoint host:port --from height] [--blocks n] [--runs n] [--sources memory,stored]
 *       [--whole-blocks n]
 *
 * Without an endpoint the blocks are those of the simulated chain; with one, of a node that speaks gRPC without TLS.
 * `memory` are blocks as ingest has fetched them; `stored` have values as JSON text, as the raw tables give
 * them. Time of the one thread that derives, so that other
 * load changes it little; each figure is the median of the runs after one to warm up.
 */
import { availableParallelism, cpus } from 'node:os'
import { measureWholeProgram } from './derive/whole-program.ts'
import type { WholeProgram } from './derive/whole-program.ts'
import { fetchToDerive, workerCosts } from './derive/worker-costs.ts'
import { readOptions } from './read-options.ts'
import { openSource } from './simulated-node.ts'

const { values } = readOptions(import.meta.filename, {
  options: {
    endpoint: { type: 'string' },
    from: { type: 'string', default: '140000000' },
    blocks: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '9' },
    sources: { type: 'string', default: 'memory,stored' },
    'whole-blocks': { type: 'string', default: '3000' },
  },
})
const runs = Number(values.runs)
const blocks = Number(values.blocks)
const wholeBlocks = Number(values['whole-blocks'])
const given = values.endpoint === undefined ? undefined : { endpoint: values.endpoint, from: Number(values.from) }

await using node = await openSource(given, Math.max(blocks, wholeBlocks))
const toDerive = await fetchToDerive(node, blocks)
console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores`)
console.log(
  `${blocks} blocks, ${toDerive.eventsPerBlock.toFixed(1)} events a block, median and best of ${runs} runs, µs per block\n`,
)
for (const source of ['memory', 'stored'] as const) {
  if (!values.sources.split(',').includes(source)) continue
  const costs = workerCosts(toDerive, source, runs)
  const sum = (pick: (cost: (typeof costs)[number]) => number): number =>
    costs.reduce((all, cost) => all + pick(cost), 0)
  const medians = sum(({ medianUs }) => medianUs)
  for (const { part, medianUs, bestUs } of costs) report(source, part, medianUs, bestUs, (medianUs / medians) * 100)
  report(
    source,
    'all',
    medians,
    sum(({ bestUs }) => bestUs),
    100,
  )
}
if (wholeBlocks > 0) reportWhole(await measureWholeProgram(wholeBlocks, node))

function reportWhole(whole: WholeProgram): void {
  console.log(
    `\nraw and derived together, ${whole.blocks} blocks of ${(whole.events / whole.blocks).toFixed(1)} events`,
  )
  console.log(
    `${whole.blocksPerSecond.toFixed(0)} blocks/s; Node ${whole.nodeMs.toFixed(2)} ms and PostgreSQL ${whole.postgresMs.toFixed(2)} ms a block`,
  )
  console.log(
    `${whole.databaseMiB.toFixed(1)} MiB and ${whole.walMiB.toFixed(1)} MiB of WAL for 1,000 blocks; at most ${whole.peakMiB.toFixed(0)} MiB of memory`,
  )
  const derive = whole.perWorker.reduce((sum, { deriveMs }) => sum + deriveMs, 0)
  console.log('\nworker                      derive ms  share   commit ms  rows a block')
  for (const { name, deriveMs, commitMs, rows } of whole.perWorker) {
    const share = `${((deriveMs / derive) * 100).toFixed(0)} %`
    console.log(
      `${name.padEnd(28)}${deriveMs.toFixed(3).padStart(9)}${share.padStart(7)}${commitMs.toFixed(3).padStart(12)}${rows.toFixed(1).padStart(14)}`,
    )
  }
  console.log('\ntable                            bytes a block  rows a block')
  for (const { name, bytes, rows } of whole.tables) {
    console.log(`${name.padEnd(34)}${bytes.toFixed(0).padStart(12)}${rows.toFixed(2).padStart(14)}`)
  }
}

function report(source: string, name: string, median: number, best: number, percent: number): void {
  const share = `${percent.toFixed(0)} %`.padStart(8)
  console.log(
    `${source.padEnd(8)}${name.padEnd(26)}${median.toFixed(1).padStart(8)}${best.toFixed(1).padStart(8)}${share}`,
  )
}
