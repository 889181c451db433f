import { z } from 'zod'
import type { TransactionResponse, TransactionResultResponse } from '../../src/access/gen/flow/access/access_pb.ts'
import type { Event } from '../../src/access/gen/flow/entities/event_pb.ts'
import type { Transaction_Signature } from '../../src/access/gen/flow/entities/transaction_pb.ts'
import { Refusal } from '../node/node-view.ts'
import {
  badRequest,
  base64,
  expandParameter,
  hex,
  idParameter,
  readAddress,
  readBase64,
  readId,
  readUint32,
  readUint64,
  withBody,
} from './rest-values.ts'
import { accessCalls, route } from './rest-calls.ts'

/** Source: onflow/flow-go `engine/access/rest/common/models/transaction.go`. */

/** By number; unknown is empty. */
const statuses = ['', 'Pending', 'Finalized', 'Executed', 'Sealed', 'Expired'] as const
const sealed = 4
const expired = 5

/** @throws Refusal INTERNAL for an answer without a transaction */
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

/** Zero ids are omitted. */
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

/** Source: onflow/flow-go `engine/access/rest/common/parser`. */
const maxAuthorizers = 100
const maxArguments = 100

const signatureSchema = z.object({
  address: z.string(),
  key_index: z.string(),
  signature: z.string().min(1),
  extension_data: z.string().default(''),
})
const transactionSchema = z.object({
  script: z.string().min(1),
  arguments: z.array(z.string()).max(maxArguments).nullish(),
  reference_block_id: z.string().min(1),
  gas_limit: z.string(),
  payer: z.string().min(1),
  proposal_key: z.object({ address: z.string(), key_index: z.string(), sequence_number: z.string() }),
  authorizers: z.array(z.string()).max(maxAuthorizers).nullish(),
  payload_signatures: z.array(signatureSchema).nullish(),
  envelope_signatures: z.array(signatureSchema).min(1),
})

function signatureOf({ address, key_index, signature, extension_data }: z.output<typeof signatureSchema>) {
  return {
    address: readAddress(address),
    keyId: readUint32(key_index, 'key index'),
    signature: readBase64(signature, 'signature'),
    extensionData: readBase64(extension_data, 'extension data'),
  }
}

/** `entities.Transaction` of a request body. @throws ApiError */
export function readTransaction(body: unknown) {
  const parsed = transactionSchema.safeParse(body)
  if (!parsed.success) throw badRequest(`invalid transaction: ${z.prettifyError(parsed.error)}`)
  const { data } = parsed
  return {
    script: readBase64(data.script, 'transaction script'),
    arguments: (data.arguments ?? []).map((one) => readBase64(one, 'argument')),
    referenceBlockId: readId(data.reference_block_id),
    gasLimit: readUint64(data.gas_limit, 'gas limit'),
    payer: readAddress(data.payer),
    proposalKey: {
      address: readAddress(data.proposal_key.address),
      keyId: readUint32(data.proposal_key.key_index, 'key index'),
      sequenceNumber: readUint64(data.proposal_key.sequence_number, 'sequence number'),
    },
    authorizers: (data.authorizers ?? []).map(readAddress),
    payloadSignatures: (data.payload_signatures ?? []).map(signatureOf),
    envelopeSignatures: data.envelope_signatures.map(signatureOf),
  }
}

const transaction = { tag: 'Transactions', access: 'client' } as const

export const transactionRoutes = [
  route({
    ...transaction,
    ...withBody,
    method: 'POST',
    path: '/v1/transactions',
    operationId: 'sendTransaction',
    summary: 'Send a transaction',
    async handler({ body, caller: calls }) {
      const { id } = await calls.ask(accessCalls.sendTransaction, { transaction: readTransaction(body) })
      return { body: transactionJson(id, await calls.ask(accessCalls.getTransaction, { id })) }
    },
  }),
  route({
    ...transaction,
    path: '/v1/transactions/{id}',
    operationId: 'getTransaction',
    summary: 'A transaction',
    params: z.object({ id: idParameter }),
    query: z.object({ expand: expandParameter }),
    async handler({ params: { id }, query: { expand }, caller: calls }) {
      const found = await calls.ask(accessCalls.getTransaction, { id })
      const result = expand.has('result') ? await calls.ask(accessCalls.getTransactionResult, { id }) : undefined
      return { body: transactionJson(id, found, result) }
    },
  }),
  route({
    ...transaction,
    path: '/v1/transaction_results/{id}',
    operationId: 'getTransactionResult',
    summary: 'The result of a transaction',
    params: z.object({ id: idParameter }),
    query: z.object({ block_id: idParameter.optional() }),
    async handler({ params: { id }, query: { block_id: blockId }, caller: calls }) {
      const wanted = { id, ...(blockId === undefined ? {} : { blockId }) }
      return { body: resultJson(id, await calls.ask(accessCalls.getTransactionResult, wanted)) }
    },
  }),
]
