import type { AskContext, Outcome, Question } from '../../../jobs/asking/asking-worker.ts'
import { asError, FlowfarmError, RetryableError } from '../../base/errors.ts'
import { ChainTimeoutError, StateNotServedError } from '../../chain/chain-reader.ts'
import type { KeyOutcome, KeyRow } from './question-store.ts'

/** Errors of scripts quote the script. */
const longestMessage = 2000

/** Whether an error says nothing of what was asked for: it is to be asked again as it is. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ChainTimeoutError) return false
  return error instanceof RetryableError || error instanceof StateNotServedError
}

/**
 * Asks for some keys at once, and where that fails because of what is asked, in halves, down to the keys at fault: one bad
 * contract does not hold up the others.
 * @throws passing errors, or the signal's reason
 */
export async function askBatch(question: Question<never>, rows: readonly KeyRow[], context: AskContext): Promise<KeyOutcome[]> {
  try {
    // What `details` gives is what the question expects: both stand in its declaration.
    const outcomes = await question.ask(rows as readonly never[], context)
    return rows.map((row, i) => ({ row, outcome: outcomes[i] ?? failure(new Error('the question gave no outcome for the key')) }))
  } catch (thrown) {
    context.signal.throwIfAborted()
    if (isPassing(thrown)) throw thrown
    if (rows.length === 1) return rows.map((row) => ({ row, outcome: failure(thrown) }))
    const middle = rows.length >> 1
    const first = await askBatch(question, rows.slice(0, middle), context)
    return [...first, ...(await askBatch(question, rows.slice(middle), context))]
  }
}

/** The outcome of a key that an error is the fault of. */
export function failure(thrown: unknown): Outcome {
  const error = asError(thrown)
  return { kind: 'failed', code: error instanceof FlowfarmError ? error.code : 'asking-failed', message: error.message.slice(0, longestMessage) }
}
