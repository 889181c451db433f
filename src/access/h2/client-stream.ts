import type { HeaderField } from './header-field.ts'

/**
 * What is sent on a stream, and who is told of what comes back. One of `ended`, `reset` and `lost` is the last that is
 * told, unless the call is dropped before.
 */
export interface StreamCall {
  /** The request's header block. */
  readonly head: Uint8Array
  /** The request's body, not empty. */
  readonly body: Uint8Array
  /** Its stream is open: the request is on its way. */
  opened(stream: ClientStream): void
  /** The headers that the answer begins with; trailers come with `ended`. */
  headers(fields: readonly HeaderField[]): void
  /** A piece of the body; valid during the call only. */
  data(bytes: Buffer, from: number, to: number): void
  /** @param trailers undefined where the answer ended without any */
  ended(trailers: readonly HeaderField[] | undefined): void
  /** The server broke the stream off, or had to be cut off. @param code one of `errorCode` */
  reset(code: number): void
  /** The connection is gone, or the server said goodbye without taking the call. */
  lost(): void
}

/** One stream of a connection: a request and its answer. */
export class ClientStream {
  readonly id: number
  readonly call: StreamCall
  /** Bytes that the server takes of the body for now; negative when it has narrowed the window. */
  sendWindow: number
  /** Bytes of the body that were sent. */
  sent = 0
  /** Bytes that came since the server was last given room for more. */
  received = 0
  /** The answer's headers have come. */
  isAnswered = false

  constructor(id: number, call: StreamCall, sendWindow: number) {
    this.id = id
    this.call = call
    this.sendWindow = sendWindow
  }

  get isSent(): boolean {
    return this.sent === this.call.body.length
  }
}
