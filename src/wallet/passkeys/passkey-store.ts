import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { namedQuery } from '../../platform/db/named-query.ts'
import type { StatementRunner } from '../../platform/db/named-query.ts'
import { query, withTransaction } from '../../platform/db/pool.ts'
import type { SigningPasskey, VerifiedAssertion, BackupFlags } from './webauthn.ts'
import { functionError } from './endpoint.ts'
import { insertNote } from './passkey-audit.ts'
import type { NewPasskey } from './register.ts'

interface Passkey {
  readonly id: string
  readonly authenticatorName: string
  readonly deviceType: BackupFlags['deviceType']
  readonly backedUp: boolean
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** 130 hex digits. */
  readonly publicKeySec1Hex: string
}

export interface OwnedPasskey extends SigningPasskey, KnownPasskey {
  readonly isRemoved: boolean
}

/** Per user. */
const maxPasskeys = 10

const shown = `credential_id as id, name as "authenticatorName", device_type as "deviceType",
  is_backed_up as "backedUp", created_at as "createdAt",
  last_used_at as "lastUsedAt", encode(public_key_sec1, 'hex') as "publicKeySec1Hex"`
const known = `credential_id as "credentialId", user_id as "userId", encode(public_key_sec1,
  'hex') as "publicKeySec1Hex"`

/** Including removed passkeys. @param credentialId, rpId such as `$1` */
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

type AlsoIn = (client: pg.ClientBase) => Promise<void>

export class PasskeyStore implements KnownPasskeys {
  readonly #pool: pg.Pool
  readonly #statements: StatementRunner

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
    if (row === undefined) throw new Error('missing user handle')
    return new Uint8Array(row.handle)
  }

  async signer(credentialId: string, rpId: string): Promise<OwnedPasskey | undefined> {
    const {
      rows: [row],
    } = await query<OwnedPasskey>(this.#pool, selectSigner('$1', '$2'), [credentialId, rpId])
    return row?.isRemoved === false ? row : undefined
  }

  /**
   * Registration does not prove possession of the key, and keys are public on the chain: a known
   * key is rejected, also one that a recovery announced, because its owner's account could be
   * claimed. @param isConfirmed by an assertion; otherwise only a first passkey is accepted. @throws ApiError 403
   * `REAUTHENTICATION_REQUIRED`, 409 `CREDENTIAL_EXISTS` (of any user), `TOO_MANY_PASSKEYS`
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
      requirePasskeyQuota(live.length)
      const {
        rows: [row],
      } = await query<Passkey>(
        client,
        `insert into wallet.passkeys (credential_id, user_id, rp_id, public_key, public_key_sec1, counter,
          device_type, is_backed_up, transports, aaguid, name)
         select $1::text, $2::uuid, $3::text, $4::bytea, $5::bytea, $6::bigint, $7::text, $8::boolean, $9::text[],
           $10::uuid, $11::text
         where not exists (select from wallet.recoveries
           where passkey ->> 'publicKeySec1' = encode($5::bytea, 'hex') and user_id <> $2::uuid)
         on conflict do nothing returning ${shown}`,
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
      if (row === undefined) throw functionError('CREDENTIAL_EXISTS', 'This passkey is already registered.')
      await alsoIn(client)
      return row
    })
  }

  /**
   * @returns false if the passkey was removed, or the counter did not increase, which indicates a
   * copy
   */
  async used(credentialId: string, { counter, isBackedUp }: VerifiedAssertion): Promise<boolean> {
    const { rowCount } = await namedQuery(this.#statements, markUsed, [credentialId, counter, isBackedUp])
    return rowCount === 1
  }

  /** Writes an audit row if true. @param note `noteValues` */
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
      if (row === undefined) throw unknownCredential()
      await alsoIn(client)
      return row
    })
  }

  /**
   * @param live passkeys at the time of the check for losses. @throws ApiError 404
   * `CREDENTIAL_NOT_FOUND`, 409 `LAST_PASSKEY`, `PASSKEYS_CHANGED`
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
      if (rowCount !== 1) throw unknownCredential()
      requireNotLast(ids.length)
      if (ids.length !== live.length || !live.every((one) => ids.includes(one.credentialId))) {
        throw functionError(
          'PASSKEYS_CHANGED',
          'Passkey not removed: your passkeys changed at the same time. Reload them and try again.',
        )
      }
      await alsoIn(client)
    })
  }

  /**
   * @returns its name; undefined if its counter did not increase. @throws ApiError 409
   * `TOO_MANY_PASSKEYS`
   */
  async restore(
    { userId, credentialId }: KnownPasskey,
    { counter, isBackedUp }: VerifiedAssertion,
    alsoIn: AlsoIn,
  ): Promise<string | undefined> {
    return withTransaction(this.#pool, async (client) => {
      requirePasskeyQuota((await lockedPasskeys(client, userId)).filter(({ id }) => id !== credentialId).length)
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
    throw functionError('LAST_PASSKEY', 'Passkey not removed: it is your last one. Add another passkey first.')
}

export function confirmationMissing(): Error {
  return functionError(
    'REAUTHENTICATION_REQUIRED',
    'Confirm this change with one of your passkeys (/passkeys/confirm).',
  )
}

/** @throws ApiError 409 `TOO_MANY_PASSKEYS` */
export function requirePasskeyQuota(count: number): void {
  if (count >= maxPasskeys)
    throw functionError('TOO_MANY_PASSKEYS', `Too many passkeys (limit ${maxPasskeys}). Remove one first.`)
}

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

export function unknownCredential(): Error {
  return functionError('CREDENTIAL_NOT_FOUND', 'This passkey does not exist.')
}

/** Keys stay, without an owner, because accounts have them and others could claim them. */
const statements = [
  "update wallet.passkeys set removed_at = coalesce(removed_at, now()), name = '' where user_id = $1",
  'delete from wallet.challenges where user_id = $1',
  'delete from wallet.further_accounts where user_id = $1',
  'delete from wallet.contacts where user_id = $1',
  'delete from wallet.app_policies where user_id = $1',
  'delete from wallet.app_spending where user_id = $1',
  'delete from wallet.signatures where user_id = $1',
  'delete from wallet.device_requests where user_id = $1',
  'delete from wallet.recoveries where user_id = $1',
  "update wallet.account_recoveries set state = 'cancel', next_at = now() where user_id = $1",
  'update wallet.audit_log set ip = null, origin = null, user_agent = null where user_id = $1',
]

export async function deletePasskeys(client: pg.ClientBase, userId: string): Promise<void> {
  for (const statement of statements) await query(client, statement, [userId])
}

export interface KnownPasskey {
  /** base64url. */
  readonly credentialId: string
  readonly userId: string
  /** With 04, 130 hex digits. */
  readonly publicKeySec1Hex: string
}

export interface KnownPasskeys {
  find(userId: string, credentialId: string): Promise<KnownPasskey | undefined>
  of(userId: string): Promise<readonly KnownPasskey[]>
  /** Most recently removed first. Accounts may have their keys. */
  removedOf(userId: string): Promise<readonly KnownPasskey[]>
}

/** Queries access nodes. */
export interface KeysOnChain {
  /**
   * Addresses of accounts that could not be signed for without these passkeys: every other
   * full-weight key is revoked or belongs to a removed passkey. On a network without a node, an
   * account of one of these passkeys counts as lost. @throws ApiError 409 `ONLY_KEY` while an
   * account is being created with one of them, 503 `INTERNAL`
   */
  lostWithout(userId: string, removing: readonly KnownPasskey[], signal: AbortSignal): Promise<readonly string[]>
  /** Full weight, even if the passkey is removed. @throws ApiError 503 `INTERNAL` */
  isKey(passkey: KnownPasskey, signal: AbortSignal): Promise<boolean>
}

export const noKeysOnChain: KeysOnChain = {
  lostWithout: () => Promise.resolve([]),
  isKey: () => Promise.resolve(false),
}
