import type pg from 'pg'
import type { ChainAccount } from '../../flow/chain-reader.ts'
import { query } from '../../platform/db/pool.ts'
import { ApiError, asError, FatalError } from '../../platform/errors.ts'
import { linkSignals } from '../../platform/signals.ts'
import type { Logger } from '../../platform/log.ts'
import { functionError } from '../passkeys/endpoint.ts'
import type { KeysOnChain, KnownPasskey, KnownPasskeys } from '../passkeys/passkey-store.ts'
import type { WalletNetwork } from '../settings.ts'
import type { TransactionSender } from './transaction-sender.ts'

interface AccountKeysOptions {
  readonly pool: pg.Pool
  readonly passkeys: KnownPasskeys
  readonly senders: ReadonlyMap<WalletNetwork, Pick<TransactionSender, 'account'>>
  readonly log: Logger
  /** Default 5,000. */
  readonly connectTimeoutMs?: number | undefined
}

interface KnownAccount {
  readonly network: WalletNetwork
  readonly address: string
  readonly credentialIds: readonly string[]
}

const maxReads = 10

const selectAccounts = `select network, address, array_agg(credential_id) as "credentialIds" from (
    select network, address, credential_id from wallet.accounts
      where credential_id = any($1) and user_id = $2 and state = 'sealed'
    union all select network, address, credential_id from wallet.further_accounts where user_id = $2
  ) as a group by network, address order by network, address`

export class AccountKeys implements KeysOnChain {
  readonly #options: AccountKeysOptions

  constructor(options: AccountKeysOptions) {
    this.#options = options
  }

  async lostWithout(
    userId: string,
    removing: readonly KnownPasskey[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const [live, removed] = await Promise.all([
      this.#options.passkeys.of(userId),
      this.#options.passkeys.removedOf(userId),
    ])
    await this.#requireNonePending(removing)
    const unusable = new Set([...removed, ...removing].map(keyOf))
    const lost = await this.#each(await this.#accountsOf(userId, [...live, ...removed]), signal, (known, account) => {
      if (account === undefined) return removing.some(({ credentialId }) => known.credentialIds.includes(credentialId))
      if (!removing.some((passkey) => signingKeyIndex(account, keyOf(passkey)) !== undefined)) return false
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

  /** An account created after its passkey was removed would be lost. */
  async #requireNonePending(disconnect: readonly KnownPasskey[]): Promise<void> {
    const { rowCount } = await query(
      this.#options.pool,
      "select from wallet.accounts where credential_id = any($1) and state in ('wanted', 'sent')",
      [disconnect.map(({ credentialId }) => credentialId)],
    )
    if (rowCount !== 0)
      throw functionError(
        'ONLY_KEY',
        'An account is being created with this passkey. Wait until it is finished, then try again.',
      )
  }

  async #accountsOf(userId: string, passkeys: readonly KnownPasskey[]): Promise<readonly KnownAccount[]> {
    const { rows } = await query<KnownAccount>(this.#options.pool, selectAccounts, [
      passkeys.map(({ credentialId }) => credentialId),
      userId,
    ])
    return rows
  }

  /** The second argument of `is` is undefined without a node. */
  async #each(
    accounts: readonly KnownAccount[],
    signal: AbortSignal,
    is: (known: KnownAccount, account: ChainAccount | undefined) => boolean,
  ): Promise<readonly KnownAccount[]> {
    const linked = linkSignals([signal, AbortSignal.timeout(this.#options.connectTimeoutMs ?? 5000)])
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
      // The node serves another network.
      if (error instanceof FatalError) return undefined
      log.warn({ err: asError(error), network }, 'Could not read the keys of an account')
      throw new ApiError(
        503,
        'INTERNAL',
        'Could not check the keys of your accounts: no access node is available. Try again in a minute.',
        { cause: error },
      )
    }
  }
}

function keyOf({ publicKeySec1Hex }: KnownPasskey): string {
  return publicKeySec1Hex.slice(2).toLowerCase()
}

export interface FurtherAccount {
  readonly network: WalletNetwork
  readonly address: string
  readonly credentialId: string
  readonly keyIndex: number
  /** Added by its owner; otherwise it belonged to a removed passkey. */
  readonly isImported: boolean
  readonly addedAt: Date
}

/** An account whose passkey was removed. It stays with its owner if another passkey of theirs is a key. */
interface OrphanedAccount {
  readonly network: WalletNetwork
  readonly address: string
}

interface FurtherAccountsOptions {
  readonly pool: pg.Pool
  readonly senders: ReadonlyMap<WalletNetwork, Pick<TransactionSender, 'account'>>
  readonly log: Logger
  /** Default 3,000. */
  readonly connectTimeoutMs?: number | undefined
}

const maxOfUser = 20
/** Chain calls per request for orphaned accounts. */
const maxLookups = 10

const columns = `network, address, credential_id as "credentialId", key_index as "keyIndex",
  is_imported as "isImported", added_at as "addedAt"`

/**
 * The chain showed a passkey of the owner as a full-weight key. When that passkey is removed, the
 * chain is queried for another one.
 */
export class FurtherAccounts {
  readonly #options: FurtherAccountsOptions

  constructor(options: FurtherAccountsOptions) {
    this.#options = options
  }

  /**
   * @param orphans accounts whose passkey was removed. @param signal ends chain calls, which are
   * repeated next time
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
    const found = await Promise.all(lost.slice(0, maxLookups).map((one) => this.#find(userId, one, passkeys, signal)))
    return found.some(Boolean) ? (await this.#kept(userId)).filter(isGood) : kept.filter(isGood)
  }

  /** @throws ApiError 409 `PROVISION_FAILED` at the maximum */
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
      `insert into wallet.further_accounts as f (user_id, network, address, credential_id, public_key, key_index,
        is_imported)
       select $1, $2, $3, $4, decode($5, 'hex'), $6, $7
       where (select count(*) from wallet.further_accounts where user_id = $1 and network = $2 and address <> $3) < $8
       on conflict (user_id, network, address) do update
         set credential_id = excluded.credential_id, public_key = excluded.public_key, key_index = excluded.key_index,
         is_imported = f.is_imported or excluded.is_imported, changed_at = now()
       returning ${columns}`,
      [userId, network, address, credentialId, publicKeySec1Hex.slice(2), keyIndex, isImported, maxOfUser],
    )
    if (row === undefined)
      throw new ApiError(409, 'PROVISION_FAILED', `Too many accounts on ${network} (limit ${maxOfUser}).`)
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

  async #find(
    userId: string,
    { network, address, isImported }: OrphanedAccount & { readonly isImported: boolean },
    passkeys: readonly KnownPasskey[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { senders, log, connectTimeoutMs = 3000 } = this.#options
    const linked = linkSignals([signal, AbortSignal.timeout(connectTimeoutMs)])
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
        'Could not read an account whose passkey was removed',
      )
      return false
    } finally {
      linked.unlink()
    }
  }
}

/** Access API: ECDSA_P256, SHA2_256. */
const passkeyAlgorithms = { signature: 2, hash: 1 } as const
const fullWeight = 1000

/** Full weight. @param publicKey hex, 128 digits */
export function signingKeyIndex({ keys }: ChainAccount, publicKey: string): number | undefined {
  return keys.find(
    (key) =>
      key.publicKey.toLowerCase() === publicKey &&
      !key.isRevoked &&
      key.weight >= fullWeight &&
      key.signatureAlgorithm === passkeyAlgorithms.signature &&
      key.hashAlgorithm === passkeyAlgorithms.hash,
  )?.index
}
