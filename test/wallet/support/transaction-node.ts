import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { readKnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import type { TransactionMessage } from '../../../src/access/messages.ts'
import { AccountResponseSchema, SendTransactionRequestSchema } from '../../../src/access/gen/flow/access/access_pb.ts'
import { addressAtIndex } from '../../../src/flow/address.ts'
import { transactionEnvelope, transactionId } from '../../../src/flow/transactions/transaction-id.ts'
import { RawGrpcServer } from '../../../simnode/server/grpc-server.ts'
import type { GrpcCall } from '../../../simnode/server/grpc-server.ts'
import { Refusal } from '../../../simnode/node/node-view.ts'
import { bytesField, bytesOf, varintField } from '../../../simnode/node/wire.ts'

export interface NodeKey {
  /** Hex, 128 digits. */
  readonly publicKey: string
  /** Algorithm codes of the Access API. */
  readonly signatureAlgorithm: number
  readonly hashAlgorithm: number
  readonly weight: number
  sequenceNumber: number
  isRevoked?: boolean
}

/** A transaction that the node accepted. */
export interface NodeTransaction {
  readonly id: string
  readonly keyIndex: number
  readonly sequenceNumber: bigint
  readonly referenceHeight: number
  /** Undefined: not in a block yet. */
  result?: { readonly error: string; readonly events: readonly Buffer[] } | undefined
}

const curves: Readonly<Record<number, { readonly crv: string }>> = { 2: { crv: 'P-256' }, 3: { crv: 'secp256k1' } }
const digests: Readonly<Record<number, string>> = { 1: 'sha256', 3: 'sha3-256' }
const transactionTag = Buffer.concat([Buffer.from('FLOW-V0.0-transaction'), Buffer.alloc(11)])

/**
 * An access node with an in-memory chain that accepts transactions: it verifies the payer's
 * signature with an independent implementation of the protocol, and creates accounts. Each request
 * for the latest block creates a new one.
 */
export class TransactionNode {
  readonly #server: RawGrpcServer
  readonly #chainId: string
  /** Keyed by address, 16 hex digits. */
  readonly accounts = new Map<string, NodeKey[]>()
  /** All accepted transactions by ID. */
  readonly transactions = new Map<string, NodeTransaction>()
  /** Method names of all calls, in order. */
  readonly calls: string[] = []
  /** Number of submissions, including rejected ones. */
  sent = 0
  height = 1000
  /**
   * Fate of an accepted transaction: executed in the next block, pending without a block, or
   * dropped.
   */
  fate: 'runs' | 'waits' | 'is lost' = 'runs'
  /** Error message for submissions. */
  refusal: string | undefined
  /** Error of the transactions that execute next. */
  error: string | undefined
  /** Accounts are returned without their keys. */
  hidesKeys = false
  /** Simulates stale state: sequence numbers are returned this much lower. */
  lag = 0
  /** Called with each method before it is processed. */
  onCall: ((method: string) => Promise<void> | void) | undefined
  /** Called with each method after it is processed, before the response. */
  onAnswer: ((method: string) => Promise<void> | void) | undefined
  #accountCount = 10
  readonly #bodies = new Map<string, TransactionMessage>()
  readonly #waiting: (() => void)[] = []

  private constructor(server: RawGrpcServer, chainId: string) {
    this.#server = server
    this.#chainId = chainId
  }

  static async start(options: { readonly chainId?: string; readonly port?: number } = {}): Promise<TransactionNode> {
    const made: { node?: TransactionNode } = {}
    const methods = [
      'GetNetworkParameters',
      'GetNodeVersionInfo',
      'GetLatestBlockHeader',
      'GetAccountAtLatestBlock',
      'SendTransaction',
      'GetTransactionResult',
    ]
    const server = await RawGrpcServer.listen('127.0.0.1', options.port ?? 0, {
      'flow.access.AccessAPI': Object.fromEntries(
        methods.map((method) => [method, (call: GrpcCall) => void made.node?.answer(method, call)]),
      ),
    })
    made.node = new TransactionNode(server, options.chainId ?? 'flow-emulator')
    return made.node
  }

  get endpoint(): string {
    return `${this.#server.host}:${this.#server.port}`
  }

  get created(): readonly string[] {
    return [...this.accounts.keys()].slice(1)
  }

  stop(): Promise<void> {
    return this.#server.close()
  }

  /** Resolves after the next response. */
  nextCall(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Executes pending transactions. */
  release(): void {
    this.fate = 'runs'
    for (const transaction of this.transactions.values()) if (transaction.result === undefined) this.#run(transaction)
  }

  async answer(method: string, call: GrpcCall): Promise<void> {
    this.calls.push(method)
    try {
      await this.onCall?.(method)
      const answer = this.#answerTo(method, call.request)
      await this.onAnswer?.(method)
      call.answer(answer)
    } catch (error) {
      call.fail({
        code: error instanceof Refusal ? error.code : 13,
        details: error instanceof Error ? error.message : String(error),
      })
    } finally {
      for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  #answerTo(method: string, request: Buffer): Buffer {
    switch (method) {
      case 'GetNetworkParameters':
        return bytesField(1, Buffer.from(this.#chainId))
      case 'GetNodeVersionInfo':
        return bytesField(1, Buffer.alloc(0))
      case 'GetLatestBlockHeader':
        this.height++
        return bytesField(
          1,
          Buffer.concat([
            bytesField(1, blockId(this.height)),
            bytesField(2, blockId(this.height - 1)),
            varintField(3, this.height),
          ]),
        )
      case 'GetAccountAtLatestBlock':
        return this.#account(bytesOf(request, 1).toString('hex'))
      case 'SendTransaction':
        return bytesField(1, this.#take(request))
      case 'GetTransactionResult':
        return this.#result(bytesOf(request, 1).toString('hex'))
      default:
        throw new Refusal('UNIMPLEMENTED', method)
    }
  }

  #account(address: string): Buffer {
    const keys = this.accounts.get(address)
    if (keys === undefined) throw new Refusal('NOT_FOUND', `account with address ${address} not found`)
    return Buffer.from(
      toBinary(
        AccountResponseSchema,
        create(AccountResponseSchema, {
          account: {
            address: Buffer.from(address, 'hex'),
            balance: 100_000_000n,
            keys:
              this.hidesKeys && address !== [...this.accounts.keys()][0]
                ? []
                : keys.map((key, index) => ({
                    index,
                    publicKey: Buffer.from(key.publicKey, 'hex'),
                    signAlgo: key.signatureAlgorithm,
                    hashAlgo: key.hashAlgorithm,
                    weight: key.weight,
                    sequenceNumber: Math.max(0, key.sequenceNumber - this.lag),
                    revoked: key.isRevoked === true,
                  })),
          },
        }),
      ),
    )
  }

  #take(request: Buffer): Buffer {
    this.sent++
    const { transaction } = fromBinary(SendTransactionRequestSchema, request)
    if (transaction === undefined) throw new Refusal('INVALID_ARGUMENT', 'no transaction')
    const body = messageOf(transaction)
    const id = transactionId(body).toString('hex')
    if (this.refusal !== undefined) throw new Refusal('INVALID_ARGUMENT', this.refusal)
    if (this.transactions.has(id))
      throw new Refusal('INVALID_ARGUMENT', `invalid transaction: transaction with ID ${id} has already been submitted`)
    this.#requireSignature(body)
    if (this.fate === 'is lost') return Buffer.from(id, 'hex')
    const referenceHeight = body.referenceBlockId.readUInt32BE(28)
    const taken: NodeTransaction = {
      id,
      keyIndex: body.proposerKeyId,
      sequenceNumber: body.proposerSequenceNumber,
      referenceHeight,
    }
    this.transactions.set(id, taken)
    this.#bodies.set(id, body)
    if (this.fate === 'runs') this.#run(taken)
    return Buffer.from(id, 'hex')
  }

  #requireSignature(body: TransactionMessage): void {
    const [signature] = body.envelopeSignatures
    const address = body.payer.toString('hex')
    const key = this.accounts.get(address)?.[signature?.keyId ?? -1]
    const isOfPayer =
      signature?.address.equals(body.payer) === true &&
      body.proposerAddress.equals(body.payer) &&
      signature.keyId === body.proposerKeyId
    if (signature === undefined || key === undefined || !isOfPayer)
      throw new Refusal('INVALID_ARGUMENT', 'invalid transaction: no signature of the payer')
    const point = Buffer.from(key.publicKey, 'hex')
    const jwk = {
      kty: 'EC',
      ...curves[key.signatureAlgorithm],
      x: point.subarray(0, 32).toString('base64url'),
      y: point.subarray(32).toString('base64url'),
    }
    const message = Buffer.concat([transactionTag, transactionEnvelope(body)])
    const isGood = verify(
      digests[key.hashAlgorithm],
      message,
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      signature.signature,
    )
    if (!isGood) throw new Refusal('INVALID_ARGUMENT', 'invalid transaction: the signature is wrong')
  }

  #run(transaction: NodeTransaction): void {
    const body = this.#bodies.get(transaction.id)
    if (body === undefined) throw new Error('no such transaction')
    this.height++
    const key = this.accounts.get(body.payer.toString('hex'))?.[transaction.keyIndex]
    if (key === undefined || BigInt(key.sequenceNumber) !== transaction.sequenceNumber) {
      transaction.result = {
        error: `[Error Code: 1007] error caused by: invalid proposal key: sequence number is ${key?.sequenceNumber}, not ${transaction.sequenceNumber}`,
        events: [],
      }
      return
    }
    key.sequenceNumber++
    if (this.error !== undefined) {
      transaction.result = { error: this.error, events: [] }
      return
    }
    const known = readKnownTransaction(
      { script: body.script.toString('utf8'), arguments: body.arguments.map(String) },
      'emulator',
    )
    if (known?.name !== 'create-account') throw new Error('the node makes accounts and nothing else')
    const address = addressAtIndex(++this.#accountCount, 'emulator')
    const { publicKey, signatureAlgorithm, hashAlgorithm, weight } = known.key
    this.accounts.set(address.slice(2), [
      {
        publicKey,
        signatureAlgorithm: signatureAlgorithm === 'ECDSA_P256' ? 2 : 3,
        hashAlgorithm: hashAlgorithm === 'SHA2_256' ? 1 : 3,
        weight: Number(weight / 100_000_000n),
        sequenceNumber: 0,
      },
    ])
    const payload = {
      type: 'Event',
      value: { id: 'flow.AccountCreated', fields: [{ name: 'address', value: { type: 'Address', value: address } }] },
    }
    const event = Buffer.concat([
      bytesField(1, Buffer.from('flow.AccountCreated')),
      bytesField(5, Buffer.from(`${JSON.stringify(payload)}\n`)),
    ])
    transaction.result = { error: '', events: [event] }
  }

  #result(id: string): Buffer {
    const transaction = this.transactions.get(id)
    if (transaction === undefined) throw new Refusal('NOT_FOUND', `could not find transaction ${id}`)
    const { result } = transaction
    if (result === undefined) return varintField(1, this.height > transaction.referenceHeight + 600 ? 5 : 1)
    const { error, events } = result
    return Buffer.concat([
      varintField(1, 4),
      varintField(2, error === '' ? 0 : 1),
      bytesField(3, Buffer.from(error)),
      ...events.map((event) => bytesField(4, event)),
    ])
  }
}

/** Block IDs contain the height, so that a transaction's reference block yields its height. */
function blockId(height: number): Buffer {
  const id = Buffer.alloc(32, 7)
  id.writeUInt32BE(height, 28)
  return id
}

type Submitted = NonNullable<ReturnType<typeof fromBinary<typeof SendTransactionRequestSchema>>['transaction']>

function messageOf(transaction: Submitted): TransactionMessage {
  const { proposalKey } = transaction
  const signatures = (list: Submitted['envelopeSignatures']): TransactionMessage['envelopeSignatures'] =>
    list.map(({ address, keyId, signature, extensionData }) => ({
      address: Buffer.from(address),
      keyId,
      signature: Buffer.from(signature),
      extensionData: Buffer.from(extensionData),
    }))
  return {
    script: Buffer.from(transaction.script),
    arguments: transaction.arguments.map((one) => Buffer.from(one)),
    referenceBlockId: Buffer.from(transaction.referenceBlockId),
    gasLimit: transaction.gasLimit,
    proposerAddress: Buffer.from(proposalKey?.address ?? []),
    proposerKeyId: proposalKey?.keyId ?? 0,
    proposerSequenceNumber: proposalKey?.sequenceNumber ?? 0n,
    payer: Buffer.from(transaction.payer),
    authorizers: transaction.authorizers.map((one) => Buffer.from(one)),
    payloadSignatures: signatures(transaction.payloadSignatures),
    envelopeSignatures: signatures(transaction.envelopeSignatures),
  }
}

/** 64 hex digits below the order of either curve. */
export function privateKeyDigits(): string {
  return `0${randomBytes(32).toString('hex').slice(1)}`
}
