import { z } from 'zod'
import { accessCalls } from '../access-calls.ts'
import type { RestRoute } from '../rest-route.ts'
import { badRequest, readAddress, readBase64, readExpand, readId, readUint32, readUint64 } from '../rest-values.ts'
import { resultJson, transactionJson } from './transaction-json.ts'

/** Source: onflow/flow-go `engine/access/rest/common/parser`. */
const mostAuthorizers = 100
const mostArguments = 100

const signatureSchema = z.object({
  address: z.string(),
  key_index: z.string(),
  signature: z.string().min(1),
  extension_data: z.string().default(''),
})
const transactionSchema = z.object({
  script: z.string().min(1),
  arguments: z.array(z.string()).max(mostArguments).nullish(),
  reference_block_id: z.string().min(1),
  gas_limit: z.string(),
  payer: z.string().min(1),
  proposal_key: z.object({ address: z.string(), key_index: z.string(), sequence_number: z.string() }),
  authorizers: z.array(z.string()).max(mostAuthorizers).nullish(),
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

/** `entities.Transaction` of the body of a request. @throws ApiError */
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

/** Sending transactions, and what became of them. */
export const transactionRoutes: readonly RestRoute[] = [
  {
    method: 'POST',
    path: '/v1/transactions',
    async answer(calls, { body }) {
      const { id } = await calls.ask(accessCalls.send, { transaction: readTransaction(body) })
      return transactionJson(id, await calls.ask(accessCalls.transaction, { id }))
    },
  },
  {
    method: 'GET',
    path: '/v1/transactions/{id}',
    async answer(calls, { params, query }) {
      const id = readId(params['id'] ?? '')
      const transaction = await calls.ask(accessCalls.transaction, { id })
      return transactionJson(
        id,
        transaction,
        readExpand(query).has('result') ? await calls.ask(accessCalls.result, { id }) : undefined,
      )
    },
  },
  {
    method: 'GET',
    path: '/v1/transaction_results/{id}',
    async answer(calls, { params, query }) {
      const id = readId(params['id'] ?? '')
      const block = query.get('block_id')
      return resultJson(
        id,
        await calls.ask(accessCalls.result, { id, ...(block === null ? {} : { blockId: readId(block) }) }),
      )
    },
  },
]
