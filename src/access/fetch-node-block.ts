import { attempt, isFault, nodeFault } from './nodes/node-errors.ts'
import type { Outcome } from './nodes/node-errors.ts'
import type { BlockCalls } from './nodes/block-calls.ts'
import { checkHeader, checkParts } from './check-block.ts'
import type {
  BlockMessage,
  EventEncoding,
  FetchedBlock,
  MissingPart,
  TransactionMessage,
  TransactionResultMessage,
} from './messages.ts'
import { detectService } from './nodes/identify-node.ts'
import { PartMissingError } from './chain-source.ts'

export interface NodeBlockOptions {
  readonly encoding: EventEncoding
  /** A root block has no transactions, and nodes fail if they are requested. */
  readonly isSporkRoot: boolean
  /** Treat parts that the node reports missing as lost, instead of throwing PartMissingError. */
  readonly acceptMissing: boolean
  /** Also treat parts that the node fails to serve as lost; the block itself is required. */
  readonly acceptFailing?: boolean
}

interface Parts {
  readonly transactions: readonly TransactionMessage[]
  readonly results: readonly (TransactionResultMessage | undefined)[]
  readonly missing: readonly MissingPart[]
}

const noParts: Parts = { transactions: [], results: [], missing: [] }

/**
 * Fetches the light block, then all transactions and all results in parallel. If a bulk call fails
 * in a way that smaller calls avoid, uses those.
 * @throws PartMissingError, InconsistentResponseError, WireError, GrpcError
 */
export async function fetchNodeBlock(
  calls: BlockCalls,
  height: number,
  options: NodeBlockOptions,
): Promise<FetchedBlock> {
  const { endpoint } = calls.node
  const block = await detectService(calls.node, () => calls.block(height))
  checkHeader(block, height, endpoint)
  try {
    const { transactions, results, missing } = await partsOf(calls, block, options)
    const transactionIds = checkParts(block, transactions, results, endpoint)
    return { block, transactions, transactionIds, results, missing, byteLength: calls.byteLength, endpoint }
  } catch (error) {
    const fault = nodeFault(error)
    if (options.acceptFailing !== true || fault === undefined) throw error
    const missing = [{ part: 'transactions' as const, reason: fault.message }]
    return { block, transactions: [], transactionIds: [], results: [], missing, byteLength: calls.byteLength, endpoint }
  }
}

async function partsOf(calls: BlockCalls, block: BlockMessage, options: NodeBlockOptions): Promise<Parts> {
  if (calls.node.hasBulk === false) return piecesOf(calls, block, options)
  const [bodies, results] = await Promise.all([
    attempt(calls.transactions(block.id, options.encoding)),
    bulkResults(calls, block.id, options.encoding),
  ])
  const lacking = [bodies, results].find((outcome) => isFault(outcome, 'unimplemented'))
  if (lacking?.fault !== undefined) {
    // The node supported these calls, so the error is a proxy's. Fetching by id would miss system
    // transactions.
    if (calls.node.hasBulk === true) throw lacking.error
    calls.node.hasBulk = false
    return piecesOf(calls, block, options)
  }
  if (options.isSporkRoot && block.collectionIds.length === 0 && isNothing(bodies, results)) return noParts
  if (bodies.fault === undefined && results.fault === undefined) {
    calls.node.hasBulk = true
    return { transactions: bodies.value, results: results.value, missing: [] }
  }
  return fetchFailedParts(calls, block, options, bodies, results)
}

/**
 * For a spork's root block nodes return a body without a result, or an error. Source:
 * onflow/flow-go, GetTransactionResultsByBlockID ("root block has no system transaction result").
 */
function isNothing(bodies: Outcome<readonly unknown[]>, results: Outcome<readonly unknown[]>): boolean {
  if (results.fault === undefined && results.value.length === 0) return true
  return isFault(bodies, 'internal', 'not-found', 'not-ready') || isFault(results, 'internal', 'not-found', 'not-ready')
}

async function fetchFailedParts(
  calls: BlockCalls,
  block: BlockMessage,
  options: NodeBlockOptions,
  bodies: Outcome<TransactionMessage[]>,
  results: Outcome<TransactionResultMessage[]>,
): Promise<Parts> {
  for (const outcome of [bodies, results]) {
    if (outcome.fault === undefined) continue
    if (isFault(outcome, 'not-found', 'not-ready') && !options.acceptMissing) {
      throw new PartMissingError(calls.node.endpoint, block.height, outcome.error)
    }
    if (options.acceptFailing === true) continue
    if (isFault(outcome, 'timeout', 'unavailable', 'rate-limited', 'malformed', 'inconsistent', 'refused'))
      throw outcome.error
  }
  try {
    return await fetchPiecewise(calls, block, options, bodies, results)
  } catch (error) {
    return lostTransactions(error, options)
  }
}

async function fetchPiecewise(
  calls: BlockCalls,
  block: BlockMessage,
  options: NodeBlockOptions,
  bodies: Outcome<TransactionMessage[]>,
  results: Outcome<TransactionResultMessage[]>,
): Promise<Parts> {
  if (bodies.fault === undefined) {
    const pieces = await resultsByIndex(calls, block, bodies.value.length, options)
    return { transactions: bodies.value, ...pieces }
  }
  const known: FetchedResults =
    results.fault === undefined ? { results: results.value, missing: [] } : await resultsToTheEnd(calls, block, options)
  const ids = known.results.map((result) => result?.transactionId ?? Buffer.alloc(0))
  return { transactions: await transactionsById(calls, block, ids), ...known }
}

/** For an unknown number: results of the collections, then of system transactions until the end. */
async function resultsToTheEnd(
  calls: BlockCalls,
  block: BlockMessage,
  options: NodeBlockOptions,
): Promise<FetchedResults> {
  const users = await userTransactionIds(calls, block)
  const { results } = await resultsByIndex(calls, block, users.length, { ...options, acceptMissing: false })
  const all = [...results]
  for (;;) {
    const next = await attempt(calls.resultByIndex(block.id, all.length, options.encoding))
    if (isFault(next, 'not-found', 'not-ready')) return { results: all, missing: [] }
    if (next.fault !== undefined) throw next.error
    all.push(next.value)
  }
}

async function piecesOf(calls: BlockCalls, block: BlockMessage, options: NodeBlockOptions): Promise<Parts> {
  try {
    return await fetchPieces(calls, block, options)
  } catch (error) {
    return lostTransactions(error, options)
  }
}

function lostTransactions(error: unknown, { acceptMissing }: NodeBlockOptions): Parts {
  if (!acceptMissing || !(error instanceof PartMissingError)) throw error
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  return { transactions: [], results: [], missing: [{ part: 'transactions', reason }] }
}

interface Pieces extends FetchedResults {
  readonly transactions: readonly TransactionMessage[]
  readonly transactionIds: readonly Buffer[]
}

/** For nodes without bulk calls, which cannot list system transactions. */
async function fetchPieces(calls: BlockCalls, block: BlockMessage, options: ResultOptions): Promise<Pieces> {
  const transactionIds = await userTransactionIds(calls, block)
  const [transactions, results] = await Promise.all([
    transactionsById(calls, block, transactionIds),
    resultsById(calls, block, transactionIds, options),
  ])
  return { transactions, transactionIds, ...results }
}

/** Ids in the order of the block's collections. */
async function userTransactionIds(calls: BlockCalls, block: BlockMessage): Promise<Buffer[]> {
  const idsOf = (collectionId: Buffer) => found(calls, block, calls.collection(collectionId))
  const collections = await mapLimited(block.collectionIds, piecesAtOnce, idsOf)
  return collections.flat()
}

function transactionsById(
  calls: BlockCalls,
  block: BlockMessage,
  ids: readonly Buffer[],
): Promise<TransactionMessage[]> {
  return mapLimited(ids, piecesAtOnce, (id) => found(calls, block, calls.transaction(id)))
}

/** A missing part must not be reported as a missing block. */
async function found<T>(calls: BlockCalls, block: BlockMessage, call: Promise<T>): Promise<T> {
  const outcome = await attempt(call)
  if (outcome.fault === undefined) return outcome.value
  if (isFault(outcome, 'not-found', 'not-ready')) {
    throw new PartMissingError(calls.node.endpoint, block.height, outcome.error)
  }
  throw outcome.error
}

const piecesAtOnce = 16

interface FetchedResults {
  readonly results: readonly (TransactionResultMessage | undefined)[]
  readonly missing: readonly MissingPart[]
}

interface ResultOptions {
  readonly encoding: EventEncoding
  readonly acceptMissing: boolean
  readonly acceptFailing?: boolean
}

type ResultCall = (index: number, encoding: EventEncoding) => Promise<TransactionResultMessage>

async function bulkResults(
  calls: BlockCalls,
  blockId: Buffer,
  encoding: EventEncoding,
): Promise<Outcome<TransactionResultMessage[]>> {
  const outcome = await attempt(calls.results(blockId, encoding))
  return encoding === 'ccf' && isFault(outcome, 'encoding') ? attempt(calls.results(blockId, 'json-cdc')) : outcome
}

function resultsByIndex(
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

function resultsById(
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

/** After an error no new call starts, and running ones are awaited. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  let failure: { readonly error: unknown } | undefined
  const worker = async () => {
    while (next < items.length && failure === undefined) {
      const index = next++
      try {
        results[index] = await map(items[index] as T, index)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  if (failure !== undefined) throw failure.error
  return results
}
