import type { IncomingMessage } from 'node:http'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { AccessAPI } from '../../src/access/gen/flow/access/access_pb.ts'
import { guard } from '../../src/platform/http/router.ts'
import { routesOf } from '../../src/platform/http/route.ts'
import { Refusal } from '../node/node-view.ts'
import type { UnaryCall } from '../node/node-view.ts'

export type UnaryCalls = Readonly<Record<string, (call: UnaryCall) => void>>

export const accessCalls = AccessAPI.method

/** REST and gRPC share rules, counts and faults. */
export class RestCalls {
  readonly #calls: UnaryCalls
  readonly #peer: string

  /** @param peer the client's `address:port` */
  constructor(calls: UnaryCalls, peer: string) {
    this.#calls = calls
    this.#peer = peer
  }

  /** A fault may leave it unsettled. @throws Refusal */
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

export const route = routesOf<UnaryCalls, { client: RestCalls }>()

export function clientGuard(calls: UnaryCalls) {
  return guard(({ request }) => new RestCalls(calls, peerOf(request)))
}

export function peerOf({ socket: { remoteAddress, remotePort } }: Pick<IncomingMessage, 'socket'>): string {
  return `${remoteAddress}:${remotePort}`
}
