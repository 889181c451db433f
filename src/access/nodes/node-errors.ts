import { GrpcError } from '../transport/grpc-status.ts'
import { InconsistentResponseError, PartMissingError } from '../chain-source.ts'
import { WireError } from '../wire/wire-reader.ts'

/**
 * Kinds of failed calls:
 * - `below-root`: the height is below the node's spork or its pruned range; `rootHeight` is its
 *   lowest
 * - `not-found`: the node does not have it: not yet, or never
 * - `not-ready`: the node has it, but has not indexed it yet
 * - `part-missing`: the block exists, a part of it does not
 * - `rate-limited`: too many calls
 * - `too-large`: the response exceeds a message limit of the node or of the client
 * - `unimplemented`: unknown method or service
 * - `failed-without-text`: a failed transaction whose error text the node has lost breaks the bulk
 *   response
 * - `encoding`: the node cannot convert an event to the requested encoding
 * - `internal`: something behind the node failed, such as an execution node
 * - `timeout`, `unavailable`: the node or the network
 * - `malformed`, `inconsistent`: the response is invalid or inconsistent
 * - `script-limit`: a script exceeded its computation or memory limit
 * - `refused`: the node rejected the request; a retry is useless
 */
export type FaultKind =
  | 'below-root'
  | 'not-found'
  | 'not-ready'
  | 'part-missing'
  | 'rate-limited'
  | 'too-large'
  | 'unimplemented'
  | 'failed-without-text'
  | 'script-limit'
  | 'encoding'
  | 'internal'
  | 'timeout'
  | 'unavailable'
  | 'malformed'
  | 'inconsistent'
  | 'refused'

export interface NodeFault {
  readonly kind: FaultKind
  readonly rootHeight?: number
  readonly message: string
}

/**
 * The few cases that share a gRPC code are distinguished by the messages of flow-go and the gRPC
 * libraries.
 */
export function nodeFault(error: unknown): NodeFault | undefined {
  if (error instanceof GrpcError) return grpcFault(error)
  if (error instanceof WireError) return { kind: 'malformed', message: error.message }
  if (error instanceof InconsistentResponseError) return { kind: 'inconsistent', message: error.message }
  if (error instanceof PartMissingError) return { kind: 'part-missing', message: error.message }
  return undefined
}

function grpcFault(error: GrpcError): NodeFault {
  const { message } = error
  switch (error.grpcCode) {
    case 'NOT_FOUND':
      return notFound(message)
    case 'FAILED_PRECONDITION':
    case 'OUT_OF_RANGE':
      return { kind: 'not-ready', message }
    case 'RESOURCE_EXHAUSTED':
      if (scriptLimit.test(message)) return { kind: 'script-limit', message }
      return { kind: tooLarge.test(message) ? 'too-large' : 'rate-limited', message }
    case 'UNIMPLEMENTED':
      return { kind: 'unimplemented', message }
    case 'INTERNAL':
    case 'UNKNOWN':
      if (failedWithoutText.test(message)) return { kind: 'failed-without-text', message }
      if (conversion.test(message)) return { kind: 'encoding', message }
      return { kind: 'internal', message }
    case 'DEADLINE_EXCEEDED':
      return { kind: 'timeout', message }
    case 'INVALID_ARGUMENT':
    case 'PERMISSION_DENIED':
    case 'UNAUTHENTICATED':
      return { kind: 'refused', message }
    case 'DATA_LOSS':
      return { kind: 'malformed', message }
    default:
      return { kind: 'unavailable', message }
  }
}

export function isOutage({ kind }: NodeFault): boolean {
  return kind === 'unavailable' || kind === 'timeout' || kind === 'rate-limited'
}

/** onflow/flow-go `engine/access/rpc/backend/common/height_error.go`. */
const belowRoot = /(?:spork|node's) root block height (\d+)/

/** google.golang.org/grpc `rpc_util.go`; @grpc/grpc-js `stream-decoder.ts`, `server-interceptors.ts`. */
const tooLarge = /message.* larger than/i

/** onflow/flow-go `engine/access/rpc/backend/script_executor.go`; not a rate limit. */
const scriptLimit = /(?:computation|memory) (?:usage )?(?:exceeds )?limit(?: exceeded)?/i

/** onflow/flow-go `engine/access/rpc/backend/transactions/provider/local.go`. */
const failedWithoutText = /failed but error message is empty/

/** onflow/flow-go `engine/common/rpc/convert/events.go` and its caller. */
const conversion = /(?:failed to|could not|unable to) (?:convert|decode|encode) /

function notFound(message: string): NodeFault {
  const digits = belowRoot.exec(message)?.[1]
  if (digits === undefined) return { kind: 'not-found', message }
  return { kind: 'below-root', rootHeight: Number(digits), message }
}

interface Answer<T> {
  readonly value: T
  readonly fault?: undefined
}

export interface Failure {
  readonly fault: NodeFault
  readonly error: unknown
}

export type Outcome<T> = Answer<T> | Failure

export async function attempt<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await call }
  } catch (error) {
    const fault = nodeFault(error)
    if (fault === undefined) throw error
    return { fault, error }
  }
}

export function isFault(outcome: Outcome<unknown>, ...kinds: readonly FaultKind[]): boolean {
  return outcome.fault !== undefined && kinds.includes(outcome.fault.kind)
}
