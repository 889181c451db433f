import type { AskContext, Outcome, Question } from '../../../jobs/asking/asking-worker.ts'
import { asError, FlowfarmError, RetryableError } from '../../base/errors.ts'
import { ChainCallFailedError, StateNotServedError } from '../../chain/chain-reader.ts'
import type { KeyOutcome, KeyRow } from './question-store.ts'

/** Errors of scripts quote the script. */
const longestMessage = 2000

/** Keys one after the other for which the call itself failed, before the node is held to blame. */
const mostFailedInRow = 3

/** Whether an error says nothing of what was asked for: it is to be asked again as it is. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ChainCallFailedError) return false
  return error instanceof RetryableError || error instanceof StateNotServedError
}

/** What became of a batch. */
export interface BatchResult {
  /** Of those keys that something can be said of. */
  readonly outcomes: readonly KeyOutcome[]
  /** Why the others were left; undefined where there are none. */
  readonly interruption: unknown
}

/**
 * Asks for some keys at once, and where that fails because of what is asked, in halves, down to the keys at fault: one bad
 * contract does not hold up the others. An error that says nothing of the keys interrupts it, and so do calls that fail
 * for key after key: then it is the node.
 * @throws the signal's reason
 */
export async function askBatch(
  question: Question<never>,
  rows: readonly KeyRow[],
  context: AskContext,
): Promise<BatchResult> {
  const outcomes: KeyOutcome[] = []
  const waiting = [rows]
  let failedInRow = 0
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    try {
      outcomes.push(...(await askOnce(question, part, context)))
      failedInRow = 0
    } catch (thrown) {
      context.signal.throwIfAborted()
      if (isPassing(thrown)) return { outcomes, interruption: thrown }
      const [row] = part
      if (part.length > 1) {
        const middle = part.length >> 1
        waiting.push(part.slice(middle), part.slice(0, middle))
      } else if (row !== undefined) {
        outcomes.push({ row, outcome: failure(thrown) })
        failedInRow = thrown instanceof ChainCallFailedError ? failedInRow + 1 : 0
        if (failedInRow >= mostFailedInRow) return { outcomes, interruption: thrown }
      }
    }
  }
  return { outcomes, interruption: undefined }
}

async function askOnce(question: Question<never>, rows: readonly KeyRow[], context: AskContext): Promise<KeyOutcome[]> {
  // What `details` gives is what the question expects: both stand in its declaration.
  const outcomes = await question.ask(rows as readonly never[], context)
  return rows.map((row, i) => ({
    row,
    outcome: outcomes[i] ?? failure(new Error('the question gave no outcome for the key')),
  }))
}

/** The outcome of a key that an error is the fault of. */
export function failure(thrown: unknown): Outcome {
  const error = asError(thrown)
  return {
    kind: 'failed',
    code: error instanceof FlowfarmError ? error.code : 'asking-failed',
    message: error.message.slice(0, longestMessage),
  }
}
