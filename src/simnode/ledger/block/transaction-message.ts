import { transactionId } from '../../../chain/transaction-id.ts'
import type { TransactionBody } from '../../../chain/transaction-body.ts'
import type { DraftArgument, DraftTransaction, SignedDraft } from '../draft.ts'
import { writeJsonCdc } from '../encoding/json-value.ts'
import { Random } from '../random.ts'
import { systemAccounts } from '../world/tokens.ts'
import { MessageWriter } from './message-writer.ts'

/** A transaction as it is on the wire, and its id. */
export interface EncodedTransaction {
  /** `entities.Transaction` */
  readonly message: Buffer
  readonly id: Buffer
}

const writer = new MessageWriter()
const none = Buffer.alloc(0)
const zeroId = Buffer.alloc(32)
const systemGasLimit = 9999n

/** @param seed of the signatures, which nobody can check: no key of the chain has a secret */
export function encodeUserTransaction(draft: SignedDraft, referenceBlockId: Buffer, seed: number): EncodedTransaction {
  const random = new Random(seed, draft.payer.index, draft.sequenceNumber)
  const signatureOf = (address: Buffer) => ({ address, keyId: 0, signature: random.bytes(64), extensionData: none })
  return encode({
    script: draft.script,
    arguments: draft.arguments.map(argumentBytes),
    referenceBlockId,
    gasLimit: BigInt(draft.gasLimit),
    proposerAddress: draft.payer.address,
    proposerKeyId: 0,
    proposerSequenceNumber: BigInt(draft.sequenceNumber),
    payer: draft.payer.address,
    authorizers: draft.authorizers.map(({ address }) => address),
    payloadSignatures: draft.authorizers.filter(({ index }) => index !== draft.payer.index)
      .map(({ address }) => signatureOf(address)),
    envelopeSignatures: [signatureOf(draft.payer.address)],
  })
}

/** The chain's own: without reference block, proposer and signatures. Those without arguments are the same in every block. */
export function encodeSystemTransaction(draft: DraftTransaction): EncodedTransaction {
  const found = draft.arguments.length === 0 ? knownSystem.get(draft.script) : undefined
  if (found !== undefined) return found
  const encoded = encode({
    script: draft.script,
    arguments: draft.arguments.map(argumentBytes),
    referenceBlockId: zeroId,
    gasLimit: systemGasLimit,
    proposerAddress: none,
    proposerKeyId: 0,
    proposerSequenceNumber: 0n,
    payer: none,
    authorizers: [systemAccounts.service.address],
    payloadSignatures: [],
    envelopeSignatures: [],
  })
  if (draft.arguments.length === 0) knownSystem.set(draft.script, encoded)
  return encoded
}

const knownSystem = new Map<Buffer, EncodedTransaction>()

function argumentBytes({ type, value }: DraftArgument): Buffer {
  writer.clear()
  writeJsonCdc(writer, type, value)
  return writer.take()
}

function encode(body: TransactionBody): EncodedTransaction {
  writer.clear()
  writer.content(1, body.script)
  for (const argument of body.arguments) writer.content(2, argument)
  writer.content(3, body.referenceBlockId)
  writer.number(4, Number(body.gasLimit))
  if (body.proposerAddress.length > 0) {
    writer.nested(5, () => {
      writer.content(1, body.proposerAddress)
      writer.number(2, body.proposerKeyId)
      writer.number(3, Number(body.proposerSequenceNumber))
    })
  }
  if (body.payer.length > 0) writer.content(6, body.payer)
  for (const authorizer of body.authorizers) writer.content(7, authorizer)
  for (const [field, signatures] of [[8, body.payloadSignatures], [9, body.envelopeSignatures]] as const) {
    for (const { address, keyId, signature } of signatures) {
      writer.nested(field, () => {
        writer.content(1, address)
        writer.number(2, keyId)
        writer.content(3, signature)
      })
    }
  }
  return { message: writer.take(), id: transactionId(body) }
}
