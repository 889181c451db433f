import { readTransactionResponse } from '../../../src/access/wire/read-transactions.ts'
import { WireError } from '../../../src/access/wire/wire-error.ts'
import type { TransactionBody } from '../../../src/flow/transaction-body.ts'
import { transactionId, withOrderedSignatures } from '../../../src/flow/transaction-id.ts'
import { findBlock } from '../../node/node-view.ts'
import type { NodeView } from '../../node/node-view.ts'
import { Refusal } from '../../node/refusal.ts'
import type { LedgerChain } from '../ledger-chain.ts'
import { checkTransaction, expiry } from './check-transaction.ts'
import type { Journal } from './journal.ts'
import type { Submission } from './submission.ts'

/** What has become of a transaction that is in no block: it waits for one, or none will have it any more. */
export type Fate = 'pending' | 'expired'

/** All of them come into one block, whose resources have so many numbers. */
const mostWaiting = 5000
/** Ids of expired transactions that are remembered. */
const mostExpired = 10_000

/**
 * Takes transactions in, and puts them into the first block that nobody has seen when the head goes there.
 *
 * A transaction waits; then it is in a block, as far as the node is on a branch that has the block, or it has expired.
 */
export class SubmissionDesk {
  readonly #journal: Journal
  readonly #waiting = new Map<string, Submission>()
  readonly #expired = new Set<string>()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /**
   * @param request `SendTransactionRequest`
   * @returns its id
   * @throws Refusal INVALID_ARGUMENT; RESOURCE_EXHAUSTED where too many wait
   */
  take(view: NodeView<LedgerChain>, request: Buffer): Buffer {
    const body = bodyOf(request)
    const id = transactionId(body)
    const hex = id.toString('hex')
    if (this.#waiting.has(hex) || this.#journal.heightOf(view.chain.branch, hex) !== undefined) {
      throw new Refusal('INVALID_ARGUMENT', `transaction with ID ${hex} has already been submitted`)
    }
    checkTransaction(view, body, request.length)
    if (this.#waiting.size >= mostWaiting)
      throw new Refusal('RESOURCE_EXHAUSTED', `${mostWaiting} transactions wait for the next block already`)
    this.#expired.delete(hex)
    this.#waiting.set(hex, { id, body })
    return id
  }

  /** A transaction that waits. */
  waiting(id: Buffer): Submission | undefined {
    return this.#waiting.get(id.toString('hex'))
  }

  fateOf(id: Buffer): Fate | undefined {
    const hex = id.toString('hex')
    if (this.#waiting.has(hex)) return 'pending'
    return this.#expired.has(hex) ? 'expired' : undefined
  }

  /** Before the head goes to a height: the first block on the way that nobody has seen gets all that waits. */
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
    if (this.#expired.size >= mostExpired) this.#expired.clear()
    this.#expired.add(hex)
  }
}

/** The transaction of a request, which has it where an answer has it. It is copied, since it outlives the call. */
function bodyOf(request: Buffer): TransactionBody {
  try {
    return withOrderedSignatures(readTransactionResponse(Buffer.from(request)))
  } catch (error) {
    if (error instanceof WireError)
      throw new Refusal('INVALID_ARGUMENT', `invalid transaction: ${error.message.replace('answer', 'request')}`)
    throw error
  }
}
