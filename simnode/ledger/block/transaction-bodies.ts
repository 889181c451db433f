import type { BodySignature, TransactionBody } from '../../../src/flow/transaction-body.ts'
import type { DraftArgument, DraftTransaction, SignedDraft } from '../draft.ts'
import { encodeArgument } from '../encoding/transaction-messages.ts'
import { Random } from '../random.ts'
import { systemAccounts } from '../world/tokens.ts'

const none = Buffer.alloc(0)
const zeroId = Buffer.alloc(32)
const systemGasLimit = 9999n

function argumentsOf({ arguments: values }: DraftTransaction): Buffer[] {
  return values.map(({ type, value }: DraftArgument) => encodeArgument(type, value))
}

/** @param seed of the signatures, which nobody can check: no key of the chain has a secret */
export function userBody(draft: SignedDraft, referenceBlockId: Buffer, seed: number): TransactionBody {
  const { payer, authorizers, sequenceNumber } = draft
  const random = new Random(seed, payer.index, sequenceNumber)
  const signatureOf = (address: Buffer): BodySignature => ({
    address,
    keyId: 0,
    signature: random.bytes(64),
    extensionData: none,
  })
  return {
    script: draft.script,
    arguments: argumentsOf(draft),
    referenceBlockId,
    gasLimit: BigInt(draft.gasLimit),
    proposerAddress: payer.address,
    proposerKeyId: 0,
    proposerSequenceNumber: BigInt(sequenceNumber),
    payer: payer.address,
    authorizers: authorizers.map(({ address }) => address),
    payloadSignatures: authorizers
      .filter(({ index }) => index !== payer.index)
      .map(({ address }) => signatureOf(address)),
    envelopeSignatures: [signatureOf(payer.address)],
  }
}

/** The chain's own: without reference block, proposer, payer and signatures. */
export function systemBody(draft: DraftTransaction): TransactionBody {
  return {
    script: draft.script,
    arguments: argumentsOf(draft),
    referenceBlockId: zeroId,
    gasLimit: systemGasLimit,
    proposerAddress: none,
    proposerKeyId: 0,
    proposerSequenceNumber: 0n,
    payer: none,
    authorizers: [systemAccounts.service.address],
    payloadSignatures: [],
    envelopeSignatures: [],
  }
}
