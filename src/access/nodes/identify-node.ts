import { attempt, isFault } from './node-errors.ts'
import type { AccessNode, CallContext } from './node.ts'
import { fromBinary } from '@bufbuild/protobuf'
import { GetNetworkParametersResponseSchema, GetNodeVersionInfoResponseSchema } from '../gen/flow/access/access_pb.ts'
import { emptyRequest } from '../wire/requests.ts'

/**
 * Makes a call that both services support, and detects the node's service by it.
 * @param call uses the node's current `service`
 */
export async function detectService<T>(node: AccessNode, call: () => Promise<T>): Promise<T> {
  const first = node.service
  let outcome = await attempt(call())
  if (isFault(outcome, 'unimplemented') && !node.serviceKnown) {
    node.service = first === 'access.AccessAPI' ? 'flow.access.AccessAPI' : 'access.AccessAPI'
    outcome = await attempt(call())
    if (isFault(outcome, 'unimplemented')) node.service = first
  }
  if (outcome.fault !== undefined) throw outcome.error
  node.serviceKnown = true
  return outcome.value
}

/**
 * Without support for these calls the root is learned from the first `below-root` fault.
 * @throws GrpcError if the node did not respond
 */
export async function identifyNode(node: AccessNode, context: CallContext): Promise<void> {
  if (node.chainId === undefined) {
    const call = () => node.call('GetNetworkParameters', emptyRequest(), context)
    const outcome = await attempt(detectService(node, call))
    if (outcome.fault === undefined) {
      const { chainId } = fromBinary(GetNetworkParametersResponseSchema, outcome.value)
      if (chainId !== '') node.chainId = chainId
    } else if (!isFault(outcome, 'unimplemented')) throw outcome.error
  }
  if (node.rootHeight === undefined) {
    const outcome = await attempt(node.call('GetNodeVersionInfo', emptyRequest(), context))
    if (outcome.fault === undefined) {
      const { info } = fromBinary(GetNodeVersionInfoResponseSchema, outcome.value)
      node.sporkRootHeight = Number(info?.sporkRootBlockHeight ?? 0n)
      node.raiseRoot(Math.max(node.sporkRootHeight, Number(info?.nodeRootBlockHeight ?? 0n)))
    } else if (!isFault(outcome, 'unimplemented')) throw outcome.error
  }
}
