import { Refusal } from '../../node/refusal.ts'
import { transactionMethods } from '../../node/transaction-methods.ts'
import { metadataField } from '../../node/unary-method.ts'
import type { UnaryMethod } from '../../node/unary-method.ts'
import { bytesField, bytesOf, varintField } from '../../node/wire.ts'
import { transactionMessages } from '../encoding/transaction-messages.ts'
import type { LedgerChain } from '../ledger-chain.ts'
import type { Fate, SubmissionDesk } from './submission-desk.ts'

type LedgerMethod = UnaryMethod<LedgerChain>

/** `entities.TransactionStatus` */
const statuses: Readonly<Record<Fate, number>> = { pending: 1, expired: 5 }
const zeroId = Buffer.alloc(32)

/** The call that takes transactions in, and those that tell of one which is in no block. */
export function submissionMethods(desk: SubmissionDesk): Readonly<Record<string, LedgerMethod>> {
  const { GetTransaction: transaction, GetTransactionResult: result } = transactionMethods as Readonly<
    Record<'GetTransaction' | 'GetTransactionResult', LedgerMethod>
  >
  return {
    SendTransaction: {
      answer: (view, request) => Buffer.concat([bytesField(1, desk.take(view, request)), metadataField(view, 2)]),
    },
    GetTransaction: {
      ...transaction,
      answer(view, request) {
        const waiting = desk.waiting(bytesOf(request, 1))
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
        const fate = view.chain.placeOfTransaction(id) === undefined ? desk.fateOf(id) : undefined
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
