import type { EventEncoding } from '../../../src/access/messages.ts'
import { transactionId } from '../../../src/flow/transaction-id.ts'
import type { NodeBlock } from '../../node/node-chain.ts'
import type { DraftBlock, DraftTransaction } from '../draft.ts'
import {
  collectionMessages,
  fullBlockMessage,
  headerMessage,
  lightBlockMessage,
  timestampMessage,
} from '../encoding/block-messages.ts'
import type { BlockParts } from '../encoding/block-messages.ts'
import { resultMessages } from '../encoding/result-messages.ts'
import { transactionMessages } from '../encoding/transaction-messages.ts'
import { Random } from '../random.ts'
import { timeOf, viewOf } from '../world/clock.ts'
import type { ClockShape } from '../world/clock.ts'
import { blockId, collectionId, payloadHash } from './block-ids.ts'
import type { IdSource } from './block-ids.ts'
import { systemBody, userBody } from './transaction-bodies.ts'

/** What a block needs of its chain beside its draft. */
export interface BlockContext extends IdSource {
  readonly clock: ClockShape
}

const zeroId = Buffer.alloc(32)

/** A block of the ledger as messages. Those of transactions and results are kept as long as the block. */
export class LedgerBlock implements NodeBlock {
  readonly height: number
  readonly id: Buffer
  readonly collectionIds: readonly Buffer[]
  /** Of a block that answers. */
  readonly bulkError = undefined
  /** `entities.Transaction` messages in block order. */
  readonly transactions: readonly Buffer[]
  readonly transactionIds: readonly Buffer[]
  readonly #draft: DraftBlock
  readonly #context: BlockContext
  /** How many user transactions there are in each collection. */
  readonly #collectionSizes: readonly number[]
  readonly #results: Partial<Record<EventEncoding, readonly Buffer[]>> = {}

  constructor(context: BlockContext, draft: DraftBlock) {
    const { seed } = context
    const { height, userTransactions, systemTransactions } = draft
    this.#draft = draft
    this.#context = context
    this.height = height
    this.id = blockId(context, height)
    this.#collectionSizes = collectionSizes(new Random(seed, height), userTransactions.length)
    this.collectionIds = this.#collectionSizes.map((_size, index) => collectionId(context, height, index))
    const bodies = [
      ...userTransactions.map((one, index) => one.body ?? userBody(one, referenceId(context, height, index), seed)),
      ...systemTransactions.map(systemBody),
    ]
    this.transactions = transactionMessages(bodies)
    this.transactionIds = bodies.map(transactionId)
  }

  get userTransactionCount(): number {
    return this.#draft.userTransactions.length
  }

  get hasFailedTransaction(): boolean {
    return this.#draft.userTransactions.some(({ error }) => error !== undefined)
  }

  get timestamp(): Buffer {
    return timestampMessage(this.#timestampNs)
  }

  get light(): Buffer {
    return lightBlockMessage(this.#parts())
  }

  get full(): Buffer {
    return fullBlockMessage(this.#parts())
  }

  get header(): Buffer {
    return headerMessage(this.#parts())
  }

  get collections(): readonly Buffer[] {
    return collectionMessages(this.#parts().collections)
  }

  results(encoding: EventEncoding): readonly Buffer[] {
    return (this.#results[encoding] ??= this.#encodeResults(encoding))
  }

  eventsBesideResults(): readonly Buffer[] {
    return []
  }

  #encodeResults(encoding: EventEncoding): Buffer[] {
    const ofUsers = this.#collectionSizes.flatMap((size, index) =>
      Array.from({ length: size }, () => this.collectionIds[index] as Buffer),
    )
    const drafts: readonly DraftTransaction[] = [...this.#draft.userTransactions, ...this.#draft.systemTransactions]
    const parts = drafts.map(({ error, computation, events }, index) => ({
      transactionId: this.transactionIds[index] as Buffer,
      collectionId: ofUsers[index] ?? zeroId,
      error,
      computation,
      events,
    }))
    return resultMessages(this, parts, encoding)
  }

  #parts(): BlockParts {
    let end = 0
    return {
      id: this.id,
      parentId: blockId(this.#context, this.height - 1),
      height: this.height,
      view: viewOf(this.height),
      timestampNs: this.#timestampNs,
      payloadHash: payloadHash(this.#context, this.height),
      chainId: 'flow-emulator',
      collections: this.#collectionSizes.map((size, index) => ({
        id: this.collectionIds[index] as Buffer,
        transactionIds: this.transactionIds.slice(end, (end += size)),
      })),
    }
  }

  get #timestampNs(): bigint {
    return BigInt(timeOf(this.height, this.#context.clock)) * 1_000_000n
  }
}

/** The block that a transaction refers to: one of the last few. */
function referenceId(context: BlockContext, height: number, index: number): Buffer {
  const age = new Random(context.seed, height, index).between(1, 9)
  return blockId(context, Math.max(0, height - age))
}

/** Cuts the transactions of a block into collections: some of one, some of a few. */
function collectionSizes(random: Random, count: number): number[] {
  const sizes: number[] = []
  for (let rest = count; rest > 0; rest -= sizes.at(-1) ?? 0) sizes.push(Math.min(rest, random.between(1, 4)))
  return sizes
}
