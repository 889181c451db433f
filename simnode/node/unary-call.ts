import type { CallFailure } from './grpc-call.ts'

/** A call with one request and one answer, by whatever protocol it came. It is answered or fails, once; it may also get nothing. */
export interface UnaryCall {
  /** The client's `address:port`. */
  readonly peer: string
  /** The message of the call's request. */
  readonly request: Buffer
  answer(message: Buffer): void
  fail(failure: CallFailure): void
}
