import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { Refusal } from '../node/refusal.ts'
import type { UnaryCall } from '../node/unary-call.ts'

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
