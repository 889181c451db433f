import { hash } from 'node:crypto'
import { domainTag, encodeEnvelope, encodeTransaction } from '../../../clients/signing/encode-transaction.ts'
import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import type { EventMessage } from '../../access/messages.ts'
import { encodeSubmission, TransactionRefusedError, createTransactionClient } from '../../access/transaction-client.ts'
import type { TransactionClient } from '../../access/transaction-client.ts'
import { addressBytes, isValidAddress } from '../../flow/address.ts'
import type { ChainAccount } from '../../flow/chain-reader.ts'
import type { CadenceArgument } from '../../flow/json-cdc/cadence-argument.ts'
import { chainIdToNetwork } from '../../flow/network.ts'
import type { PayloadValue } from '../../flow/payload-value.ts'
import { FatalError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { PayerAccount } from './payer-account.ts'
import type { WalletNetwork } from '../settings.ts'

interface ReferenceBlock {
  readonly id: Buffer
  readonly height: number
}

export interface Proposal {
  readonly keyIndex: number
  readonly sequenceNumber: bigint
}

/** Sending again is safe: the chain runs an id once. */
export interface PreparedTransaction {
  /** 32 bytes. */
  readonly id: Buffer
  readonly submission: Buffer
  readonly reference: ReferenceBlock
  readonly proposal: Proposal
  readonly payer: string
}

/** The required balance grows with it; creating an account takes a tenth. */
const computeLimit = 1000
const transactionTag = domainTag('transaction')

/** The payer proposes, authorizes and pays, so it signs only the envelope. */
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
  // An invalid signature would cost a sequence number.
  if (!payer.verify(message, signature)) throw new Error('invalid payer signature')
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

/** With the nodes' margin. Source: flow-go `model/flow/constants.go`. */
const expiryBlocks = 600
const expiryBuffer = 60

type Fate =
  /** Pending or never arrived. `isKnown`: the node has it. */
  | { readonly kind: 'open'; readonly isKnown: boolean }
  /** No block holds it or can include it. */
  | { readonly kind: 'expired' }
  /** `isOutOfTurn`: wrong sequence number. */
  | { readonly kind: 'failed'; readonly message: string; readonly isOutOfTurn: boolean }
  | { readonly kind: 'succeeded'; readonly events: readonly EventMessage[] }

export interface TransactionSenderOptions {
  readonly network: WalletNetwork
  readonly endpoint: string
  readonly payer: PayerAccount | undefined
  readonly log: Logger
  /** FLOW, decimal text. */
  readonly onPayerBalance?: ((network: WalletNetwork, balance: string) => void) | undefined
}

export interface PayerState {
  readonly payer: PayerAccount
  readonly chain: FlowChain
  readonly sequenceNumbers: ReadonlyMap<number, bigint>
  readonly reference: ReferenceBlock
}

export class TransactionSender {
  readonly network: WalletNetwork
  readonly payer: PayerAccount | undefined
  readonly #client: TransactionClient
  readonly #log: Logger
  readonly #onPayerBalance: (network: WalletNetwork, balance: string) => void
  #chain: FlowChain | undefined
  #isPayerGood = false

  /** @throws FatalError for an invalid endpoint */
  constructor({ network, endpoint, payer, log, onPayerBalance = () => undefined }: TransactionSenderOptions) {
    this.network = network
    this.payer = payer
    this.#log = log
    this.#onPayerBalance = onPayerBalance
    this.#client = createTransactionClient({ endpoint, log })
  }

  /** An emulator serves testnet. @throws FatalError for another network; ChainUnavailableError */
  async chain(signal?: AbortSignal): Promise<FlowChain> {
    if (this.#chain !== undefined) return this.#chain
    const chainId = await this.#client.chainId(signal)
    const chain = chainIdToNetwork(chainId)
    if (chain === undefined || (chain === 'emulator' ? 'testnet' : chain) !== this.network) {
      throw new FatalError(
        'payer-on-other-chain',
        `the access node for accounts of ${this.network} is on ${chainId}: set ` +
          `WALLET_${this.network.toUpperCase()}_NODE to one of ${this.network}`,
      )
    }
    this.#chain = chain
    return chain
  }

  /** @throws FatalError if the payer cannot pay, and as `chain` */
  async check(signal?: AbortSignal): Promise<void> {
    const { payer } = this
    await this.chain(signal)
    if (payer === undefined || this.#isPayerGood) return
    const account = await this.#payerAccount(payer, signal)
    requirePayer(payer, account, this.network)
    this.#isPayerGood = true
    this.#log.info(
      { network: this.network, payer: payer.address, keys: payer.keyIndexes.length, balance: account?.balance },
      'The payer of new accounts exists',
    )
  }

  async payerState(signal?: AbortSignal): Promise<PayerState> {
    const { payer } = this
    if (payer === undefined)
      throw new FatalError(
        'no-payer',
        `no payer for accounts on ${this.network}: set WALLET_${this.network.toUpperCase()}_PAYER`,
      )
    const chain = await this.chain(signal)
    const [{ id, height }, account] = await Promise.all([
      this.#client.latestSealed(signal),
      this.#payerAccount(payer, signal),
    ])
    requirePayer(payer, account, this.network)
    const keys = (account?.keys ?? []).filter(({ index }) => payer.keyIndexes.includes(index))
    return {
      payer,
      chain,
      reference: { id: Buffer.from(id), height },
      sequenceNumbers: new Map(keys.map(({ index, sequenceNumber }) => [index, BigInt(sequenceNumber)])),
    }
  }

  async readPayerBalance(signal?: AbortSignal): Promise<void> {
    if (this.payer !== undefined) await this.#payerAccount(this.payer, signal)
  }

  /** Also of a former payer. @throws ChainUnavailableError */
  async sequenceNumber(
    { payer, keyIndex }: { readonly payer: string; readonly keyIndex: number },
    signal?: AbortSignal,
  ): Promise<bigint | undefined> {
    const account = await this.#client.account(payer, signal)
    const key = account?.keys.find(({ index }) => index === keyIndex)
    return key === undefined ? undefined : BigInt(key.sequenceNumber)
  }

  prepare(code: TransactionCode, { payer, reference }: PayerState, proposal: Proposal): PreparedTransaction {
    return prepareTransaction(code, payer, reference, proposal)
  }

  /** @returns the node's refusal. @throws ChainUnavailableError: it may have arrived */
  async send(
    { id, submission }: Pick<PreparedTransaction, 'id' | 'submission'>,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    try {
      const known = await this.#client.send(submission, signal)
      if (!known.equals(id))
        this.#log.error(
          { network: this.network, ours: id.toString('hex'), theirs: known.toString('hex') },
          'The access node computed another id for a transaction',
        )
      return undefined
    } catch (error) {
      if (error instanceof TransactionRefusedError) return error.message
      throw error
    }
  }

  /** @throws ChainUnavailableError */
  async fate(
    { id, referenceHeight }: { readonly id: Buffer; readonly referenceHeight: number },
    signal?: AbortSignal,
  ): Promise<Fate> {
    // In this order: otherwise a result could be missed between the calls.
    const { height } = await this.#client.latestSealed(signal)
    const result = await this.#client.result(id, signal)
    if (result?.status === 'SEALED') {
      if (result.statusCode === 0 && result.errorMessage === '') return { kind: 'succeeded', events: result.events }
      return {
        kind: 'failed',
        message: result.errorMessage,
        isOutOfTurn: /\[Error Code: 1007\]/.test(result.errorMessage),
      }
    }
    const isKnown = result !== undefined && result.status !== 'UNKNOWN' && result.status !== 'EXPIRED'
    if (
      height > referenceHeight + expiryBlocks + expiryBuffer &&
      result?.status !== 'EXECUTED' &&
      result?.status !== 'FINALIZED'
    )
      return { kind: 'expired' }
    return { kind: 'open', isKnown }
  }

  /** Undefined for invalid addresses. @throws FatalError, ChainUnavailableError */
  async account(address: string, signal?: AbortSignal): Promise<ChainAccount | undefined> {
    if (!isValidAddress(address, await this.chain(signal))) return undefined
    return this.#client.account(address, signal)
  }

  /** @throws as `TransactionClient.script` */
  script(code: string, args: readonly CadenceArgument[], signal?: AbortSignal): Promise<PayloadValue> {
    return this.#client.script(code, args, signal)
  }

  async #payerAccount({ address }: PayerAccount, signal: AbortSignal | undefined): Promise<ChainAccount | undefined> {
    const account = await this.#client.account(address, signal)
    if (account !== undefined) this.#onPayerBalance(this.network, account.balance)
    return account
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

function requirePayer(payer: PayerAccount, account: ChainAccount | undefined, network: WalletNetwork): void {
  const problem = payer.problemOn(account)
  if (problem !== undefined)
    throw new FatalError('payer-unusable', `WALLET_${network.toUpperCase()}_PAYER cannot pay: ${problem}`)
}
