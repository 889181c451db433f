import { z } from 'zod'
import { decodeExtensionData } from '../../clients/signing/assertion-signature.ts'
import { bytesOfHex } from '../../clients/signing/bytes.ts'
import { accountOf } from '../../clients/signing/encode-transaction.ts'
import type { FlowTransaction, TransactionSignature } from '../../clients/signing/encode-transaction.ts'
import { SigningError } from '../../clients/signing/signing-error.ts'
import type { TransactionMessage, TransactionResultMessage } from '../access/messages.ts'
import { encodeSubmission, TransactionRefusedError } from '../access/transaction-client.ts'
import type { TransactionClient } from '../access/transaction-client.ts'
import { parseAddress } from '../flow/address.ts'
import { ChainUnavailableError } from '../flow/chain-reader.ts'
import type { ChainAccount } from '../flow/chain-reader.ts'
import { chainIdToNetwork } from '../flow/network.ts'
import { transactionId, withOrderedSignatures } from '../flow/transactions/transaction-id.ts'
import { ApiError } from '../platform/errors.ts'
import { routesOf } from '../platform/http/route.ts'
import type { Call, Route } from '../platform/http/route.ts'
import type { Guard } from '../platform/http/router.ts'
import { isWalletNetwork, walletNetworks } from './settings.ts'
import type { WalletNetwork } from './settings.ts'

export type ChainNodes = Readonly<
  Partial<Record<WalletNetwork, Pick<TransactionClient, 'chainId' | 'latestSealed' | 'account' | 'send' | 'result'>>>
>

export interface ChainServices {
  readonly nodes: ChainNodes
  readonly allowsOrigin: (origin: string) => boolean
}

const maxBodyBytes = 1_600_000
const signatureAlgorithms: Readonly<Record<number, string>> = { 2: 'ECDSA_P256', 3: 'ECDSA_secp256k1' }
const hashAlgorithms: Readonly<Record<number, string>> = { 1: 'SHA2_256', 3: 'SHA3_256' }

const route = routesOf<ChainServices, { chain: undefined }>()

const accountSchema = z
  .strictObject({
    address: z.string(),
    balance: z.string(),
    keys: z.array(
      z.strictObject({
        index: z.int(),
        public_key: z.string(),
        weight: z.number(),
        is_revoked: z.boolean(),
        sequence_number: z.string(),
        signature_algorithm: z.string(),
        hash_algorithm: z.string(),
      }),
    ),
  })
  .meta({ id: 'ChainAccount' })

const transactionSchema = z
  .strictObject({
    id: z.string(),
    status: z.string().describe('UNKNOWN while the node has no result.'),
    is_failed: z.boolean(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ChainTransaction' })

const text = z.string()
const count = z.int().nonnegative()
const signatureList = z
  .array(z.object({ address: text, key_index: count, signature: text, extension_data: text.nullish() }))
  .max(1000)

const transactionBody = z.object({
  script: text,
  arguments: z.array(text).max(1000),
  reference_block_id: text,
  compute_limit: count,
  payer: text,
  authorizers: z.array(text).max(1000),
  proposal_key: z.object({
    address: text,
    key_index: count,
    sequence_number: z.string().regex(/^\d{1,20}$/, 'must be digits'),
  }),
  payload_signatures: signatureList,
  envelope_signatures: signatureList,
})

const network = z.string().describe(walletNetworks.join(' or '))

/** Access nodes speak gRPC, which pages cannot call. The chain checks signatures. */
export const chainRoutes: readonly Route<ChainServices>[] = [
  route({
    path: '/chain/{network}',
    operationId: 'getChain',
    tag: 'Chain',
    summary: 'The chain of a network and its latest sealed block',
    access: 'chain',
    params: z.object({ network }),
    response: z
      .strictObject({ network, chain: z.string(), block: z.strictObject({ id: z.string(), height: z.int() }) })
      .meta({ id: 'ChainHead' }),
    handler: async ({ params }, services) => {
      const node = nodeOf(params.network, services)
      const [chainId, { id, height }] = await Promise.all([node.chainId(), node.latestSealed()])
      const chain = chainIdToNetwork(chainId) ?? chainId
      return { body: { network: params.network, chain, block: { id: id.toString('hex'), height } } }
    },
  }),
  route({
    path: '/chain/{network}/accounts/{address}',
    operationId: 'getChainAccount',
    tag: 'Chain',
    summary: 'Balance and keys of an account',
    access: 'chain',
    params: z.object({ network, address: z.string() }),
    response: accountSchema,
    handler: async ({ params }, services) => {
      const address = parseAddress(params.address)
      if (address === undefined)
        throw new ApiError(400, 'invalid-parameter', 'Parameter "address" must be 16 hex digits.', {
          field: 'address',
        })
      const account = await nodeOf(params.network, services).account(address)
      if (account === undefined)
        throw new ApiError(404, 'no-account', `Account ${address} does not exist on ${params.network}.`)
      return { body: presentAccount(account) }
    },
  }),
  route({
    method: 'POST',
    path: '/chain/{network}/transactions',
    operationId: 'sendTransaction',
    tag: 'Chain',
    summary: 'Send a signed transaction; sending it again returns the same id',
    access: 'chain',
    maxBodyBytes,
    params: z.object({ network }),
    body: transactionBody,
    response: z.strictObject({ id: z.string() }),
    problems: { 422: 'The access node rejected the transaction, or it was signed on a page of another origin.' },
    handler: async ({ params, body }, services) => {
      const node = nodeOf(params.network, services)
      const transaction = readTransaction(body)
      for (const signature of [...transaction.payloadSignatures, ...transaction.envelopeSignatures])
        requireOrigin(signature, services.allowsOrigin)
      const message = messageOf(transaction)
      const id = await node.send(encodeSubmission(message)).catch((error: unknown) => {
        if (error instanceof TransactionRefusedError && error.isKnown)
          return transactionId(withOrderedSignatures(message))
        if (error instanceof ChainUnavailableError)
          throw new ApiError(
            503,
            'chain-unavailable',
            'No access node confirmed the transaction, but it may have arrived. Send the same transaction again: ' +
              'the chain runs it once.',
            { cause: error },
          )
        throw error
      })
      return { body: { id: id.toString('hex') } }
    },
  }),
  route({
    path: '/chain/{network}/transactions/{id}',
    operationId: 'getChainTransaction',
    tag: 'Chain',
    summary: 'Status of a transaction',
    access: 'chain',
    params: z.object({ network, id: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits') }),
    response: transactionSchema,
    handler: async ({ params: { network: name, id } }, services) => ({
      body: presentResult(id.toLowerCase(), await nodeOf(name, services).result(Buffer.from(id, 'hex'))),
    }),
  }),
]

/** @param admit throws ApiError 429 */
export function chainGuard(admit: (call: Call) => void): Guard<undefined> {
  return async (call, run) => {
    admit(call)
    try {
      return await run(undefined)
    } catch (error) {
      if (error instanceof ChainUnavailableError)
        throw new ApiError(503, 'chain-unavailable', 'No access node of this network is available. Try again.', {
          cause: error,
        })
      if (error instanceof TransactionRefusedError)
        throw new ApiError(422, 'transaction-refused', error.message, { cause: error })
      if (error instanceof SigningError)
        throw new ApiError(400, 'invalid-field', error.message, { field: error.field, cause: error })
      throw error
    }
  }
}

function nodeOf(name: string, { nodes }: ChainServices): NonNullable<ChainNodes[WalletNetwork]> {
  const node = isWalletNetwork(name) ? nodes[name] : undefined
  if (node === undefined)
    throw new ApiError(
      404,
      'no-network',
      `No access node is configured for network "${name}". Networks: ` +
        `${walletNetworks.filter((known) => nodes[known] !== undefined).join(', ') || 'none'}.`,
    )
  return node
}

function presentAccount({ address, balance, keys }: ChainAccount): z.output<typeof accountSchema> {
  return {
    address,
    balance,
    keys: keys.map((key) => ({
      index: key.index,
      public_key: key.publicKey,
      weight: key.weight,
      is_revoked: key.isRevoked,
      sequence_number: String(key.sequenceNumber),
      signature_algorithm: signatureAlgorithms[key.signatureAlgorithm] ?? String(key.signatureAlgorithm),
      hash_algorithm: hashAlgorithms[key.hashAlgorithm] ?? String(key.hashAlgorithm),
    })),
  }
}

function presentResult(id: string, result: TransactionResultMessage | undefined): z.output<typeof transactionSchema> {
  if (result === undefined) return { id, status: 'UNKNOWN', is_failed: false, error: null }
  const isFailed = result.statusCode !== 0 || result.errorMessage !== ''
  return { id, status: result.status, is_failed: isFailed, error: isFailed ? result.errorMessage : null }
}

/** @throws SigningError */
function readTransaction(body: z.output<typeof transactionBody>): FlowTransaction {
  const { proposal_key: proposal } = body
  const signatures = (field: 'payload_signatures' | 'envelope_signatures'): TransactionSignature[] =>
    body[field].map(({ address, key_index: keyIndex, signature: bytes, extension_data: extension }, at) => ({
      address,
      keyIndex,
      signature: bytesOfHex(bytes, `${field}[${at}].signature`),
      ...(extension === undefined || extension === null
        ? {}
        : { extensionData: bytesOfHex(extension, `${field}[${at}].extension_data`) }),
    }))
  return {
    script: body.script,
    arguments: body.arguments,
    referenceBlockId: body.reference_block_id,
    computeLimit: body.compute_limit,
    payer: body.payer,
    authorizers: body.authorizers,
    proposalKey: {
      address: proposal.address,
      keyIndex: proposal.key_index,
      sequenceNumber: BigInt(proposal.sequence_number),
    },
    payloadSignatures: signatures('payload_signatures'),
    envelopeSignatures: signatures('envelope_signatures'),
  }
}

/**
 * The chain does not compare origins of passkey signatures. @throws ApiError 422
 * `origin-not-allowed`; SigningError
 */
function requireOrigin({ extensionData }: TransactionSignature, allowsOrigin: (origin: string) => boolean): void {
  if (extensionData === undefined || extensionData.length === 0) return
  const { clientDataJson } = decodeExtensionData(extensionData)
  if (!allowsOrigin(originOf(clientDataJson)))
    throw new ApiError(
      422,
      'origin-not-allowed',
      'Transaction not sent: it was signed on a page of another origin. Sign it in the wallet.',
    )
}

function originOf(clientDataJson: Uint8Array): string {
  try {
    const { origin } = JSON.parse(new TextDecoder().decode(clientDataJson)) as { readonly origin?: unknown }
    return typeof origin === 'string' ? origin : ''
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return ''
    throw error
  }
}

/** @throws SigningError */
function messageOf(transaction: FlowTransaction): TransactionMessage {
  const account = (address: string, field: string): Buffer => Buffer.from(accountOf(address, field))
  const signatures = (list: readonly TransactionSignature[], field: string): TransactionMessage['payloadSignatures'] =>
    list.map((one, at) => ({
      address: account(one.address, `${field}[${at}].address`),
      keyId: one.keyIndex,
      signature: Buffer.from(one.signature),
      extensionData: Buffer.from(one.extensionData ?? []),
    }))
  const { proposalKey } = transaction
  return {
    script: Buffer.from(transaction.script),
    arguments: transaction.arguments.map((argument) => Buffer.from(argument)),
    referenceBlockId: Buffer.from(bytesOfHex(transaction.referenceBlockId, 'reference_block_id')),
    gasLimit: BigInt(transaction.computeLimit),
    proposerAddress: account(proposalKey.address, 'proposal_key.address'),
    proposerKeyId: proposalKey.keyIndex,
    proposerSequenceNumber: proposalKey.sequenceNumber,
    payer: account(transaction.payer, 'payer'),
    authorizers: transaction.authorizers.map((one, at) => account(one, `authorizers[${at}]`)),
    payloadSignatures: signatures(transaction.payloadSignatures, 'payload_signatures'),
    envelopeSignatures: signatures(transaction.envelopeSignatures, 'envelope_signatures'),
  }
}
