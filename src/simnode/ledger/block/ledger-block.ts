import type { EventEncoding } from '../../../access/messages.ts'
import type { NodeBlock } from '../../node/node-chain.ts'
import type { DraftBlock, DraftTransaction } from '../draft.ts'
import { Random } from '../random.ts'
import { timeOf, viewOf } from '../world/clock.ts'
import type { ClockShape } from '../world/clock.ts'
import { blockId, collectionId } from './block-ids.ts'
import type { IdSource } from './block-ids.ts'
import { MessageWriter } from './message-writer.ts'
import { encodeResult } from './result-message.ts'
import { encodeSystemTransaction, encodeUserTransaction } from './transaction-message.ts'
import type { EncodedTransaction } from './transaction-message.ts'

/** What a block needs of its chain beside its draft. */
export interface BlockContext extends IdSource {
  readonly clock: ClockShape
}

const zeroId = Buffer.alloc(32)
const chainId = Buffer.from('flow-emulator')
const writer = new MessageWriter()

/** A block of the ledger as messages. Each is made when it is first asked for, and kept as long as the block. */
export class LedgerBlock implements NodeBlock {
  readonly height: number
  readonly id: Buffer
  readonly #draft: DraftBlock
  readonly #context: BlockContext
  /** How many user transactions there are in each collection. */
  readonly #collectionSizes: readonly number[]
  #encoded: readonly EncodedTransaction[] | undefined
  readonly #results: Partial<Record<EventEncoding, readonly Buffer[]>> = {}

  constructor(context: BlockContext, draft: DraftBlock) {
    this.height = draft.height
    this.id = blockId(context, draft.height)
    this.#draft = draft
    this.#context = context
    this.#collectionSizes = collectionSizes(new Random(context.seed, draft.height), draft.userTransactions.length)
  }

  get userTransactionCount(): number {
    return this.#draft.userTransactions.length
  }

  get hasFailedTransaction(): boolean {
    return this.#draft.userTransactions.some(({ error }) => error !== undefined)
  }

  get bulkError(): undefined {
    return undefined
  }

  get timestamp(): Buffer {
    const ms = timeOf(this.height, this.#context.clock)
    writer.clear()
    writer.number(1, Math.floor(ms / 1000))
    writer.number(2, (ms % 1000) * 1_000_000)
    return writer.take()
  }

  get light(): Buffer {
    const timestamp = this.timestamp
    writer.clear()
    this.#writeBlock(timestamp)
    return writer.take()
  }

  get full(): Buffer {
    const { timestamp, header } = this
    writer.clear()
    this.#writeBlock(timestamp)
    writer.content(10, header)
    writer.content(11, zeroId)
    return writer.take()
  }

  get header(): Buffer {
    const timestamp = this.timestamp
    writer.clear()
    this.#writeIdentity(timestamp)
    writer.content(5, collectionId(this.#context, this.height, -1))
    writer.number(6, viewOf(this.height))
    writer.content(9, zeroId)
    writer.content(11, chainId)
    return writer.take()
  }

  get collectionIds(): readonly Buffer[] {
    return this.#collectionSizes.map((_size, index) => collectionId(this.#context, this.height, index))
  }

  get collections(): readonly Buffer[] {
    const { collectionIds, transactionIds } = this
    let next = 0
    return this.#collectionSizes.map((size, index) => {
      writer.clear()
      writer.content(1, collectionIds[index] as Buffer)
      for (const end = next + size; next < end; next++) writer.content(2, transactionIds[next] as Buffer)
      return writer.take()
    })
  }

  get transactions(): readonly Buffer[] {
    return this.#transactions().map(({ message }) => message)
  }

  get transactionIds(): readonly Buffer[] {
    return this.#transactions().map(({ id }) => id)
  }

  results(encoding: EventEncoding): readonly Buffer[] {
    return (this.#results[encoding] ??= this.#encodeResults(encoding))
  }

  eventsBesideResults(): readonly Buffer[] {
    return []
  }

  #transactions(): readonly EncodedTransaction[] {
    return (this.#encoded ??= [
      ...this.#draft.userTransactions.map((draft, index) => {
        const age = new Random(this.#context.seed, this.height, index).between(1, 9)
        const reference = blockId(this.#context, Math.max(0, this.height - age))
        return encodeUserTransaction(draft, reference, this.#context.seed)
      }),
      ...this.#draft.systemTransactions.map((draft) => encodeSystemTransaction(draft)),
    ])
  }

  #encodeResults(encoding: EventEncoding): Buffer[] {
    const { height, id, transactionIds } = this
    const ofUsers = this.#collectionSizes.flatMap((size, index) =>
      Array.from({ length: size }, () => collectionId(this.#context, height, index)))
    const drafts: readonly DraftTransaction[] = [...this.#draft.userTransactions, ...this.#draft.systemTransactions]
    return drafts.map((draft, index) => encodeResult(draft, {
      height, blockId: id, transactionId: transactionIds[index] as Buffer, collectionId: ofUsers[index] ?? zeroId, index,
    }, encoding))
  }

  #writeBlock(timestamp: Buffer): void {
    this.#writeIdentity(timestamp)
    for (const id of this.collectionIds) writer.nested(5, () => writer.content(1, id))
    writer.content(7, Buffer.alloc(0))
  }

  #writeIdentity(timestamp: Buffer): void {
    writer.content(1, this.id)
    writer.content(2, blockId(this.#context, this.height - 1))
    writer.number(3, this.height)
    writer.content(4, timestamp)
  }
}

/** Cuts the transactions of a block into collections: some of one, some of a few. */
function collectionSizes(random: Random, count: number): number[] {
  const sizes: number[] = []
  for (let rest = count; rest > 0; rest -= sizes.at(-1) ?? 0) sizes.push(Math.min(rest, random.between(1, 4)))
  return sizes
}
