import { hexOf, bytesOfBase64Url, bytesOfHex } from '../../../clients/signing/bytes.ts'
import type { FlowTransaction, TransactionSignature } from '../../../clients/signing/encode-transaction.ts'
import type { ChainAccount, ChainTransaction } from '../answers.gen.ts'
import type { ChainHead, Network } from '../types.ts'
import { callJson, jsonBody, isRetryable } from '../../auth/auth-service.ts'
import { ApiProblem } from '../../kit/api.ts'
import { pause } from '../../kit/browser.ts'
import { signTransaction } from '../../../clients/signing/sign-transaction.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import { rememberedPasskey, rememberPasskey } from '../../auth/sign-in.ts'
import { signersFor } from './passkey-keys.ts'
import type { SigningPasskey } from './passkey-keys.ts'

/** All functions throw ApiProblem. */

export function readHead(network: Network, signal?: AbortSignal): Promise<ChainHead> {
  return callJson(`/chain/${network}`, signal === undefined ? {} : { signal })
}

export function readAccount(network: Network, address: string, signal?: AbortSignal): Promise<ChainAccount> {
  return callJson(`/chain/${network}/accounts/${address}`, signal === undefined ? {} : { signal })
}

function readResult(network: Network, id: string, signal?: AbortSignal): Promise<ChainTransaction> {
  return callJson(`/chain/${network}/transactions/${id}`, signal === undefined ? {} : { signal })
}

/** @returns the id. @throws ApiProblem `transaction-refused` with the node's message */
async function submit(network: Network, transaction: FlowTransaction): Promise<string> {
  const { proposalKey } = transaction
  const { id } = await callJson<{ readonly id: string }>(
    `/chain/${network}/transactions`,
    jsonBody({
      script: transaction.script,
      arguments: transaction.arguments,
      reference_block_id: transaction.referenceBlockId,
      compute_limit: transaction.computeLimit,
      proposal_key: {
        address: proposalKey.address,
        key_index: proposalKey.keyIndex,
        sequence_number: String(proposalKey.sequenceNumber),
      },
      payer: transaction.payer,
      authorizers: transaction.authorizers,
      payload_signatures: transaction.payloadSignatures.map(wireSignature),
      envelope_signatures: transaction.envelopeSignatures.map(wireSignature),
    }),
  )
  return id
}

function wireSignature({ address, keyIndex, signature, extensionData }: TransactionSignature): unknown {
  return {
    address,
    key_index: keyIndex,
    signature: hexOf(signature),
    ...(extensionData === undefined ? {} : { extension_data: hexOf(extensionData) }),
  }
}

export interface OwnAccount extends SigningPasskey {
  readonly network: Network
  readonly address: string
  /** Tried if the first is no longer a key of the account. */
  readonly others: readonly SigningPasskey[]
}

export type SendStage = 'preparing' | 'signing' | 'sending' | 'sent' | 'executed' | 'sealed'

interface SendOptions {
  readonly rpId: string
  readonly account: OwnAccount
  readonly code: (chain: FlowChain) => TransactionCode
  readonly onStage: (stage: SendStage, id?: string) => void
  readonly onSigned: (signed: SignedCode) => void
  readonly signal: AbortSignal
}

export interface SignedCode {
  readonly account: OwnAccount
  readonly code: TransactionCode
  readonly chain: FlowChain
  readonly credentialId: string
}

const computeLimit = 9999
const pollMs = 1000
/** ms. Blocks come every second; a later transaction needs a manual check. */
const connectTimeoutMs = 180_000
/** Time during which an unacknowledged transaction is resent. */
const arrivalMs = 30_000

/**
 * Resolves to the id once the transaction is sealed. @throws ApiProblem, with the chain's message
 * if it failed there; SigningError; the browser's error if no passkey is used
 */
export async function sendTransaction({
  rpId,
  account,
  code,
  onStage,
  onSigned,
  signal,
}: SendOptions): Promise<string> {
  const { network, address } = account
  onStage('preparing')
  const [{ chain, block }, state] = await Promise.all([
    readHead(network, signal),
    readAccount(network, address, signal),
  ])
  const [found] = signersFor(account, state, rememberedPasskey())
  if (found === undefined) throw new ApiProblem(409, 'no-key', `None of your passkeys can sign for ${address} alone.`)
  const { key, credentialId, publicKeySec1Hex } = found
  const transaction: FlowTransaction = {
    ...code(chain),
    referenceBlockId: block.id,
    computeLimit,
    payer: address,
    authorizers: [address],
    proposalKey: { address, keyIndex: key.index, sequenceNumber: BigInt(key.sequence_number) },
    payloadSignatures: [],
    envelopeSignatures: [],
  }
  onStage('signing')
  const signer = {
    address,
    keyIndex: key.index,
    rpId,
    credentialId: bytesOfBase64Url(credentialId, 'credentialId'),
    publicKey: bytesOfHex(publicKeySec1Hex, 'publicKey'),
  }
  const signed = await signTransaction(transaction, signer, { signal })
  rememberPasskey(credentialId)
  onSigned({ account, code: signed, chain, credentialId })
  onStage('sending')
  const id = await submitSurely(network, signed, signal)
  onStage('sent', id)
  await untilSealed(network, id, { onStage, signal })
  return id
}

/**
 * Every attempt sends the same transaction, which the chain runs once; a new one with the next
 * sequence number could pay twice. @throws ApiProblem `not-known` if it may have arrived
 */
async function submitSurely(network: Network, signed: FlowTransaction, signal: AbortSignal): Promise<string> {
  const end = Date.now() + arrivalMs
  let mayHaveArrived = false
  for (;;) {
    try {
      return await submit(network, signed)
    } catch (error) {
      // A rate-limited request was not processed.
      if (isRetryable(error) && !(error instanceof ApiProblem && error.status === 429)) mayHaveArrived = true
      if (!isRetryable(error) || Date.now() > end) {
        if (!mayHaveArrived) throw error
        throw new ApiProblem(
          504,
          'not-known',
          'The transaction may have been sent: no node confirmed it. Check your balance and your activity before ' +
            'you send it again.',
        )
      }
    }
    await pause(pollMs, signal)
  }
}

async function untilSealed(
  network: Network,
  id: string,
  { onStage, signal }: Pick<SendOptions, 'onStage' | 'signal'>,
): Promise<void> {
  const end = Date.now() + connectTimeoutMs
  for (;;) {
    const result = await readResult(network, id, signal).catch((error: unknown) => {
      // A failed status request does not affect the transaction.
      if (!isRetryable(error)) throw error
      return undefined
    })
    if (result?.is_failed === true)
      throw new ApiProblem(422, 'transaction-failed', result.error ?? 'The transaction failed.')
    if (result?.status === 'EXPIRED')
      throw new ApiProblem(
        422,
        'transaction-expired',
        'The transaction expired before a block included it. Nothing was changed. Try again.',
      )
    if (result?.status === 'SEALED') return onStage('sealed', id)
    if (result?.status === 'EXECUTED') onStage('executed', id)
    if (Date.now() > end)
      throw new ApiProblem(
        504,
        'not-sealed',
        'The transaction was sent but is not sealed yet. Check it in the explorer before you send it again.',
      )
    await pause(pollMs, signal)
  }
}

export function isUndecided(error: unknown): boolean {
  return error instanceof ApiProblem && (error.code === 'not-known' || error.code === 'not-sealed')
}
