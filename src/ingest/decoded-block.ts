import { addressText } from '../flow/address.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../flow/decoded-block.ts'
import { decodePayload } from '../flow/payload.ts'
import { PayloadError } from '../flow/payload-value.ts'
import type { PayloadFields } from '../flow/payload-value.ts'
import { pgText } from '../platform/db/copy-writer.ts'
import type { EventMessage, FetchedBlock, TransactionMessage, TransactionResultMessage } from '../access/messages.ts'
import { ScriptCache } from './caches.ts'
import type { KnownScript } from './caches.ts'

/** Scripts repeat, and hashing one costs more than all other work for most transactions. */
const scripts = new ScriptCache()

/** Identical to the block that the range reader builds from its rows. Decodes lazily. */
export function decodedBlock({ block, transactions, transactionIds, results }: FetchedBlock): DecodedBlock {
  return {
    height: block.height,
    id: block.id,
    timestampUs: block.timestampUs,
    transactions: transactions.map((body, index) => {
      const result = results[index]
      const isInCollection = result !== undefined && block.collectionIds.some((id) => id.equals(result.collectionId))
      return new FetchedTransaction(index, transactionIds[index] as Buffer, body, result, isInCollection)
    }),
  }
}

class FetchedTransaction implements DecodedTransaction {
  readonly index: number
  readonly id: Buffer
  readonly isSystem: boolean
  readonly payer: string | undefined
  readonly proposer: string | undefined
  readonly statusCode: number | undefined
  readonly gasUsed: bigint | undefined
  readonly events: readonly DecodedEvent[]
  readonly #body: TransactionMessage
  #authorizers: readonly string[] | undefined
  #known: KnownScript | undefined
  #script: string | undefined

  constructor(
    index: number,
    id: Buffer,
    body: TransactionMessage,
    result: TransactionResultMessage | undefined,
    isInCollection: boolean,
  ) {
    this.index = index
    this.id = id
    // Some nodes do not report the collection; system transactions have no signatures.
    this.isSystem = !isInCollection && body.envelopeSignatures.length === 0 && body.payloadSignatures.length === 0
    const hasPayer = body.payer.some((byte) => byte !== 0)
    this.payer = hasPayer ? addressText(body.payer) : undefined
    this.proposer = hasPayer ? addressText(body.proposerAddress) : undefined
    this.statusCode = result?.statusCode
    this.gasUsed = result?.computationUsage
    this.events = (result?.events ?? []).map((event, position) => new FetchedEvent(event, position))
    this.#body = body
  }

  get authorizers(): readonly string[] {
    return (this.#authorizers ??= this.#body.authorizers.map(addressText))
  }

  get scriptHash(): Buffer {
    return this.#knownScript().hash
  }

  get script(): string {
    return (this.#script ??= pgText(this.#body.script.toString('utf8')))
  }

  get isEvm(): boolean {
    return this.#knownScript().importsEvm
  }

  #knownScript(): KnownScript {
    return (this.#known ??= scripts.find(this.#body.script))
  }
}

class FetchedEvent implements DecodedEvent {
  readonly type: string
  readonly index: number
  #payload: Buffer | undefined
  #fields: PayloadFields | undefined

  constructor({ type, payload }: EventMessage, index: number) {
    this.type = type
    this.index = index
    this.#payload = payload
  }

  get fields(): PayloadFields | undefined {
    if (this.#payload !== undefined) {
      this.#fields = decoded(this.type, this.#payload)
      this.#payload = undefined
    }
    return this.#fields
  }
}

function decoded(type: string, payload: Buffer): PayloadFields | undefined {
  try {
    return decodePayload(type, payload)
  } catch (error) {
    // Stored as null and recorded when the block was written.
    if (error instanceof PayloadError) return undefined
    throw error
  }
}
