import { readTransactionResponse } from '../../../src/access/wire/read-transactions.ts'
import { WireError } from '../../../src/access/wire/wire-reader.ts'
import type { TransactionBody } from '../../../src/flow/transactions/transaction-id.ts'
import { transactionId, withOrderedSignatures } from '../../../src/flow/transactions/transaction-id.ts'
import { findBlock, Refusal, metadataField } from '../../node/node-view.ts'
import type { NodeView, UnaryMethod } from '../../node/node-view.ts'
import type { LedgerChain } from '../ledger-chain.ts'
import { checkTransaction, expiry } from './check-transaction.ts'
import type { Journal, Submission } from './journal.ts'
import { transactionMethods } from '../../node/transaction-methods.ts'
import { bytesField, bytesOf, varintField } from '../../node/wire.ts'
import { transactionMessages } from '../encoding/messages.ts'

type UnminedStatus = 'pending' | 'expired'

/** They enter one block, whose uuids are limited. */
const maxPending = 5000
const maxExpired = 10_000

/** A transaction is pending, then in a block of the branch, or expired. */
export class Mempool {
  readonly #journal: Journal
  readonly #waiting = new Map<string, Submission>()
  readonly #expired = new Set<string>()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /**
   * @param request `SendTransactionRequest`
   *
   * @throws Refusal INVALID_ARGUMENT; RESOURCE_EXHAUSTED when full
   */
  take(view: NodeView<LedgerChain>, request: Buffer): Buffer {
    const body = bodyOf(request)
    const id = transactionId(body)
    const hex = id.toString('hex')
    if (this.#waiting.has(hex) || this.#journal.heightOf(view.chain.branch, hex) !== undefined) {
      throw new Refusal('INVALID_ARGUMENT', `transaction with ID ${hex} has already been submitted`)
    }
    checkTransaction(view, body, request.length)
    if (this.#waiting.size >= maxPending)
      throw new Refusal('RESOURCE_EXHAUSTED', `${maxPending} transactions wait for the next block already`)
    this.#expired.delete(hex)
    this.#waiting.set(hex, { id, body })
    return id
  }

  waiting(id: Buffer): Submission | undefined {
    return this.#waiting.get(id.toString('hex'))
  }

  statusOf(id: Buffer): UnminedStatus | undefined {
    const hex = id.toString('hex')
    if (this.#waiting.has(hex)) return 'pending'
    return this.#expired.has(hex) ? 'expired' : undefined
  }

  /** Call before the head moves. */
  beforeHead(view: NodeView<LedgerChain>, head: number): void {
    if (this.#waiting.size === 0 || !Number.isSafeInteger(head)) return
    const { branch } = view.chain
    const height = this.#journal.firstUnseen(branch, view.head)
    if (height > head) return
    const ready: Submission[] = []
    for (const [hex, submission] of this.#waiting) {
      const reference = findBlock(view, submission.body.referenceBlockId)
      if (reference !== undefined && height - reference.height <= expiry) ready.push(submission)
      else this.#expire(hex)
    }
    this.#waiting.clear()
    if (ready.length > 0) this.#journal.include(branch, height, ready)
  }

  #expire(hex: string): void {
    if (this.#expired.size >= maxExpired) this.#expired.clear()
    this.#expired.add(hex)
  }
}

/** Copied, since it outlives the call. */
function bodyOf(request: Buffer): TransactionBody {
  try {
    return withOrderedSignatures(readTransactionResponse(Buffer.from(request)))
  } catch (error) {
    if (error instanceof WireError)
      throw new Refusal('INVALID_ARGUMENT', `invalid transaction: ${error.message.replace('answer', 'request')}`)
    throw error
  }
}

type LedgerMethod = UnaryMethod<LedgerChain>

/** `entities.TransactionStatus` */
const statuses: Readonly<Record<UnminedStatus, number>> = { pending: 1, expired: 5 }
const zeroId = Buffer.alloc(32)

/** `SendTransaction`, and the calls that also answer for pending and expired transactions. */
export function submissionMethods(mempool: Mempool): Readonly<Record<string, LedgerMethod>> {
  const { GetTransaction: transaction, GetTransactionResult: result } = transactionMethods as Readonly<
    Record<'GetTransaction' | 'GetTransactionResult', LedgerMethod>
  >
  return {
    SendTransaction: {
      answer: (view, request) => Buffer.concat([bytesField(1, mempool.take(view, request)), metadataField(view, 2)]),
    },
    GetTransaction: {
      ...transaction,
      answer(view, request) {
        const waiting = mempool.waiting(bytesOf(request, 1))
        if (waiting === undefined) return transaction.answer(view, request)
        const [body] = transactionMessages([waiting.body])
        if (body === undefined) throw new Refusal('INTERNAL', 'a transaction that waits has no body')
        return Buffer.concat([bytesField(1, body), metadataField(view, 2)])
      },
    },
    GetTransactionResult: {
      ...result,
      answer(view, request) {
        const id = bytesOf(request, 1)
        const fate = view.chain.placeOfTransaction(id) === undefined ? mempool.statusOf(id) : undefined
        if (fate === undefined) return result.answer(view, request)
        return Buffer.concat([
          varintField(1, statuses[fate]),
          bytesField(5, zeroId),
          bytesField(6, id),
          bytesField(7, zeroId),
          metadataField(view, 9),
        ])
      },
    },
  }
}
