import type pg from 'pg'
import { ApiError, asError, FatalError } from '../../base/errors.ts'
import { linkSignals } from '../../base/link-signals.ts'
import type { Logger } from '../../base/log.ts'
import { query } from '../../db/pool.ts'
import type { TransactionSender } from '../chain/transaction-sender.ts'
import type { WalletNetwork } from '../chain/wallet-network.ts'
import type { KnownPasskey } from '../passkeys/known-passkey.ts'
import { signingKeyIndex } from './signing-key.ts'

/** An account that somebody has beside the one of each passkey. */
export interface FurtherAccount {
  readonly network: WalletNetwork
  /** In text form. */
  readonly address: string
  /** The passkey that signs for it. */
  readonly credentialId: string
  readonly keyIndex: number
  /** Its owner named it; otherwise it was that of a passkey that they removed. */
  readonly isImported: boolean
  readonly addedAt: Date
}

/** An account whose passkey was removed: it stays with its owner where the chain shows another passkey of theirs as a key. */
export interface OrphanedAccount {
  readonly network: WalletNetwork
  readonly address: string
}

export interface FurtherAccountsOptions {
  readonly pool: pg.Pool
  readonly senders: ReadonlyMap<WalletNetwork, Pick<TransactionSender, 'account'>>
  readonly log: Logger
  /** How long the chain is waited for, ms. Default 3,000. */
  readonly patienceMs?: number | undefined
}

/** Accounts of one user on a network, so that nobody fills the table. */
const mostOfUser = 20
/** Orphaned accounts that are looked at for one request: each is a question to the chain. */
const mostLooks = 10

const columns = `network, address, credential_id as "credentialId", key_index as "keyIndex", is_imported as "isImported", added_at as "addedAt"`

/**
 * Accounts beside the one of each passkey. One is here only after the chain has shown a passkey of its owner as a key that signs alone; when that
 * passkey is removed, the chain is asked again for another.
 */
export class FurtherAccounts {
  readonly #options: FurtherAccountsOptions

  constructor(options: FurtherAccountsOptions) {
    this.#options = options
  }

  /**
   * Those of a user, the oldest first.
   * @param passkeys that the user has
   * @param orphans accounts whose own passkey the user has removed
   * @param signal ends questions to the chain. Where it does not answer in time, what it would say is found out the next time
   */
  async of(
    userId: string,
    passkeys: readonly KnownPasskey[],
    orphans: readonly OrphanedAccount[],
    signal: AbortSignal,
  ): Promise<readonly FurtherAccount[]> {
    const kept = await this.#kept(userId)
    const isGood = ({ credentialId }: FurtherAccount): boolean =>
      passkeys.some((passkey) => passkey.credentialId === credentialId)
    const isKept = ({ network, address }: OrphanedAccount): boolean =>
      kept.some((one) => one.network === network && one.address === address)
    const lost = [
      ...kept.filter((one) => !isGood(one)),
      ...orphans.filter((one) => !isKept(one)).map((one) => ({ ...one, isImported: false })),
    ]
    if (lost.length === 0 || passkeys.length === 0) return kept.filter(isGood)
    const found = await Promise.all(lost.slice(0, mostLooks).map((one) => this.#find(userId, one, passkeys, signal)))
    return found.some(Boolean) ? (await this.#kept(userId)).filter(isGood) : kept.filter(isGood)
  }

  /** Adds one that the chain has shown. @throws ApiError 409 `PROVISION_FAILED` where the user has as many as there may be */
  async add(
    passkey: KnownPasskey,
    account: Pick<FurtherAccount, 'network' | 'address' | 'keyIndex' | 'isImported'>,
  ): Promise<FurtherAccount> {
    const { userId, credentialId, publicKeySec1Hex } = passkey
    const { network, address, keyIndex, isImported } = account
    const {
      rows: [row],
    } = await query<FurtherAccount>(
      this.#options.pool,
      `insert into wallet.further_accounts as f (user_id, network, address, credential_id, public_key, key_index, is_imported)
       select $1, $2, $3, $4, decode($5, 'hex'), $6, $7
       where (select count(*) from wallet.further_accounts where user_id = $1 and network = $2 and address <> $3) < $8
       on conflict (user_id, network, address) do update set credential_id = excluded.credential_id, public_key = excluded.public_key, key_index = excluded.key_index,
         is_imported = f.is_imported or excluded.is_imported, changed_at = now()
       returning ${columns}`,
      [userId, network, address, credentialId, publicKeySec1Hex.slice(2), keyIndex, isImported, mostOfUser],
    )
    if (row === undefined)
      throw new ApiError(
        409,
        'PROVISION_FAILED',
        `You have ${mostOfUser} accounts on ${network} here, which is the most.`,
      )
    return row
  }

  async #kept(userId: string): Promise<readonly FurtherAccount[]> {
    const { rows } = await query<FurtherAccount>(
      this.#options.pool,
      `select ${columns} from wallet.further_accounts where user_id = $1 order by added_at, network, address`,
      [userId],
    )
    return rows
  }

  /** Whether one of the passkeys is a key of the account; if so it is kept. */
  async #find(
    userId: string,
    { network, address, isImported }: OrphanedAccount & { readonly isImported: boolean },
    passkeys: readonly KnownPasskey[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { senders, log, patienceMs = 3000 } = this.#options
    const linked = linkSignals([signal, AbortSignal.timeout(patienceMs)])
    try {
      const account = await senders.get(network)?.account(address, linked.signal)
      const signer =
        account === undefined
          ? undefined
          : passkeys.flatMap((passkey) => {
              const keyIndex = signingKeyIndex(account, passkey.publicKeySec1Hex.slice(2).toLowerCase())
              return keyIndex === undefined ? [] : [{ passkey, keyIndex }]
            })[0]
      if (signer === undefined) return false
      await this.add(signer.passkey, { network, address, keyIndex: signer.keyIndex, isImported })
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      log[error instanceof FatalError ? 'warn' : 'debug'](
        { err: asError(error), network, userId },
        'an account whose passkey was removed could not be looked at',
      )
      return false
    } finally {
      linked.unlink()
    }
  }
}
