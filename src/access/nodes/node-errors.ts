import { GrpcError } from '../transport/grpc-status.ts'
import { NodeLiedError, PartMissingError } from '../chain-source.ts'
import { WireError } from '../wire/wire-reader.ts'

/**
 * What a failed call says of the node and of what was asked for:
 * - `below-root`: the height is below the node's spork or below what this node keeps; `rootHeight` is its lowest
 * - `not-found`: the node does not have it: not yet, or never
 * - `not-ready`: the node has it, but its index is not so far yet
 * - `part-missing`: the block is there, something of it is not
 * - `rate-limited`: too many calls
 * - `too-large`: the answer exceeds a message limit, the node's or ours
 * - `unimplemented`: the node does not know the method, or the service
 * - `failed-without-text`: a failed transaction whose error text the node has lost spoils the bulk answer
 * - `encoding`: the node cannot convert an event to the encoding that was asked for
 * - `internal`: something behind the node failed, such as an execution node
 * - `timeout`, `unavailable`: the node or the way to it
 * - `malformed`, `lied`: the answer is no valid message, or contradicts itself
 * - `script-limit`: a script used more computation or memory than one may
 * - `refused`: the node understood and will not; asking again is of no use
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
  | 'lied'
  | 'refused'

export interface NodeFault {
  readonly kind: FaultKind
  /** For `below-root`. */
  readonly rootHeight?: number
  /** The node's own words. */
  readonly message: string
}

/**
 * Sorts what a call threw. Where the gRPC code says enough, only the code is asked; the few cases that share a code
 * are told apart here and nowhere else, by the texts that flow-go and the gRPC libraries write.
 * @returns undefined for an error that is no node's fault
 */
export function nodeFault(error: unknown): NodeFault | undefined {
  if (error instanceof GrpcError) return grpcFault(error)
  if (error instanceof WireError) return { kind: 'malformed', message: error.message }
  if (error instanceof NodeLiedError) return { kind: 'lied', message: error.message }
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

/** Whether a fault is of the node or the way to it, whatever was asked for. */
export function isOutage({ kind }: NodeFault): boolean {
  return kind === 'unavailable' || kind === 'timeout' || kind === 'rate-limited'
}

/** onflow/flow-go `engine/access/rpc/backend/common/height_error.go`. */
const belowRoot = /(?:spork|node's) root block height (\d+)/

/** google.golang.org/grpc `rpc_util.go`; @grpc/grpc-js `stream-decoder.ts`, `server-interceptors.ts`. */
const tooLarge = /message.* larger than/i

/** onflow/flow-go `engine/access/rpc/backend/script_executor.go`: the pace of calls is another matter. */
const scriptLimit = /(?:computation|memory) (?:usage )?(?:exceeds )?limit(?: exceeded)?/i

/** onflow/flow-go `engine/access/rpc/backend/transactions/provider/local.go`. */
const failedWithoutText = /failed but error message is empty/

/** onflow/flow-go `engine/common/rpc/convert/events.go`, and the provider that calls it. */
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

/** The result of a call: its response, or a node's fault. */
export type Outcome<T> = Answer<T> | Failure

/** Waits for a call; a node's fault becomes a value, any other error is thrown. */
export async function attempt<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await call }
  } catch (error) {
    const fault = nodeFault(error)
    if (fault === undefined) throw error
    return { fault, error }
  }
}

/** Whether a call failed in one of these ways. */
export function isFault(outcome: Outcome<unknown>, ...kinds: readonly FaultKind[]): boolean {
  return outcome.fault !== undefined && kinds.includes(outcome.fault.kind)
}
