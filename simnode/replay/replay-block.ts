import type { EventEncoding } from '../../src/access/messages.ts'
import { readTransactionResponse } from '../../src/access/wire/read-transactions.ts'
import { transactionId } from '../../src/flow/transactions/transaction-id.ts'
import type { NodeBlock, NodeError } from '../node/node-view.ts'
import { bytesField, bytesOf, contentsOf, numberOf, rewrite, varintField } from '../node/wire.ts'
import type { RecordedBlock, RecordedVersion } from './recording.ts'

interface BlockIdentity {
  readonly height: number
  readonly id: Buffer
  readonly parentId: Buffer
  readonly timestampNs: bigint
  /** Views grow along the chain. */
  readonly viewShift: number
  /** By position, as `RecordedBlock.collectionIds`. */
  readonly collectionIds: readonly Buffer[]
  referenceIdOf(recordedId: Buffer): Buffer
}

/**
 * At its recorded place its messages are the recorded bytes; elsewhere heights, times and ids are
 * replaced. Messages are made on demand.
 */
export class ReplayBlock implements NodeBlock {
  readonly #version: RecordedVersion
  readonly recorded: RecordedBlock
  readonly identity: BlockIdentity
  /** Height or time differ from the recording. */
  readonly #isMoved: boolean
  readonly #isRenamed: boolean
  #light: Buffer | undefined
  #full: Buffer | undefined
  #header: Buffer | undefined
  #transactions: readonly Buffer[] | undefined
  #transactionIds: readonly Buffer[] | undefined
  #collections: readonly Buffer[] | undefined
  readonly #results: Partial<Record<EventEncoding, readonly Buffer[]>> = {}

  constructor(version: RecordedVersion, recorded: RecordedBlock, identity: BlockIdentity) {
    this.#version = version
    this.recorded = recorded
    this.identity = identity
    this.#isRenamed = !identity.id.equals(recorded.id)
    this.#isMoved =
      this.#isRenamed || identity.height !== recorded.height || identity.timestampNs !== recorded.timestampNs
  }

  get height(): number {
    return this.identity.height
  }

  get id(): Buffer {
    return this.identity.id
  }

  get userTransactionCount(): number {
    return this.recorded.userTransactionCount
  }

  get hasFailedTransaction(): boolean {
    return this.recorded.results.ccf.some((result) => numberOf(result, 2) !== 0)
  }

  get bulkError(): NodeError | undefined {
    return this.recorded.bulkError
  }

  get timestamp(): Buffer {
    return timestampMessage(this.identity.timestampNs)
  }

  get light(): Buffer {
    return (this.#light ??= this.#placedBlock(this.recorded.light))
  }

  get full(): Buffer {
    return (this.#full ??= this.#placedBlock(this.recorded.full))
  }

  get header(): Buffer {
    return (this.#header ??= this.#placedHeader(this.recorded.header))
  }

  get transactions(): readonly Buffer[] {
    if (!this.#isRenamed) return this.recorded.transactions
    return (this.#transactions ??= this.recorded.transactions.map((body, index) =>
      index < this.recorded.userTransactionCount
        ? rewrite(body, (field, content) =>
            field.number === 3 ? bytesField(3, this.identity.referenceIdOf(content)) : undefined,
          )
        : body,
    ))
  }

  get transactionIds(): readonly Buffer[] {
    if (!this.#isRenamed) return this.recorded.transactionIds
    return (this.#transactionIds ??= this.recorded.transactionIds.map((id, index) =>
      index < this.recorded.userTransactionCount ? idOf(this.transactions[index] as Buffer) : id,
    ))
  }

  get collections(): readonly Buffer[] {
    if (!this.#isRenamed) return this.recorded.collections
    if (this.#collections !== undefined) return this.#collections
    let next = 0
    this.#collections = this.recorded.collections.map((collection, index) =>
      rewrite(collection, (field) => {
        if (field.number === 1) return bytesField(1, this.identity.collectionIds[index] as Buffer)
        return field.number === 2 ? bytesField(2, this.transactionIds[next++] as Buffer) : undefined
      }),
    )
    return this.#collections
  }

  results(encoding: EventEncoding): readonly Buffer[] {
    if (!this.#isMoved) return this.recorded.results[encoding]
    const recorded = this.recorded.results[encoding]
    return (this.#results[encoding] ??= recorded.map((result, index) => this.#result(result, index)))
  }

  eventsBesideResults(type: string, encoding: EventEncoding): readonly Buffer[] {
    const bootstrap = this.recorded.height === 0 ? this.#version.bootstrapEvents.get(`${encoding} ${type}`) : undefined
    return bootstrap === undefined ? [] : contentsOf(bootstrap, 3)
  }

  #result(result: Buffer, index: number): Buffer {
    const { identity, recorded } = this
    const transactionId = this.transactionIds[index] as Buffer
    return rewrite(result, (field, content) => {
      if (field.number === 8) return varintField(8, identity.height)
      if (!this.#isRenamed) return undefined
      if (field.number === 4) return bytesField(4, withTransactionId(content, transactionId))
      if (field.number === 5) return bytesField(5, identity.id)
      if (field.number === 6) return bytesField(6, transactionId)
      if (field.number !== 7) return undefined
      const collection = recorded.collectionIds.findIndex((id) => id.equals(content))
      return collection === -1 ? undefined : bytesField(7, identity.collectionIds[collection] as Buffer)
    })
  }

  #placedBlock(message: Buffer): Buffer {
    if (!this.#isMoved) return message
    return rewrite(message, (field, content) => {
      if (field.number === 5) return bytesField(5, this.#placedGuarantee(content))
      if (field.number === 10) return bytesField(10, this.header)
      return this.#sharedField(field.number)
    })
  }

  #placedHeader(message: Buffer): Buffer {
    if (!this.#isMoved) return message
    return rewrite(message, (field) =>
      field.number === 6 ? varintField(6, field.value + this.identity.viewShift) : this.#sharedField(field.number),
    )
  }

  #placedGuarantee(guarantee: Buffer): Buffer {
    const collection = this.recorded.collectionIds.findIndex((id) => id.equals(bytesOf(guarantee, 1)))
    const id = this.identity.collectionIds[collection]
    return rewrite(guarantee, (field) => (field.number === 1 && id !== undefined ? bytesField(1, id) : undefined))
  }

  #sharedField(number: number): Buffer | undefined {
    const { identity } = this
    switch (number) {
      case 1:
        return bytesField(1, identity.id)
      case 2:
        return bytesField(2, identity.parentId)
      case 3:
        return varintField(3, identity.height)
      case 4:
        return bytesField(4, this.timestamp)
      default:
        return undefined
    }
  }
}

function idOf(body: Buffer): Buffer {
  return transactionId(readTransactionResponse(bytesField(1, body)))
}

function withTransactionId(event: Buffer, transactionId: Buffer): Buffer {
  return rewrite(event, (field) => (field.number === 2 ? bytesField(2, transactionId) : undefined))
}

function timestampMessage(timestampNs: bigint): Buffer {
  return Buffer.concat([
    varintField(1, Number(timestampNs / 1_000_000_000n)),
    varintField(2, Number(timestampNs % 1_000_000_000n)),
  ])
}
