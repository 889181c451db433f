import { bytesOfBase64Url, bytesOfHex } from '../../../clients/signing/bytes.ts'
import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import { signTransaction } from '../../../clients/signing/sign-transaction.ts'
import { sendFlow } from '../../../clients/signing/transactions/make-transaction.ts'
import { pause } from '../../../src/platform/retry.ts'
import { publishedPayer } from '../../../simnode/ledger/world/account.ts'
import { signer, submission } from '../../wallet/support/sent-transactions.ts'
import type { WalletUser } from './wallet-user.ts'
import type { WalletCalls } from './wallet-calls.ts'

/** A signed transaction and the results reported to its sender. */
export interface SentTransaction {
  readonly sender: string
  /** Undefined without a response, when it may or may not have arrived. */
  id: string | undefined
  /** Reported as executed successfully. */
  isDone: boolean
}

/** In units of 10^-8 FLOW. The balance of an account covers all transfers of one user. */
export const amountEach = 10_000_000n
const betweenMs = 150
const followForMs = 15_000
const chain = '/chain/testnet'

/**
 * Sends FLOW from a user's account, signed by their passkey, and waits for the result. Resends the
 * same transaction after a missing response.
 */
export async function sendSome(
  testUser: WalletUser,
  calls: WalletCalls,
  sent: SentTransaction[],
  signal: AbortSignal,
): Promise<void> {
  const { account: sender, wanted, address } = testUser
  if (sender === undefined || wanted === undefined) return
  const [latest, account] = await Promise.all([
    calls.ask('GET', chain, { address }),
    calls.ask('GET', `${chain}/accounts/${sender}`, { address }),
  ])
  for (const answer of [latest, account]) {
    if (answer !== undefined && answer.status !== 200)
      calls.complain(`chain details were refused: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  if (latest?.status !== 200 || account?.status !== 200) return
  const { id: referenceBlockId } = latest.body['block'] as { readonly id: string }
  const {
    keys: [key],
  } = account.body as { readonly keys: readonly { readonly sequence_number: string }[] }
  const signed = await signTransaction(
    transferOf(sender, referenceBlockId, BigInt(key?.sequence_number ?? 0)),
    {
      address: sender,
      keyIndex: 0,
      rpId: 'localhost',
      credentialId: bytesOfBase64Url(wanted.id, 'id'),
      publicKey: bytesOfHex(wanted.publicKeySec1Hex, 'key'),
    },
    { getCredential: signer(testUser.authenticator) },
  )
  const one: SentTransaction = { sender, id: undefined, isDone: false }
  sent.push(one)
  const until = performance.now() + followForMs
  while (!signal.aborted && performance.now() < until) {
    const answer = await calls.ask('POST', `${chain}/transactions`, { body: submission(signed), address })
    // Rejected: the node returned a wrong latest block, or the transaction has expired. The chain
    // shows at the end whether an earlier attempt succeeded.
    if (answer !== undefined && answer.status !== 200) return
    if (answer !== undefined) {
      one.id = String(answer.body['id'])
      return follow(one, calls, address, { until, signal })
    }
    await pause(betweenMs)
  }
}

function transferOf(sender: string, referenceBlockId: string, sequenceNumber: bigint): FlowTransaction {
  return {
    ...sendFlow('emulator', { amount: amountEach, to: publishedPayer.address }),
    computeLimit: 999,
    referenceBlockId,
    payer: sender,
    authorizers: [sender],
    proposalKey: { address: sender, keyIndex: 0, sequenceNumber },
    payloadSignatures: [],
    envelopeSignatures: [],
  }
}

interface WaitOptions {
  readonly until: number
  readonly signal: AbortSignal
}

async function follow(
  one: SentTransaction,
  calls: WalletCalls,
  address: string,
  { until, signal }: WaitOptions,
): Promise<void> {
  while (!signal.aborted && performance.now() < until) {
    const answer = await calls.ask('GET', `${chain}/transactions/${one.id}`, { address })
    if (answer?.status === 200 && answer.body['status'] === 'SEALED') {
      one.isDone = answer.body['is_failed'] === false
      return
    }
    await pause(betweenMs)
  }
}
