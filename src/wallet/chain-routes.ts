import type { IncomingMessage } from 'node:http'
import { Router } from '@koa/router'
import { bytesOfHex } from '../../clients/signing/bytes.ts'
import { accountOf } from '../../clients/signing/encode-transaction.ts'
import { decodeExtensionData } from '../../clients/signing/assertion-signature.ts'
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
import type { RequestContext, RequestState } from '../platform/http/requests.ts'
import { readJson } from '../platform/http/read-json.ts'
import { isWalletNetwork, walletNetworks } from './settings.ts'
import type { WalletNetwork } from './settings.ts'

export type ChainNodes = Readonly<
  Partial<Record<WalletNetwork, Pick<TransactionClient, 'chainId' | 'latestSealed' | 'account' | 'send' | 'result'>>>
>

interface ChainRouteOptions {
  /** The access node of each network that has one. */
  readonly nodes: ChainNodes
  /** Counts a call of a client. @throws ApiError 429 */
  readonly admit: (request: IncomingMessage) => void
  /** Origins whose passkey signatures are passed on: the chain does not compare them. Default: all. */
  readonly allowsOrigin?: ((origin: string) => boolean) | undefined
}

const maxBodyBytes = 1_600_000
const signatureAlgorithms: Readonly<Record<number, string>> = { 2: 'ECDSA_P256', 3: 'ECDSA_secp256k1' }
const hashAlgorithms: Readonly<Record<number, string>> = { 1: 'SHA2_256', 3: 'SHA3_256' }

/**
 * `/chain/{network}`: access node calls for pages, since nodes speak gRPC. Transactions are signed by the user and
 * checked by the chain.
 *
 *     GET  /chain/{network}                      {network, chain, block: {id, height}}
 *     GET  /chain/{network}/accounts/{address}   {address, balance, keys}
 *     POST /chain/{network}/transactions         {id}, also if it is there already; 422 with the node's error
 *     GET  /chain/{network}/transactions/{id}    {id, status, is_failed, error}
 */
export function chainRoutes({ nodes, admit, allowsOrigin = () => true }: ChainRouteOptions): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: '/chain/:network' })
  const nodeOf = (
    context: RequestContext & { readonly params: Record<string, string> },
  ): NonNullable<ChainNodes[WalletNetwork]> => {
    const network = context.params['network']
    const node = isWalletNetwork(network) ? nodes[network] : undefined
    if (node === undefined)
      throw new ApiError(
        404,
        'no-network',
        `There is no node of ${network}; there is one of ` +
          `${walletNetworks.filter((name) => nodes[name] !== undefined).join(', ') || 'none'}.`,
      )
    return node
  }
  router.use(async (context, next) => {
    admit(context.req)
    context.set('Cache-Control', 'no-store')
    try {
      await next()
    } catch (error) {
      if (error instanceof ChainUnavailableError)
        throw new ApiError(
          503,
          'chain-unavailable',
          'No access node of this network answers at the moment. Nothing is lost: try again.',
          { cause: error },
        )
      if (error instanceof TransactionRefusedError)
        throw new ApiError(422, 'transaction-refused', error.message, { cause: error })
      if (error instanceof SigningError)
        throw new ApiError(400, 'bad-input', error.message, { field: error.field, cause: error })
      throw error
    }
  })
  router.get('/', async (context) => {
    context.state.route = '/chain/{network}'
    const node = nodeOf(context)
    const [chainId, { id, height }] = await Promise.all([node.chainId(), node.latestSealed()])
    send(context, {
      network: context.params['network'],
      chain: chainIdToNetwork(chainId) ?? chainId,
      block: { id: id.toString('hex'), height },
    })
  })
  router.get('/accounts/:address', async (context) => {
    context.state.route = '/chain/{network}/accounts/{address}'
    const address = parseAddress(context.params['address'] ?? '')
    if (address === undefined)
      throw new ApiError(400, 'bad-input', 'address has to be 16 hex digits.', { field: 'address' })
    const account = await nodeOf(context).account(address)
    if (account === undefined) throw new ApiError(404, 'no-account', `The chain has no account ${address}.`)
    send(context, presentAccount(account))
  })
  router.post('/transactions', async (context) => {
    context.state.route = '/chain/{network}/transactions'
    const node = nodeOf(context)
    const transaction = readTransaction(await readJson(context.req, maxBodyBytes))
    for (const one of [...transaction.payloadSignatures, ...transaction.envelopeSignatures])
      requireOrigin(one, allowsOrigin)
    const message = messageOf(transaction)
    const id = await node.send(encodeSubmission(message)).catch((error: unknown) => {
      if (error instanceof TransactionRefusedError && error.isKnown)
        return transactionId(withOrderedSignatures(message))
      if (error instanceof ChainUnavailableError)
        throw new ApiError(
          503,
          'chain-unavailable',
          'No access node of this network says that it has the transaction. It may have arrived: send the same ' +
            'again, which the chain runs once.',
          { cause: error },
        )
      throw error
    })
    send(context, { id: id.toString('hex') })
  })
  router.get('/transactions/:id', async (context) => {
    context.state.route = '/chain/{network}/transactions/{id}'
    const id = context.params['id'] ?? ''
    if (!/^[0-9a-f]{64}$/i.test(id))
      throw new ApiError(400, 'bad-input', 'id has to be 64 hex digits.', { field: 'id' })
    send(context, presentResult(id.toLowerCase(), await nodeOf(context).result(Buffer.from(id, 'hex'))))
  })
  return router
}

function presentAccount({ address, balance, keys }: ChainAccount): unknown {
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

function presentResult(id: string, result: TransactionResultMessage | undefined): unknown {
  if (result === undefined) return { id, status: 'UNKNOWN', is_failed: false, error: null }
  const isFailed = result.statusCode !== 0 || result.errorMessage !== ''
  return { id, status: result.status, is_failed: isFailed, error: isFailed ? result.errorMessage : null }
}

/** @throws ApiError 400 */
function readTransaction(body: unknown): FlowTransaction {
  const text = (value: unknown, field: string): string => {
    if (typeof value !== 'string') throw new ApiError(400, 'bad-input', `${field} has to be a text.`, { field })
    return value
  }
  const whole = (value: unknown, field: string): number => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
      throw new ApiError(400, 'bad-input', `${field} has to be a whole number.`, { field })
    return value
  }
  const many = <T>(value: unknown, field: string, read: (one: unknown, field: string) => T): readonly T[] => {
    if (!Array.isArray(value) || value.length > 1000)
      throw new ApiError(400, 'bad-input', `${field} has to be a list.`, { field })
    return value.map((one: unknown, at) => read(one, `${field}[${at}]`))
  }
  const fields = (value: unknown, field: string): Readonly<Record<string, unknown>> => {
    if (typeof value !== 'object' || value === null)
      throw new ApiError(400, 'bad-input', `${field} has to be an object.`, { field })
    return value as Readonly<Record<string, unknown>>
  }
  const signature = (value: unknown, field: string): TransactionSignature => {
    const { address, key_index: keyIndex, signature: bytes, extension_data: extension } = fields(value, field)
    return {
      address: text(address, `${field}.address`),
      keyIndex: whole(keyIndex, `${field}.key_index`),
      signature: bytesOfHex(text(bytes, `${field}.signature`), `${field}.signature`),
      ...(extension === undefined || extension === null
        ? {}
        : { extensionData: bytesOfHex(text(extension, `${field}.extension_data`), `${field}.extension_data`) }),
    }
  }
  const all = fields(body, 'body')
  const proposal = fields(all['proposal_key'], 'proposal_key')
  const sequence = text(proposal['sequence_number'], 'proposal_key.sequence_number')
  if (!/^\d{1,20}$/.test(sequence))
    throw new ApiError(400, 'bad-input', 'proposal_key.sequence_number has to be digits.', {
      field: 'proposal_key.sequence_number',
    })
  return {
    script: text(all['script'], 'script'),
    arguments: many(all['arguments'], 'arguments', text),
    referenceBlockId: text(all['reference_block_id'], 'reference_block_id'),
    computeLimit: whole(all['compute_limit'], 'compute_limit'),
    payer: text(all['payer'], 'payer'),
    authorizers: many(all['authorizers'], 'authorizers', text),
    proposalKey: {
      address: text(proposal['address'], 'proposal_key.address'),
      keyIndex: whole(proposal['key_index'], 'proposal_key.key_index'),
      sequenceNumber: BigInt(sequence),
    },
    payloadSignatures: many(all['payload_signatures'], 'payload_signatures', signature),
    envelopeSignatures: many(all['envelope_signatures'], 'envelope_signatures', signature),
  }
}

/**
 * Passes on no signature that a page of another origin had a passkey make. Whoever has one can still send it to an
 * access node.
 * @throws ApiError 422 `origin-not-allowed`; SigningError
 */
function requireOrigin({ extensionData }: TransactionSignature, allowsOrigin: (origin: string) => boolean): void {
  if (extensionData === undefined || extensionData.length === 0) return
  const { clientDataJson } = decodeExtensionData(extensionData)
  if (!allowsOrigin(originOf(clientDataJson)))
    throw new ApiError(
      422,
      'origin-not-allowed',
      'The transaction was not sent: a page of another origin had it signed. Sign it in the wallet.',
    )
}

/** Empty where the client data names none. */
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

function send(context: RequestContext, body: unknown): void {
  context.status = 200
  context.type = 'application/json'
  context.body = JSON.stringify(body)
}
