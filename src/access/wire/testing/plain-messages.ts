import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { BlockResponse, BlockHeaderResponse, TransactionResultResponse } from '../../gen/flow/access/access_pb.ts'
import type { Transaction, Transaction_Signature } from '../../gen/flow/entities/transaction_pb.ts'
import { transactionStatuses } from '../../messages.ts'
import type {
  BlockMessage,
  HeadMessage,
  SignatureMessage,
  TransactionMessage,
  TransactionResultMessage,
} from '../../messages.ts'

/** What the generated decoder read, in the shape of the own readers: the yardstick of their tests. */
export function plainBlock(response: BlockResponse): BlockMessage {
  const block = response.block
  if (block === undefined) throw new Error('no block')
  return {
    id: Buffer.from(block.id),
    parentId: Buffer.from(block.parentId),
    height: Number(block.height),
    timestampUs: plainTimestamp(block.timestamp),
    collectionIds: block.collectionGuarantees.map((guarantee) => Buffer.from(guarantee.collectionId)),
  }
}

export function plainHead(response: BlockHeaderResponse): HeadMessage {
  const header = response.block
  if (header === undefined) throw new Error('no header')
  return {
    id: Buffer.from(header.id),
    parentId: Buffer.from(header.parentId),
    height: Number(header.height),
    timestampUs: plainTimestamp(header.timestamp),
  }
}

export function plainTransaction(transaction: Transaction): TransactionMessage {
  return {
    script: Buffer.from(transaction.script),
    arguments: transaction.arguments.map((argument) => Buffer.from(argument)),
    referenceBlockId: Buffer.from(transaction.referenceBlockId),
    gasLimit: transaction.gasLimit,
    proposerAddress: Buffer.from(transaction.proposalKey?.address ?? []),
    proposerKeyId: transaction.proposalKey?.keyId ?? 0,
    proposerSequenceNumber: transaction.proposalKey?.sequenceNumber ?? 0n,
    payer: Buffer.from(transaction.payer),
    authorizers: transaction.authorizers.map((address) => Buffer.from(address)),
    payloadSignatures: transaction.payloadSignatures.map(plainSignature),
    envelopeSignatures: transaction.envelopeSignatures.map(plainSignature),
  }
}

export function plainResult(result: TransactionResultResponse): TransactionResultMessage {
  return {
    transactionId: Buffer.from(result.transactionId),
    status: transactionStatuses[result.status] ?? 'UNKNOWN',
    statusCode: result.statusCode,
    errorMessage: result.errorMessage,
    events: result.events.map((event) => ({
      type: event.type,
      transactionIndex: event.transactionIndex,
      eventIndex: event.eventIndex,
      payload: Buffer.from(event.payload),
    })),
    collectionId: Buffer.from(result.collectionId),
    computationUsage: result.computationUsage,
  }
}

function plainSignature(signature: Transaction_Signature): SignatureMessage {
  return {
    address: Buffer.from(signature.address),
    keyId: signature.keyId,
    signature: Buffer.from(signature.signature),
    extensionData: Buffer.from(signature.extensionData),
  }
}

function plainTimestamp(timestamp: Timestamp | undefined): number {
  return timestamp === undefined ? 0 : Number(timestamp.seconds) * 1e6 + Math.floor(timestamp.nanos / 1000)
}
