import { workers } from '../../../jobs/index.ts'
import type { Worker } from '../../../jobs/worker.ts'
import { createChainSource } from '../../../src/access/create-chain-source.ts'
import type { FetchedBlock } from '../../../src/access/messages.ts'
import { RangeOutput } from '../../../src/farm/commit/range-output.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../../../src/flow/decoded-block.ts'
import { eventsOfChunk } from '../../../src/flow/event-chunk.ts'
import type { EventShape } from '../../../src/flow/event-shape.ts'
import { chainIdToNetwork } from '../../../src/flow/network.ts'
import type { Network } from '../../../src/flow/network.ts'
import { tokenMovesOf } from '../../../src/flow/tokens/token-moves-of.ts'
import { decodedBlock } from '../../../src/ingest/decoded-block.ts'
import { median } from '../farm/quantile.ts'
import type { BlockSource } from '../simulated-node.ts'

/** Blocks that workers are given to derive, as a node told them. */
interface BlocksToDerive {
  readonly network: Network
  readonly blocks: readonly FetchedBlock[]
  /** Of each block, the events that some worker asks for. */
  readonly asked: ReadonlyMap<FetchedBlock, AskedEvents>
  readonly eventsPerBlock: number
}

/** Processor time of one part of deriving, µs a block. */
interface PartCost {
  readonly part: string
  readonly medianUs: number
  readonly bestUs: number
}

/** What workers share: in the farm whoever comes first pays for it. */
export const decodingPart = 'decoding events, for all'
const movesPart = 'moves of tokens, for all'

/** Blocks of a range. Large, since the clock of a thread's time is coarse on some machines. */
const rangeBlocks = 500

const deriving = workers.filter((worker) => worker.derive !== undefined)

/** Fetches blocks as ingest does. */
export async function fetchToDerive({ endpoint, from }: BlockSource, count: number): Promise<BlocksToDerive> {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined }
  const source = createChainSource({ liveEndpoints: [endpoint], historicEndpoints: [], log })
  try {
    const network = chainIdToNetwork(await source.chainId())
    if (network === undefined) throw new Error('the chain of the node is not known')
    const blocks: FetchedBlock[] = []
    for (let height = from; height < from + count; height++) blocks.push(await source.fetchBlock(height))
    const asked = new Map(blocks.map((block) => [block, askedEvents(decodedBlock(block), deriving, network)]))
    const events = blocks
      .flatMap(({ results }) => results)
      .reduce((sum, result) => sum + (result?.events.length ?? 0), 0)
    return { network, blocks, asked, eventsPerBlock: events / count }
  } finally {
    await source.close()
  }
}

/**
 * What each part of deriving costs, in the order in which the farm has them, by the time of the one thread that derives.
 * @param source `memory`: blocks as ingest has fetched them; `stored`: values as JSON text, as the raw tables give them
 * @param runs after one to warm up
 */
export function workerCosts(given: BlocksToDerive, source: 'memory' | 'stored', runs: number): PartCost[] {
  const texts = source === 'stored' ? storedPayloads(given.blocks) : undefined
  const times = new Map<string, number[]>()
  for (let run = 0; run <= runs; run++) {
    for (const [part, us] of oneRun(given, (block) => freshBlock(block, texts))) {
      if (run > 0) times.set(part, [...(times.get(part) ?? []), us])
    }
  }
  return [...times].map(([part, list]) => ({ part, medianUs: median(list), bestUs: Math.min(...list) }))
}

/** Range by range, of blocks that nobody has decoded yet and that nobody keeps, as where the farm's cache is full. */
function oneRun(
  { blocks, asked, network }: BlocksToDerive,
  make: (block: FetchedBlock) => DecodedBlock,
): Map<string, number> {
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
    measure(decodingPart, () => {
      for (const [i, { transactions }] of part.entries()) {
        for (const [tx, event] of asked.get(fetchedPart[i] as FetchedBlock) ?? [])
          void transactions[tx]?.events[event]?.fields
      }
    })
    measure(movesPart, () => {
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
    transactions: decoded.transactions.map((transaction, i) =>
      withEvents(
        transaction,
        eventsOfChunk({ firstEventIndex: 0, shapes: ofBlock[i]?.shapes ?? [], payloads: ofBlock[i]?.payloads ?? '[]' }),
      ),
    ),
  }
}

interface StoredPayload {
  readonly shapes: readonly EventShape[]
  readonly payloads: string
}

/** Of each block by transaction. */
type StoredPayloads = ReadonlyMap<FetchedBlock, readonly StoredPayload[]>

function storedPayloads(blocks: readonly FetchedBlock[]): StoredPayloads {
  return new Map(
    blocks.map((block) => {
      const { transactions } = decodedBlock(block)
      return [
        block,
        transactions.map(({ events }) => ({
          shapes: events.map(({ type, fields = {} }) => ({ type, fields: Object.keys(fields) })),
          payloads: JSON.stringify(events.map(({ fields }) => (fields === undefined ? null : Object.values(fields)))),
        })),
      ]
    }),
  )
}

/** Events by the positions of their transaction and of their own. */
type AskedEvents = readonly (readonly [transaction: number, event: number])[]

/** The events of a block whose fields some worker asks for: what all of them together make of it needs these decoded. */
function askedEvents(block: DecodedBlock, workers: readonly Worker[], network: Network): AskedEvents {
  const asked = new Map<string, readonly [number, number]>()
  const transactions = block.transactions.map((transaction, i) =>
    withEvents(
      transaction,
      transaction.events.map((event, j) => new WatchedEvent(event, () => asked.set(`${i} ${j}`, [i, j]))),
    ),
  )
  const range = { from: block.height, to: block.height + 1, blocks: [{ ...block, transactions }] }
  for (const worker of workers) worker.derive?.(range, new RangeOutput(worker), { network })
  return [...asked.values()]
}

/** The same transaction with other events. Its own properties may be getters of a class, which a spread would leave out. */
function withEvents(transaction: DecodedTransaction, events: readonly DecodedEvent[]): DecodedTransaction {
  const { index, id, isSystem, payer, proposer, authorizers, scriptHash, script, statusCode, isEvm, gasUsed } =
    transaction
  return { index, id, isSystem, payer, proposer, authorizers, scriptHash, script, statusCode, isEvm, gasUsed, events }
}

class WatchedEvent implements DecodedEvent {
  readonly type: string
  readonly index: number
  readonly #event: DecodedEvent
  readonly #onAsked: () => void

  constructor(event: DecodedEvent, onAsked: () => void) {
    this.type = event.type
    this.index = event.index
    this.#event = event
    this.#onAsked = onAsked
  }

  get fields(): DecodedEvent['fields'] {
    this.#onAsked()
    return this.#event.fields
  }
}
