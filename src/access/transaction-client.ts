import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { asError, FlowfarmError, FatalError } from '../platform/errors.ts'
import { linkSignals } from '../platform/signals.ts'
import { ChainUnavailableError } from '../flow/chain-reader.ts'
import type { ChainAccount } from '../flow/chain-reader.ts'
import type { CadenceArgument } from '../flow/json-cdc/cadence-argument.ts'
import type { PayloadValue } from '../flow/payload-value.ts'
import { createChainReader } from './create-chain-reader.ts'
import type { ClosableChainReader } from './create-chain-reader.ts'
import type { SourceLogger } from './chain-source.ts'
import { GrpcError } from './transport/grpc-status.ts'
import { SendTransactionRequestSchema, SendTransactionResponseSchema } from './gen/flow/access/access_pb.ts'
import { identifyNode } from './nodes/identify-node.ts'
import type { HeadMessage, TransactionMessage, TransactionResultMessage } from './messages.ts'
import { nodeFault } from './nodes/node-errors.ts'
import { NodeRegistry } from './nodes/node-registry.ts'
import type { AccessNode, CallContext } from './nodes/node.ts'
import { readBlockHeaderResponse } from './wire/read-block.ts'
import { readTransactionResultResponse } from './wire/read-results.ts'
import { latestRequest, transactionRequest } from './wire/requests.ts'
import { WireError } from './wire/wire-reader.ts'

export class TransactionRefusedError extends FlowfarmError {
  constructor(message: string, cause: unknown) {
    super('transaction-refused', message, { cause })
  }

  /** The node already has the transaction. */
  get isKnown(): boolean {
    return /already (?:been submitted|exists|known)|duplicate transaction/i.test(this.message)
  }
}

/** All methods throw ChainUnavailableError if the node fails, and the signal's reason. */
export interface TransactionClient {
  /** @throws FatalError if the node does not report it */
  chainId(signal?: AbortSignal): Promise<string>
  latestSealed(signal?: AbortSignal): Promise<HeadMessage>
  /** In the latest sealed state; undefined for an unknown account. */
  account(address: string, signal?: AbortSignal): Promise<ChainAccount | undefined>
  /** In the latest sealed state. @throws as `ChainReader.executeScript` */
  script(code: string, args: readonly CadenceArgument[], signal?: AbortSignal): Promise<PayloadValue>
  /**
   * @param request from `encodeSubmission`
   * @returns the id of the transaction
   * @throws TransactionRefusedError
   */
  send(request: Uint8Array, signal?: AbortSignal): Promise<Buffer>
  /** With events in JSON-CDC. @returns undefined for an unknown transaction */
  result(id: Uint8Array, signal?: AbortSignal): Promise<TransactionResultMessage | undefined>
  close(): Promise<void>
}

export interface TransactionClientOptions {
  readonly endpoint: string
  readonly log: SourceLogger
  readonly timeoutMs?: number
}

const idBytes = 32

export function encodeSubmission(transaction: TransactionMessage): Uint8Array {
  const { proposerAddress, proposerKeyId, proposerSequenceNumber, payloadSignatures, envelopeSignatures } = transaction
  return toBinary(
    SendTransactionRequestSchema,
    create(SendTransactionRequestSchema, {
      transaction: {
        script: transaction.script,
        arguments: [...transaction.arguments],
        referenceBlockId: transaction.referenceBlockId,
        gasLimit: transaction.gasLimit,
        proposalKey: { address: proposerAddress, keyId: proposerKeyId, sequenceNumber: proposerSequenceNumber },
        payer: transaction.payer,
        authorizers: [...transaction.authorizers],
        payloadSignatures: [...payloadSignatures],
        envelopeSignatures: [...envelopeSignatures],
      },
    }),
  )
}

/** Connects on the first call. @throws FatalError for an invalid endpoint */
export function createTransactionClient(options: TransactionClientOptions): TransactionClient {
  return new NodeTransactionClient(options)
}

class NodeTransactionClient implements TransactionClient {
  readonly #registry = new NodeRegistry()
  readonly #node: AccessNode
  readonly #accounts: ClosableChainReader
  readonly #timeoutMs: number
  readonly #closing = new AbortController()

  constructor({ endpoint, log, timeoutMs = 10_000 }: TransactionClientOptions) {
    this.#node = this.#registry.acquire(endpoint)
    this.#accounts = createChainReader({ liveEndpoints: [endpoint], log, timeoutMs })
    this.#timeoutMs = timeoutMs
  }

  chainId(signal?: AbortSignal): Promise<string> {
    return this.#call(signal, async (context) => {
      await identifyNode(this.#node, context)
      if (this.#node.chainId === undefined)
        throw new FatalError('chain-unknown', `access node ${this.#node.endpoint} does not report its chain id`)
      return this.#node.chainId
    })
  }

  latestSealed(signal?: AbortSignal): Promise<HeadMessage> {
    return this.#call(signal, async (context) =>
      readBlockHeaderResponse(await this.#node.call('GetLatestBlockHeader', latestRequest(true), context)),
    )
  }

  async account(address: string, signal?: AbortSignal): Promise<ChainAccount | undefined> {
    try {
      return await this.#accounts.getAccount(address, { signal })
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ChainUnavailableError) throw error
      throw new ChainUnavailableError(
        `could not read the account from ${this.#node.endpoint}: ${asError(error).message}`,
        error,
      )
    }
  }

  script(code: string, args: readonly CadenceArgument[], signal?: AbortSignal): Promise<PayloadValue> {
    return this.#accounts.executeScript(code, args, { signal })
  }

  send(request: Uint8Array, signal?: AbortSignal): Promise<Buffer> {
    return this.#call(signal, async (context) => {
      try {
        return idIn(await this.#node.call('SendTransaction', request, context))
      } catch (error) {
        // Other codes are node failures.
        if (error instanceof GrpcError && isRefusal(error)) throw new TransactionRefusedError(error.reason, error)
        throw error
      }
    })
  }

  result(id: Uint8Array, signal?: AbortSignal): Promise<TransactionResultMessage | undefined> {
    return this.#call(signal, async (context) => {
      try {
        return readTransactionResultResponse(
          await this.#node.call('GetTransactionResult', transactionRequest(id, 'json-cdc'), context),
        )
      } catch (error) {
        if (error instanceof GrpcError && error.grpcCode === 'NOT_FOUND') return undefined
        throw error
      }
    })
  }

  async close(): Promise<void> {
    this.#closing.abort(new ChainUnavailableError('the connection to the access node was closed', undefined))
    await Promise.all([this.#registry.release(this.#node), this.#accounts.close()])
  }

  async #call<T>(signal: AbortSignal | undefined, call: (context: CallContext) => Promise<T>): Promise<T> {
    const linked = linkSignals([this.#closing.signal, ...(signal === undefined ? [] : [signal])])
    try {
      return await call({ timeoutMs: this.#timeoutMs, signal: linked.signal })
    } catch (error) {
      linked.signal.throwIfAborted()
      const fault = nodeFault(error)
      if (fault === undefined) throw error
      throw new ChainUnavailableError(fault.message, error)
    } finally {
      linked.unlink()
    }
  }
}

/** @throws WireError: the transaction may or may not have been accepted */
function idIn(answer: Uint8Array): Buffer {
  let id: Uint8Array
  try {
    ;({ id } = fromBinary(SendTransactionResponseSchema, answer))
  } catch (error) {
    throw new WireError(asError(error).message, 0)
  }
  if (id.length !== idBytes) throw new WireError(`the id of a transaction has ${id.length} bytes`, 0)
  return Buffer.from(id)
}

function isRefusal({ grpcCode }: GrpcError): boolean {
  return grpcCode === 'INVALID_ARGUMENT' || grpcCode === 'ALREADY_EXISTS'
}
