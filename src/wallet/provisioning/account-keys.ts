import type pg from 'pg'
import { ApiError, asError, FatalError } from '../../base/errors.ts'
import { linkSignals } from '../../base/link-signals.ts'
import type { Logger } from '../../base/log.ts'
import { query } from '../../db/pool.ts'
import type { ChainAccount } from '../../chain/chain-reader.ts'
import type { TransactionSender } from '../chain/transaction-sender.ts'
import type { WalletNetwork } from '../chain/wallet-network.ts'
import { functionError } from '../passkeys/function-error.ts'
import type { KeysOnChain } from '../passkeys/keys-on-chain.ts'
import type { KnownPasskey, KnownPasskeys } from '../passkeys/known-passkey.ts'
import { fullWeight, signingKeyIndex } from './signing-key.ts'

export interface AccountKeysOptions {
  readonly pool: pg.Pool
  readonly passkeys: KnownPasskeys
  readonly senders: ReadonlyMap<WalletNetwork, Pick<TransactionSender, 'account'>>
  readonly log: Logger
  /** How long the chain is waited for, ms. Default 5,000. */
  readonly patienceMs?: number | undefined
}

interface KnownAccount {
  readonly network: WalletNetwork
  readonly address: string
  /** Passkeys that it belongs to here. */
  readonly credentialIds: readonly string[]
}

/** Accounts that are read from the chain at the same time. */
const maxReads = 10

const selectAccounts = `select network, address, array_agg(credential_id) as "credentialIds" from (
    select network, address, credential_id from wallet.accounts where credential_id = any($1) and user_id = $2 and state = 'sealed'
    union all select network, address, credential_id from wallet.further_accounts where user_id = $2
  ) as a group by network, address order by network, address`

/** The keys of a user's accounts, as the chain has them now. */
export class AccountKeys implements KeysOnChain {
  readonly #options: AccountKeysOptions

  constructor(options: AccountKeysOptions) {
    this.#options = options
  }

  async lostWithout(userId: string, leaving: readonly KnownPasskey[], signal: AbortSignal): Promise<readonly string[]> {
    const [live, removed] = await Promise.all([
      this.#options.passkeys.of(userId),
      this.#options.passkeys.removedOf(userId),
    ])
    await this.#requireNonePending(leaving)
    const unusable = new Set([...removed, ...leaving].map(keyOf))
    const lost = await this.#each(await this.#accountsOf(userId, [...live, ...removed]), signal, (known, account) => {
      if (account === undefined) return leaving.some(({ credentialId }) => known.credentialIds.includes(credentialId))
      if (!leaving.some((passkey) => signingKeyIndex(account, keyOf(passkey)) !== undefined)) return false
      return !account.keys.some(
        ({ isRevoked, weight, publicKey }) =>
          !isRevoked && weight >= fullWeight && !unusable.has(publicKey.toLowerCase()),
      )
    })
    return [...new Set(lost.map(({ address }) => address))]
  }

  async isKey(passkey: KnownPasskey, signal: AbortSignal): Promise<boolean> {
    const { passkeys } = this.#options
    const all = await Promise.all([passkeys.of(passkey.userId), passkeys.removedOf(passkey.userId)])
    const found = await this.#each(
      await this.#accountsOf(passkey.userId, all.flat()),
      signal,
      (_, account) => account !== undefined && signingKeyIndex(account, keyOf(passkey)) !== undefined,
    )
    return found.length > 0
  }

  /** An account that is made after its passkey was removed would be lost. */
  async #requireNonePending(leaving: readonly KnownPasskey[]): Promise<void> {
    const { rowCount } = await query(
      this.#options.pool,
      "select from wallet.accounts where credential_id = any($1) and state in ('wanted', 'sent')",
      [leaving.map(({ credentialId }) => credentialId)],
    )
    if (rowCount !== 0)
      throw functionError(
        'ONLY_KEY',
        'An account is being created with this passkey. Wait until it is done, and try again.',
      )
  }

  async #accountsOf(userId: string, passkeys: readonly KnownPasskey[]): Promise<readonly KnownAccount[]> {
    const { rows } = await query<KnownAccount>(this.#options.pool, selectAccounts, [
      passkeys.map(({ credentialId }) => credentialId),
      userId,
    ])
    return rows
  }

  /** Those of the accounts for which `is` holds. The second argument is undefined where no node of the network is set. */
  async #each(
    accounts: readonly KnownAccount[],
    signal: AbortSignal,
    is: (known: KnownAccount, account: ChainAccount | undefined) => boolean,
  ): Promise<readonly KnownAccount[]> {
    const linked = linkSignals([signal, AbortSignal.timeout(this.#options.patienceMs ?? 5000)])
    try {
      const found: KnownAccount[] = []
      for (let at = 0; at < accounts.length; at += maxReads) {
        const read = await Promise.all(
          accounts
            .slice(at, at + maxReads)
            .map(async (known) => ({ known, holds: is(known, await this.#read(known, linked.signal)) })),
        )
        found.push(...read.filter(({ holds }) => holds).map(({ known }) => known))
      }
      return found
    } finally {
      linked.unlink()
    }
  }

  async #read({ network, address }: KnownAccount, signal: AbortSignal): Promise<ChainAccount | undefined> {
    const { senders, log } = this.#options
    try {
      return await senders.get(network)?.account(address, signal)
    } catch (error) {
      // The node belongs to another network.
      if (error instanceof FatalError) return undefined
      log.warn({ err: asError(error), network }, 'the keys of an account could not be read')
      throw new ApiError(
        503,
        'INTERNAL',
        'The keys of your accounts could not be checked: the chain does not answer. Try again in a minute.',
        { cause: error },
      )
    }
  }
}

/** 128 hex digits, lower case. */
function keyOf({ publicKeySec1Hex }: KnownPasskey): string {
  return publicKeySec1Hex.slice(2).toLowerCase()
}
