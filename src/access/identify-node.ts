import { fromBinary } from '@bufbuild/protobuf'
import { attempt, isFault } from './attempt.ts'
import { GetNetworkParametersResponseSchema, GetNodeVersionInfoResponseSchema } from './gen/flow/access/access_pb.ts'
import type { AccessNode, CallContext } from './node.ts'
import { onItsService } from './node-service.ts'
import { emptyRequest } from './wire/requests.ts'

/**
 * Asks a node which chain it is on and where its blocks begin, as far as its host name does not say it. A node that
 * does not have these calls stays unknown; its root is then learned from its first "below the root".
 * @throws GrpcError where the node did not answer
 */
export async function identifyNode(node: AccessNode, context: CallContext): Promise<void> {
  if (node.chainId === undefined) {
    const call = () => node.call('GetNetworkParameters', emptyRequest(), context)
    const outcome = await attempt(onItsService(node, call))
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
