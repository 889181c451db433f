import { ApiError, asError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { pause } from '../../platform/retry.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import type { WalletNetwork } from '../settings.ts'
import type { ChainRecovery, RecoveryContract } from './recovery-contract.ts'
import type { Outcome } from './account-store.ts'
import type { FunctionHandler } from './provisioning-endpoints.ts'
import type { RecoveryStore } from './recovery-store.ts'
import type { AccountToRecover } from './recovery-store.ts'
import type { TransactionSender } from './transaction-sender.ts'

interface AccountRecoveryOptions {
  readonly store: RecoveryStore
  readonly senders: ReadonlyMap<WalletNetwork, TransactionSender>
  readonly contracts: ReadonlyMap<WalletNetwork, RecoveryContract>
  readonly log: Logger
  /** Default 5,000. */
  readonly pollMs?: number | undefined
  /** Default half an hour. */
  readonly watchMs?: number | undefined
}

interface RecoverableAccount {
  readonly network: WalletNetwork
  readonly address: string
  /** For this user and the present payer. */
  readonly isOn: boolean
  readonly dueAt: Date | null
  readonly contract: string
  readonly recoverer: string
}

export interface RecoveryEvents {
  /** The owner ended an announcement on the chain. */
  readonly onCancelled: (userId: string) => Promise<void>
  /** A key was announced on the chain, without a recovery of the user. */
  readonly onForeign: (userId: string, address: string) => Promise<void>
  /** After each round. */
  readonly onRound: () => Promise<void>
}

const maxAtOnce = 10
const usersAtOnce = 50
/** In one script. */
const accountsAtOnce = 50
/** Before every user id. */
const firstUser = '00000000-0000-0000-0000-000000000000'
/** Failed transactions of an announcement, over about half an hour. */
const maxAttempts = 30
const maxPauseSeconds = 60
/** The state of the chain may be some blocks behind the results. */
const settleSeconds = 3
const resendSeconds = 10
/** The owner can end an announcement on the chain until the passkey is registered. */
const readySeconds = 30

/**
 * Brings the contract to the state that each recovery by e-mail needs. Each step reads the chain
 * first, so it can be repeated by any process.
 */
export class AccountRecovery {
  readonly #options: AccountRecoveryOptions
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  /** Announcements without a recovery, at the last look. */
  #suspects: ReadonlySet<string> = new Set()

  constructor(options: AccountRecoveryOptions) {
    this.#options = options
  }

  get networks(): readonly WalletNetwork[] {
    return [...this.#options.contracts.keys()]
  }

  start(events: RecoveryEvents): void {
    this.#running = this.#run(events).catch(() => undefined)
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort(new RetryableError('stopping', 'The wallet is stopping'))
    await this.#running
  }

  async #run(events: RecoveryEvents): Promise<void> {
    const { signal } = this.#stopping
    const { store, log, pollMs = 5000, watchMs = 1_800_000 } = this.#options
    let isFirst = true
    let watchedAt = -Infinity
    for (;;) {
      const round = async (): Promise<void> => {
        if (isFirst) await store.deleteOther(this.networks)
        isFirst = false
        await this.round(events)
        if (performance.now() - watchedAt < watchMs) return
        watchedAt = performance.now()
        await this.watch(events)
      }
      await round().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: asError(error) }, 'Recoveries are waiting')
      })
      await pause(pollMs, signal)
    }
  }

  async round({ onCancelled, onRound }: Pick<RecoveryEvents, 'onCancelled' | 'onRound'>): Promise<void> {
    const { store, log, contracts } = this.#options
    const taken = contracts.size === 0 ? [] : await store.take(this.networks, maxAtOnce)
    await Promise.all(
      taken.map((row) =>
        this.#step(row, onCancelled).catch(async (error: unknown) => {
          if (this.#stopping.signal.aborted) return
          const { userId, network, address } = row
          log.warn({ err: asError(error), userId, network, address }, 'A recovery of an account is waiting')
          await store.later(row, pauseOf(row.attempts + 1))
        }),
      ),
    )
    await onRound()
  }

  /**
   * Cancels announcements that no recovery made, at the second sight, because nodes can be behind:
   * the payer's key may be stolen.
   */
  async watch({ onForeign }: Pick<RecoveryEvents, 'onForeign'>): Promise<void> {
    const { store, contracts, log } = this.#options
    const seen = new Set<string>()
    for (const [network, contract] of contracts) {
      let after = firstUser
      for (;;) {
        const scanned = await store.scan(network, after, usersAtOnce)
        const accounts = scanned.flatMap(({ userId, address, isBegun }) =>
          address === null || isBegun ? [] : [{ userId, address }],
        )
        for (let at = 0; at < accounts.length; at += accountsAtOnce) {
          const some = accounts.slice(at, at + accountsAtOnce)
          const found = await contract.read(
            some.map(({ address }) => address),
            this.#stopping.signal,
          )
          for (const [index, { userId, address }] of some.entries()) {
            const one = found[index]
            if (one?.announced === undefined || one.recoverer !== contract.recoverer || one.user !== userId) continue
            const { publicKey, expiresAt } = one.announced
            if (expiresAt.getTime() <= Date.now()) continue
            const name = `${network} ${address} ${publicKey}`
            seen.add(name)
            if (!this.#suspects.has(name)) continue
            if (!(await store.cancelForeign({ userId, network, address, publicKey }))) continue
            log.error(
              { userId, network, address },
              'A key was announced without a recovery: check the key of the payer',
            )
            await onForeign(userId, address)
          }
        }
        const last = scanned.at(-1)
        if (last === undefined) break
        after = last.userId
      }
    }
    this.#suspects = seen
  }

  /** @throws ApiError 503 */
  async accountsOf(userId: string, signal: AbortSignal | undefined): Promise<readonly RecoverableAccount[]> {
    const { store, contracts, log } = this.#options
    const found = [...contracts].map(async ([network, contract]) => {
      const addresses = await store.accountsOf(userId, network)
      const read = addresses.length === 0 ? [] : await contract.read(addresses, signal)
      return addresses.map((address, at) => {
        const one = read[at]
        const isOn = one?.recoverer === contract.recoverer && one.user === userId
        const dueAt = (isOn ? one.announced?.dueAt : undefined) ?? null
        return { network, address, isOn, dueAt, contract: contract.address, recoverer: contract.recoverer }
      })
    })
    try {
      return (await Promise.all(found)).flat()
    } catch (error) {
      signal?.throwIfAborted()
      log.warn({ err: asError(error) }, 'Could not read the recoveries of accounts')
      throw new ApiError(503, 'INTERNAL', 'No access node is available. Try again in a minute.', { cause: error })
    }
  }

  async #step(row: AccountToRecover, onCancelled: RecoveryEvents['onCancelled']): Promise<void> {
    const { store, log, contracts, senders } = this.#options
    const { signal } = this.#stopping
    const [contract, sender] = [contracts.get(row.network), senders.get(row.network)]
    if (contract === undefined || sender === undefined) return
    if (row.transactionId !== null) return this.#follow(row, row.transactionId, sender)
    const [found] = await contract.read([row.address], signal)
    const own = found?.recoverer === contract.recoverer ? found : undefined
    const isOwn = own?.user === row.userId
    const { announced } = own ?? {}
    const isAnnounced = isOwn && announced?.publicKey === row.publicKey && announced.expiresAt.getTime() > Date.now()
    switch (row.state) {
      case 'announce':
        // Switched off, for another user, or by a former operator's account.
        if (!isOwn || row.attempts >= maxAttempts) return store.delete(row)
        if (isAnnounced) return store.announced(row, announced.dueAt)
        return this.#send(row, sender, contract.announce(row.address, row.publicKey))
      case 'announced':
      case 'ready':
        if (!isAnnounced) return onCancelled(row.userId)
        if (row.state === 'ready') return store.later(row, readySeconds)
        return announced.dueAt.getTime() > Date.now() ? store.announced(row, announced.dueAt) : store.ready(row)
      case 'complete':
        if (isAnnounced) return this.#send(row, sender, contract.complete(row.address))
        log.info({ userId: row.userId, network: row.network, address: row.address }, 'A recovery of an account ended')
        return store.delete(row)
      case 'cancel':
    }
    return mayCancel(row, own) ? this.#send(row, sender, contract.cancel(row.address)) : store.delete(row)
  }

  async #send(row: AccountToRecover, sender: TransactionSender, code: TransactionCode): Promise<void> {
    const { store, log } = this.#options
    const { signal } = this.#stopping
    const state = await sender.payerState(signal)
    const prepared = await store.begin(row, state, (proposal) => sender.prepare(code, state, proposal))
    if (prepared === undefined) return store.later(row, 1)
    const { userId, network, address } = row
    log.info({ userId, network, address, transaction: prepared.id.toString('hex') }, `Recovery: ${row.state}`)
    const refusal = await sender.send(prepared, signal)
    if (refusal === undefined) return store.later(row, 1)
    const fate = await sender.fate({ id: prepared.id, referenceHeight: prepared.reference.height }, signal)
    if (fate.kind === 'open' && !fate.isKnown) await this.#end(row, prepared.id, 'refused', refusal)
    else await store.later(row, 1)
  }

  async #follow(row: AccountToRecover, id: Buffer, sender: TransactionSender): Promise<void> {
    const { store } = this.#options
    const { signal } = this.#stopping
    const open = await store.openTransaction(id)
    if (open === undefined) return store.ended(row, true, settleSeconds)
    const fate = await sender.fate(open, signal)
    switch (fate.kind) {
      case 'open':
        if (!fate.isKnown && Date.now() - open.madeAt.getTime() > resendSeconds * 1000) await sender.send(open, signal)
        return store.later(row, 1)
      case 'succeeded':
        return this.#end(row, id, 'succeeded', undefined)
      case 'failed':
        return this.#end(row, id, fate.isOutOfTurn ? 'out-of-turn' : 'failed', fate.message)
      case 'expired':
    }
    const onChain = (await sender.sequenceNumber(open, signal)) ?? 0n
    return this.#end(row, id, onChain > open.sequenceNumber ? 'lost' : 'expired', undefined)
  }

  async #end(row: AccountToRecover, id: Buffer, outcome: Outcome, detail: string | undefined): Promise<void> {
    const { store, log } = this.#options
    const isGood = outcome === 'succeeded'
    const { userId, network, address } = row
    if (!isGood) log.warn({ userId, network, address, outcome, detail }, 'A transaction of a recovery failed')
    await store.endTransaction(id, outcome, detail)
    await store.ended(row, isGood, isGood ? settleSeconds : pauseOf(row.attempts + 1))
  }
}

export function recoveryEndpoints(recovery: AccountRecovery): Readonly<Record<string, FunctionHandler>> {
  return {
    '/recovery/accounts': async ({ user }, _data, { signal }) => ({
      userId: user.id,
      accounts: await recovery.accountsOf(user.id, signal),
    }),
  }
}

function pauseOf(attempts: number): number {
  return Math.min(maxPauseSeconds, 2 ** Math.min(attempts, 10))
}

/** Also an announcement of an earlier begin of the user. */
function mayCancel({ userId, publicKey }: AccountToRecover, own: ChainRecovery | undefined): boolean {
  const announced = own?.announced
  return announced !== undefined && (own?.user === userId || announced.publicKey === publicKey)
}
