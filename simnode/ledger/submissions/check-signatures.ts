import type { BodySignature, TransactionBody } from '../../../src/flow/transaction-body.ts'
import { transactionEnvelope, transactionPayload } from '../../../src/flow/transaction-id.ts'
import { fullWeight } from '../state/account-key.ts'
import type { AccountKey } from '../state/account-key.ts'
import type { LedgerState } from '../state/ledger-state.ts'
import { accountOfAddress } from '../world/account.ts'
import { isSignedBy } from './key-signature.ts'
import { signedBytes } from './signed-bytes.ts'

type SignedPart = 'payload' | 'envelope'
const codes: Readonly<Record<SignedPart, number>> = { payload: 1008, envelope: 1009 }

/** Of 1000, as the chain counts weights. */
const threshold = Number(fullWeight / 100_000_000n)

/**
 * What the virtual machine looks at before it runs a transaction: that the keys of the accounts have signed, with enough weight, and that the proposer's
 * number is next.
 * Source: onflow/flow-go `fvm/transactionVerifier.go`, `transactionSequenceNum.go`.
 * @returns its words where it does not run; nothing is paid then
 */
export function preprocessingError({ accounts }: LedgerState, body: TransactionBody): string | undefined {
  const keyOf = (address: Buffer, keyIndex: number): AccountKey | undefined => {
    const account = accountOfAddress(address)
    return account === undefined || !accounts.exists(account) ? undefined : accounts.keys(account)[keyIndex]
  }
  const proposal = `public key ${body.proposerKeyId} on account ${body.proposerAddress.toString('hex')}`
  const unsigned = (code: number, reason: string): string =>
    told(
      code,
      `transaction verification failed: [Error Code: 1006] invalid proposal key: ${proposal} does not have a valid signature: ${reason}`,
    )
  const weights = { payload: new Map<string, number>(), envelope: new Map<string, number>() }
  for (const [part, signatures, message] of [
    ['payload', body.payloadSignatures, transactionPayload(body)],
    ['envelope', body.envelopeSignatures, transactionEnvelope(body)],
  ] as const) {
    for (const signature of signatures) {
      const key = keyOf(signature.address, signature.keyId)
      const wrong = wrongOf(signature, key, message)
      const signer = `public key ${signature.keyId} on account ${signature.address.toString('hex')}`
      if (wrong !== undefined || key === undefined)
        return unsigned(
          codes[part],
          `[Error Code: ${codes[part]}] invalid ${part} key: ${signer} does not have a valid signature: ${wrong}`,
        )
      const hex = signature.address.toString('hex')
      weights[part].set(hex, (weights[part].get(hex) ?? 0) + Number(key.weight / 100_000_000n))
    }
  }
  const isProposed = [...body.payloadSignatures, ...body.envelopeSignatures].some(
    ({ address, keyId }) => address.equals(body.proposerAddress) && keyId === body.proposerKeyId,
  )
  if (!isProposed) return unsigned(1006, 'either the payload or the envelope should provide proposal signatures')
  const light = lightSigner(body, weights)
  if (light !== undefined)
    return told(1055, `transaction verification failed: [Error Code: 1055] authorization failed for account ${light}`)
  const expected = keyOf(body.proposerAddress, body.proposerKeyId)?.sequenceNumber ?? 0
  if (body.proposerSequenceNumber === BigInt(expected)) return undefined
  return told(
    1007,
    `checking sequence number failed: [Error Code: 1007] invalid proposal key: ${proposal} has sequence number ${expected}, but given ${body.proposerSequenceNumber}`,
  )
}

/** As results tell what went wrong. */
export function told(code: number, reason: string): string {
  return `[Error Code: ${code}] error caused by: 1 error occurred:\n\t* ${reason}\n\n`
}

function wrongOf(signature: BodySignature, key: AccountKey | undefined, message: Buffer): string | undefined {
  if (key === undefined) {
    return `[Error Code: 1202] account public key not found for address ${signature.address.toString('hex')} and key index ${signature.keyId}`
  }
  if (key.isRevoked) return 'account key has been revoked'
  const bytes = signedBytes(signature, message)
  return bytes !== undefined && isSignedBy(key, bytes, signature.signature) ? undefined : 'signature is not valid'
}

/** Who signs with too little weight, and what is said of that: authorizers sign the payload, and who pays the envelope alone. */
function lightSigner(
  { payer, authorizers }: TransactionBody,
  { payload, envelope }: Readonly<Record<SignedPart, ReadonlyMap<string, number>>>,
): string | undefined {
  for (const authorizer of authorizers) {
    const weight = payload.get(authorizer.toString('hex')) ?? 0
    if (!authorizer.equals(payer) && weight < threshold)
      return `${authorizer.toString('hex')}: authorizer account does not have sufficient signatures (${weight} < ${threshold})`
  }
  const weight = envelope.get(payer.toString('hex')) ?? 0
  return weight < threshold
    ? `${payer.toString('hex')}: payer account does not have sufficient signatures (${weight} < ${threshold})`
    : undefined
}
