import { FlowfarmError } from '../platform/errors.ts'

/** gRPC status codes by number. */
export const grpcCodes = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const
export type GrpcCode = (typeof grpcCodes)[number]

/** A call that did not end with OK. `grpcCode` is the node's, or the nearest for a fault of the connection; `reason` is in the words of either. */
export class GrpcError extends FlowfarmError {
  readonly grpcCode: GrpcCode
  readonly method: string
  readonly endpoint: string
  /** The message without the endpoint, which callers of ours are not told. */
  readonly reason: string

  constructor(grpcCode: GrpcCode, message: string, call: { method: string; endpoint: string; cause?: unknown }) {
    super(`grpc-${grpcCode.toLowerCase().replaceAll('_', '-')}`, `${call.method} on ${call.endpoint}: ${message}`, {
      cause: call.cause,
    })
    this.grpcCode = grpcCode
    this.method = call.method
    this.endpoint = call.endpoint
    this.reason = message
  }
}
