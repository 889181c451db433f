import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { Refusal } from '../node/node-view.ts'
import type { UnaryCall } from '../node/node-view.ts'
import {
  AccountBalanceResponseSchema,
  AccountKeyResponseSchema,
  AccountKeysResponseSchema,
  AccountResponseSchema,
  BlockResponseSchema,
  CollectionResponseSchema,
  EventsResponseSchema,
  ExecuteScriptAtBlockHeightRequestSchema,
  ExecuteScriptAtBlockIDRequestSchema,
  ExecuteScriptAtLatestBlockRequestSchema,
  ExecuteScriptResponseSchema,
  GetAccountAtBlockHeightRequestSchema,
  GetAccountAtLatestBlockRequestSchema,
  GetAccountBalanceAtBlockHeightRequestSchema,
  GetAccountBalanceAtLatestBlockRequestSchema,
  GetAccountKeyAtBlockHeightRequestSchema,
  GetAccountKeyAtLatestBlockRequestSchema,
  GetAccountKeysAtBlockHeightRequestSchema,
  GetAccountKeysAtLatestBlockRequestSchema,
  GetBlockByHeightRequestSchema,
  GetBlockByIDRequestSchema,
  GetCollectionByIDRequestSchema,
  GetEventsForBlockIDsRequestSchema,
  GetEventsForHeightRangeRequestSchema,
  GetLatestBlockRequestSchema,
  GetNetworkParametersRequestSchema,
  GetNetworkParametersResponseSchema,
  GetNodeVersionInfoRequestSchema,
  GetNodeVersionInfoResponseSchema,
  GetTransactionRequestSchema,
  SendTransactionRequestSchema,
  SendTransactionResponseSchema,
  TransactionResponseSchema,
  TransactionResultResponseSchema,
} from '../../src/access/gen/flow/access/access_pb.ts'

/** The calls of the access API by name, as gRPC has them. */
export type UnaryCalls = Readonly<Record<string, (call: UnaryCall) => void>>

/** Two messages of a call of the access API. */
export interface CallShape<Request extends DescMessage, Answer extends DescMessage> {
  readonly method: string
  readonly request: Request
  readonly answer: Answer
}

/**
 * The gRPC calls of a node, for one client of REST: every request of REST is answered by these, so that there is one node with one
 * set of rules, counts and faults.
 */
export class RestCalls {
  readonly #calls: UnaryCalls
  readonly #peer: string

  /** @param peer the client's `address:port` */
  constructor(calls: UnaryCalls, peer: string) {
    this.#calls = calls
    this.#peer = peer
  }

  /** @returns never, where a fault of the node says so @throws Refusal */
  async ask<Request extends DescMessage, Answer extends DescMessage>(
    shape: CallShape<Request, Answer>,
    init: MessageInitShape<Request>,
  ): Promise<MessageShape<Answer>> {
    const call = this.#calls[shape.method]
    if (call === undefined) throw new Refusal('UNIMPLEMENTED', `method ${shape.method} not implemented`)
    const request = Buffer.from(toBinary(shape.request, create(shape.request, init)))
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    call({
      peer: this.#peer,
      request,
      answer: resolve,
      fail: ({ code, details }) => reject(new Refusal(code, details)),
    })
    return fromBinary(shape.answer, await promise)
  }
}

/** A request as a route needs it. */
export interface RestRequest {
  /** What stands in the path for each `{name}` of the route's. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Of a POST, whatever JSON it is. */
  readonly body: unknown
}

/** How one path is answered. */
export interface RestRoute {
  readonly method: 'GET' | 'POST'
  /** E.g. `/v1/blocks/{id}`. */
  readonly path: string
  /** @returns what is sent as JSON @throws ApiError, Refusal */
  answer(calls: RestCalls, request: RestRequest): Promise<unknown>
}

/** What stands in a path for each `{name}` of a route's; undefined where it is no path of the route. */
export function paramsOf(route: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [route.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = value
    else if (part !== value) return undefined
  }
  return params
}

/** The calls of the access API that REST is answered by, each with its messages. */
export const accessCalls = {
  latestBlock: { method: 'GetLatestBlock', request: GetLatestBlockRequestSchema, answer: BlockResponseSchema },
  blockByHeight: { method: 'GetBlockByHeight', request: GetBlockByHeightRequestSchema, answer: BlockResponseSchema },
  blockById: { method: 'GetBlockByID', request: GetBlockByIDRequestSchema, answer: BlockResponseSchema },
  collection: {
    method: 'GetCollectionByID',
    request: GetCollectionByIDRequestSchema,
    answer: CollectionResponseSchema,
  },
  latestAccount: {
    method: 'GetAccountAtLatestBlock',
    request: GetAccountAtLatestBlockRequestSchema,
    answer: AccountResponseSchema,
  },
  account: {
    method: 'GetAccountAtBlockHeight',
    request: GetAccountAtBlockHeightRequestSchema,
    answer: AccountResponseSchema,
  },
  latestBalance: {
    method: 'GetAccountBalanceAtLatestBlock',
    request: GetAccountBalanceAtLatestBlockRequestSchema,
    answer: AccountBalanceResponseSchema,
  },
  balance: {
    method: 'GetAccountBalanceAtBlockHeight',
    request: GetAccountBalanceAtBlockHeightRequestSchema,
    answer: AccountBalanceResponseSchema,
  },
  latestKeys: {
    method: 'GetAccountKeysAtLatestBlock',
    request: GetAccountKeysAtLatestBlockRequestSchema,
    answer: AccountKeysResponseSchema,
  },
  keys: {
    method: 'GetAccountKeysAtBlockHeight',
    request: GetAccountKeysAtBlockHeightRequestSchema,
    answer: AccountKeysResponseSchema,
  },
  latestKey: {
    method: 'GetAccountKeyAtLatestBlock',
    request: GetAccountKeyAtLatestBlockRequestSchema,
    answer: AccountKeyResponseSchema,
  },
  key: {
    method: 'GetAccountKeyAtBlockHeight',
    request: GetAccountKeyAtBlockHeightRequestSchema,
    answer: AccountKeyResponseSchema,
  },
  scriptAtLatest: {
    method: 'ExecuteScriptAtLatestBlock',
    request: ExecuteScriptAtLatestBlockRequestSchema,
    answer: ExecuteScriptResponseSchema,
  },
  scriptAtHeight: {
    method: 'ExecuteScriptAtBlockHeight',
    request: ExecuteScriptAtBlockHeightRequestSchema,
    answer: ExecuteScriptResponseSchema,
  },
  scriptAtId: {
    method: 'ExecuteScriptAtBlockID',
    request: ExecuteScriptAtBlockIDRequestSchema,
    answer: ExecuteScriptResponseSchema,
  },
  send: { method: 'SendTransaction', request: SendTransactionRequestSchema, answer: SendTransactionResponseSchema },
  transaction: { method: 'GetTransaction', request: GetTransactionRequestSchema, answer: TransactionResponseSchema },
  result: {
    method: 'GetTransactionResult',
    request: GetTransactionRequestSchema,
    answer: TransactionResultResponseSchema,
  },
  eventsOfHeights: {
    method: 'GetEventsForHeightRange',
    request: GetEventsForHeightRangeRequestSchema,
    answer: EventsResponseSchema,
  },
  eventsOfBlocks: {
    method: 'GetEventsForBlockIDs',
    request: GetEventsForBlockIDsRequestSchema,
    answer: EventsResponseSchema,
  },
  networkParameters: {
    method: 'GetNetworkParameters',
    request: GetNetworkParametersRequestSchema,
    answer: GetNetworkParametersResponseSchema,
  },
  versionInfo: {
    method: 'GetNodeVersionInfo',
    request: GetNodeVersionInfoRequestSchema,
    answer: GetNodeVersionInfoResponseSchema,
  },
} as const
