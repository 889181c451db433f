import { base64UrlOf, bytesOfBase64Url, bytesOfHex } from '../../../clients/signing/bytes.ts'
import type { FlowTransaction } from '../../../clients/signing/flow-transaction.ts'
import type { AssertionRequest } from '../../../clients/signing/passkey.ts'
import { signTransaction } from '../../../clients/signing/sign-transaction.ts'
import { sendFlow } from '../../../clients/signing/transactions/make-transaction.ts'
import { pause } from '../../../src/base/retry.ts'
import { publishedPayer } from '../../../src/simnode/ledger/world/outside.ts'
import type { SoftAuthenticator } from '../../wallet/support/soft-authenticator.ts'
import type { Person } from './person.ts'
import type { WalletCalls } from './wallet-calls.ts'

/** A transaction that was signed, and what its sender was told of it. */
export interface SentTransaction {
  readonly sender: string
  /** Undefined: no answer came, so that it may have arrived or not. */
  id: string | undefined
  /** They were told that it was run and did what it should. */
  isDone: boolean
}

/** Units of 10^-8 FLOW. An account has enough for all that one person sends. */
export const amountEach = 10_000_000n
const betweenMs = 150
const followForMs = 15_000
const chain = '/chain/testnet'

/** Sends FLOW from a person's account, signed by their passkey, and looks at what comes of it; the same transaction again where no answer came. */
export async function sendSome(person: Person, calls: WalletCalls, sent: SentTransaction[], signal: AbortSignal): Promise<void> {
  const { account: sender, wanted, address } = person
  if (sender === undefined || wanted === undefined) return
  const [latest, account] = await Promise.all([calls.ask('GET', chain, { address }), calls.ask('GET', `${chain}/accounts/${sender}`, { address })])
  if (latest?.status !== 200 || account?.status !== 200) {
    for (const answer of [latest, account]) if (answer !== undefined && answer.status !== 200) calls.complain(`the chain was not shown: ${answer.status} ${JSON.stringify(answer.body)}`)
    return
  }
  const { keys: [key] } = account.body as { readonly keys: readonly { readonly sequence_number: string }[] }
  const signed = await signTransaction({
    ...sendFlow('emulator', { amount: amountEach, to: publishedPayer.address }), computeLimit: 999, referenceBlockId: (latest.body['block'] as { readonly id: string }).id,
    payer: sender, authorizers: [sender], proposalKey: { address: sender, keyIndex: 0, sequenceNumber: BigInt(key?.sequence_number ?? 0) }, payloadSignatures: [], envelopeSignatures: [],
  }, {
    address: sender, keyIndex: 0, rpId: 'localhost', credentialId: bytesOfBase64Url(wanted.id, 'id'), publicKey: bytesOfHex(wanted.publicKeySec1Hex, 'key'),
  }, { getCredential: asBrowser(person.authenticator) })
  const one: SentTransaction = { sender, id: undefined, isDone: false }
  sent.push(one)
  const until = performance.now() + followForMs
  while (!signal.aborted && performance.now() < until) {
    const answer = await calls.ask('POST', `${chain}/transactions`, { body: submission(signed), address })
    // Refused: the node lied of its newest block, or the transaction has grown too old. Whether an earlier try came through the chain tells in the end.
    if (answer !== undefined && answer.status !== 200) return
    if (answer !== undefined) {
      one.id = String(answer.body['id'])
      return follow(one, calls, address, { until, signal })
    }
    await pause(betweenMs)
  }
}

async function follow(one: SentTransaction, calls: WalletCalls, address: string, { until, signal }: { readonly until: number; readonly signal: AbortSignal }): Promise<void> {
  while (!signal.aborted && performance.now() < until) {
    const answer = await calls.ask('GET', `${chain}/transactions/${one.id}`, { address })
    if (answer?.status === 200 && answer.body['status'] === 'SEALED') {
      one.isDone = answer.body['is_failed'] === false
      return
    }
    await pause(betweenMs)
  }
}

/** As a page asks a browser. */
function asBrowser(authenticator: SoftAuthenticator): (request: AssertionRequest) => Promise<unknown> {
  return ({ publicKey: { challenge, rpId, allowCredentials: [allowed] } }) => {
    const { response } = authenticator.get({ challenge: base64UrlOf(challenge), rpId, allowCredentials: [{ id: base64UrlOf(allowed?.id ?? new Uint8Array()) }] })
    return Promise.resolve({ response: Object.fromEntries((['authenticatorData', 'clientDataJSON', 'signature'] as const).map((name) => [name, bytesOfBase64Url(response[name], name)])) })
  }
}

/** In the form of `POST /chain/{network}/transactions`. */
function submission(transaction: FlowTransaction): unknown {
  const signatures = (list: FlowTransaction['envelopeSignatures']): unknown => list.map(({ address, keyIndex, signature, extensionData }) => ({
    address, key_index: keyIndex, signature: Buffer.from(signature).toString('hex'), extension_data: extensionData === undefined ? null : Buffer.from(extensionData).toString('hex'),
  }))
  const { proposalKey } = transaction
  return {
    script: transaction.script, arguments: transaction.arguments, reference_block_id: transaction.referenceBlockId, compute_limit: transaction.computeLimit, payer: transaction.payer,
    authorizers: transaction.authorizers, proposal_key: { address: proposalKey.address, key_index: proposalKey.keyIndex, sequence_number: String(proposalKey.sequenceNumber) },
    payload_signatures: signatures(transaction.payloadSignatures), envelope_signatures: signatures(transaction.envelopeSignatures),
  }
}
