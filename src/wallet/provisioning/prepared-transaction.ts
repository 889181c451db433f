import { hash } from 'node:crypto'
import { domainTag } from '../../../clients/signing/domain-tags.ts'
import { encodeEnvelope, encodeTransaction } from '../../../clients/signing/encode-transaction.ts'
import type { FlowTransaction } from '../../../clients/signing/flow-transaction.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import { encodeSubmission } from '../../access/transaction-client.ts'
import { addressBytes } from '../../flow/address.ts'
import type { PayerAccount } from './payer-account.ts'

/** A block that a transaction names: it may be in a block for so long after that one. */
export interface ReferenceBlock {
  /** 32 bytes. */
  readonly id: Buffer
  readonly height: number
}

/** A key of the payer and the number that it counts up with each transaction. */
export interface Proposal {
  readonly keyIndex: number
  readonly sequenceNumber: bigint
}

/** A transaction that is signed: sending it twice does the same as sending it once, since the chain runs an id once. */
export interface PreparedTransaction {
  /** 32 bytes. */
  readonly id: Buffer
  /** What the access node is sent. */
  readonly submission: Buffer
  readonly reference: ReferenceBlock
  readonly proposal: Proposal
  /** Address of the payer. */
  readonly payer: string
}

/** What a transaction may compute. What the payer has to have for it grows with this, and making an account takes a tenth of it. */
const computeLimit = 1000
const transactionTag = domainTag('transaction')

/** A transaction of the payer alone: it proposes, authorizes and pays, and so signs the envelope alone. */
export function prepareTransaction(
  code: TransactionCode,
  payer: PayerAccount,
  reference: ReferenceBlock,
  proposal: Proposal,
): PreparedTransaction {
  const { address } = payer
  const unsigned: FlowTransaction = {
    ...code,
    computeLimit,
    referenceBlockId: reference.id.toString('hex'),
    proposalKey: { address, ...proposal },
    payer: address,
    authorizers: [address],
    payloadSignatures: [],
    envelopeSignatures: [],
  }
  const message = Buffer.concat([transactionTag, encodeEnvelope(unsigned)])
  const signature = payer.sign(message)
  // A computer that errs once in a while must not cost a transaction: what the chain would refuse is not sent.
  if (!payer.verify(message, signature)) throw new Error('the signature of the payer is wrong')
  const signed: FlowTransaction = {
    ...unsigned,
    envelopeSignatures: [{ address, keyIndex: proposal.keyIndex, signature }],
  }
  const account = addressBytes(address)
  return {
    id: hash('sha3-256', encodeTransaction(signed), 'buffer'),
    submission: Buffer.from(
      encodeSubmission({
        script: Buffer.from(signed.script),
        arguments: signed.arguments.map((argument) => Buffer.from(argument)),
        referenceBlockId: reference.id,
        gasLimit: BigInt(computeLimit),
        proposerAddress: account,
        proposerKeyId: proposal.keyIndex,
        proposerSequenceNumber: proposal.sequenceNumber,
        payer: account,
        authorizers: [account],
        payloadSignatures: [],
        envelopeSignatures: [{ address: account, keyId: proposal.keyIndex, signature, extensionData: Buffer.alloc(0) }],
      }),
    ),
    reference,
    proposal,
    payer: address,
  }
}
