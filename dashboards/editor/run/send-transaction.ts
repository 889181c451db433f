import { bytesOfHex, concatBytes, hexOf } from '../../../clients/signing/bytes.ts'
import { domainTag, encodeEnvelope } from '../../../clients/signing/encode-transaction.ts'
import type { FlowTransaction, TransactionSignature } from '../../../clients/signing/encode-transaction.ts'
import { fieldsOf, textOf } from '../../../clients/signing/fcl-shapes.ts'
import { pause } from '../../kit/browser.ts'
import type { Network } from '../types.ts'
import { NodeProblem } from './access-node.ts'
import type { AccessNode, ChainEvent, TransactionResult } from './access-node.ts'
import type { CadenceValue } from './argument-value.ts'
import { WalletProblem } from './wallet-window.ts'
import type { WalletWindow } from './wallet-window.ts'

/** An account of the wallet that signs and pays. */
export interface Signer {
  /** With 0x. */
  readonly address: string
  readonly keyIndex: number
}

/** Up to `sent` nothing is on the chain. */
export type SendStage = 'signing' | 'sending'

export interface SentTransaction extends TransactionResult {
  readonly id: string
  readonly computeLimit: number
  /** In FLOW; undefined until it is executed. */
  readonly fee: string | undefined
  /** Why the result is incomplete. */
  readonly note?: string
}

export interface SendOptions {
  readonly node: AccessNode
  readonly network: Network
  readonly popup: WalletWindow
  readonly signer: Signer
  readonly code: string
  readonly values: readonly CadenceValue[]
  /** False: the code has no `prepare` with an account. */
  readonly isAuthorizer: boolean
  readonly computeLimit: number
  readonly onStage: (stage: SendStage) => void
  readonly onChange: (sent: SentTransaction) => void
  readonly signal: AbortSignal
}

/** The node accepts 1,500,000 bytes with signatures. */
const maxBytes = 1_490_000
const pollMs = 1000
const maxWaitMs = 180_000

/** Resolves once it is sealed or expired. @throws WalletProblem, NodeProblem if it was not sent */
export async function sendTransaction(options: SendOptions): Promise<void> {
  const { node, network, popup, computeLimit, onStage, signal } = options
  onStage('signing')
  const prepared = prepare(options)
  const answer = await popup.request(prepared.then(signableOf), network, signal)
  const transaction = await prepared
  const signed = { ...transaction, envelopeSignatures: [signatureOf(answer, options.signer)] }
  onStage('sending')
  const id = await node.send(signed, signal)
  await watch(id, computeLimit, options)
}

async function prepare(options: SendOptions): Promise<FlowTransaction> {
  const { node, signer, code, values, isAuthorizer, computeLimit, signal } = options
  const texts = values.map((value) => JSON.stringify(value))
  const bytes = [code, ...texts].reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0)
  if (bytes > maxBytes)
    throw new WalletProblem(`The transaction has ${bytes} bytes; the limit is ${maxBytes}. Shorten the code.`)
  const [block, { keys }] = await Promise.all([node.sealedBlock(signal), node.account(signer.address, signal)])
  const key = keys.find(
    ({ index, revoked, sequence_number: next }) => index === String(signer.keyIndex) && !revoked && /^\d+$/.test(next),
  )
  if (key === undefined)
    throw new WalletProblem(
      `Key ${signer.keyIndex} of ${signer.address} does not exist or is revoked. Disconnect the account and connect ` +
        'it again.',
    )
  return {
    script: code,
    arguments: texts,
    referenceBlockId: block.id,
    computeLimit,
    payer: signer.address,
    authorizers: isAuthorizer ? [signer.address] : [],
    proposalKey: {
      address: signer.address,
      keyIndex: signer.keyIndex,
      sequenceNumber: BigInt(key.sequence_number),
    },
    payloadSignatures: [],
    envelopeSignatures: [],
  }
}

/** FCL's `Signable`. */
function signableOf(transaction: FlowTransaction): object {
  const { script, proposalKey, payer, authorizers, computeLimit, referenceBlockId } = transaction
  return {
    f_type: 'Signable',
    f_vsn: '1.0.1',
    message: hexOf(concatBytes(domainTag('transaction'), encodeEnvelope(transaction))),
    addr: payer.replace(/^0x/, ''),
    keyId: proposalKey.keyIndex,
    voucher: {
      cadence: script,
      refBlock: referenceBlockId,
      computeLimit,
      arguments: transaction.arguments.map((argument) => JSON.parse(argument) as unknown),
      proposalKey: {
        address: proposalKey.address,
        keyId: proposalKey.keyIndex,
        sequenceNum: Number(proposalKey.sequenceNumber),
      },
      payer,
      authorizers,
      payloadSigs: [],
      envelopeSigs: [{ address: payer, keyId: proposalKey.keyIndex, sig: null }],
    },
  }
}

const maxSignature = 20_000

/** @throws WalletProblem */
function signatureOf(answer: unknown, { address, keyIndex }: Signer): TransactionSignature {
  try {
    const { signature, extensionData } = fieldsOf(answer, 'signature')
    return {
      address,
      keyIndex,
      signature: bytesOfHex(textOf(signature, 'signature', maxSignature), 'signature'),
      ...(extensionData === undefined || extensionData === null
        ? {}
        : { extensionData: bytesOfHex(textOf(extensionData, 'extensionData', maxSignature), 'extensionData') }),
    }
  } catch (error) {
    throw new WalletProblem(`The wallet returned an invalid signature: ${(error as Error).message}. Try again.`)
  }
}

/** Reports each status. A node that fails for a while does not affect the transaction. */
async function watch(id: string, computeLimit: number, { node, onChange, signal }: SendOptions): Promise<void> {
  let last: SentTransaction = {
    id,
    computeLimit,
    status: 'Pending',
    error: '',
    computation: '',
    events: [],
    fee: undefined,
  }
  onChange(last)
  const end = performance.now() + maxWaitMs
  for (;;) {
    try {
      const result = await node.result(id, signal)
      const isExecuted = result.status === 'Executed' || result.status === 'Sealed'
      last = { id, computeLimit, ...result, fee: isExecuted ? feeOf(result.events) : undefined }
      onChange(last)
      if (result.status === 'Sealed' || result.status === 'Expired') return
    } catch (error) {
      if (!(error instanceof NodeProblem)) throw error
      onChange({ ...last, note: `The node does not respond: ${error.message}` })
    }
    if (performance.now() > end) {
      onChange({
        ...last,
        note: 'It is not sealed after three minutes. Check it in an explorer before you send it again.',
      })
      return
    }
    await pause(pollMs, signal)
  }
}

function feeOf(events: readonly ChainEvent[]): string {
  const event = events.find(({ type }) => /^A\.[0-9a-f]{16}\.FlowFees\.FeesDeducted$/.test(type))
  const fields = (event?.value?.value as { readonly fields?: unknown } | undefined)?.fields
  const amount = Array.isArray(fields)
    ? (fields as { readonly name?: unknown; readonly value?: CadenceValue }[]).find(({ name }) => name === 'amount')
    : undefined
  return typeof amount?.value?.value === 'string' ? amount.value.value : '0'
}

/** Reads FCL's `AuthnResponse`. @throws WalletProblem */
export function signerOf(answer: unknown): Signer {
  const { addr, services } = (answer ?? {}) as Readonly<Record<string, unknown>>
  const authz = (Array.isArray(services) ? (services as Readonly<Record<string, unknown>>[]) : []).find(
    ({ type }) => type === 'authz',
  )
  const keyIndex: unknown = (authz?.['identity'] as { readonly keyId?: unknown } | undefined)?.keyId
  if (typeof addr !== 'string' || !/^0x[0-9a-f]{16}$/.test(addr) || !Number.isSafeInteger(keyIndex))
    throw new WalletProblem('The wallet returned no account. Try again.')
  return { address: addr, keyIndex: keyIndex as number }
}
