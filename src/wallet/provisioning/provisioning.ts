import type pg from 'pg'
import { ApiError, asError, FatalError, RetryableError } from '../../platform/errors.ts'
import { linkSignals } from '../../platform/signals.ts'
import type { Logger } from '../../platform/log.ts'
import { pause, retryWhile } from '../../platform/retry.ts'
import type { SignedIn } from '../auth/auth-sessions.ts'
import { mailboxOf } from '../../platform/mail/email-address.ts'
import type { TransactionSender } from './transaction-sender.ts'
import type { WalletNetwork } from '../settings.ts'
import type { KnownPasskey, KnownPasskeys, KeysOnChain } from '../passkeys/passkey-store.ts'
import { AccountJobs } from './account-jobs.ts'
import { AccountKeys, FurtherAccounts, signingKeyIndex } from './account-keys.ts'
import type { FurtherAccount } from './account-keys.ts'
import { AccountCreator } from './account-creator.ts'
import type { AccountResult } from './account-creator.ts'
import { AccountStore } from './account-store.ts'
import type { Requester, StoredAccount } from './account-store.ts'

export interface ProvisioningOptions {
  /** Closed by the caller after `stop`. Needs the schemas `wallet` and `pgboss`. */
  readonly pool: pg.Pool
  readonly passkeys: KnownPasskeys
  /** One per network; closed by the caller after `stop`. */
  readonly senders: readonly TransactionSender[]
  readonly dailyLimit: number
  readonly isOpen: boolean
  readonly log: Logger
  /** Beyond the chain minimum, in 10^-8 FLOW. Default 0. */
  readonly startBalances?: Readonly<Partial<Record<WalletNetwork, bigint>>> | undefined
  readonly onAccount?: ((network: WalletNetwork, result: AccountResult) => void) | undefined
  /** Default 1,000. */
  readonly pollMs?: number | undefined
  readonly resendMs?: number | undefined
  /** Default 5 s. */
  readonly jobPollSeconds?: number | undefined
}

export type AccountStanding = StoredAccount | { readonly state: 'refused'; readonly error: ApiError }

export interface PasskeyAccounts {
  readonly passkey: KnownPasskey
  readonly accounts: readonly StoredAccount[]
  readonly further: readonly FurtherAccount[]
}

/** In 24 hours per network. */
const provisionLimits = { ofUser: 5, ofMailbox: 5, ofNetwork: 20 } as const
/** More accounts wait for a job. */
const maxAtOnce = 20
/** Each polls the database. */
const maxWaitingOfUser = 6
const pollMs = 200
const publicKeyForm = /^04([0-9a-f]{128})$/i

export class Provisioning {
  readonly #options: ProvisioningOptions
  readonly #store: AccountStore
  readonly #senders: ReadonlyMap<WalletNetwork, TransactionSender>
  readonly #further: FurtherAccounts
  readonly #maker: AccountCreator
  readonly keysOnChain: KeysOnChain
  readonly #jobs: AccountJobs
  readonly #stopping = new AbortController()
  readonly #inFlight = new Set<Promise<void>>()
  readonly #waiting = new Map<string, number>()

  constructor(options: ProvisioningOptions) {
    const { pool, senders, log } = options
    this.#options = options
    this.#store = new AccountStore(pool)
    this.#senders = new Map(senders.map((sender) => [sender.network, sender]))
    this.#further = new FurtherAccounts({ pool, senders: this.#senders, log })
    this.keysOnChain = new AccountKeys({ pool, passkeys: options.passkeys, senders: this.#senders, log })
    this.#maker = new AccountCreator({
      store: this.#store,
      senders: this.#senders,
      log,
      startBalances: options.startBalances,
      onEnd: options.onAccount,
      pollMs: options.pollMs,
      resendMs: options.resendMs,
    })
    this.#jobs = new AccountJobs({
      pool,
      log,
      run: (key) => this.#maker.make(key, this.#stopping.signal),
      pollSeconds: options.jobPollSeconds,
    })
  }

  /**
   * Resumes unfinished accounts. Unreachable nodes are retried in the background. @throws
   * FatalError if a payer cannot pay
   */
  async start(signal?: AbortSignal): Promise<void> {
    const linked = linkSignals([this.#stopping.signal, ...(signal === undefined ? [] : [signal])])
    try {
      await Promise.all(
        [...this.#senders.values()]
          .filter(({ payer }) => payer !== undefined)
          .map((sender) => this.#check(sender, linked.signal)),
      )
      await this.#jobs.start(linked.signal)
      for (const key of await this.#store.open()) await this.#jobs.sendNow(key)
    } finally {
      linked.unlink()
    }
  }

  /** Never rejects. Work resumes in another process or at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort(new RetryableError('stopping', 'The wallet is stopping'))
    await this.#jobs.stop()
    await Promise.allSettled(this.#inFlight)
  }

  get networks(): readonly WalletNetwork[] {
    return [...this.#senders.keys()]
  }

  /**
   * @param client its network. @throws ApiError 403, 404 CREDENTIAL_NOT_FOUND, 422 NO_PUBLIC_KEY
   */
  async want(
    { user }: SignedIn,
    credentialId: string,
    networks: readonly WalletNetwork[],
    client: string,
  ): Promise<ReadonlyMap<WalletNetwork, AccountStanding>> {
    const passkey = await this.#passkeyOf(user.id, credentialId)
    if (!this.#options.isOpen && !rolesOf(user.appMetadata).includes('wallet')) {
      throw new ApiError(
        403,
        'FORBIDDEN',
        'Only users with the role "wallet" can create accounts. Ask the operator for it, or import an account ' +
          'that you have.',
      )
    }
    const standings = new Map<WalletNetwork, AccountStanding>()
    for (const network of networks)
      standings.set(
        network,
        await this.#requestOne(passkey, network, {
          mailbox: user.email === undefined ? undefined : mailboxOf(user.email),
          network: client,
        }),
      )
    return standings
  }

  /**
   * Returns at once if the user has too many waiting requests. @param signal ends the wait, not the
   * work
   */
  async requestAndWait(
    signedIn: SignedIn,
    credentialId: string,
    networks: readonly WalletNetwork[],
    waitMs: number,
    client: string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<WalletNetwork, AccountStanding>> {
    const { id: userId } = signedIn.user
    const standings = new Map(await this.want(signedIn, credentialId, networks, client))
    const waiting = this.#waiting.get(userId) ?? 0
    if (waiting >= maxWaitingOfUser) return standings
    this.#waiting.set(userId, waiting + 1)
    const linked = linkSignals([this.#stopping.signal, ...(signal === undefined ? [] : [signal])])
    try {
      const until = performance.now() + waitMs
      while ([...standings.values()].some(isInFlight) && performance.now() < until) {
        await pause(pollMs, linked.signal)
        for (const [network, standing] of standings) {
          if (isInFlight(standing))
            standings.set(network, (await this.#store.find({ credentialId, network })) ?? standing)
        }
      }
    } finally {
      linked.unlink()
      const left = (this.#waiting.get(userId) ?? 1) - 1
      if (left === 0) this.#waiting.delete(userId)
      else this.#waiting.set(userId, left)
    }
    return standings
  }

  /**
   * The chain must show the passkey's key. @throws ApiError 404, 409 if too many, 422
   * PROVISION_FAILED without that key, 503 if the chain fails
   */
  async import(
    { user }: SignedIn,
    credentialId: string,
    network: WalletNetwork,
    address: string,
  ): Promise<Pick<FurtherAccount, 'address' | 'keyIndex' | 'isImported'>> {
    const passkey = await this.#passkeyOf(user.id, credentialId)
    const publicKey = publicKeyOf(passkey)
    const sender = this.#senders.get(network)
    if (sender === undefined) throw new ApiError(503, 'PROVISION_FAILED', noNode(network))
    const account = await sender.account(address, this.#stopping.signal).catch((error: unknown) => {
      this.#options.log.warn({ err: asError(error), network }, 'Could not read an account')
      throw new ApiError(
        503,
        'PROVISION_FAILED',
        error instanceof FatalError ? noNode(network) : 'No access node is available. Try again in a minute.',
        { cause: error },
      )
    })
    const keyIndex = account === undefined ? undefined : signingKeyIndex(account, publicKey)
    if (keyIndex === undefined) {
      throw new ApiError(
        422,
        'PROVISION_FAILED',
        `${address} on ${network} ${
          account === undefined
            ? 'is not an account'
            : 'has no full-weight key of this passkey (ECDSA_P256, SHA2_256, weight 1000)'
        }.`,
      )
    }
    const own = await this.#store.import({ userId: user.id, credentialId, network, publicKey }, { address, keyIndex })
    if (own.state === 'sealed' && own.address === address) return own
    return this.#further.add(passkey, { network, address, keyIndex, isImported: true })
  }

  async accountsOf({ user }: SignedIn, signal?: AbortSignal): Promise<readonly PasskeyAccounts[]> {
    const [passkeys, removed] = await Promise.all([
      this.#options.passkeys.of(user.id),
      this.#options.passkeys.removedOf(user.id),
    ])
    const stored = await this.#store.of([...passkeys, ...removed].map(({ credentialId }) => credentialId))
    const accountsOf = (passkey: KnownPasskey): readonly StoredAccount[] =>
      stored.filter(
        ({ credentialId, publicKey }) =>
          credentialId === passkey.credentialId && `04${publicKey}` === passkey.publicKeySec1Hex.toLowerCase(),
      )
    const own = passkeys.flatMap(accountsOf)
    const isOwn = (one: { readonly network: WalletNetwork; readonly address: string }): boolean =>
      own.some(
        (account) => account.state === 'sealed' && account.network === one.network && account.address === one.address,
      )
    const orphans = removed
      .flatMap(accountsOf)
      .filter((account) => account.state === 'sealed')
      .filter((account) => !isOwn(account))
    const further = (await this.#further.of(user.id, passkeys, orphans, signal ?? this.#stopping.signal)).filter(
      (one) => !isOwn(one),
    )
    return passkeys.map((passkey) => ({
      passkey,
      accounts: accountsOf(passkey),
      further: further.filter(({ credentialId }) => credentialId === passkey.credentialId),
    }))
  }

  /** @throws ApiError 404 CREDENTIAL_NOT_FOUND */
  async publicKey({ user }: SignedIn, credentialId: string): Promise<string> {
    return (await this.#passkeyOf(user.id, credentialId)).publicKeySec1Hex
  }

  async #requestOne(passkey: KnownPasskey, network: WalletNetwork, requester: Requester): Promise<AccountStanding> {
    const { credentialId, userId } = passkey
    const sender = this.#senders.get(network)
    const { dailyLimit } = this.#options
    try {
      const publicKey = publicKeyOf(passkey)
      if (sender?.payer === undefined) {
        const known = await this.#store.find({ credentialId, network })
        if (known !== undefined && known.publicKey === publicKey && known.state === 'sealed') return known
        throw new ApiError(
          503,
          'PROVISION_FAILED',
          sender === undefined
            ? noNode(network)
            : `No payer for accounts on ${network} is configured. The operator can set ` +
                `WALLET_${network.toUpperCase()}_PAYER.`,
        )
      }
      let isNew = false
      const account = await this.#store.want(
        { credentialId, network, userId, publicKey, requester },
        {
          all: dailyLimit,
          ...provisionLimits,
        },
        async (client) => {
          isNew = true
          await this.#jobs.sendIn(client, { credentialId, network })
        },
      )
      // The process of an existing request may be gone.
      if (isNew || isInFlight(account)) this.#makeSoon(account)
      return account
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'NO_PUBLIC_KEY') throw error
      this.#options.onAccount?.(network, 'refused')
      return { state: 'refused', error }
    }
  }

  #makeSoon(account: StoredAccount): void {
    if (this.#inFlight.size >= maxAtOnce) return
    const made: Promise<void> = this.#maker
      .make(account, this.#stopping.signal)
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#options.log.error(
            { err: asError(error), credentialId: account.credentialId, network: account.network },
            'Account creation was interrupted and will be retried',
          )
      })
      .finally(() => this.#inFlight.delete(made))
    this.#inFlight.add(made)
  }

  async #check(sender: TransactionSender, signal: AbortSignal): Promise<void> {
    try {
      await sender.check(signal)
    } catch (error) {
      if (!(error instanceof RetryableError) || signal.aborted) throw error
      this.#options.log.warn({ err: error, network: sender.network }, 'Could not read the payer account yet')
      const later: Promise<void> = retryWhile(() => sender.check(this.#stopping.signal), {
        signal: this.#stopping.signal,
        baseMs: 1000,
        maxMs: 60_000,
      })
        .catch((late: unknown) => {
          if (!this.#stopping.signal.aborted)
            this.#options.log.error({ err: asError(late), network: sender.network }, 'Account creation is off')
        })
        .finally(() => this.#inFlight.delete(later))
      this.#inFlight.add(later)
    }
  }

  async #passkeyOf(userId: string, credentialId: string): Promise<KnownPasskey> {
    const passkey = await this.#options.passkeys.find(userId, credentialId)
    if (passkey === undefined) throw new ApiError(404, 'CREDENTIAL_NOT_FOUND', 'This passkey does not exist.')
    return passkey
  }
}

function isInFlight({ state }: AccountStanding): boolean {
  return state === 'wanted' || state === 'sent'
}

/** @throws ApiError 422 NO_PUBLIC_KEY */
function publicKeyOf({ publicKeySec1Hex }: KnownPasskey): string {
  const digits = publicKeyForm.exec(publicKeySec1Hex)?.[1]
  if (digits === undefined)
    throw new ApiError(
      422,
      'NO_PUBLIC_KEY',
      'The key of this passkey is not a P-256 key, which accounts require. Create another passkey.',
    )
  return digits.toLowerCase()
}

/** From app_metadata, which users cannot change. */
function rolesOf({ role, roles }: Readonly<Record<string, unknown>>): readonly string[] {
  return [role, roles].flat().filter((one) => typeof one === 'string')
}

function noNode(network: WalletNetwork): string {
  return `No access node of ${network} is configured. The operator can set WALLET_${network.toUpperCase()}_NODE.`
}
