/**
 * What deriving costs. First the processor time per block over blocks as ingest hands them on: of what workers share, which
 * in the farm whoever asks first pays for (decoding the events that any of them asks for, and finding which tokens moved), and
 * then of each worker that derives, in the order in which the farm has them. Then the whole program, ingest and all workers, from an empty database: pace, processor time, size, WAL.
 *
 *     npm run bench:derive [-- --endpoint host:port --from height --blocks n] [--runs n] [--sources memory,stored]
 *       [--whole-blocks n]
 *
 * Without an endpoint the blocks come from the recording `base` in test/recordings; with one, from a node that speaks gRPC
 * without TLS. `memory` are blocks as ingest has fetched them; `stored` have values as JSON text, as the raw tables give
 * them. Time of the one thread that derives, so that other
 * load changes it little; each figure is the median of the runs after one to warm up.
 */
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { workers } from '../../jobs/index.ts'
import { createChainSource } from '../../src/access/create-chain-source.ts'
import type { FetchedBlock } from '../../src/access/messages.ts'
import type { DecodedBlock } from '../../src/chain/decoded-block.ts'
import { chainIdToNetwork } from '../../src/chain/network.ts'
import type { Network } from '../../src/chain/network.ts'
import { eventsOfChunk } from '../../src/chain/event-chunk.ts'
import type { EventShape } from '../../src/chain/event-shape.ts'
import { tokenMovesOf } from '../../src/chain/tokens/token-moves-of.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { decodedBlock } from '../../src/ingest/decoded-block.ts'
import { loadRecording } from '../../src/simnode/replay/recording.ts'
import { startReplayNode } from '../../src/simnode/replay/replay-node.ts'
import { askedEvents, withEvents } from './derive/asked-events.ts'
import type { AskedEvents } from './derive/asked-events.ts'
import { measureWholeProgram } from './derive/whole-program.ts'
import type { WholeProgram } from './derive/whole-program.ts'

const { values } = parseArgs({
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
const base = join(import.meta.dirname, '../../test/recordings/base')
/** Blocks of a range. Large, since the clock of a thread's time is coarse on some machines. */
const rangeBlocks = 500
/** The recording is short. */
const recordingTimes = 8
const deriving = workers.filter((worker) => worker.derive !== undefined)

const { network, blocks } = await fetched()
const asked = new Map<FetchedBlock, AskedEvents>(blocks.map((block) => [block, askedEvents(decodedBlock(block), deriving, network)]))
const events = blocks.flatMap(({ results }) => results).reduce((sum, result) => sum + (result?.events.length ?? 0), 0)
console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores`)
const mix = `${blocks.length} blocks, ${(events / blocks.length).toFixed(1)} events a block`
console.log(`${mix}, median and best of ${runs} runs, µs per block\n`)
for (const source of values.sources.split(',')) {
  const texts = source === 'stored' ? storedPayloads() : undefined
  const times = new Map<string, number[]>()
  for (let run = 0; run <= runs; run++) {
    for (const [part, us] of oneRun((block) => freshBlock(block, texts))) {
      if (run > 0) times.set(part, [...(times.get(part) ?? []), us])
    }
  }
  let [medians, bests] = [0, 0]
  const figures = [...times].map(([part, list]) => {
    list.sort((a, b) => a - b)
    const [median = 0, best = 0] = [list[Math.floor(list.length / 2)], list[0]]
    medians += median
    bests += best
    return { part, median, best }
  })
  for (const { part, median, best } of figures) report(source, part, median, best, (median / medians) * 100)
  report(source, 'all', medians, bests, 100)
}

const wholeBlocks = Number(values['whole-blocks'])
if (wholeBlocks > 0) {
  const node = values.endpoint === undefined ? undefined : { endpoint: values.endpoint, from: Number(values.from) }
  reportWhole(await measureWholeProgram(wholeBlocks, node))
}

function reportWhole(whole: WholeProgram): void {
  console.log(`\nraw and derived together, ${whole.blocks} blocks of ${(whole.events / whole.blocks).toFixed(1)} events`)
  console.log(`${whole.blocksPerSecond.toFixed(0)} blocks/s; Node ${whole.nodeMs.toFixed(2)} ms and PostgreSQL ${whole.postgresMs.toFixed(2)} ms a block`)
  console.log(`${whole.databaseMiB.toFixed(1)} MiB and ${whole.walMiB.toFixed(1)} MiB of WAL for 1,000 blocks; at most ${whole.peakMiB.toFixed(0)} MiB of memory`)
  const derive = whole.perWorker.reduce((sum, { deriveMs }) => sum + deriveMs, 0)
  console.log('\nworker                      derive ms  share   commit ms  rows a block')
  for (const { name, deriveMs, commitMs, rows } of whole.perWorker) {
    const share = `${((deriveMs / derive) * 100).toFixed(0)} %`
    console.log(`${name.padEnd(28)}${deriveMs.toFixed(3).padStart(9)}${share.padStart(7)}${commitMs.toFixed(3).padStart(12)}${rows.toFixed(1).padStart(14)}`)
  }
  console.log('\ntable                            bytes a block  rows a block')
  for (const { name, bytes, rows } of whole.tables) {
    console.log(`${name.padEnd(34)}${bytes.toFixed(0).padStart(12)}${rows.toFixed(2).padStart(14)}`)
  }
}

function report(source: string, name: string, median: number, best: number, percent: number): void {
  const share = `${percent.toFixed(0)} %`.padStart(8)
  console.log(`${source.padEnd(8)}${name.padEnd(26)}${median.toFixed(1).padStart(8)}${best.toFixed(1).padStart(8)}${share}`)
}

/** Range by range, of blocks that nobody has decoded yet and that nobody keeps, as where the farm's cache is full. */
function oneRun(make: (block: FetchedBlock) => DecodedBlock): Map<string, number> {
  const spent = new Map<string, number>()
  const outputs = deriving.map((worker) => [worker, new RangeOutput(worker)] as const)
  const measure = (part: string, work: () => void): void => {
    const started = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(started)
    spent.set(part, (spent.get(part) ?? 0) + user + system)
  }
  for (let at = 0; at < blocks.length; at += rangeBlocks) {
    const fetchedPart = blocks.slice(at, at + rangeBlocks)
    const part = fetchedPart.map(make)
    const from = part[0]?.height ?? 0
    measure('decoding events, for all', () => {
      for (const [i, { transactions }] of part.entries()) {
        for (const [tx, event] of asked.get(fetchedPart[i] as FetchedBlock) ?? []) void transactions[tx]?.events[event]?.fields
      }
    })
    measure('moves of tokens, for all', () => {
      for (const transaction of part.flatMap(({ transactions }) => transactions)) tokenMovesOf(transaction, network)
    })
    for (const [worker, output] of outputs) {
      output.clear()
      measure(worker.name, () => worker.derive?.({ from, to: from + part.length, blocks: part }, output, { network }))
    }
  }
  return new Map([...spent].map(([part, us]) => [part, us / blocks.length]))
}

function freshBlock(block: FetchedBlock, texts: StoredPayloads | undefined): DecodedBlock {
  const decoded = decodedBlock(block)
  const ofBlock = texts?.get(block)
  if (ofBlock === undefined) return decoded
  // Everything else is asked of the same transactions: reading rows is measured elsewhere.
  return {
    ...decoded,
    transactions: decoded.transactions.map((transaction, i) => withEvents(
      transaction, eventsOfChunk({ firstEventIndex: 0, shapes: ofBlock[i]?.shapes ?? [], payloads: ofBlock[i]?.payloads ?? '[]' }),
    )),
  }
}

interface StoredPayload {
  readonly shapes: readonly EventShape[]
  readonly payloads: string
}

/** Of each block by transaction. */
type StoredPayloads = ReadonlyMap<FetchedBlock, readonly StoredPayload[]>

function storedPayloads(): StoredPayloads {
  return new Map(blocks.map((block) => {
    const { transactions } = decodedBlock(block)
    return [block, transactions.map(({ events }) => ({
      shapes: events.map(({ type, fields = {} }) => ({ type, fields: Object.keys(fields) })),
      payloads: JSON.stringify(events.map(({ fields }) => (fields === undefined ? null : Object.values(fields)))),
    }))]
  }))
}

async function fetched(): Promise<{ network: Network; blocks: FetchedBlock[] }> {
  const node = values.endpoint === undefined ? await startReplayNode({ recording: await loadRecording(base) }) : undefined
  const endpoint = node?.endpoint ?? values.endpoint ?? ''
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined }
  const source = createChainSource({ liveEndpoints: [endpoint], historicEndpoints: [], log })
  try {
    const found = chainIdToNetwork(await source.chainId())
    if (found === undefined) throw new Error('the chain of the node is not known')
    const [from, count] = node === undefined ? [Number(values.from), Number(values.blocks)] : [0, 281]
    const all: FetchedBlock[] = []
    for (let height = from; height < from + count; height++) all.push(await source.fetchBlock(height))
    return { network: found, blocks: node === undefined ? all : Array.from({ length: recordingTimes }, () => all).flat() }
  } finally {
    await source.close()
    await node?.stop()
  }
}
