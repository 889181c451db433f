import type { EventEncoding } from '../../src/access/messages.ts'
import type { NodeChain } from './node-chain.ts'
import type { NodeView } from './node-view.ts'
import { bytesField, numberOf, varintField } from './wire.ts'

/** How one unary call of `flow.access.AccessAPI` is answered. */
export interface UnaryMethod<Chain extends NodeChain = NodeChain> {
  /** @throws Refusal when the call ends with another status than OK */
  answer(view: NodeView<Chain>, request: Buffer): Buffer
  /** The height that the call is about, where it is about one that the node knows. */
  height?(view: NodeView<Chain>, request: Buffer): number | undefined
}

/** `event_encoding_version` of a request; its field number differs from message to message. */
export function encodingOf(request: Buffer, fieldNumber: number): EventEncoding {
  return numberOf(request, fieldNumber) === 1 ? 'ccf' : 'json-cdc'
}

/** The field every answer ends with. */
export function metadataField(view: NodeView, fieldNumber: number): Buffer {
  return bytesField(fieldNumber, view.chain.metadata)
}

/** `block_status`: everything is SEALED. */
export const sealedField = varintField(2, 2)
