import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { AccessAPI } from '../../src/access/gen/flow/access/access_pb.ts'
import { Refusal } from '../node/node-view.ts'
import type { UnaryCall } from '../node/node-view.ts'

export type UnaryCalls = Readonly<Record<string, (call: UnaryCall) => void>>

export const accessCalls = AccessAPI.method

/** A node's gRPC calls for one REST client: REST and gRPC share one set of rules, counts and faults. */
export class RestCalls {
  readonly #calls: UnaryCalls
  readonly #peer: string

  /** @param peer the client's `address:port` */
  constructor(calls: UnaryCalls, peer: string) {
    this.#calls = calls
    this.#peer = peer
  }

  /** Never settles where a fault of the node says so. @throws Refusal */
  async ask<Request extends DescMessage, Answer extends DescMessage>(
    { name, input, output }: DescMethodUnary<Request, Answer>,
    init: MessageInitShape<Request>,
  ): Promise<MessageShape<Answer>> {
    const call = this.#calls[name]
    if (call === undefined) throw new Refusal('UNIMPLEMENTED', `method ${name} not implemented`)
    const request = Buffer.from(toBinary(input, create(input, init)))
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    call({
      peer: this.#peer,
      request,
      answer: resolve,
      fail: ({ code, details }) => reject(new Refusal(code, details)),
    })
    return fromBinary(output, await promise)
  }
}

/** A request of a route. */
export interface RestRequest {
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** JSON body of a POST. */
  readonly body: unknown
}

export interface RestRoute {
  readonly method: 'GET' | 'POST'
  /** E.g. `/v1/blocks/{id}`. */
  readonly path: string
  /** @returns the response body @throws ApiError, Refusal */
  answer(calls: RestCalls, request: RestRequest): Promise<unknown>
}

/** The path parameters of a route; undefined for another path. */
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
