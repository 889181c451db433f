import type pg from 'pg'
import { namedQuery } from '../../../platform/db/named-query.ts'
import type { StatementRunner } from '../../../platform/db/named-query.ts'
import { query } from '../../../platform/db/pool.ts'
import { authError } from '../auth-parts.ts'
import type { AuthUser } from '../auth-sessions.ts'
import type { AuthClient } from './sessions.ts'

export interface ProviderAccount {
  readonly provider: string
  readonly providerId: string
  /** Verified by the provider. */
  readonly email: string
  readonly data: Readonly<Record<string, unknown>>
}

interface FoundUser {
  readonly id: string
  readonly isNew: boolean
  readonly isNewIdentity: boolean
}

type Db = pg.Pool | pg.ClientBase

/** Characters of JSON, which every token contains. */
const maxMetadata = 4096

export class UserStore {
  async find(db: StatementRunner, id: string): Promise<UserRow | undefined> {
    const {
      rows: [user],
    } = await namedQuery<UserRow>(db, `select ${userColumns} from wallet_auth.users as u where u.id = $1`, [id])
    return user
  }

  async findByEmail(db: Db, email: string): Promise<UserRow | undefined> {
    const {
      rows: [user],
    } = await query<UserRow>(db, `select ${userColumns} from wallet_auth.users as u where u.email = $1`, [email])
    return user
  }

  /** Creates the user if new. */
  async confirm(db: Db, email: string, metadata: Readonly<Record<string, unknown>>): Promise<FoundUser> {
    const user = await this.#ofEmail(db, email, metadata)
    const { isNew: isNewIdentity } = await this.#keepIdentity(db, user.id, {
      provider: 'email',
      providerId: user.id,
      email,
      data: { email_verified: true },
    })
    return { ...user, isNewIdentity: isNewIdentity && !user.isNew }
  }

  /** By the account, else by its verified address. */
  async ofProvider(db: Db, account: ProviderAccount): Promise<FoundUser> {
    const {
      rows: [known],
    } = await query<{ userId: string }>(
      db,
      'select user_id as "userId" from wallet_auth.identities where provider = $1 and provider_id = $2',
      [account.provider, account.providerId],
    )
    const user =
      known === undefined ? await this.#ofEmail(db, account.email, account.data) : { id: known.userId, isNew: false }
    const identity = await this.#keepIdentity(db, user.id, account)
    return { id: identity.userId, isNew: user.isNew, isNewIdentity: identity.isNew && !user.isNew }
  }

  async invite(
    db: Db,
    email: string,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const {
      rows: [made],
    } = await query<{ id: string }>(
      db,
      `insert into wallet_auth.users (email, user_metadata) values ($1, $2)
         on conflict (email) do nothing returning id`,
      [email, JSON.stringify(metadata)],
    )
    if (made !== undefined) return { id: made.id, isNew: true }
    const user = await this.findByEmail(db, email)
    if (user === undefined) throw authError(404, 'user_not_found', 'The user does not exist.')
    return { id: user.id, isNew: false }
  }

  /** null deletes a field. @throws ApiError 422 `validation_failed` */
  async changeMetadata(
    client: pg.ClientBase,
    id: string,
    change: Readonly<Record<string, unknown>>,
  ): Promise<UserRow | undefined> {
    const {
      rows: [stored],
    } = await query<{ metadata: Record<string, unknown> }>(
      client,
      'select user_metadata as metadata from wallet_auth.users where id = $1 for no key update',
      [id],
    )
    if (stored === undefined) return undefined
    const metadata = Object.fromEntries(
      Object.entries({ ...stored.metadata, ...change }).filter(([, value]) => value !== null),
    )
    requireValidMetadata(metadata)
    await query(client, 'update wallet_auth.users set user_metadata = $2, updated_at = now() where id = $1', [
      id,
      JSON.stringify(metadata),
    ])
    return this.find(client, id)
  }

  /** @returns undefined if another user has the address */
  async changeEmail(client: pg.ClientBase, id: string, email: string): Promise<UserRow | undefined> {
    const { rowCount } = await query(
      client,
      `update wallet_auth.users as u set email = $2, email_confirmed_at = now(), updated_at = now()
       where u.id = $1 and not exists (select from wallet_auth.users where email = $2 and id <> $1)`,
      [id, email],
    )
    if (rowCount === 0) return undefined
    await this.#keepIdentity(client, id, { provider: 'email', providerId: id, email, data: { email_verified: true } })
    return this.find(client, id)
  }

  async #ofEmail(
    db: Db,
    email: string,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const {
      rows: [user],
    } = await query<{ id: string; isNew: boolean }>(
      db,
      `insert into wallet_auth.users as u (email, email_confirmed_at, user_metadata) values ($1, now(), $2)
       on conflict (email) do update set email_confirmed_at = coalesce(u.email_confirmed_at, now()), updated_at = now()
       returning id, (xmax = 0) as "isNew"`,
      [email, JSON.stringify(metadata)],
    )
    if (user === undefined) throw new Error('insert returned no row')
    return user
  }

  /** @returns the other user after a concurrent first sign-in */
  async #keepIdentity(
    db: Db,
    userId: string,
    { provider, providerId, email, data }: ProviderAccount,
  ): Promise<{ readonly userId: string; readonly isNew: boolean }> {
    const {
      rows: [row],
    } = await query<{ userId: string; isNew: boolean }>(
      db,
      `insert into wallet_auth.identities as i (user_id, provider, provider_id, identity_data, last_sign_in_at)
        values ($1, $2, $3, $4, now())
       on conflict (provider, provider_id) do update
         set identity_data = excluded.identity_data, last_sign_in_at = now(), updated_at = now()
       returning user_id as "userId", (xmax = 0) as "isNew"`,
      [userId, provider, providerId, JSON.stringify({ ...data, email, sub: providerId })],
    )
    if (row === undefined) throw new Error('insert returned no row')
    return row
  }
}

/** @throws ApiError 422 `validation_failed` */
export function requireValidMetadata(metadata: Readonly<Record<string, unknown>>): void {
  const text = JSON.stringify(metadata)
  if (/\\u(0000|d[89a-f])/i.test(text))
    throw authError(422, 'validation_failed', 'User metadata must not contain NUL or lone surrogates.')
  if (text.length > maxMetadata)
    throw authError(422, 'validation_failed', `User metadata is too large (limit ${maxMetadata} characters of JSON).`)
}

interface IdentityRow {
  readonly id: string
  readonly provider: string
  readonly providerId: string
  readonly identityData: Readonly<Record<string, unknown>>
  readonly lastSignInAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface UserRow {
  readonly id: string
  readonly email: string | null
  readonly emailConfirmedAt: Date | null
  readonly appMetadata: Readonly<Record<string, unknown>>
  readonly userMetadata: Readonly<Record<string, unknown>>
  readonly lastSignInAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Oldest first. */
  readonly identities: readonly IdentityRow[]
}

/** Columns of a row `u` of wallet_auth.users. */
export const userColumns = `u.id, u.email, u.email_confirmed_at as "emailConfirmedAt",
  u.app_metadata as "appMetadata", u.user_metadata as "userMetadata",
  u.last_sign_in_at as "lastSignInAt", u.created_at as "createdAt", u.updated_at as "updatedAt",
  (select coalesce(json_agg(json_build_object('id', i.id, 'provider', i.provider, 'providerId', i.provider_id,
    'identityData', i.identity_data,
     'lastSignInAt', i.last_sign_in_at, 'createdAt', i.created_at, 'updatedAt', i.updated_at)
       order by i.created_at, i.id), '[]')
   from wallet_auth.identities as i where i.user_id = u.id) as identities`

export const isNotBanned = '(u.banned_until is null or u.banned_until <= now())'

/** GoTrue's format. */
export function metadataOf({ appMetadata, identities }: UserRow): Readonly<Record<string, unknown>> {
  const providers = [...new Set(identities.map(({ provider }) => provider))]
  return { ...appMetadata, ...(providers.length === 0 ? {} : { provider: providers[0], providers }) }
}

export function presentUser(user: UserRow, newEmail?: string): Record<string, unknown> {
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    phone: '',
    ...(newEmail === undefined ? {} : { new_email: newEmail }),
    email_confirmed_at: user.emailConfirmedAt,
    confirmed_at: user.emailConfirmedAt,
    last_sign_in_at: user.lastSignInAt,
    app_metadata: metadataOf(user),
    user_metadata: user.userMetadata,
    identities: user.identities.map(
      ({ id, provider, providerId, identityData, lastSignInAt, createdAt, updatedAt }) => ({
        identity_id: id,
        id: providerId,
        user_id: user.id,
        identity_data: identityData,
        provider,
        last_sign_in_at: lastSignInAt,
        created_at: createdAt,
        updated_at: updatedAt,
        email: identityData['email'],
      }),
    ),
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    is_anonymous: false,
  }
}

export function asAuthUser(user: UserRow): AuthUser {
  return {
    id: user.id,
    email: user.email ?? undefined,
    isEmailConfirmed: user.emailConfirmedAt !== null,
    appMetadata: metadataOf(user),
    userMetadata: user.userMetadata,
  }
}

type AuthEvent =
  | 'user_created'
  | 'identity_added'
  | 'signed_out'
  | 'token_reused'
  | 'code_failed'
  | 'user_changed'
  | 'link_made'
  | 'email_change_asked'
  | 'email_changed'
  | 'user_removed'
  | 'user_banned'
  | 'user_unbanned'
  | 'api_key_made'
  | 'api_key_revoked'

interface AuditNote {
  readonly userId?: string
  readonly sessionId?: string
  readonly client: AuthClient
  /** Never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The statement that opens a session logs sign-ins. */
export class AuditLog {
  async note(
    db: pg.Pool | pg.ClientBase,
    event: AuthEvent,
    { userId, sessionId, client, detail = {} }: AuditNote,
  ): Promise<void> {
    await query(
      db,
      `insert into wallet_auth.audit_log (event, user_id, session_id, ip, user_agent, detail)
        values ($1, $2, $3, nullif($4, '')::inet, $5, $6)`,
      [event, userId ?? null, sessionId ?? null, client.address, client.userAgent, JSON.stringify(detail)],
    )
  }
}
