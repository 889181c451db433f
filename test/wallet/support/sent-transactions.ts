import { base64UrlOf, bytesOfBase64Url } from '../../../clients/signing/bytes.ts'
import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import type { AssertionRequest } from '../../../clients/signing/passkey.ts'
import type { SoftAuthenticator } from './soft-authenticator.ts'

const signed = ['authenticatorData', 'clientDataJSON', 'signature'] as const

/** Requests a signature from an authenticator, as a page does from the browser. */
export function signer(authenticator: SoftAuthenticator): (request: AssertionRequest) => Promise<unknown> {
  return ({
    publicKey: {
      challenge,
      rpId,
      allowCredentials: [allowed],
    },
  }) => {
    const id = base64UrlOf(allowed?.id ?? new Uint8Array())
    const { response } = authenticator.get({ challenge: base64UrlOf(challenge), rpId, allowCredentials: [{ id }] })
    return Promise.resolve({
      response: Object.fromEntries(signed.map((name) => [name, bytesOfBase64Url(response[name], name)])),
    })
  }
}

/** A transaction as the body of `POST /chain/{network}/transactions`. */
export function submission(transaction: FlowTransaction): unknown {
  const signatures = (list: FlowTransaction['envelopeSignatures']): unknown =>
    list.map(({ address, keyIndex, signature, extensionData }) => ({
      address,
      key_index: keyIndex,
      signature: Buffer.from(signature).toString('hex'),
      extension_data: extensionData === undefined ? null : Buffer.from(extensionData).toString('hex'),
    }))
  const {
    script,
    arguments: args,
    referenceBlockId,
    computeLimit,
    payer,
    authorizers,
    proposalKey: { address, keyIndex, sequenceNumber },
  } = transaction
  return {
    script,
    arguments: args,
    reference_block_id: referenceBlockId,
    compute_limit: computeLimit,
    payer,
    authorizers,
    proposal_key: { address, key_index: keyIndex, sequence_number: String(sequenceNumber) },
    payload_signatures: signatures(transaction.payloadSignatures),
    envelope_signatures: signatures(transaction.envelopeSignatures),
  }
}
