import { addressText, isValidAddress } from '../../../src/flow/address.ts'
import { ufix64Text } from '../../../src/flow/tokens/ufix64.ts'
import type { BodySignature, TransactionBody } from '../../../src/flow/transactions/transaction-id.ts'
import { transactionEnvelope, transactionPayload } from '../../../src/flow/transactions/transaction-id.ts'
import { findBlock, Refusal } from '../../node/node-view.ts'
import type { NodeView } from '../../node/node-view.ts'
import type { LedgerChain } from '../ledger-chain.ts'
import { endowment } from '../state/token-moves.ts'
import { accountOfAddress } from '../world/account.ts'
import { flow } from '../world/tokens.ts'
import { canBeSignature, signedBytes } from './signatures.ts'

/** Source: onflow/flow-go `model/flow/constants.go`. */
const maxBytes = 1_500_000
const maxGas = 9999n
/** Blocks after the reference block until a transaction expires. */
export const expiry = 600
const expiryBuffer = 30

/**
 * Signatures and sequence numbers are verified at execution. Source: onflow/flow-go
 * `access/validator/validator.go`.
 *
 * @param size in bytes
 *
 * @throws Refusal INVALID_ARGUMENT
 */
export function checkTransaction(view: NodeView<LedgerChain>, body: TransactionBody, size: number): void {
  checkForm(body, size)
  checkReference(view, body)
  const signers = [...body.payloadSignatures, ...body.envelopeSignatures].map(({ address }) => address)
  for (const address of [...body.authorizers, body.payer, body.proposerAddress, ...signers]) requireAddress(address)
  checkSignatureForms(body)
  checkSigners(body)
  checkBalance(view, body)
}

function invalid(reason: string): Refusal {
  return new Refusal('INVALID_ARGUMENT', `invalid transaction: ${reason}`)
}

function checkForm(body: TransactionBody, size: number): void {
  if (size > maxBytes)
    throw invalid(
      `transaction byte size (${size}) exceeds the maximum byte size allowed for a transaction (${maxBytes})`,
    )
  const missing = [
    ...(body.script.length === 0 ? ['Script'] : []),
    ...(isNothing(body.referenceBlockId) ? ['ReferenceBlockID'] : []),
    ...(isNothing(body.payer) ? ['Payer'] : []),
  ]
  if (missing.length > 0) throw invalid(`transaction is missing required fields: [${missing.join(' ')}]`)
  const { gasLimit } = body
  if (gasLimit < 1n || gasLimit > maxGas)
    throw invalid(`transaction gas limit (${gasLimit}) is not in the acceptable range (min: 1, max: ${maxGas})`)
}

function checkReference(view: NodeView<LedgerChain>, { referenceBlockId }: TransactionBody): void {
  const reference = findBlock(view, referenceBlockId)
  if (reference === undefined) throw invalid('unknown reference block')
  if (view.head - reference.height > expiry - expiryBuffer)
    throw invalid(`transaction is expired: ref_height=${reference.height} final_height=${view.head}`)
}

function requireAddress(address: Buffer): void {
  if (address.length !== 8 || !isValidAddress(addressText(address), 'emulator'))
    throw invalid(`invalid address: ${address.toString('hex')}`)
}

function checkSignatureForms(body: TransactionBody): void {
  const lists = [
    [body.payloadSignatures, transactionPayload(body)],
    [body.envelopeSignatures, transactionEnvelope(body)],
  ] as const
  for (const [signatures, message] of lists) {
    for (const signature of signatures) {
      if (signedBytes(signature, message) === undefined)
        throw invalid(`the transaction signature has invalid extension data: ${sentence(signature)}`)
    }
  }
  for (const signature of [...body.payloadSignatures, ...body.envelopeSignatures]) {
    if (!canBeSignature(signature.signature))
      throw invalid(
        `the cryptographic signature within the transaction signature has an invalid format: ${sentence(signature)}`,
      )
  }
}

function checkSigners({
  payloadSignatures,
  envelopeSignatures,
  payer,
  proposerAddress,
  authorizers,
}: TransactionBody): void {
  const seen = new Set<string>()
  for (const { address, keyId } of [...payloadSignatures, ...envelopeSignatures]) {
    const key = `${digits(address)} ${keyId}`
    if (seen.has(key)) throw invalid(`duplicated signature for key (address: ${digits(address)}, index: ${keyId})`)
    seen.add(key)
  }
  const [payloadSigners, envelopeSigners] = [payloadSignatures, envelopeSignatures].map(
    (list) => new Set(list.map(({ address }) => digits(address))),
  ) as [Set<string>, Set<string>]
  const missing = (whose: string, address: Buffer): Refusal =>
    invalid(`${whose} is missing: missing signature is from account ${digits(address)}`)
  const hasSigned = (address: Buffer): boolean =>
    payloadSigners.has(digits(address)) || envelopeSigners.has(digits(address))
  if (!envelopeSigners.has(digits(payer))) throw missing('payer envelope signature', payer)
  if (!hasSigned(proposerAddress)) throw missing('proposer signature on either payload or envelope', proposerAddress)
  for (const authorizer of authorizers)
    if (!hasSigned(authorizer)) throw missing('authorizer signature on either payload or envelope', authorizer)
  const related = new Set([payer, proposerAddress, ...authorizers].map(digits))
  for (const signer of [...payloadSigners, ...envelopeSigners])
    if (!related.has(signer)) throw invalid(`unrelated account signature from address: ${signer}`)
}

function checkBalance(view: NodeView<LedgerChain>, { payer }: TransactionBody): void {
  const account = accountOfAddress(payer)
  const balance = account === undefined ? 0n : view.chain.stateAt(view.head).vaults.balance(flow, account)
  if (balance >= endowment) return
  throw invalid(
    `transaction payer (${digits(payer)}) has insufficient balance to pay transaction fee. ` +
      `Required balance: (${ufix64Text(endowment)}). `,
  )
}

function sentence({ address, keyId, signature, extensionData }: BodySignature): string {
  return (
    `Address: ${digits(address)}, KeyIndex: ${keyId}, Signature: ${digits(signature)}, ` +
    `ExtensionData: ${digits(extensionData)}`
  )
}

function digits(bytes: Buffer): string {
  return bytes.toString('hex')
}

function isNothing(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0)
}
