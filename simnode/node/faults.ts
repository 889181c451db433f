import { status } from '@grpc/grpc-js'
import { z } from 'zod'
import type { StatusName } from './node-view.ts'

/** A call as a fault's condition sees it. */
export interface FaultCall {
  readonly service: 'flow.access.AccessAPI' | 'access.AccessAPI'
  /** E.g. `GetBlockByHeight`. */
  readonly method: string
  /** The encoded request message. */
  readonly request: Buffer
  /** The height that the call is about, where it is about one that the node knows. */
  readonly height: number | undefined
}

/** Which calls a fault meets. All conditions must hold. */
export interface FaultScope {
  /** Default: the methods that the kind names. */
  readonly methods?: readonly string[]
  /** Only calls about a height within these, both ends included. */
  readonly heights?: { readonly from: number; readonly to: number }
  /** So many matching calls are answered well before. Default 0. */
  readonly after?: number
  /** So many calls meet the fault, then it is over. Default: without end. */
  readonly times?: number
  /** A further condition; only within the process. */
  readonly when?: (call: FaultCall) => boolean
}

/** Every call (or those of `methods`) is answered `ms` milliseconds later. Several add up. */
export interface LatencyFault extends FaultScope {
  readonly kind: 'latency'
  readonly ms: number
}

/** The call ends with this status. */
export interface StatusFault extends FaultScope {
  readonly kind: 'status'
  readonly code: StatusName
  readonly message?: string
}

/** Above `perSecond` calls, all methods of the fault together, RESOURCE_EXHAUSTED in the words of a node's limiter. */
export interface RateLimitFault extends FaultScope {
  readonly kind: 'rate-limit'
  readonly perSecond: number
  /** Calls that may come at once. Default: `perSecond`, at least 1. */
  readonly burst?: number
}

/** The connection of the call is cut without an answer, and with it all other calls on it. */
export interface DropConnectionFault extends FaultScope {
  readonly kind: 'drop-connection'
}

/** The call is taken and never answered. */
export interface NeverAnswerFault extends FaultScope {
  readonly kind: 'never-answer'
}

/** Instead of the answer come `length` bytes (default 64) that are no protobuf message. */
export interface GarbageFault extends FaultScope {
  readonly kind: 'garbage'
  readonly length?: number
}

/** Blocks and headers name another parent than the block below them. Name the `heights`, or all do. */
export interface WrongParentFault extends FaultScope {
  readonly kind: 'wrong-parent'
}

/** The results of the blocks are not there, by block, by index or by transaction: NOT_FOUND. */
export interface MissingResultsFault extends FaultScope {
  readonly kind: 'missing-results'
}

/** The bulk call for results leaves out the last `count` (default 1) of a block. */
export interface FewerResultsFault extends FaultScope {
  readonly kind: 'fewer-results'
  readonly count?: number
}

/**
 * The bulk call for results answers with at least `bytes` bytes: with an unknown field at the end, or with copies of
 * the last event of the first result that has events, under new indexes; or by events that precede the others of that
 * result, whose text is a thousand times as long as their payload.
 */
export interface OversizedFault extends FaultScope {
  readonly kind: 'oversized'
  readonly bytes: number
  /** Default `unknown-field`. */
  readonly by?: 'unknown-field' | 'events' | 'expanding-events'
}

/** As a node of an older spork: UNIMPLEMENTED for the two calls by block id (or those of `methods`). */
export interface NoBulkCallsFault extends FaultScope {
  readonly kind: 'no-bulk-calls'
}

/** As a node of a candidate spork: only the service `access.AccessAPI` exists. */
export interface LegacyOnlyFault extends FaultScope {
  readonly kind: 'legacy-only'
}

/** The bulk call for results of a block with a failed transaction ends with INTERNAL: its error text was lost. */
export interface LostErrorMessageFault extends FaultScope {
  readonly kind: 'lost-error-message'
}

/** One event's payload is bytes that are neither CCF nor JSON-CDC, in every call that tells the event. */
export interface CorruptEventFault extends FaultScope {
  readonly kind: 'corrupt-event'
  readonly height: number
  /** Within the block. */
  readonly transactionIndex: number
  /** Within the transaction. */
  readonly eventIndex: number
}

/** The calls for the latest block or header tell a height `ahead` above the head; nothing is served there. */
export interface LyingHeadFault extends FaultScope {
  readonly kind: 'lying-head'
  readonly ahead: number
}

/** Ends the call without its answer. */
export type EndingFault =
  | StatusFault
  | RateLimitFault
  | DropConnectionFault
  | NeverAnswerFault
  | MissingResultsFault
  | NoBulkCallsFault
  | LegacyOnlyFault
  | LostErrorMessageFault

/** Changes the answer. */
export type EditingFault =
  | GarbageFault
  | WrongParentFault
  | FewerResultsFault
  | OversizedFault
  | CorruptEventFault
  | LyingHeadFault

/**
 * What a replay node can be told to do wrong. Where several meet one call, delays add up, the first one that ends the
 * call wins, and those that change answers apply in the order in which they were injected.
 */
export type Fault = LatencyFault | EndingFault | EditingFault

const blockCalls = ['GetBlockByHeight', 'GetBlockByID', 'GetLatestBlock'] as const
const headerCalls = ['GetBlockHeaderByHeight', 'GetBlockHeaderByID', 'GetLatestBlockHeader'] as const
const singleResultCalls = ['GetTransactionResult', 'GetTransactionResultByIndex', 'GetSystemTransactionResult'] as const
const bulkResults = ['GetTransactionResultsByBlockID'] as const

/** The methods that a kind meets when the fault names none; undefined: all. */
export const defaultMethods: Readonly<Record<Fault['kind'], readonly string[] | undefined>> = {
  latency: undefined,
  status: undefined,
  'rate-limit': undefined,
  'drop-connection': undefined,
  'never-answer': undefined,
  garbage: undefined,
  'wrong-parent': [
    ...blockCalls,
    ...headerCalls,
    'SubscribeBlocksFromStartHeight',
    'SubscribeBlocksFromStartBlockID',
    'SubscribeBlocksFromLatest',
    'SubscribeBlockHeadersFromStartHeight',
    'SubscribeBlockHeadersFromStartBlockID',
    'SubscribeBlockHeadersFromLatest',
  ],
  'missing-results': [...bulkResults, ...singleResultCalls],
  'fewer-results': bulkResults,
  oversized: bulkResults,
  'no-bulk-calls': ['GetTransactionsByBlockID', ...bulkResults],
  'legacy-only': undefined,
  'lost-error-message': bulkResults,
  'corrupt-event': [...bulkResults, ...singleResultCalls, 'GetEventsForHeightRange', 'GetEventsForBlockIDs'],
  'lying-head': ['GetLatestBlock', 'GetLatestBlockHeader'],
}

const count = z.int().min(0)
const statusNames = Object.keys(status).filter((name) => name !== 'OK' && Number.isNaN(Number(name)))
const statusName = z.enum(statusNames as [StatusName])

const scope = {
  methods: z.array(z.string()).min(1).exactOptional(),
  heights: z.strictObject({ from: count, to: count }).exactOptional(),
  after: count.exactOptional(),
  times: count.exactOptional(),
}

/** A fault as JSON, as the control port and the command line take it: all of `Fault` but the condition `when`. */
export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('latency'), ms: count, ...scope }),
  z.strictObject({ kind: z.literal('status'), code: statusName, message: z.string().exactOptional(), ...scope }),
  z.strictObject({
    kind: z.literal('rate-limit'),
    perSecond: z.number().positive(),
    burst: count.exactOptional(),
    ...scope,
  }),
  z.strictObject({ kind: z.literal('drop-connection'), ...scope }),
  z.strictObject({ kind: z.literal('never-answer'), ...scope }),
  z.strictObject({ kind: z.literal('garbage'), length: count.exactOptional(), ...scope }),
  z.strictObject({ kind: z.literal('wrong-parent'), ...scope }),
  z.strictObject({ kind: z.literal('missing-results'), ...scope }),
  z.strictObject({ kind: z.literal('fewer-results'), count: count.exactOptional(), ...scope }),
  z.strictObject({
    kind: z.literal('oversized'),
    bytes: count,
    by: z.enum(['unknown-field', 'events', 'expanding-events']).exactOptional(),
    ...scope,
  }),
  z.strictObject({ kind: z.literal('no-bulk-calls'), ...scope }),
  z.strictObject({ kind: z.literal('legacy-only'), ...scope }),
  z.strictObject({ kind: z.literal('lost-error-message'), ...scope }),
  z.strictObject({
    kind: z.literal('corrupt-event'),
    height: count,
    transactionIndex: count,
    eventIndex: count,
    ...scope,
  }),
  z.strictObject({ kind: z.literal('lying-head'), ahead: count, ...scope }),
]) satisfies z.ZodType<Fault>
