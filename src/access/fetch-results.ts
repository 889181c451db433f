import { attempt, isFault } from './attempt.ts'
import type { Outcome } from './attempt.ts'
import type { BlockCalls } from './block-calls.ts'
import { mapLimited } from './map-limited.ts'
import type { BlockMessage, EventEncoding, MissingPart, TransactionResultMessage } from './messages.ts'
import { PartMissingError } from './source-errors.ts'

/** Calls under way at the same time where a block is fetched piece by piece. */
export const piecesAtOnce = 16

export interface FetchedResults {
  readonly results: readonly (TransactionResultMessage | undefined)[]
  readonly missing: readonly MissingPart[]
}

export interface ResultOptions {
  readonly encoding: EventEncoding
  /** As in `NodeBlockOptions`. */
  readonly acceptMissing: boolean
  readonly acceptFailing?: boolean
}

type ResultCall = (index: number, encoding: EventEncoding) => Promise<TransactionResultMessage>

/** All results of a block in one call; asked for in JSON-CDC where the node fails to give them in CCF. */
export async function bulkResults(
  calls: BlockCalls,
  blockId: Buffer,
  encoding: EventEncoding,
): Promise<Outcome<TransactionResultMessage[]>> {
  const outcome = await attempt(calls.results(blockId, encoding))
  return encoding === 'ccf' && isFault(outcome, 'encoding') ? attempt(calls.results(blockId, 'json-cdc')) : outcome
}

/**
 * The results one by one, by their index in the block, or by transaction id where the node has no such call.
 * @param ids of the transactions, as far as known; needed for the second way only
 */
export function resultsByIndex(
  calls: BlockCalls,
  block: BlockMessage,
  count: number,
  options: ResultOptions & { readonly ids?: readonly Buffer[] },
): Promise<FetchedResults> {
  const { ids } = options
  return onePerCall(calls, block, count, options, async (index, encoding) => {
    const outcome = await attempt(calls.resultByIndex(block.id, index, encoding))
    const id = ids?.[index]
    if (id !== undefined && isFault(outcome, 'unimplemented')) return calls.result(id, block.id, encoding)
    if (outcome.fault !== undefined) throw outcome.error
    return outcome.value
  })
}

/** The results of these transactions, one call each. */
export function resultsById(
  calls: BlockCalls,
  block: BlockMessage,
  ids: readonly Buffer[],
  options: ResultOptions,
): Promise<FetchedResults> {
  const call: ResultCall = (index, encoding) => calls.result(ids[index] as Buffer, block.id, encoding)
  return onePerCall(calls, block, ids.length, options, call)
}

async function onePerCall(
  calls: BlockCalls,
  block: BlockMessage,
  count: number,
  { encoding, acceptMissing, acceptFailing = false }: ResultOptions,
  call: ResultCall,
): Promise<FetchedResults> {
  const missing: MissingPart[] = []
  const results = await mapLimited(Array.from({ length: count }), piecesAtOnce, async (_, index) => {
    let outcome = await attempt(call(index, encoding))
    if (encoding === 'ccf' && isFault(outcome, 'encoding')) outcome = await attempt(call(index, 'json-cdc'))
    if (outcome.fault === undefined) return outcome.value
    const isLost = isFault(outcome, 'not-found', 'not-ready', 'failed-without-text', 'encoding', 'too-large')
    if (!isLost && !acceptFailing) throw outcome.error
    if (!acceptMissing) throw new PartMissingError(calls.node.endpoint, block.height, outcome.error)
    missing.push({ part: 'result', index, reason: outcome.fault.message })
    return undefined
  })
  return { results, missing: missing.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)) }
}
