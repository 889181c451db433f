import { areEqual, bytesOfHex, hexOf, concatBytes } from './bytes.ts'
import { domainTag, encodeEnvelope, encodePayload, partSignedBy } from './encode-transaction.ts'
import type { SignedPart, FlowTransaction, Signer, TransactionSignature } from './encode-transaction.ts'
import { SigningError } from './signing-error.ts'

export interface FclSignable {
  /** Hex of tag and message. */
  readonly message: string
  readonly addr: string
  readonly keyId: number
  readonly voucher: FclVoucher
}

export interface FclVoucher {
  readonly cadence: string
  readonly refBlock: string
  readonly computeLimit: number
  /** JSON-CDC as objects. */
  readonly arguments: readonly unknown[]
  readonly proposalKey: { readonly address: string; readonly keyId: number; readonly sequenceNum: number }
  readonly payer: string
  readonly authorizers: readonly string[]
  readonly payloadSigs: readonly FclSignature[]
  readonly envelopeSigs: readonly FclSignature[]
}

export interface FclSignature {
  readonly address: string
  readonly keyId: number
  /** Hex; null or missing if not signed yet. */
  readonly sig?: string | null | undefined
  /** Hex, FLIP-264. */
  readonly extensionData?: string | null | undefined
}

export interface SignatureRequest {
  readonly transaction: FlowTransaction
  readonly signer: Signer
  readonly part: SignedPart
}

/**
 * The wallet shows the voucher, so the message must encode it. @throws SigningError otherwise, and
 * for fields that cannot be signed
 */
export function readFclSignable({ message, addr, keyId, voucher }: FclSignable): SignatureRequest {
  const transaction = transactionOf(voucher)
  const signer = { address: addr, keyIndex: keyId }
  const part = partSignedBy(transaction, signer)
  const expected = concatBytes(
    domainTag('transaction'),
    part === 'envelope' ? encodeEnvelope(transaction) : encodePayload(transaction),
  )
  if (!areEqual(bytesOfHex(message, 'message'), expected))
    throw new SigningError('message', `must be exactly the ${part} of the voucher`)
  return { transaction, signer, part }
}

export function fclSignatureOf({
  address,
  keyIndex,
  signature,
  extensionData,
}: TransactionSignature): Readonly<Record<string, unknown>> {
  return {
    f_type: 'CompositeSignature',
    f_vsn: '1.0.0',
    addr: address,
    keyId: keyIndex,
    signature: hexOf(signature),
    ...(extensionData === undefined ? {} : { extensionData: hexOf(extensionData) }),
  }
}

function transactionOf(voucher: FclVoucher): FlowTransaction {
  const { proposalKey } = voucher
  if (!Number.isSafeInteger(proposalKey.sequenceNum) || proposalKey.sequenceNum < 0)
    throw new SigningError('voucher.proposalKey.sequenceNum', 'must be a non-negative integer')
  return {
    script: voucher.cadence,
    arguments: voucher.arguments.map((argument) => JSON.stringify(argument)),
    referenceBlockId: voucher.refBlock,
    computeLimit: voucher.computeLimit,
    payer: voucher.payer,
    authorizers: voucher.authorizers,
    proposalKey: {
      address: proposalKey.address,
      keyIndex: proposalKey.keyId,
      sequenceNumber: BigInt(proposalKey.sequenceNum),
    },
    payloadSignatures: signaturesOf(voucher.payloadSigs, 'voucher.payloadSigs'),
    envelopeSignatures: signaturesOf(voucher.envelopeSigs, 'voucher.envelopeSigs'),
  }
}

function signaturesOf(signatures: readonly FclSignature[], field: string): readonly TransactionSignature[] {
  return signatures.flatMap(({ address, keyId, sig, extensionData }, at) =>
    typeof sig !== 'string'
      ? []
      : [
          {
            address,
            keyIndex: keyId,
            signature: bytesOfHex(sig, `${field}[${at}].sig`),
            ...(typeof extensionData === 'string'
              ? { extensionData: bytesOfHex(extensionData, `${field}[${at}].extensionData`) }
              : {}),
          },
        ],
  )
}
