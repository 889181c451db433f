import type pg from 'pg'
import { FatalError } from '../base/errors.ts'
import { difference } from '../base/ranges.ts'
import type { HeightSet } from '../base/ranges.ts'
import { BelowRootError } from '../access/source-errors.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { readRawCoverage } from './checkpoints.ts'
import type { RawCoverage } from './checkpoints.ts'
import type { ForkError as ForkErrorType } from './fork-error.ts'
import { ForkError } from './fork-error.ts'
import type { HeadTracker } from './head-tracker.ts'
import { Ingester } from './ingester.ts'
import type { IngesterOptions, Stretch } from './ingester.ts'
import { resolveFork } from './reorg.ts'
import { storedBlockId } from './sql/stored-block-ids.ts'

export interface ForwardOptions extends IngesterOptions {
  readonly heads: HeadTracker
  /** START_BLOCK; 0 is no fixed start. */
  readonly startBlock: number
  readonly isHistoryEnabled: boolean
  readonly headBackfillBlocks: number
  readonly maxReorgDepth: number
  /** See `ReorgOptions`. */
  readonly beforeRollBack?: ((client: pg.ClientBase, ancestor: number) => Promise<void>) | undefined
}

/** Follows the sealed head in ascending order; meets forks. */
export class ForwardIngester extends Ingester {
  readonly #options: ForwardOptions

  constructor(options: ForwardOptions) {
    super(options)
    this.#options = options
  }

  protected override async plan(signal: AbortSignal): Promise<Stretch> {
    const { pool, heads, progress, name } = this.#options
    const coverage = await readRawCoverage(pool)
    const head = await heads.first()
    const start = await this.#startHeight(coverage, head.height, signal)
    const owed = ascending(coverage.all, start)
    let last = start - 1
    const top = coverage.all.at(-1)
    const tip = top === undefined ? -1 : top.to - 1
    progress.begin(name, { from: start, position: owed.peek(), isForward: true })
    const current = (): number => heads.current?.height ?? head.height
    return {
      generation: coverage.forward.generation,
      nextHeight: () => {
        if (owed.peek() > current()) return undefined
        last = owed.take()
        return last
      },
      waiting: () => Math.max(0, current() - last),
      onMore: (wake) => heads.onHead(wake),
      isOver: () => false,
      check: (block, previous) => this.#check(block, previous),
      inspect: () => this.#inspect(tip, last),
    }
  }

  /** Where to begin: after what is stored, else where the configuration says. */
  async #startHeight(coverage: RawCoverage, head: number, signal: AbortSignal): Promise<number> {
    const { source, startBlock, isHistoryEnabled, headBackfillBlocks } = this.#options
    const first = coverage.forward.covered[0]
    if (first !== undefined) return first.from
    const stored = coverage.all.at(-1)
    if (stored !== undefined) return stored.to
    if (startBlock > 0) return startBlock
    const lowest = await source.lowestReachable(signal)
    return isHistoryEnabled ? Math.max(lowest, head - headBackfillBlocks + 1, 0) : lowest
  }

  async #check({ block }: FetchedBlock, previous: FetchedBlock | undefined): Promise<void> {
    const parent = previous?.block.height === block.height - 1 ? previous.block.id : await storedBlockId(this.#options.pool, block.height - 1)
    if (parent !== undefined && !parent.equals(block.parentId)) {
      throw new ForkError(block.height - 1, `block ${block.height} does not continue the stored block ${block.height - 1}`)
    }
  }

  /** A chain that was rolled back can be shorter than ours for a while: then no parent mismatch tells of the fork. */
  async #inspect(tip: number, last: number): Promise<void> {
    const head = this.#options.heads.current
    if (head === undefined || head.height > Math.max(tip, last)) return
    const ours = await storedBlockId(this.#options.pool, head.height)
    if (ours !== undefined && !ours.equals(head.id)) throw new ForkError(head.height, `the node has another block at its head ${head.height}`)
  }

  protected override async handleFork(fork: ForkErrorType, signal: AbortSignal): Promise<void> {
    const { pool, source, maxReorgDepth, beforeRollBack, log, metrics } = this.#options
    const { all } = await readRawCoverage(pool)
    const top = all.at(-1)
    if (top === undefined) return
    log.warn({ height: fork.height, reason: fork.message }, 'the chain has forked, looking for the last common block')
    const { ancestor, depth } = await resolveFork({
      pool, source, height: fork.height, stored: { highest: top.to - 1, lowest: top.from }, maxDepth: maxReorgDepth, beforeRollBack, signal,
    })
    metrics.reorgs.inc()
    metrics.reorgDepth.set(depth)
    log.warn({ ancestor, depth }, 'rolled back to the last common block')
  }

  /** @throws FatalError where the configured start is out of reach */
  override async run(): Promise<void> {
    try {
      await super.run()
    } catch (error) {
      if (!(error instanceof BelowRootError)) throw error
      throw new FatalError(
        'start-out-of-reach', `The access nodes serve nothing below height ${error.rootHeight}. Set START_BLOCK to it or higher, or add a node of the older spork to CHAIN_ACCESS_NODES.`, { cause: error },
      )
    }
  }
}

/** The heights from `start` up that are not in `covered`, one by one. */
function ascending(covered: HeightSet, start: number): { peek: () => number; take: () => number } {
  const gaps = [...difference([{ from: start, to: Number.MAX_SAFE_INTEGER }], covered)]
  let next = gaps[0]?.from ?? start
  return {
    peek: () => next,
    take: () => {
      const taken = next++
      if (gaps[0] !== undefined && next >= gaps[0].to) {
        gaps.shift()
        next = gaps[0]?.from ?? next
      }
      return taken
    },
  }
}
