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

/** What became of an account that was asked for; `refused`: none was begun. */
export type AccountResult = 'sealed' | 'failed' | 'refused'

interface AccountMakerOptions {
  readonly store: AccountStore
  readonly senders: ReadonlyMap<WalletNetwork, TransactionSender>
  readonly log: Logger
  /** Told of each account once, when it is made or given up. */
  readonly onEnd?: ((network: WalletNetwork, result: 'sealed' | 'failed') => void) | undefined
  /** What the payer gives a new account beyond the chain's minimum, by network, in units of 10^-8 FLOW. Default 0. */
  readonly startBalances?: Readonly<Partial<Record<WalletNetwork, bigint>>> | undefined
  /** Milliseconds between two looks at what is under way. Default 1,000. */
  readonly pollMs?: number | undefined
  /** Milliseconds until a transaction that the node does not know is sent again. Default 10,000. */
  readonly resendMs?: number | undefined
}

/** So many transactions for one account, each of which came into no block or was out of turn, and it is given up. */
const maxAttempts = 5

/**
 * Makes accounts. Every step is stored before it is taken, so it can stop anywhere and run in several processes: a
 * stored transaction is sent again, and replaced only when no block can include it any more.
 */
export class AccountMaker {
  readonly #store: AccountStore
  readonly #senders: ReadonlyMap<WalletNetwork, TransactionSender>
  readonly #log: Logger
  readonly #startBalances: Readonly<Partial<Record<WalletNetwork, bigint>>>
  readonly #onEnd: (network: WalletNetwork, result: 'sealed' | 'failed') => void
  readonly #pollMs: number
  readonly #resendMs: number
  /** Accounts that are being made in this process. */
  readonly #running = new Map<string, Promise<void>>()
  /** When transactions were last sent from here, by id (`performance.now()`). */
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

  /** Resolves when the account is sealed or given up; waits while chain or database fail. @throws the abort reason */
  make({ credentialId, network }: AccountKey, signal: AbortSignal): Promise<void> {
    const name = `${network} ${credentialId}`
    const running =
      this.#running.get(name) ?? this.#make({ credentialId, network }, signal).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    return running
  }

  async #make(key: AccountKey, signal: AbortSignal): Promise<void> {
    let isTold = false
    const onRetry = (error: unknown): void => {
      // A node that is away for an hour is one line, and the rest for who looks closely.
      this.#log[isTold ? 'debug' : 'warn']({ err: asError(error), ...key }, 'making an account has to wait')
      isTold = true
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
    if (sender === undefined) throw new RetryableError('no-access-node', `there is no access node of ${key.network}`)
    try {
      if (account.state === 'wanted') return await this.#begin(account, sender, signal)
      const open = await this.#store.openTransaction(key)
      return open === undefined ? 'on' : await this.#follow(account, open, sender, signal)
    } catch (error) {
      if (!(error instanceof FatalError) || account.state !== 'wanted') throw error
      this.#log.error({ err: error, ...key }, 'an account cannot be made')
      const isGivenUp = await this.#store.giveUp(key, {
        state: 'failed',
        failure: {
          code: error.code,
          text: 'No accounts can be made at present: the operator has to look at the log.',
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
      'an account is being made',
    )
    this.#sentAt.set(prepared.id.toString('hex'), performance.now())
    const refusal = await sender.send(prepared, signal)
    // Nothing sent it a second time this soon: a refusal means that it is not there, unless the node says so.
    if (refusal === undefined || saysAlreadyThere(refusal)) return 'wait'
    const fate = await sender.fate({ id: prepared.id, referenceHeight: prepared.reference.height }, signal)
    if (fate.kind !== 'open' || fate.isKnown) return 'on'
    this.#log.error({ credentialId, network, refusal }, 'the access node refused the transaction for an account')
    await this.#end(account, prepared, 'refused', refusal, {
      state: 'failed',
      failure: {
        code: 'transaction-refused',
        text: `The chain did not take the transaction: ${firstWords(refusal)}`,
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
            'the transaction for an account failed',
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

  /** A stored transaction that may not have arrived: sent again, since the chain runs it once. */
  async #sendAgain(open: OpenTransaction, sender: TransactionSender, signal: AbortSignal): Promise<void> {
    const name = open.id.toString('hex')
    const sentAt = this.#sentAt.get(name)
    const sinceMs = sentAt === undefined ? Date.now() - open.madeAt.getTime() : performance.now() - sentAt
    if (sinceMs < this.#resendMs) return
    this.#sentAt.set(name, performance.now())
    const refusal = await sender.send(open, signal)
    // It may have arrived before: what has become of it is seen by its result alone.
    this.#log.info(
      { network: sender.network, transaction: name, ...(refusal === undefined ? {} : { refusal }) },
      'a transaction was sent again',
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
    // A node whose state is a block behind its results.
    if (address !== undefined && onChain === undefined) return 'wait'
    const keyIndex = onChain === undefined ? undefined : signingKeyIndex(onChain, account.publicKey)
    const { credentialId, network } = account
    if (address === undefined || keyIndex === undefined) {
      this.#log.error(
        { credentialId, network, address, transaction: open.id.toString('hex') },
        'a transaction succeeded, and there is no account with the key',
      )
      await this.#end(account, open, 'succeeded', undefined, {
        state: 'failed',
        failure: {
          code: 'key-missing',
          text: 'The chain does not show an account with this passkey: the operator has to look at the log.',
          mayRetry: false,
        },
      })
      return 'on'
    }
    if (await this.#end(account, open, 'succeeded', undefined, { state: 'sealed', address, keyIndex })) {
      this.#log.info({ credentialId, network, address }, 'an account was made')
    }
    return 'on'
  }

  async #expire(
    account: StoredAccount,
    open: OpenTransaction,
    sender: TransactionSender,
    signal: AbortSignal,
  ): Promise<void> {
    // The sequence number was used by this key only: perhaps by this transaction, which the node has dropped.
    const onChain = (await sender.sequenceNumber(open, signal)) ?? 0n
    if (onChain <= open.sequenceNumber) return this.#retry(account, open, 'expired', undefined)
    const { credentialId, network } = account
    this.#log.error(
      { credentialId, network, transaction: open.id.toString('hex') },
      'what became of the transaction for an account cannot be found out: look for it in an explorer',
    )
    await this.#end(account, open, 'lost', undefined, {
      state: 'failed',
      failure: {
        code: 'fate-unknown',
        mayRetry: false,
        text:
          `What became of transaction ${open.id.toString('hex')} cannot be found out. If an explorer shows the ` +
          'account that it made, add that account here.',
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
    this.#log.warn({ credentialId, network, attempts, outcome }, 'a transaction for an account came to nothing')
    const failure: AccountFailure = {
      code: 'too-many-attempts',
      text: `${attempts} transactions came into no block. Try again later.`,
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

function saysAlreadyThere(refusal: string): boolean {
  return /already|duplicate/i.test(refusal)
}

function firstWords(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
