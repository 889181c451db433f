import { FlowfarmError } from '../../platform/errors.ts'

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

/** `grpcCode` is that of the node, or the closest for a connection error. */
export class GrpcError extends FlowfarmError {
  readonly grpcCode: GrpcCode
  readonly method: string
  readonly endpoint: string
  /** Without the endpoint, safe for API clients. */
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

/** Compression flag (1 byte) and message length (4 bytes). */
export const framePrefixLength = 5

/** Limit of access nodes: 1 GiB. */
export const maxMessageLength = 1024 ** 3

/**
 * Unknown numbers are UNKNOWN. CANCELLED from a node becomes UNAVAILABLE: it is reserved for the
 * caller's signal.
 */
export function codeOfStatus(status: string | number): GrpcCode {
  const code = grpcCodes[Number(status)] ?? 'UNKNOWN'
  return code === 'CANCELLED' ? 'UNAVAILABLE' : code
}

/** Source: "HTTP to gRPC Status Code Mapping" of the gRPC project. */
export function codeOfHttpStatus(status: number): GrpcCode {
  switch (status) {
    case 400:
      return 'INTERNAL'
    case 401:
      return 'UNAUTHENTICATED'
    case 403:
      return 'PERMISSION_DENIED'
    case 404:
      return 'UNIMPLEMENTED'
    case 429:
    case 502:
    case 503:
    case 504:
      return 'UNAVAILABLE'
    default:
      return 'UNKNOWN'
  }
}

/** Percent-encoding of `grpc-message`; invalid parts stay unchanged. */
export function decodeStatusMessage(text: string): string {
  if (!text.includes('%')) return text
  const bytes = Buffer.from(text, 'utf8')
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const digits = bytes[i] === 0x25 ? bytes.toString('latin1', i + 1, i + 3) : ''
    if (/^[0-9a-fA-F]{2}$/.test(digits)) {
      bytes[length++] = Number.parseInt(digits, 16)
      i += 2
    } else bytes[length++] = bytes[i] as number
  }
  return bytes.toString('utf8', 0, length)
}

/** At most 8 digits and a unit. */
export function timeoutHeader(timeoutMs: number): string {
  const ms = Math.max(1, Math.ceil(timeoutMs))
  return ms < 100_000_000 ? `${ms}m` : `${Math.min(99_999_999, Math.ceil(ms / 1000))}S`
}

export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(framePrefixLength + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, framePrefixLength)
  return frame
}
