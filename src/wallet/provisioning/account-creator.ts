import { createAccount } from '../../../clients/signing/transactions/make-transaction.ts'
import type { EventMessage } from '../../access/messages.ts'
import { asError, FatalError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { pause, retryWhile } from '../../platform/retry.ts'
import { parseAddress } from '../../flow/address.ts'
import { decodePayload } from '../../flow/payload.ts'
import type { TransactionSender } from './transaction-sender.ts'
import type { WalletNetwork } from '../settings.ts'
import type {
  AccountStore,
  AccountFailure,
  AccountKey,
  NextState,
  OpenTransaction,
  StoredAccount,
} from './account-store.ts'
import { signingKeyIndex } from './account-keys.ts'

export type AccountResult = 'sealed' | 'failed' | 'refused'

interface AccountMakerOptions {
  readonly store: AccountStore
  readonly senders: ReadonlyMap<WalletNetwork, TransactionSender>
  readonly log: Logger
  readonly onEnd?: ((network: WalletNetwork, result: 'sealed' | 'failed') => void) | undefined
  /** Beyond the chain minimum, in 10^-8 FLOW. Default 0. */
  readonly startBalances?: Readonly<Partial<Record<WalletNetwork, bigint>>> | undefined
  /** Default 1,000. */
  readonly pollMs?: number | undefined
  /** Delay for an unknown transaction. Default 10,000. */
  readonly resendMs?: number | undefined
}

/** Transactions that expired or had a wrong sequence number. */
const maxAttempts = 5

/**
 * Every step is stored before it is taken, so work can stop anywhere and run in several processes.
 * A stored transaction is sent again, and replaced only when no block can include it.
 */
export class AccountCreator {
  readonly #store: AccountStore
  readonly #senders: ReadonlyMap<WalletNetwork, TransactionSender>
  readonly #log: Logger
  readonly #startBalances: Readonly<Partial<Record<WalletNetwork, bigint>>>
  readonly #onEnd: (network: WalletNetwork, result: 'sealed' | 'failed') => void
  readonly #pollMs: number
  readonly #resendMs: number
  readonly #running = new Map<string, Promise<void>>()
  readonly #sentAt = new Map<string, number>()

  constructor({
    store,
    senders,
    log,
    startBalances = {},
    onEnd = () => undefined,
    pollMs = 1000,
    resendMs = 10_000,
  }: AccountMakerOptions) {
    this.#store = store
    this.#senders = senders
    this.#log = log
    this.#startBalances = startBalances
    this.#onEnd = onEnd
    this.#pollMs = pollMs
    this.#resendMs = resendMs
  }

  /** Waits while chain or database fail. @throws the abort reason */
  make({ credentialId, network }: AccountKey, signal: AbortSignal): Promise<void> {
    const name = `${network} ${credentialId}`
    const running =
      this.#running.get(name) ?? this.#make({ credentialId, network }, signal).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    return running
  }

  async #make(key: AccountKey, signal: AbortSignal): Promise<void> {
    let isLogged = false
    const onRetry = (error: unknown): void => {
      // One warning per outage.
      this.#log[isLogged ? 'debug' : 'warn']({ err: asError(error), ...key }, 'Account creation is waiting')
      isLogged = true
    }
    for (;;) {
      const step = await retryWhile(() => this.#step(key, signal), {
        signal,
        maxMs: 10_000,
        isRetryable: (error) => error instanceof RetryableError,
        onRetry,
      })
      if (step === 'done') return
      if (step === 'wait') await pause(this.#pollMs, signal)
    }
  }

  async #step(key: AccountKey, signal: AbortSignal): Promise<'done' | 'wait' | 'on'> {
    signal.throwIfAborted()
    const account = await this.#store.find(key)
    if (account === undefined || account.state === 'sealed' || account.state === 'failed') return 'done'
    const sender = this.#senders.get(key.network)
    if (sender === undefined) throw new RetryableError('no-access-node', `no access node of ${key.network}`)
    try {
      if (account.state === 'wanted') return await this.#begin(account, sender, signal)
      const open = await this.#store.openTransaction(key)
      return open === undefined ? 'on' : await this.#follow(account, open, sender, signal)
    } catch (error) {
      if (!(error instanceof FatalError) || account.state !== 'wanted') throw error
      this.#log.error({ err: error, ...key }, 'Account creation failed')
      const isGivenUp = await this.#store.giveUp(key, {
        state: 'failed',
        failure: {
          code: error.code,
          text: 'Account creation is not possible at present. The operator can find the reason in the log.',
          mayRetry: true,
        },
      })
      if (isGivenUp) this.#onEnd(key.network, 'failed')
      return 'done'
    }
  }

  async #begin(account: StoredAccount, sender: TransactionSender, signal: AbortSignal): Promise<'wait' | 'on'> {
    const state = await sender.payerState(signal)
    const code = createAccount(state.chain, {
      publicKey: account.publicKey,
      startBalance: this.#startBalances[account.network],
    })
    const prepared = await this.#store.begin(account, state, (proposal) => sender.prepare(code, state, proposal))
    if (prepared === 'busy') return 'wait'
    if (prepared === 'moved') return 'on'
    const { credentialId, network } = account
    this.#log.info(
      { credentialId, network, transaction: prepared.id.toString('hex'), key: prepared.proposal.keyIndex },
      'Creating an account',
    )
    this.#sentAt.set(prepared.id.toString('hex'), performance.now())
    const refusal = await sender.send(prepared, signal)
    // Not sent before, so it does not exist, unless the node reports a duplicate.
    if (refusal === undefined || isDuplicateRefusal(refusal)) return 'wait'
    const fate = await sender.fate({ id: prepared.id, referenceHeight: prepared.reference.height }, signal)
    if (fate.kind !== 'open' || fate.isKnown) return 'on'
    this.#log.error({ credentialId, network, refusal }, 'The access node rejected the transaction of an account')
    await this.#end(account, prepared, 'refused', refusal, {
      state: 'failed',
      failure: {
        code: 'transaction-refused',
        text: `The chain rejected the transaction: ${firstWords(refusal)}`,
        mayRetry: true,
      },
    })
    return 'on'
  }

  async #follow(
    account: StoredAccount,
    open: OpenTransaction,
    sender: TransactionSender,
    signal: AbortSignal,
  ): Promise<'wait' | 'on'> {
    const fate = await sender.fate(open, signal)
    switch (fate.kind) {
      case 'open':
        if (!fate.isKnown) await this.#sendAgain(open, sender, signal)
        return 'wait'
      case 'succeeded':
        return this.#seal(account, open, fate.events, sender, signal)
      case 'failed':
        if (fate.isOutOfTurn) await this.#retry(account, open, 'out-of-turn', fate.message)
        else {
          this.#log.error(
            { credentialId: account.credentialId, network: account.network, reason: fate.message },
            'The transaction of an account failed',
          )
          await this.#end(account, open, 'failed', fate.message, {
            state: 'failed',
            failure: {
              code: 'transaction-failed',
              text: `The transaction failed on the chain: ${firstWords(fate.message)}`,
              mayRetry: true,
            },
          })
        }
        break
      case 'expired':
        await this.#expire(account, open, sender, signal)
    }
    return 'on'
  }

  /** The chain runs a transaction once. */
  async #sendAgain(open: OpenTransaction, sender: TransactionSender, signal: AbortSignal): Promise<void> {
    const name = open.id.toString('hex')
    const sentAt = this.#sentAt.get(name)
    const sinceMs = sentAt === undefined ? Date.now() - open.madeAt.getTime() : performance.now() - sentAt
    if (sinceMs < this.#resendMs) return
    this.#sentAt.set(name, performance.now())
    const refusal = await sender.send(open, signal)
    // It may have arrived before.
    this.#log.info(
      { network: sender.network, transaction: name, ...(refusal === undefined ? {} : { refusal }) },
      'Sent a transaction again',
    )
  }

  async #seal(
    account: StoredAccount,
    open: OpenTransaction,
    events: readonly EventMessage[],
    sender: TransactionSender,
    signal: AbortSignal,
  ): Promise<'wait' | 'on'> {
    const address = createdAddress(events)
    const onChain = address === undefined ? undefined : await sender.account(address, signal)
    // The state may be a block behind the results.
    if (address !== undefined && onChain === undefined) return 'wait'
    const keyIndex = onChain === undefined ? undefined : signingKeyIndex(onChain, account.publicKey)
    const { credentialId, network } = account
    if (address === undefined || keyIndex === undefined) {
      this.#log.error(
        { credentialId, network, address, transaction: open.id.toString('hex') },
        'The transaction succeeded, but the account does not have the key',
      )
      await this.#end(account, open, 'succeeded', undefined, {
        state: 'failed',
        failure: {
          code: 'key-missing',
          text: 'The chain shows no account with this passkey. The operator can find the reason in the log.',
          mayRetry: false,
        },
      })
      return 'on'
    }
    if (await this.#end(account, open, 'succeeded', undefined, { state: 'sealed', address, keyIndex })) {
      this.#log.info({ credentialId, network, address }, 'Created an account')
    }
    return 'on'
  }

  async #expire(
    account: StoredAccount,
    open: OpenTransaction,
    sender: TransactionSender,
    signal: AbortSignal,
  ): Promise<void> {
    // Only this key uses the number, perhaps with this transaction, which the node has pruned.
    const onChain = (await sender.sequenceNumber(open, signal)) ?? 0n
    if (onChain <= open.sequenceNumber) return this.#retry(account, open, 'expired', undefined)
    const { credentialId, network } = account
    this.#log.error(
      { credentialId, network, transaction: open.id.toString('hex') },
      'The result of the transaction is unknown. Look it up in an explorer',
    )
    await this.#end(account, open, 'lost', undefined, {
      state: 'failed',
      failure: {
        code: 'fate-unknown',
        mayRetry: false,
        text:
          `The result of transaction ${open.id.toString('hex')} is unknown. If an explorer shows the ` +
          'account that it created, import that account.',
      },
    })
  }

  async #retry(
    account: StoredAccount,
    open: OpenTransaction,
    outcome: 'out-of-turn' | 'expired',
    detail: string | undefined,
  ): Promise<void> {
    const { credentialId, network, attempts } = account
    this.#log.warn({ credentialId, network, attempts, outcome }, 'A transaction of an account expired')
    const failure: AccountFailure = {
      code: 'too-many-attempts',
      text: `${attempts} transactions were not included in a block. Try again later.`,
      mayRetry: true,
    }
    await this.#end(
      account,
      open,
      outcome,
      detail,
      attempts >= maxAttempts ? { state: 'failed', failure } : { state: 'wanted' },
    )
  }

  async #end(
    account: AccountKey,
    open: Pick<OpenTransaction, 'id'>,
    outcome: Parameters<AccountStore['end']>[2],
    detail: string | undefined,
    next: NextState,
  ): Promise<boolean> {
    this.#sentAt.delete(open.id.toString('hex'))
    const hasEnded = await this.#store.end(account, open, outcome, detail, next)
    if (hasEnded && next.state !== 'wanted') this.#onEnd(account.network, next.state)
    return hasEnded
  }
}

function createdAddress(events: readonly EventMessage[]): string | undefined {
  const made = events.find(({ type }) => type === 'flow.AccountCreated')
  const address = made === undefined ? undefined : decodePayload(made.type, made.payload)['address']
  return typeof address === 'string' ? parseAddress(address) : undefined
}

function isDuplicateRefusal(refusal: string): boolean {
  return /already|duplicate/i.test(refusal)
}

function firstWords(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
