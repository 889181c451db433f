import { createECDH, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import { bytesOfHex, hexOf } from '../../clients/signing/bytes.ts'
import {
  domainTag,
  accountOf,
  encodeEnvelope,
  encodePayload,
  partSignedBy,
} from '../../clients/signing/encode-transaction.ts'
import type { FlowTransaction, TransactionSignature } from '../../clients/signing/encode-transaction.ts'
import { signWithPasskey } from '../../clients/signing/passkey.ts'
import type { TransactionCode } from '../../clients/signing/transactions/make-transaction.ts'
import { SendTransactionRequestSchema } from '../../src/access/gen/flow/access/access_pb.ts'
import { GrpcJsTransport } from '../../src/access/transport/grpc-js-transport.ts'
import { parseEndpoint } from '../../src/access/transport/endpoint.ts'
import { readAccountResponse } from '../../src/access/create-chain-reader.ts'
import type { ChainAccount } from '../../src/flow/chain-reader.ts'
import { publishedPayer } from '../../simnode/ledger/world/account.ts'
import { bytesField, bytesOf, contentsOf, numberOf, varintField } from '../../simnode/node/wire.ts'
import { softPasskey } from '../signing/soft-passkey.ts'

/** An account key that signs messages. */
export interface TestKey {
  /** 128 hex digits. */
  readonly publicKey: string
  readonly signatureAlgorithm: 'ECDSA_P256' | 'ECDSA_secp256k1'
  readonly hashAlgorithm: 'SHA2_256' | 'SHA3_256'
  /** @param message without the tag */
  sign(message: Uint8Array): Promise<Pick<TransactionSignature, 'signature' | 'extensionData'>>
}

/** An account with its signing key. */
export interface TestSigner {
  readonly address: string
  readonly keyIndex: number
  readonly key: TestKey
}

export interface TestTransaction {
  readonly code: TransactionCode
  readonly proposer: TestSigner
  /** Default: the proposer. */
  readonly payer?: TestSigner
  /** Default: the proposer. */
  readonly authorizers?: readonly TestSigner[]
  /** Default: the node's value. */
  readonly sequenceNumber?: bigint
  /** Hex. Default: the latest block. */
  readonly referenceBlockId?: string
  readonly computeLimit?: number
  /** The signers. Default: all accounts with a role, with the keys above. */
  readonly signers?: readonly TestSigner[]
}

const curves = { ECDSA_P256: 'prime256v1', ECDSA_secp256k1: 'secp256k1' } as const
const hashes = { SHA2_256: 'sha256', SHA3_256: 'sha3-256' } as const

/** A software key. @param secret hex of P-256; by default a new one */
export function testKey(
  signatureAlgorithm: TestKey['signatureAlgorithm'] = 'ECDSA_P256',
  hashAlgorithm: TestKey['hashAlgorithm'] = 'SHA3_256',
  secret?: string,
): TestKey {
  const pair = secret === undefined ? generateKeyPairSync('ec', { namedCurve: curves[signatureAlgorithm] }) : undefined
  const point = pair?.publicKey.export({ type: 'spki', format: 'der' }).subarray(-64) ?? pointOf(secret ?? '')
  const privateKey =
    pair?.privateKey ??
    createPrivateKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        d: Buffer.from(secret ?? '', 'hex').toString('base64url'),
        x: point.subarray(0, 32).toString('base64url'),
        y: point.subarray(32).toString('base64url'),
      },
    })
  return {
    publicKey: point.toString('hex'),
    signatureAlgorithm,
    hashAlgorithm,
    sign: async (message) => ({
      signature: sign(hashes[hashAlgorithm], Buffer.concat([domainTag('transaction'), message]), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      }),
    }),
  }
}

/** The P-256 public key, x and y. */
function pointOf(secret: string): Buffer {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret, 'hex')
  return pair.getPublicKey().subarray(1)
}

/** A passkey. */
export function passkeyKey(): TestKey {
  const passkey = softPasskey()
  return {
    publicKey: hexOf(passkey.publicKey.subarray(1)),
    signatureAlgorithm: 'ECDSA_P256',
    hashAlgorithm: 'SHA2_256',
    sign: (message) =>
      signWithPasskey(
        'transaction',
        message,
        { rpId: 'wallet.example', credentialId: passkey.publicKey, publicKey: passkey.publicKey },
        { getCredential: passkey.getCredential },
      ),
  }
}

/** One key of a simulated node's published payer. */
export function testPayer(keyIndex = 0): TestSigner {
  return {
    address: publishedPayer.address,
    keyIndex,
    key: testKey('ECDSA_P256', 'SHA3_256', publishedPayer.privateKey),
  }
}

/** A node's result for a transaction. */
export interface TransactionStatusResult {
  /** 0 unknown, 1 pending, 4 sealed, 5 expired. */
  readonly status: number
  readonly error: string
  readonly height: number
  readonly eventTypes: readonly string[]
  /** The first account that it created, with `0x`. */
  readonly createdAddress: string | undefined
}

/** Sends transactions to a node as a client does, and fetches their results. */
export class NodeClient {
  readonly #transport: GrpcJsTransport

  constructor(endpoint: string) {
    this.#transport = new GrpcJsTransport(parseEndpoint(endpoint))
  }

  ask(method: string, ...request: Buffer[]): Promise<Buffer> {
    return this.#transport.unary(method, Buffer.concat(request), { timeoutMs: 10_000 })
  }

  async account(address: string): Promise<ChainAccount> {
    return readAccountResponse(await this.ask('GetAccountAtLatestBlock', bytesField(1, accountOf(address, 'address'))))
  }

  async latestBlockId(): Promise<string> {
    return hexOf(bytesOf(bytesOf(await this.ask('GetLatestBlock', varintField(1, 1)), 1), 1))
  }

  /** The `SendTransactionRequest` message with all signatures. */
  async signed(wanted: TestTransaction): Promise<FlowTransaction> {
    const { code, proposer, payer = proposer, authorizers = [proposer] } = wanted
    let transaction: FlowTransaction = {
      ...code,
      referenceBlockId: wanted.referenceBlockId ?? (await this.latestBlockId()),
      computeLimit: wanted.computeLimit ?? 1000,
      proposalKey: {
        address: proposer.address,
        keyIndex: proposer.keyIndex,
        sequenceNumber:
          wanted.sequenceNumber ??
          BigInt((await this.account(proposer.address)).keys[proposer.keyIndex]?.sequenceNumber ?? 0),
      },
      payer: payer.address,
      authorizers: authorizers.map(({ address }) => address),
      payloadSignatures: [],
      envelopeSignatures: [],
    }
    const signers = wanted.signers ?? [...new Set([proposer, ...authorizers, payer])]
    const isPayload = (signer: TestSigner): boolean => partSignedBy(transaction, signer) === 'payload'
    for (const signer of [...signers.filter(isPayload), ...signers.filter((one) => !isPayload(one))]) {
      const list = isPayload(signer) ? 'payloadSignatures' : 'envelopeSignatures'
      const message = isPayload(signer) ? encodePayload(transaction) : encodeEnvelope(transaction)
      const { address, keyIndex, key } = signer
      transaction = {
        ...transaction,
        [list]: [...transaction[list], { address, keyIndex, ...(await key.sign(message)) }],
      }
    }
    return transaction
  }

  /** @returns the id, hex @throws if the node rejects it */
  async send(transaction: FlowTransaction): Promise<string> {
    return hexOf(bytesOf(await this.ask('SendTransaction', requestOf(transaction)), 1))
  }

  async result(id: string): Promise<TransactionStatusResult> {
    const reported = await this.ask('GetTransactionResult', bytesField(1, bytesOfHex(id, 'id')))
    const events = contentsOf(reported, 4).map((event) => ({
      type: bytesOf(event, 1).toString('utf8'),
      payload: bytesOf(event, 5).toString('utf8'),
    }))
    const created = events.find(({ type }) => type === 'flow.AccountCreated')?.payload
    return {
      status: numberOf(reported, 1),
      error: bytesOf(reported, 3).toString('utf8'),
      height: numberOf(reported, 8),
      eventTypes: events.map(({ type }) => type),
      createdAddress: created === undefined ? undefined : /0x[0-9a-f]{16}/.exec(created)?.[0],
    }
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** `SendTransactionRequest` */
export function requestOf(transaction: FlowTransaction): Buffer {
  const signature = ({
    address,
    keyIndex,
    signature: bytes,
    extensionData = new Uint8Array(),
  }: TransactionSignature) => ({
    address: accountOf(address, 'address'),
    keyId: keyIndex,
    signature: bytes,
    extensionData,
  })
  const { proposalKey } = transaction
  return Buffer.from(
    toBinary(
      SendTransactionRequestSchema,
      create(SendTransactionRequestSchema, {
        transaction: {
          script: Buffer.from(transaction.script),
          arguments: transaction.arguments.map((one) => Buffer.from(one)),
          referenceBlockId: bytesOfHex(transaction.referenceBlockId, 'referenceBlockId'),
          gasLimit: BigInt(transaction.computeLimit),
          proposalKey: {
            address: accountOf(proposalKey.address, 'address'),
            keyId: proposalKey.keyIndex,
            sequenceNumber: proposalKey.sequenceNumber,
          },
          payer: accountOf(transaction.payer, 'payer'),
          authorizers: transaction.authorizers.map((one) => accountOf(one, 'authorizer')),
          payloadSignatures: transaction.payloadSignatures.map(signature),
          envelopeSignatures: transaction.envelopeSignatures.map(signature),
        },
      }),
    ),
  )
}
