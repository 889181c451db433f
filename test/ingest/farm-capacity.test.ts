import { expect } from 'chai'
import type { WeighedBlock } from '../../src/flow/decoded-block.ts'
import { Shared } from '../../src/platform/service.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

/** A farm that accepts a few batches of history, then none until it is opened. */
class LimitedCapacity {
  readonly #open = Promise.withResolvers<void>()
  readonly #full = Promise.withResolvers<void>()
  #batchesLeft: number

  constructor(batches: number) {
    this.#batchesLeft = batches
  }

  /** Resolves when a caller waits for capacity. */
  get full(): Promise<void> {
    return this.#full.promise
  }

  open(): void {
    this.#open.resolve()
  }

  readonly wait = async (signal: AbortSignal): Promise<void> => {
    if (this.#batchesLeft-- > 0) return
    this.#full.resolve()
    const { promise, reject } = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    await Promise.race([this.#open.promise, promise])
  }
}

describe('ingest with a farm without capacity', () => {
  const [first, head, later] = [150, 160, 200]
  const batch = 10
  let database: TestDatabase
  let node: ReplayNode

  beforeEach(async () => {
    database = await createTestDatabase()
    node = await startRecordedNode('base', { head })
  })

  afterEach(async () => {
    await node.stop()
    await database.drop()
  })

  const variables = (): Record<string, string> => ({
    CHAIN_ACCESS_NODE: node.endpoint,
    START_BLOCK: String(first),
    HISTORY_BATCH_SIZE: String(batch),
  })

  it('pauses history but not the head, and resumes when capacity is available', async () => {
    const held = new LimitedCapacity(2)
    const shared = new Shared<WeighedBlock>()
    shared.historyCapacity = held.wait
    const ingest = await runIngest(database, variables(), shared)
    await held.full
    // Two batches had capacity.
    await untilStored(database, first - 2 * batch, head, ingest)
    node.setHead(later)
    await untilStored(database, first, later, ingest)
    expect(await storedHeights(database.pool)).to.deep.equal([{ from: first - 2 * batch, to: later + 1 }])
    held.open()
    await untilStored(database, 0, later, ingest)
    await ingest.stop()
  })

  it('stops while it waits', async () => {
    const held = new LimitedCapacity(1)
    const shared = new Shared<WeighedBlock>()
    shared.historyCapacity = held.wait
    const ingest = await runIngest(database, variables(), shared)
    await held.full
    await ingest.stop()
    const again = await runIngest(database, variables())
    await untilStored(database, 0, head, again)
    await again.stop()
  })
})
