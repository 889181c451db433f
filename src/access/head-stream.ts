import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { isFault } from './attempt.ts'
import {
  SubscribeBlockDigestsFromLatestRequestSchema,
  SubscribeBlockDigestsResponseSchema,
  SubscribeBlockHeadersFromLatestRequestSchema,
} from './gen/flow/access/access_pb.ts'
import { BlockStatus } from './gen/flow/entities/block_pb.ts'
import type { HeadMessage } from './messages.ts'
import { nodeFault } from './node-errors.ts'
import type { AccessNode, CallContext } from './node.ts'
import { readBlockHeaderResponse } from './wire/read-block.ts'
import { heightRequest } from './wire/requests.ts'

const blockStatus = BlockStatus.BLOCK_SEALED

type Heads = AsyncGenerator<HeadMessage>

/**
 * The sealed heads as a node streams them: headers where it streams those, else digests, each followed by a call for
 * its header. A node that streams neither is marked with `hasStream` = false, and the stream ends.
 * @throws GrpcError, WireError
 */
export async function* streamHeads(node: AccessNode, context: CallContext, signal: AbortSignal): Heads {
  for (const stream of [streamHeaders, streamDigests]) {
    try {
      yield* stream(node, context, signal)
      return
    } catch (error) {
      const fault = nodeFault(error)
      if (fault === undefined || !isFault({ fault, error }, 'unimplemented')) throw error
    }
  }
  node.hasStream = false
}

async function* streamHeaders(node: AccessNode, _context: CallContext, signal: AbortSignal): Heads {
  const schema = SubscribeBlockHeadersFromLatestRequestSchema
  const request = toBinary(schema, create(schema, { blockStatus }))
  for await (const answer of node.stream('SubscribeBlockHeadersFromLatest', request, signal)) {
    yield readBlockHeaderResponse(answer)
  }
}

async function* streamDigests(node: AccessNode, context: CallContext, signal: AbortSignal): Heads {
  const schema = SubscribeBlockDigestsFromLatestRequestSchema
  const request = toBinary(schema, create(schema, { blockStatus }))
  for await (const answer of node.stream('SubscribeBlockDigestsFromLatest', request, signal)) {
    const { blockHeight } = fromBinary(SubscribeBlockDigestsResponseSchema, answer)
    const byHeight = heightRequest(Number(blockHeight))
    yield readBlockHeaderResponse(await node.call('GetBlockHeaderByHeight', byHeight, context))
  }
}
