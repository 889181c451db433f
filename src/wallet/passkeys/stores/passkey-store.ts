import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { namedQuery } from '../../../db/named-query.ts'
import type { StatementRunner } from '../../../db/named-query.ts'
import { query, withTransaction } from '../../../db/pool.ts'
import type { BackupFlags } from '../ceremonies/authenticator-data.ts'
import type { SigningPasskey, VerifiedAssertion } from '../ceremonies/verify-assertion.ts'
import type { NewPasskey } from '../ceremonies/verify-registration.ts'
import { functionError } from '../function-error.ts'
import type { KnownPasskey, KnownPasskeys } from '../known-passkey.ts'
import { insertNote } from './passkey-audit.ts'

/** A passkey as its owner sees it. */
export interface Passkey {
  readonly id: string
  readonly authenticatorName: string
  readonly deviceType: BackupFlags['deviceType']
  readonly backedUp: boolean
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** As accounts on the chain have it: 130 hex digits. */
  readonly publicKeySec1Hex: string
}

export interface OwnedPasskey extends SigningPasskey {
  readonly userId: string
}

/** Passkeys that one user may have. */
export const mostPasskeys = 10

const shown = `credential_id as id, name as "authenticatorName", device_type as "deviceType", is_backed_up as "backedUp", created_at as "createdAt",
  last_used_at as "lastUsedAt", encode(public_key_sec1, 'hex') as "publicKeySec1Hex"`
const known = `credential_id as "credentialId", user_id as "userId", encode(public_key_sec1, 'hex') as "publicKeySec1Hex"`

/** The statement that finds the passkey of a signature: an `OwnedPasskey`. @param credentialId, rpId parameters of it, such as `$1` */
export function selectSigner(credentialId: string, rpId: string): string {
  return `select p.credential_id as "credentialId", p.user_id as "userId", p.public_key as "publicKey", p.device_type as "deviceType", h.handle as "userHandle"
    from wallet.passkeys p join wallet.user_handles h using (user_id) where p.credential_id = ${credentialId} and p.rp_id = ${rpId} and p.removed_at is null`
}

const markUsed = `update wallet.passkeys set counter = $2, is_backed_up = $3, last_used_at = now()
  where credential_id = $1 and removed_at is null and (counter < $2 or (counter = 0 and $2 = 0))`
const markUsedAndNote = `with u as (${markUsed} returning 1) ${insertNote(4, 'from u')}`

/** What is done together with a change, in its transaction. */
export type AlsoIn = (client: pg.ClientBase) => Promise<void>

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
    const { rows: [row] } = await query<KnownPasskey>(
      this.#pool, `select ${known} from wallet.passkeys where credential_id = $2 and user_id = $1 and removed_at is null`, [userId, credentialId],
    )
    return row
  }

  async of(userId: string): Promise<readonly KnownPasskey[]> {
    const { rows } = await query<KnownPasskey>(
      this.#pool, `select ${known} from wallet.passkeys where user_id = $1 and removed_at is null order by created_at, credential_id`, [userId],
    )
    return rows
  }

  async removedOf(userId: string): Promise<readonly KnownPasskey[]> {
    const { rows } = await query<KnownPasskey>(
      this.#pool, `select ${known} from wallet.passkeys where user_id = $1 and removed_at is not null order by removed_at desc, credential_id limit 100`, [userId],
    )
    return rows
  }

  /** As their owner sees them, the oldest first. */
  async list(userId: string): Promise<readonly Passkey[]> {
    const { rows } = await query<Passkey>(
      this.#pool, `select ${shown} from wallet.passkeys where user_id = $1 and removed_at is null order by created_at, credential_id`, [userId],
    )
    return rows
  }

  /** As browsers are told of them: those of this relying party, which no others know. */
  async descriptors(userId: string, rpId: string): Promise<readonly { readonly id: string; readonly transports: string[] }[]> {
    const { rows } = await query<{ id: string; transports: string[] }>(
      this.#pool, 'select credential_id as id, transports from wallet.passkeys where user_id = $1 and rp_id = $2 and removed_at is null order by created_at', [userId, rpId],
    )
    return rows
  }

  /** How authenticators know a user: always the same. */
  async handleOf(userId: string): Promise<Uint8Array<ArrayBuffer>> {
    await query(this.#pool, 'insert into wallet.user_handles (user_id, handle) values ($1, $2) on conflict (user_id) do nothing', [userId, randomBytes(32)])
    const { rows: [row] } = await query<{ handle: Buffer }>(this.#pool, 'select handle from wallet.user_handles where user_id = $1', [userId])
    if (row === undefined) throw new Error('a handle that was just made is not there')
    return new Uint8Array(row.handle)
  }

  /** By what signatures of a passkey are checked; undefined for one that is not there (any more). */
  async signer(credentialId: string, rpId: string): Promise<OwnedPasskey | undefined> {
    const { rows: [row] } = await query<OwnedPasskey>(this.#pool, selectSigner('$1', '$2'), [credentialId, rpId])
    return row
  }

  /**
   * Keeps a new passkey. Making one proves nothing of its key, and keys are read on the chain by everybody: one that is known here already is
   * nobody's a second time, or its owner's account could be claimed by others.
   * @throws ApiError 409 `CREDENTIAL_EXISTS` (of whomever), `TOO_MANY_PASSKEYS`
   */
  async add(userId: string, rpId: string, passkey: NewPasskey & { readonly name: string }, alsoIn: AlsoIn): Promise<Passkey> {
    return withTransaction(this.#pool, async (client) => {
      requireRoom(await lockedCount(client, userId))
      const { rows: [row] } = await query<Passkey>(
        client,
        `insert into wallet.passkeys (credential_id, user_id, rp_id, public_key, public_key_sec1, counter, device_type, is_backed_up, transports, aaguid, name)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing returning ${shown}`,
        [
          passkey.credentialId, userId, rpId, passkey.publicKey, passkey.publicKeySec1, passkey.counter, passkey.deviceType, passkey.isBackedUp,
          passkey.transports, passkey.aaguid, passkey.name,
        ],
      )
      if (row === undefined) throw functionError('CREDENTIAL_EXISTS', 'This passkey was added before.')
      await alsoIn(client)
      return row
    })
  }

  /**
   * That a passkey has signed. Of two that show the same counter at once, one is told.
   * @returns false where the counter is not higher than all before, which is how a copy is known; or where it was removed at this moment
   */
  async used(credentialId: string, { counter, isBackedUp }: VerifiedAssertion): Promise<boolean> {
    const { rowCount } = await namedQuery(this.#statements, markUsed, [credentialId, counter, isBackedUp])
    return rowCount === 1
  }

  /** The same, with a line of the audit log where it is true. @param note values of the line, of `noteValues` */
  async usedAndNoted(credentialId: string, { counter, isBackedUp }: VerifiedAssertion, note: readonly unknown[]): Promise<boolean> {
    const { rowCount } = await namedQuery(this.#statements, markUsedAndNote, [credentialId, counter, isBackedUp, ...note])
    return rowCount === 1
  }

  /** @throws ApiError 404 `CREDENTIAL_NOT_FOUND` */
  async rename(userId: string, credentialId: string, name: string, alsoIn: AlsoIn): Promise<Passkey> {
    return withTransaction(this.#pool, async (client) => {
      const { rows: [row] } = await query<Passkey>(
        client, `update wallet.passkeys set name = $3 where credential_id = $2 and user_id = $1 and removed_at is null returning ${shown}`, [userId, credentialId, name],
      )
      if (row === undefined) throw notFound()
      await alsoIn(client)
      return row
    })
  }

  /** @throws ApiError 404 `CREDENTIAL_NOT_FOUND`, 409 `LAST_PASSKEY` */
  async remove(userId: string, credentialId: string, alsoIn: AlsoIn): Promise<void> {
    await withTransaction(this.#pool, async (client) => {
      const count = await lockedCount(client, userId)
      const { rowCount } = await query(
        client, 'update wallet.passkeys set removed_at = now() where credential_id = $2 and user_id = $1 and removed_at is null', [userId, credentialId],
      )
      if (rowCount !== 1) throw notFound()
      if (count <= 1) throw functionError('LAST_PASSKEY', 'This is the last passkey of the account: add another one before.')
      await alsoIn(client)
    })
  }
}

/** @throws ApiError 409 `TOO_MANY_PASSKEYS` */
export function requireRoom(count: number): void {
  if (count >= mostPasskeys) throw functionError('TOO_MANY_PASSKEYS', `An account has at most ${mostPasskeys} passkeys: remove one before.`)
}

/** How many passkeys a user has; until the transaction ends nobody else adds or removes one. */
async function lockedCount(client: pg.ClientBase, userId: string): Promise<number> {
  await query(client, 'select 1 from wallet.user_handles where user_id = $1 for no key update', [userId])
  const { rows: [row] } = await query<{ count: number }>(
    client, 'select count(*)::int as count from wallet.passkeys where user_id = $1 and removed_at is null', [userId],
  )
  return row?.count ?? 0
}

function notFound(): Error {
  return functionError('CREDENTIAL_NOT_FOUND', 'You have no such passkey.')
}
