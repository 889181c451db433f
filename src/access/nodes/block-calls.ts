import type {
  BlockMessage,
  EventEncoding,
  HeadMessage,
  TransactionMessage,
  TransactionResultMessage,
} from '../messages.ts'
import type { AccessNode, CallContext } from './node.ts'
import { readBlockHeaderResponse, readBlockResponse, readCollectionResponse } from '../wire/read-block.ts'
import { readTransactionResultResponse, readTransactionResultsResponse } from '../wire/read-results.ts'
import { readTransactionResponse, readTransactionsResponse } from '../wire/read-transactions.ts'
import {
  heightRequest,
  idRequest,
  resultByIndexRequest,
  transactionRequest,
  transactionsByBlockRequest,
} from '../wire/requests.ts'

/** Bulk responses may be a thousand times larger. */
const bulkTimeouts = 3
/** Worth waiting for after a node has served the block: another node would start over. */
const refusedTries = 3

export class BlockCalls {
  readonly node: AccessNode
  byteLength = 0
  readonly #firstContext: CallContext
  readonly #context: CallContext
  readonly #bulkContext: CallContext

  constructor(node: AccessNode, context: CallContext) {
    this.node = node
    this.#firstContext = context
    this.#context = { ...context, refusedTries }
    this.#bulkContext = { ...context, refusedTries, timeoutMs: context.timeoutMs * bulkTimeouts }
  }

  async block(height: number): Promise<BlockMessage> {
    return readBlockResponse(await this.#call('GetBlockByHeight', heightRequest(height), this.#firstContext))
  }

  async header(height: number): Promise<HeadMessage> {
    const answer = await this.#call('GetBlockHeaderByHeight', heightRequest(height), this.#firstContext)
    return readBlockHeaderResponse(answer)
  }

  async transactions(blockId: Buffer, encoding: EventEncoding): Promise<TransactionMessage[]> {
    const request = transactionsByBlockRequest(blockId, encoding)
    return readTransactionsResponse(await this.#call('GetTransactionsByBlockID', request, this.#bulkContext))
  }

  async results(blockId: Buffer, encoding: EventEncoding): Promise<TransactionResultMessage[]> {
    const request = transactionsByBlockRequest(blockId, encoding)
    const answer = await this.#call('GetTransactionResultsByBlockID', request, this.#bulkContext)
    return readTransactionResultsResponse(answer)
  }

  async resultByIndex(blockId: Buffer, index: number, encoding: EventEncoding): Promise<TransactionResultMessage> {
    const request = resultByIndexRequest(blockId, index, encoding)
    return readTransactionResultResponse(await this.#call('GetTransactionResultByIndex', request))
  }

  async result(transactionId: Buffer, blockId: Buffer, encoding: EventEncoding): Promise<TransactionResultMessage> {
    const request = transactionRequest(transactionId, encoding, { blockId })
    return readTransactionResultResponse(await this.#call('GetTransactionResult', request))
  }

  async transaction(transactionId: Buffer): Promise<TransactionMessage> {
    return readTransactionResponse(await this.#call('GetTransaction', idRequest(transactionId)))
  }

  async collection(collectionId: Buffer): Promise<Buffer[]> {
    return readCollectionResponse(await this.#call('GetCollectionByID', idRequest(collectionId)))
  }

  async #call(method: string, request: Uint8Array, context = this.#context): Promise<Buffer> {
    const answer = await this.node.call(method, request, context)
    this.byteLength += answer.length
    return answer
  }
}
