import type { TransactionResponse, TransactionResultResponse } from '../../../src/access/gen/flow/access/access_pb.ts'
import type { Event } from '../../../src/access/gen/flow/entities/event_pb.ts'
import type { Transaction_Signature } from '../../../src/access/gen/flow/entities/transaction_pb.ts'
import { Refusal } from '../../node/refusal.ts'
import { base64, hex } from '../rest-values.ts'

/**
 * Transactions and what came of them, as REST tells them. Source: onflow/flow-go
 * `engine/access/rest/common/models/transaction.go`.
 */

/** By number. What is unknown has no word of its own. */
const statuses = ['', 'Pending', 'Finalized', 'Executed', 'Sealed', 'Expired'] as const
const sealed = 4
const expired = 5

/** @param result where it is to be told too @throws Refusal INTERNAL for an answer without a transaction */
export function transactionJson(
  id: Uint8Array,
  { transaction }: TransactionResponse,
  result?: TransactionResultResponse,
): unknown {
  if (transaction === undefined) throw new Refusal('INTERNAL', 'the answer has no transaction')
  const { proposalKey } = transaction
  const links = { _self: `/v1/transactions/${hex(id)}` }
  return {
    id: hex(id),
    script: base64(transaction.script),
    arguments: transaction.arguments.map(base64),
    reference_block_id: hex(transaction.referenceBlockId),
    gas_limit: String(transaction.gasLimit),
    payer: hex(transaction.payer),
    proposal_key: {
      address: hex(proposalKey?.address ?? new Uint8Array(8)),
      key_index: String(proposalKey?.keyId ?? 0),
      sequence_number: String(proposalKey?.sequenceNumber ?? 0n),
    },
    authorizers: transaction.authorizers.map(hex),
    payload_signatures: transaction.payloadSignatures.map(signatureJson),
    envelope_signatures: transaction.envelopeSignatures.map(signatureJson),
    ...(result === undefined ? {} : { result: resultJson(id, result) }),
    _expandable: result === undefined ? { result: `/v1/transaction_results/${hex(id)}` } : {},
    _links: links,
  }
}

function signatureJson({ address, keyId, signature, extensionData }: Transaction_Signature): unknown {
  return {
    address: hex(address),
    key_index: String(keyId),
    signature: base64(signature),
    extension_data: base64(extensionData),
  }
}

/** What came of a transaction. Ids of nothing but zeros are left out. */
export function resultJson(id: Uint8Array, result: TransactionResultResponse): unknown {
  return {
    ...idField('block_id', result.blockId),
    ...idField('collection_id', result.collectionId),
    execution: executionOf(result),
    status: statuses[result.status] ?? '',
    status_code: result.statusCode,
    error_message: result.errorMessage,
    computation_used: String(result.computationUsage),
    events: result.events.map(eventJson),
    _links: { _self: `/v1/transaction_results/${hex(id)}` },
  }
}

export function eventJson({ type, transactionId, transactionIndex, eventIndex, payload }: Event): unknown {
  return {
    type,
    transaction_id: hex(transactionId),
    transaction_index: String(transactionIndex),
    event_index: String(eventIndex),
    payload: base64(payload),
  }
}

function executionOf({ status, errorMessage }: TransactionResultResponse): 'Pending' | 'Success' | 'Failure' {
  if (errorMessage !== '' || status === expired) return 'Failure'
  return status === sealed ? 'Success' : 'Pending'
}

function idField(name: string, id: Uint8Array): Readonly<Record<string, string>> {
  return id.every((byte) => byte === 0) ? {} : { [name]: hex(id) }
}
