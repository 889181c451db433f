import type { SignatureMessage, TransactionMessage } from '../messages.ts'
import type { Mutable } from './wire-reader.ts'
import { noBytes, WireReader } from './wire-reader.ts'

/** Also for `FullCollectionResponse`, which has the same fields. */
export function readTransactionsResponse(answer: Buffer): TransactionMessage[] {
  const reader = new WireReader(answer)
  const transactions: TransactionMessage[] = []
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    if (tag === 0x0a) {
      const transaction = emptyTransaction()
      readTransaction(reader, transaction)
      transactions.push(transaction)
    } else reader.skip(tag)
  }
  return transactions
}

/** Either service. @throws WireError, also for a response without a transaction */
export function readTransactionResponse(answer: Buffer): TransactionMessage {
  const reader = new WireReader(answer)
  const transaction = emptyTransaction()
  let found = false
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    if (tag === 0x0a) {
      found = true
      readTransaction(reader, transaction)
    } else reader.skip(tag)
  }
  if (!found) reader.fail('response without a transaction')
  return transaction
}

function emptyTransaction(): Mutable<TransactionMessage> {
  return {
    script: noBytes,
    arguments: [],
    referenceBlockId: noBytes,
    gasLimit: 0n,
    proposerAddress: noBytes,
    proposerKeyId: 0,
    proposerSequenceNumber: 0n,
    payer: noBytes,
    authorizers: [],
    payloadSignatures: [],
    envelopeSignatures: [],
  }
}

function readTransaction(reader: WireReader, transaction: Mutable<TransactionMessage>): void {
  const outer = reader.enter()
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    switch (tag) {
      case 0x0a:
        transaction.script = reader.view()
        break
      case 0x12:
        transaction.arguments.push(reader.view())
        break
      case 0x1a:
        transaction.referenceBlockId = reader.view()
        break
      case 0x20:
        transaction.gasLimit = reader.uint64()
        break
      case 0x2a:
        readProposalKey(reader, transaction)
        break
      case 0x32:
        transaction.payer = reader.view()
        break
      case 0x3a:
        transaction.authorizers.push(reader.view())
        break
      case 0x42:
        transaction.payloadSignatures.push(readSignature(reader))
        break
      case 0x4a:
        transaction.envelopeSignatures.push(readSignature(reader))
        break
      default:
        reader.skip(tag)
    }
  }
  reader.limit = outer
}

function readProposalKey(reader: WireReader, transaction: Mutable<TransactionMessage>): void {
  const outer = reader.enter()
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    switch (tag) {
      case 0x0a:
        transaction.proposerAddress = reader.view()
        break
      case 0x10:
        transaction.proposerKeyId = reader.uint32()
        break
      case 0x18:
        transaction.proposerSequenceNumber = reader.uint64()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.limit = outer
}

function readSignature(reader: WireReader): SignatureMessage {
  let address: Buffer = noBytes
  let keyId = 0
  let signature: Buffer = noBytes
  let extensionData: Buffer = noBytes
  const outer = reader.enter()
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    switch (tag) {
      case 0x0a:
        address = reader.view()
        break
      case 0x10:
        keyId = reader.uint32()
        break
      case 0x1a:
        signature = reader.view()
        break
      case 0x22:
        extensionData = reader.view()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.limit = outer
  return { address, keyId, signature, extensionData }
}
