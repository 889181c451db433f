import type { IncomingMessage } from 'node:http'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { AccessAPI } from '../../src/access/gen/flow/access/access_pb.ts'
import { guard } from '../../src/platform/http/router.ts'
import { routesOf } from '../../src/platform/http/route.ts'
import { Refusal } from '../node/node-view.ts'
import type { UnaryCall } from '../node/node-view.ts'

/** The calls of the access API by name, as gRPC has them. */
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

/** Declares a route; its handler calls the node as `caller`. */
export const route = routesOf<UnaryCalls, { client: RestCalls }>()

/** Gives handlers the calls of the node, as made by the client. */
export function clientGuard(calls: UnaryCalls) {
  return guard(({ request }) => new RestCalls(calls, peerOf(request)))
}

export function peerOf({ socket: { remoteAddress, remotePort } }: Pick<IncomingMessage, 'socket'>): string {
  return `${remoteAddress}:${remotePort}`
}
