import { status } from '@grpc/grpc-js'
import { z } from 'zod'
import type { StatusName } from './node-view.ts'

export interface FaultCall {
  readonly service: 'flow.access.AccessAPI' | 'access.AccessAPI'
  readonly method: string
  readonly request: Buffer
  /** The height of the requested block, where the node knows it. */
  readonly height: number | undefined
}

const count = z.int().min(0)
const statusNames = Object.keys(status).filter((name) => name !== 'OK' && Number.isNaN(Number(name)))
const statusName = z.enum(statusNames as [StatusName])

/** Which calls a fault meets. All conditions must hold. */
const scope = {
  /** Default: the methods that the kind names. */
  methods: z.array(z.string()).min(1).readonly().exactOptional(),
  /** Only calls about a height within these, both ends included. */
  heights: z.strictObject({ from: count, to: count }).readonly().exactOptional(),
  /** This many matching calls are answered normally first. Default 0. */
  after: count.exactOptional(),
  /** The fault ends after this many calls. Default: it does not end. */
  times: count.exactOptional(),
}

/**
 * A fault as JSON, as the control port and the command line take it. Where several meet one call, delays add up, the
 * first that ends the call wins, and those that change answers apply in the order of injection.
 */
export const faultSchema = z.discriminatedUnion('kind', [
  /** Answers come `ms` milliseconds later. */
  z.strictObject({ kind: z.literal('latency'), ms: count, ...scope }),
  /** The call ends with this status. */
  z.strictObject({ kind: z.literal('status'), code: statusName, message: z.string().exactOptional(), ...scope }),
  /** RESOURCE_EXHAUSTED above `perSecond` calls of its methods together. Default `burst`: `perSecond`, at least 1. */
  z.strictObject({
    kind: z.literal('rate-limit'),
    perSecond: z.number().positive(),
    burst: count.exactOptional(),
    ...scope,
  }),
  /** The connection is cut without an answer, and with it all its calls. */
  z.strictObject({ kind: z.literal('drop-connection'), ...scope }),
  z.strictObject({ kind: z.literal('never-answer'), ...scope }),
  /** The answer is `length` bytes (default 64) of invalid protobuf. */
  z.strictObject({ kind: z.literal('garbage'), length: count.exactOptional(), ...scope }),
  /** Blocks and headers name another parent than the block below them. */
  z.strictObject({ kind: z.literal('wrong-parent'), ...scope }),
  /** NOT_FOUND for results by block, by index and by transaction. */
  z.strictObject({ kind: z.literal('missing-results'), ...scope }),
  /** The bulk call for results leaves out the last `count` (default 1) of a block. */
  z.strictObject({ kind: z.literal('fewer-results'), count: count.exactOptional(), ...scope }),
  /**
   * The bulk call for results answers with at least `bytes` bytes: an unknown field at the end (default), copies of the
   * last event of the first result with events, or events before all others whose text is 1,000 times their payload.
   */
  z.strictObject({
    kind: z.literal('oversized'),
    bytes: count,
    by: z.enum(['unknown-field', 'events', 'expanding-events']).exactOptional(),
    ...scope,
  }),
  /** A node of an older spork: UNIMPLEMENTED for the two calls by block id (or those of `methods`). */
  z.strictObject({ kind: z.literal('no-bulk-calls'), ...scope }),
  /** A node of a candidate spork: only the service `access.AccessAPI` exists. */
  z.strictObject({ kind: z.literal('legacy-only'), ...scope }),
  /** The bulk call for results of a block with a failed transaction ends with INTERNAL: its error text was lost. */
  z.strictObject({ kind: z.literal('lost-error-message'), ...scope }),
  /** An event's payload is neither CCF nor JSON-CDC, in every call. Indexes: in the block and the transaction. */
  z.strictObject({
    kind: z.literal('corrupt-event'),
    height: count,
    transactionIndex: count,
    eventIndex: count,
    ...scope,
  }),
  /** The calls for the latest block or header return a height `ahead` above the head, where nothing is served. */
  z.strictObject({ kind: z.literal('lying-head'), ahead: count, ...scope }),
])

type FaultJson = Readonly<z.output<typeof faultSchema>>
type WithCondition<F> = F extends unknown ? F & { readonly when?: (call: FaultCall) => boolean } : never

/** A fault of a simulated node; `when` is a further condition, within the process only. */
export type Fault = WithCondition<FaultJson>
type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { readonly kind: Kind }>
export type RateLimitFault = FaultOf<'rate-limit'>
export type OversizedFault = FaultOf<'oversized'>
export type CorruptEventFault = FaultOf<'corrupt-event'>

const editingKinds = ['garbage', 'wrong-parent', 'fewer-results', 'oversized', 'corrupt-event', 'lying-head'] as const

export type EditingFault = FaultOf<(typeof editingKinds)[number]>
export type EndingFault = Exclude<Fault, EditingFault | FaultOf<'latency'>>

export function isEditing(fault: Fault): fault is EditingFault {
  return (editingKinds as readonly string[]).includes(fault.kind)
}

const blockCalls = ['GetBlockByHeight', 'GetBlockByID', 'GetLatestBlock'] as const
const headerCalls = ['GetBlockHeaderByHeight', 'GetBlockHeaderByID', 'GetLatestBlockHeader'] as const
const singleResultCalls = ['GetTransactionResult', 'GetTransactionResultByIndex', 'GetSystemTransactionResult'] as const
const bulkResults = ['GetTransactionResultsByBlockID'] as const

/** The methods of a fault that names none; a kind that is not listed meets all. */
export const defaultMethods: Readonly<Partial<Record<Fault['kind'], readonly string[]>>> = {
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
  'lost-error-message': bulkResults,
  'corrupt-event': [...bulkResults, ...singleResultCalls, 'GetEventsForHeightRange', 'GetEventsForBlockIDs'],
  'lying-head': ['GetLatestBlock', 'GetLatestBlockHeader'],
}
