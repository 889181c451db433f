import { hash } from 'node:crypto'
import { RecentCache } from '../node/recent-cache.ts'
import type { Branch } from './world/branch.ts'
import type { BodySignature, TransactionBody } from '../../src/flow/transactions/transaction-id.ts'
import type { DraftArgument, DraftTransaction, SignedDraft, DraftBlock } from './events/draft.ts'
import {
  encodeArgument,
  collectionMessages,
  fullBlockMessage,
  headerMessage,
  lightBlockMessage,
  timestampMessage,
  resultMessages,
  transactionMessages,
} from './encoding/messages.ts'
import { Random } from './world/random.ts'
import { systemAccounts } from './world/tokens.ts'
import type { EventEncoding } from '../../src/access/messages.ts'
import { transactionId } from '../../src/flow/transactions/transaction-id.ts'
import type { NodeBlock } from '../node/node-view.ts'
import type { BlockParts } from './encoding/messages.ts'
import { timeOf, viewOf } from './world/clock.ts'
import type { ClockShape } from './world/clock.ts'

interface IdSource {
  readonly seed: number
  readonly branch: Branch
  readonly busyness: number
}

const maxCachedIds = 32
const cacheBySource = new WeakMap<IdSource, RecentCache<number, Buffer>>()

/** Height -1 is the parent of the first block. */
export function blockId(source: IdSource, height: number): Buffer {
  if (height < 0) return Buffer.alloc(32)
  let ids = cacheBySource.get(source)
  if (ids === undefined) cacheBySource.set(source, (ids = new RecentCache(maxCachedIds)))
  return ids.get(height, () => placedId(source, height, 'block'))
}

export function collectionId(source: IdSource, height: number, index: number): Buffer {
  return placedId(source, height, `collection ${index}`)
}

export function payloadHash(source: IdSource, height: number): Buffer {
  return placedId(source, height, 'payload')
}

/** The caller verifies the id. */
export function heightInId(id: Buffer): number | undefined {
  if (id.length !== 32) return undefined
  const [high, low] = [
    (id.readUInt32BE(24) ^ id.readUInt32BE(0)) >>> 0,
    (id.readUInt32BE(28) ^ id.readUInt32BE(4)) >>> 0,
  ]
  const height = high * 0x1_0000_0000 + low
  return Number.isSafeInteger(height) ? height : undefined
}

/** Carries its height, masked by its own hash. */
function placedId({ seed, branch, busyness }: IdSource, height: number, what: string): Buffer {
  const text = `${seed} ${busyness} ${branch.saltAt(height)} ${height} ${what}`
  const id = Buffer.from(hash('sha3-256', text, 'hex'), 'hex')
  id.writeUInt32BE((id.readUInt32BE(0) ^ Math.floor(height / 0x1_0000_0000)) >>> 0, 24)
  id.writeUInt32BE((id.readUInt32BE(4) ^ height) >>> 0, 28)
  return id
}

const none = Buffer.alloc(0)
const zeroId = Buffer.alloc(32)
const systemGasLimit = 9999n

function argumentsOf({ arguments: values }: DraftTransaction): Buffer[] {
  return values.map(({ type, value }: DraftArgument) => encodeArgument(type, value))
}

/** @param seed of the signatures: no key has a secret */
function userBody(draft: SignedDraft, referenceBlockId: Buffer, seed: number): TransactionBody {
  const { payer, authorizers, sequenceNumber } = draft
  const random = new Random(seed, payer.index, sequenceNumber)
  const signatureOf = (address: Buffer): BodySignature => ({
    address,
    keyId: 0,
    signature: random.bytes(64),
    extensionData: none,
  })
  return {
    script: draft.script,
    arguments: argumentsOf(draft),
    referenceBlockId,
    gasLimit: BigInt(draft.gasLimit),
    proposerAddress: payer.address,
    proposerKeyId: 0,
    proposerSequenceNumber: BigInt(sequenceNumber),
    payer: payer.address,
    authorizers: authorizers.map(({ address }) => address),
    payloadSignatures: authorizers
      .filter(({ index }) => index !== payer.index)
      .map(({ address }) => signatureOf(address)),
    envelopeSignatures: [signatureOf(payer.address)],
  }
}

/** Without reference block, proposer, payer and signatures. */
function systemBody(draft: DraftTransaction): TransactionBody {
  return {
    script: draft.script,
    arguments: argumentsOf(draft),
    referenceBlockId: zeroId,
    gasLimit: systemGasLimit,
    proposerAddress: none,
    proposerKeyId: 0,
    proposerSequenceNumber: 0n,
    payer: none,
    authorizers: [systemAccounts.service.address],
    payloadSignatures: [],
    envelopeSignatures: [],
  }
}

interface BlockContext extends IdSource {
  readonly clock: ClockShape
}

/** Caches transactions and results. */
export class LedgerBlock implements NodeBlock {
  readonly height: number
  readonly id: Buffer
  readonly collectionIds: readonly Buffer[]
  readonly bulkError = undefined
  readonly transactions: readonly Buffer[]
  readonly transactionIds: readonly Buffer[]
  readonly #draft: DraftBlock
  readonly #context: BlockContext
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

function referenceId(context: BlockContext, height: number, index: number): Buffer {
  const age = new Random(context.seed, height, index).between(1, 9)
  return blockId(context, Math.max(0, height - age))
}

function collectionSizes(random: Random, count: number): number[] {
  const sizes: number[] = []
  for (let rest = count; rest > 0; rest -= sizes.at(-1) ?? 0) sizes.push(Math.min(rest, random.between(1, 4)))
  return sizes
}
