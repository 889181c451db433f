import { status } from '@grpc/grpc-js'

/** A gRPC status by name, e.g. `NOT_FOUND`. */
export type StatusName = Exclude<keyof typeof status, 'OK'>

/** A call ends with this status instead of an answer. */
export class Refusal extends Error {
  /** gRPC status code by number. */
  readonly code: number

  constructor(code: number | StatusName, message: string) {
    super(message)
    this.name = 'Refusal'
    this.code = typeof code === 'number' ? code : status[code]
  }
}
