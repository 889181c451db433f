import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { namedQuery } from '../../platform/db/named-query.ts'
import type { StatementRunner } from '../../platform/db/named-query.ts'
import { query, withTransaction } from '../../platform/db/pool.ts'
import type { SigningPasskey, VerifiedAssertion, BackupFlags } from './webauthn.ts'
import { functionError } from './endpoint.ts'
import { insertNote } from './passkey-audit.ts'
import type { NewPasskey } from './register.ts'

/** A passkey as its owner sees it. */
interface Passkey {
  readonly id: string
  readonly authenticatorName: string
  readonly deviceType: BackupFlags['deviceType']
  readonly backedUp: boolean
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** As accounts on the chain have it: 130 hex digits. */
  readonly publicKeySec1Hex: string
}

export interface OwnedPasskey extends SigningPasskey, KnownPasskey {
  readonly isRemoved: boolean
}

/** Passkeys that one user may have. */
const maxPasskeys = 10

const shown = `credential_id as id, name as "authenticatorName", device_type as "deviceType",
  is_backed_up as "backedUp", created_at as "createdAt",
  last_used_at as "lastUsedAt", encode(public_key_sec1, 'hex') as "publicKeySec1Hex"`
const known = `credential_id as "credentialId", user_id as "userId", encode(public_key_sec1,
  'hex') as "publicKeySec1Hex"`

/**
 * The statement that finds the passkey of a signature, also a removed one: an `OwnedPasskey`. @param credentialId, rpId
 * parameters of it, such as `$1`
 */
export function selectSigner(credentialId: string, rpId: string): string {
  return `select p.credential_id as "credentialId", p.user_id as "userId", p.public_key as "publicKey",
    p.device_type as "deviceType", h.handle as "userHandle",
      encode(p.public_key_sec1, 'hex') as "publicKeySec1Hex", p.removed_at is not null as "isRemoved"
    from wallet.passkeys p join wallet.user_handles h using (user_id)
      where p.credential_id = ${credentialId} and p.rp_id = ${rpId}`
}

const markUsed = `update wallet.passkeys set counter = $2, is_backed_up = $3, last_used_at = now()
  where credential_id = $1 and removed_at is null and (counter < $2 or (counter = 0 and $2 = 0))`
const markUsedAndNote = `with u as (${markUsed} returning 1) ${insertNote(4, 'from u')}`

/** What is done together with a change, in its transaction. */
type AlsoIn = (client: pg.ClientBase) => Promise<void>

/** Passkeys of all users. */
export class PasskeyStore implements KnownPasskeys {
  readonly #pool: pg.Pool
  readonly #statements: StatementRunner

  /** @param statements where it is noted that a passkey has signed */
  constructor(pool: pg.Pool, statements: StatementRunner = pool) {
    this.#pool = pool
    this.#statements = statements
  }

  async find(userId: string, credentialId: string): Promise<KnownPasskey | undefined> {
    const {
      rows: [row],
    } = await query<KnownPasskey>(
      this.#pool,
      `select ${known} from wallet.passkeys where credential_id = $2 and user_id = $1 and removed_at is null`,
      [userId, credentialId],
    )
    return row
  }

  async of(userId: string): Promise<readonly KnownPasskey[]> {
    const { rows } = await query<KnownPasskey>(
      this.#pool,
      `select ${known} from wallet.passkeys where user_id = $1 and removed_at is null
        order by created_at, credential_id`,
      [userId],
    )
    return rows
  }

  async removedOf(userId: string): Promise<readonly KnownPasskey[]> {
    const { rows } = await query<KnownPasskey>(
      this.#pool,
      `select ${known} from wallet.passkeys where user_id = $1 and removed_at is not null
        order by removed_at desc, credential_id limit 100`,
      [userId],
    )
    return rows
  }

  /** As their owner sees them, the oldest first. */
  async list(userId: string): Promise<readonly Passkey[]> {
    const { rows } = await query<Passkey>(
      this.#pool,
      `select ${shown} from wallet.passkeys where user_id = $1 and removed_at is null
        order by created_at, credential_id`,
      [userId],
    )
    return rows
  }

  async hasAny(userId: string, rpId: string): Promise<boolean> {
    const { rowCount } = await query(
      this.#pool,
      'select from wallet.passkeys where user_id = $1 and rp_id = $2 and removed_at is null limit 1',
      [userId, rpId],
    )
    return rowCount === 1
  }

  /** As browsers are told of them: those of this relying party, which no others know. */
  async descriptors(
    userId: string,
    rpId: string,
  ): Promise<readonly { readonly id: string; readonly transports: string[] }[]> {
    const { rows } = await query<{ id: string; transports: string[] }>(
      this.#pool,
      `select credential_id as id, transports from wallet.passkeys
        where user_id = $1 and rp_id = $2 and removed_at is null order by created_at`,
      [userId, rpId],
    )
    return rows
  }

  /** How authenticators know a user: always the same. */
  async handleOf(userId: string): Promise<Uint8Array<ArrayBuffer>> {
    await query(
      this.#pool,
      'insert into wallet.user_handles (user_id, handle) values ($1, $2) on conflict (user_id) do nothing',
      [userId, randomBytes(32)],
    )
    const {
      rows: [row],
    } = await query<{ handle: Buffer }>(this.#pool, 'select handle from wallet.user_handles where user_id = $1', [
      userId,
    ])
    if (row === undefined) throw new Error('a handle that was just made is not there')
    return new Uint8Array(row.handle)
  }

  /** By what signatures of a passkey are checked; undefined for one that is unknown or was removed. */
  async signer(credentialId: string, rpId: string): Promise<OwnedPasskey | undefined> {
    const {
      rows: [row],
    } = await query<OwnedPasskey>(this.#pool, selectSigner('$1', '$2'), [credentialId, rpId])
    return row?.isRemoved === false ? row : undefined
  }

  /**
   * Stores a new passkey. Registration does not prove possession of the key, and keys are public on the chain: a key
   * that is known here is refused, or its owner's account could be claimed.
   * @param isConfirmed by an assertion; otherwise it has to be the first one
   * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, 409 `CREDENTIAL_EXISTS` (of any user), `TOO_MANY_PASSKEYS`
   */
  async add(
    userId: string,
    rpId: string,
    passkey: NewPasskey & { readonly name: string; readonly isConfirmed: boolean },
    alsoIn: AlsoIn,
  ): Promise<Passkey> {
    return withTransaction(this.#pool, async (client) => {
      const live = await lockedPasskeys(client, userId)
      if (!passkey.isConfirmed && live.some((one) => one.rpId === rpId)) throw confirmationMissing()
      requireRoom(live.length)
      const {
        rows: [row],
      } = await query<Passkey>(
        client,
        `insert into wallet.passkeys (credential_id, user_id, rp_id, public_key, public_key_sec1, counter,
          device_type, is_backed_up, transports, aaguid, name)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing returning ${shown}`,
        [
          passkey.credentialId,
          userId,
          rpId,
          passkey.publicKey,
          passkey.publicKeySec1,
          passkey.counter,
          passkey.deviceType,
          passkey.isBackedUp,
          passkey.transports,
          passkey.aaguid,
          passkey.name,
        ],
      )
      if (row === undefined) throw functionError('CREDENTIAL_EXISTS', 'This passkey was added before.')
      await alsoIn(client)
      return row
    })
  }

  /**
   * Stores that a passkey has signed.
   * @returns false if the counter did not grow, which indicates a copy, or if it was removed meanwhile
   */
  async used(credentialId: string, { counter, isBackedUp }: VerifiedAssertion): Promise<boolean> {
    const { rowCount } = await namedQuery(this.#statements, markUsed, [credentialId, counter, isBackedUp])
    return rowCount === 1
  }

  /** The same, with a line of the audit log where it is true. @param note values of the line, of `noteValues` */
  async usedAndNoted(
    credentialId: string,
    { counter, isBackedUp }: VerifiedAssertion,
    note: readonly unknown[],
  ): Promise<boolean> {
    const { rowCount } = await namedQuery(this.#statements, markUsedAndNote, [
      credentialId,
      counter,
      isBackedUp,
      ...note,
    ])
    return rowCount === 1
  }

  /** @throws ApiError 404 `CREDENTIAL_NOT_FOUND` */
  async rename(userId: string, credentialId: string, name: string, alsoIn: AlsoIn): Promise<Passkey> {
    return withTransaction(this.#pool, async (client) => {
      const {
        rows: [row],
      } = await query<Passkey>(
        client,
        `update wallet.passkeys set name = $3 where credential_id = $2 and user_id = $1 and removed_at is null
          returning ${shown}`,
        [userId, credentialId, name],
      )
      if (row === undefined) throw notOfUser()
      await alsoIn(client)
      return row
    })
  }

  /**
   * @param live the passkeys that the user had when it was checked what is lost without this one
   * @throws ApiError 404 `CREDENTIAL_NOT_FOUND`, 409 `LAST_PASSKEY`, `PASSKEYS_CHANGED`
   */
  async remove(userId: string, credentialId: string, live: readonly KnownPasskey[], alsoIn: AlsoIn): Promise<void> {
    await withTransaction(this.#pool, async (client) => {
      const ids = (await lockedPasskeys(client, userId)).map(({ id }) => id)
      const { rowCount } = await query(
        client,
        'update wallet.passkeys set removed_at = now() where credential_id = $2 and user_id = $1 and removed_at ' +
          'is null',
        [userId, credentialId],
      )
      if (rowCount !== 1) throw notOfUser()
      requireNotLast(ids.length)
      if (ids.length !== live.length || !live.every((one) => ids.includes(one.credentialId))) {
        throw functionError(
          'PASSKEYS_CHANGED',
          'The passkey was not removed: your passkeys changed at the same time. Look at them again, and retry.',
        )
      }
      await alsoIn(client)
    })
  }

  /**
   * Brings a removed passkey back, which has just signed.
   * @returns its name; undefined where its counter is not higher than before
   * @throws ApiError 409 `TOO_MANY_PASSKEYS`
   */
  async restore(
    { userId, credentialId }: KnownPasskey,
    { counter, isBackedUp }: VerifiedAssertion,
    alsoIn: AlsoIn,
  ): Promise<string | undefined> {
    return withTransaction(this.#pool, async (client) => {
      requireRoom((await lockedPasskeys(client, userId)).filter(({ id }) => id !== credentialId).length)
      const {
        rows: [row],
      } = await query<{ name: string }>(
        client,
        `update wallet.passkeys set removed_at = null, counter = $3, is_backed_up = $4, last_used_at = now()
         where credential_id = $2 and user_id = $1 and (counter < $3 or (counter = 0 and $3 = 0)) returning name`,
        [userId, credentialId, counter, isBackedUp],
      )
      if (row !== undefined) await alsoIn(client)
      return row?.name
    })
  }
}

/** @throws ApiError 409 `LAST_PASSKEY` */
export function requireNotLast(count: number): void {
  if (count <= 1)
    throw functionError(
      'LAST_PASSKEY',
      'The passkey was not removed: it is the last one of your user. Add another one first.',
    )
}

/** That a change of a user with passkeys came without a confirmation. */
export function confirmationMissing(): Error {
  return functionError('REAUTHENTICATION_REQUIRED', 'Confirm this change by one of your passkeys (/passkeys/confirm).')
}

/** @throws ApiError 409 `TOO_MANY_PASSKEYS` */
export function requireRoom(count: number): void {
  if (count >= maxPasskeys)
    throw functionError('TOO_MANY_PASSKEYS', `An account has at most ${maxPasskeys} passkeys: remove one before.`)
}

/** The passkeys that a user has; until the transaction ends nobody else adds, removes or restores one. */
async function lockedPasskeys(
  client: pg.ClientBase,
  userId: string,
): Promise<readonly { readonly id: string; readonly rpId: string }[]> {
  await query(client, 'select 1 from wallet.user_handles where user_id = $1 for no key update', [userId])
  const { rows } = await query<{ id: string; rpId: string }>(
    client,
    'select credential_id as id, rp_id as "rpId" from wallet.passkeys where user_id = $1 and removed_at is null',
    [userId],
  )
  return rows
}

export function notOfUser(): Error {
  return functionError('CREDENTIAL_NOT_FOUND', 'You have no such passkey.')
}

/** Keys are kept, since accounts on the chain have them: otherwise others could claim them. Owners are not recorded. */
const statements = [
  "update wallet.passkeys set removed_at = coalesce(removed_at, now()), name = '' where user_id = $1",
  'delete from wallet.challenges where user_id = $1',
  'delete from wallet.further_accounts where user_id = $1',
  'update wallet.audit_log set ip = null, origin = null, user_agent = null where user_id = $1',
]

/** Forgets the passkeys of a user who goes, in the transaction that removes them: nobody signs in by them any more. */
export async function forgetPasskeys(client: pg.ClientBase, userId: string): Promise<void> {
  for (const statement of statements) await query(client, statement, [userId])
}

/** A passkey of a user, as far as accounts on the chain go. */
export interface KnownPasskey {
  /** base64url. */
  readonly credentialId: string
  readonly userId: string
  /** 65 bytes with 04, hex: 130 digits. */
  readonly publicKeySec1Hex: string
}

/** Passkeys by their owner. */
export interface KnownPasskeys {
  /** Undefined for one that is not there, was removed, or is somebody else's: nobody is told which. */
  find(userId: string, credentialId: string): Promise<KnownPasskey | undefined>
  of(userId: string): Promise<readonly KnownPasskey[]>
  /** Removed ones, last first. They sign nobody in; accounts on the chain may still have their keys. */
  removedOf(userId: string): Promise<readonly KnownPasskey[]>
}

/** What the chain says of the passkeys of a user. Both ask access nodes. */
export interface KeysOnChain {
  /**
   * Accounts of the user for which nobody could sign any more without these passkeys: each other key of full weight is
   * revoked, or that of a passkey that was removed. An account on a network without a node counts as lost where it
   * belongs to one of these passkeys.
   * @returns addresses in text form
   * @throws ApiError 409 `ONLY_KEY` while an account is being created with one of them, 503 `INTERNAL` where the chain
   * does not answer
   */
  lostWithout(userId: string, leaving: readonly KnownPasskey[], signal: AbortSignal): Promise<readonly string[]>
  /**
   * Whether a passkey, even a removed one, is a key of full weight of one of the user's accounts. @throws ApiError 503
   * `INTERNAL`
   */
  isKey(passkey: KnownPasskey, signal: AbortSignal): Promise<boolean>
}

/** Where no accounts are kept. */
export const noKeysOnChain: KeysOnChain = {
  lostWithout: () => Promise.resolve([]),
  isKey: () => Promise.resolve(false),
}
